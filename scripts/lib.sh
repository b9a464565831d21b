# shellcheck shell=bash
# What the scripts share: the private folder, locks, and a Debian package taken without installing it. Sourced only.

# Nothing below is a reason to ask for root: all of it lives in a folder of the user's, outside the repository, so that
# every clone on the machine shares it and `git clean` costs no download.
cache_dir() {
	printf '%s\n' "${NVIM_AGENT_DIFF_CACHE:-${XDG_CACHE_HOME:-${HOME:?set HOME, or NVIM_AGENT_DIFF_CACHE}/.cache}/nvim-agent-diff}"
}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
	say "$@"
	exit 1
}

# lock NAME: holds the lock until the script ends, so that of two that run at once one builds and the other finds it
# done. The kernel drops the lock with its process, however that ends.
lock() {
	mkdir -p "$(cache_dir)"
	# Missing on macOS. There two may both do the work; the rename at its end still keeps the result whole.
	command -v flock >/dev/null || return 0
	exec 9>"$(cache_dir)/.$1.lock"
	flock 9
}

# version_at_least HAVE WANT
version_at_least() {
	[ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

# nvim_version BINARY: prints e.g. 0.10.4, or fails when it is no Neovim that runs here.
nvim_version() {
	local first
	first=$("$1" --version 2>/dev/null | head -n 1) || return 1
	[[ $first =~ ^NVIM\ v([0-9]+\.[0-9]+\.[0-9]+) ]] || return 1
	printf '%s\n' "${BASH_REMATCH[1]}"
}

# --- Debian packages, apart from the system's ---------------------------------------------------------------------

# apt_available: this is Debian, or one of its children.
apt_available() {
	local tool
	for tool in apt-get apt-cache apt-config dpkg-deb; do
		command -v "$tool" >/dev/null || return 1
	done
}

# private_sources SUITE OUT [KEYRING]: the machine's own package sources with the suite replaced. They are read rather
# than named here, because only the machine knows by which server, mirror or proxy it gets its packages. Only entries
# of the distribution itself are taken: a base suite (no "-updates", "-security", "-pgdg") with the component "main".
private_sources() {
	local suite=$1 out=$2 keyring=${3:-} codename='' list parts
	local -a files=()
	codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
	eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
	if [ -f "${list:-}" ]; then files+=("$list"); fi
	if [ -d "${parts:-}" ]; then
		local f
		for f in "$parts"/*.list "$parts"/*.sources; do
			if [ -f "$f" ]; then files+=("$f"); fi
		done
	fi
	[ "${#files[@]}" -gt 0 ] || die "this machine has no package sources to start from"
	awk -v suite="$suite" -v codename="$codename" -v keyring="$keyring" '
		function ours(list,   n, i, w) { # does the list of suites hold a base suite of the distribution?
			n = split(list, w, " ")
			for (i = 1; i <= n; i++)
				if (w[i] == codename || w[i] ~ /^(stable|oldstable|testing|unstable|sid)$/) return 1
			return 0
		}
		function has(list, word,   n, i, w) {
			n = split(list, w, " ")
			for (i = 1; i <= n; i++) if (w[i] == word) return 1
			return 0
		}
		function emit(uris, signed, trusted,   key) {
			if (keyring != "") signed = " " keyring
			key = uris SUBSEP signed
			if (key in seen) return
			seen[key] = 1
			print "Types: deb"
			print "URIs: " uris
			print "Suites: " suite
			print "Components: main"
			print "Targets: Packages" # no translations, no icons: the index alone is 10 MB
			if (signed != "") print "Signed-By:" signed
			if (trusted != "") print "Trusted: " trusted # what the machine decided about this source holds here too
			print ""
		}
		function flush() {
			if (has(f["types"], "deb") && ours(f["suites"]) && has(f["components"], "main") && f["enabled"] !~ /no/)
				emit(trim(f["uris"]), f["signed-by"], trim(f["trusted"]))
			split("", f)
			name = ""
		}
		function trim(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
		FNR == 1 { flush() }
		FILENAME ~ /\.sources$/ {
			if ($0 ~ /^#/) next
			if ($0 ~ /^[ \t]*$/) { flush(); next }
			if ($0 ~ /^[ \t]/) { f[name] = f[name] "\n" $0; next } # a key written out in the source goes on for lines
			name = tolower(substr($0, 1, index($0, ":") - 1))
			f[name] = substr($0, index($0, ":") + 1)
			next
		}
		$1 == "deb" {
			line = $0
			sub(/^deb[ \t]+/, "", line)
			options = ""
			if (match(line, /^\[[^]]*\][ \t]*/)) {
				options = substr(line, 2, RLENGTH - 2)
				sub(/\].*$/, "", options)
				line = substr(line, RLENGTH + 1)
			}
			n = split(line, word, /[ \t]+/)
			components = ""
			for (i = 3; i <= n; i++) components = components " " word[i]
			if (!ours(word[2]) || !has(components, "main")) next
			signed = trusted = ""
			n = split(options, option, /[ \t]+/)
			for (i = 1; i <= n; i++) {
				if (option[i] ~ /^signed-by=/) signed = " " substr(option[i], 11)
				if (option[i] ~ /^trusted=/) trusted = substr(option[i], 9)
			}
			emit(word[1], signed, trusted)
		}
		END { flush() }
	' "${files[@]}" >"$out"
	[ -s "$out" ] || die "found no source of the distribution's main packages in: ${files[*]}"
}

# private_apt STATE SUITE: an apt of our own in the folder STATE that sees one suite, and nothing installed. Fails when
# the suite cannot be had from here (STATE/log says why). After it: `APT_CONFIG=STATE/apt.conf apt-get ...`.
private_apt() {
	local state=$1 suite=$2 keyring
	apt_with_keyring "$state" "$suite" '' && return 0
	# Signed by keys younger than this machine's keyring? Its own suite has a newer keyring, signed by keys it knows.
	grep -q NO_PUBKEY "$state/log" || return 1
	keyring=$(newer_keyring "$state/keyring") || return 1
	apt_with_keyring "$state" "$suite" "$keyring"
}

apt_with_keyring() {
	local state=$1 suite=$2 keyring=$3
	rm -rf "${state:?}/lists"
	mkdir -p "$state"/{lists/partial,cache/archives/partial,empty}
	: >"$state/status" # nothing installed: so every package needed is downloaded, the C library too
	private_sources "$suite" "$state/private.sources" "$keyring" || return 1
	{
		# Proxies, certificates and the like as the machine has them; but none of its hooks, pins and other sources.
		apt-config dump | grep '^Acquire::' | grep -Ev '^Acquire::(IndexTargets|Languages|CompressionTypes|Changelogs)' || true
		cat <<-CONF
			Dir::Etc::main "/dev/null";
			Dir::Etc::parts "$state/empty";
			Dir::Etc::sourcelist "$state/private.sources";
			Dir::Etc::sourceparts "$state/empty";
			Dir::Etc::preferences "/dev/null";
			Dir::Etc::preferencesparts "$state/empty";
			Dir::State "$state";
			Dir::State::lists "$state/lists";
			Dir::State::status "$state/status";
			Dir::Cache "$state/cache";
			Acquire::Languages "none";
			Acquire::Retries "3";
			APT::Install-Recommends "false";
			APT::Install-Suggests "false";
			// As root, apt downloads as the user _apt, who may not enter a private folder.
			APT::Sandbox::User "$(id -un)";
		CONF
	} >"$state/apt.conf"
	LC_ALL=C APT_CONFIG="$state/apt.conf" apt-get update >"$state/log" 2>&1 || true
	# Judged by what it can see now and not by its exit code: of several sources one may lack the suite.
	[[ $(LC_ALL=C APT_CONFIG="$state/apt.conf" apt-cache policy libc6 2>/dev/null) == *'Candidate: '[0-9]* ]]
}

# newer_keyring STATE: prints the path of the newest archive keyring that the machine's own suite offers.
newer_keyring() {
	local state=$1 own package
	own=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
	package=$(. /etc/os-release && printf '%s' "$ID")-archive-keyring
	apt_with_keyring "$state" "$own" '' || return 1
	(cd "$state" && APT_CONFIG="$state/apt.conf" apt-get download "$package" >>"$state/log" 2>&1) || return 1
	dpkg-deb -x "$state/$package"_*.deb "$state/root" || return 1
	printf '%s\n' "$state/root/usr/share/keyrings/$package.gpg"
}

# offered STATE PACKAGE: what that apt offers of it, as lines "UPSTREAM-VERSION PACKAGE-VERSION".
offered() {
	APT_CONFIG="$1/apt.conf" apt-cache madison "$2" 2>/dev/null | awk -F' *[|] *' '
		{ upstream = $2; sub(/^[0-9]+:/, "", upstream); sub(/[-+~].*$/, "", upstream); print upstream, $2 }'
}

# choose_suite WORK PACKAGE VERSION SUITE...: looks for the package in the suites, in order, until one has just that
# version, and sets chosen_state, chosen_version (upstream's) and chosen_package (VERSION as apt wants it). Suites move
# on: where none has the version any more, the oldest that is newer stands in for it, and that is said.
choose_suite() {
	local work=$1 package=$2 want=$3 suite upstream full why seen=''
	shift 3
	chosen_state='' chosen_version='' chosen_package=''
	for suite; do
		say "looking for $package $want in $suite"
		if ! private_apt "$work/$suite" "$suite"; then
			why=$(sed -n '/^[EW]: /{p;q}' "$work/$suite/log")
			seen+=" $suite cannot be had from here (${why:-apt does not say why});"
			continue
		fi
		# shellcheck disable=SC2034 # for the caller
		while read -r upstream full; do
			seen+=" $suite has $upstream;"
			version_at_least "$upstream" "$want" || continue
			[ -z "$chosen_version" ] || ! version_at_least "$upstream" "$chosen_version" || continue
			chosen_state=$work/$suite chosen_version=$upstream chosen_package=$package=$full
		done < <(offered "$work/$suite" "$package")
		[ "$chosen_version" != "$want" ] || return 0
	done
	if [ -z "$chosen_version" ]; then
		say "no $package $want or newer:${seen:- no suite to look in}"
		return 1
	fi
	say "$package $want is not offered any more; taking $chosen_version (tools.env should say so)"
}

# unpack STATE ROOT PACKAGE...: downloads the packages with all that they need, and unpacks them into the folder ROOT.
unpack() {
	local state=$1 root=$2 file
	shift 2
	APT_CONFIG="$state/apt.conf" apt-get install --yes --download-only "$@" >>"$state/log" 2>&1 ||
		die "downloading $* failed:
$(tail -n 5 "$state/log")"
	mkdir -p "$root"
	for file in "$state"/cache/archives/*.deb; do
		dpkg-deb -x "$file" "$root" || die "unpacking ${file##*/} failed"
	done
}

# loader_in DIR: the C library's loader in an unpacked tree; all other libraries are in the folder beside it.
loader_in() {
	local loader
	loader=$(find "$1" -type f -name 'ld*.so.[0-9]*' -print -quit)
	[ -n "$loader" ] || die "the downloaded C library has no loader"
	printf '%s\n' "$loader"
}

# suites [NEOVIM-VERSION]: where to look for what this machine's own release has too old, in order.
suites() {
	local id
	id=$(. /etc/os-release && printf '%s' "$ID")
	if [ -n "${NVIM_AGENT_DIFF_SUITES:-}" ]; then
		tr ' ' '\n' <<<"$NVIM_AGENT_DIFF_SUITES"
	elif [ "$id" != debian ]; then
		# A child of Debian with releases of its own: the one it runs, unless the user names others.
		(. /etc/os-release && printf '%s\n' "${VERSION_CODENAME:-}")
	else
		# trixie has Neovim 0.10 and the younger ones a newer: no need to load an index of 10 MB to find none.
		case ${1:-} in
		0.10.* | '') printf '%s\n' trixie forky sid ;;
		*) printf '%s\n' forky sid ;;
		esac
	fi
}

# fetch_npm DIR WHAT PACKAGE...: packages of npm's in a private folder, which is renamed into place when it is complete, so that
# being there is enough. No script of a package's runs.
fetch_npm() {
	local dir=$1 what=$2 work
	shift 2
	[ ! -d "$dir" ] || return 0
	command -v npm >/dev/null || die "$what come by npm: install Node.js with it"
	lock "$(basename "$dir")"
	[ ! -d "$dir" ] || return 0
	say "fetching $*"
	work=$(mktemp -d "$dir.XXXXXX")
	# shellcheck disable=SC2064 # the folder's name is known now, and local
	trap "rm -rf $(printf %q "$work")" EXIT
	npm install --prefix "$work" --ignore-scripts --no-audit --no-fund "$@" >"$work/log" 2>&1 ||
		die "npm could not fetch $what:
$(tail -n 5 "$work/log")"
	mv "$work" "$dir"
}
