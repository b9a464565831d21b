#!/usr/bin/env bash
# fetch-tool.sh golangci-lint|gotestsum|stylua|luacheck|shellcheck: makes sure that the tool, in the version that tools.env pins,
# is in the private folder, and prints the path of the program to run. Nothing is installed on the machine.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"
# shellcheck source=tools.env
. "$here/../tools.env"

name=${1:?usage: fetch-tool.sh NAME}
case $name in
# Built by this Go: one built by an older Go refuses sources that ask for a newer one.
golangci-lint) version=$GOLANGCI_LINT-$(go env GOVERSION) ;;
gotestsum) version=$GOTESTSUM-$(go env GOVERSION) ;;
stylua) version=$STYLUA ;;
luacheck) version=$LUACHECK ;;
shellcheck) version=$SHELLCHECK ;;
*) die "no such tool: $name" ;;
esac
dir=$(cache_dir)/$name-$version

# The folder is renamed into place when it is complete, so that being there is enough.
if [ -x "$dir/$name" ]; then
	printf '%s\n' "$dir/$name"
	exit 0
fi
lock "$name"
if [ -x "$dir/$name" ]; then # made by the one that held the lock before us
	printf '%s\n' "$dir/$name"
	exit 0
fi
work=$(mktemp -d "$(cache_dir)/.$name.XXXXXX")
trap 'rm -rf "$work"' EXIT
built=$work/built
mkdir "$built"

# from_debian PACKAGE VERSION: unpacks it with its libraries into $built, which can then be moved as a whole.
from_debian() {
	local where
	apt_available || die "$name can be fetched only on Debian and its derivatives"
	mapfile -t where < <(suites '')
	choose_suite "$work" "$1" "$2" "${where[@]}" || exit 1
	unpack "$chosen_state" "$work/root" "$chosen_package"
	mv "$work/root/usr/"* "$built/"
	rm -rf "$built"/share/{doc,man,lintian,locale}
}

# A program of another Debian needs its own C library: started by that one's loader, which needs no patching.
# shellcheck disable=SC2016 # expands where the started script is
start_by_loader='here=$(dirname "$(readlink -f "$0")")
loader=$(find "$here/lib" -type f -name "ld*.so.[0-9]*" | head -n 1)
libraries=$(dirname "$loader")'

# from_go PACKAGE@VERSION: builds it into $built.
from_go() {
	# GOFLAGS is the user's, for the user's own builds; -mod=vendor, say, would break this one.
	GOFLAGS='' GOBIN=$built go install -trimpath -ldflags '-s -w' "$1" 2>"$work/log" || die "building $name failed:
$(tail -n 5 "$work/log")"
}

case $name in
golangci-lint)
	say "building golangci-lint $GOLANGCI_LINT: some minutes, once"
	from_go "github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$GOLANGCI_LINT"
	;;
gotestsum)
	say "building gotestsum $GOTESTSUM"
	from_go "gotest.tools/gotestsum@v$GOTESTSUM"
	;;
stylua)
	command -v node >/dev/null || die "the Lua formatter runs on Node.js: install it, with npm"
	command -v npm >/dev/null || die "the Lua formatter comes by npm: install it"
	say "fetching stylua $STYLUA"
	# Packed and unpacked, not installed: no script of the package's runs, and the hash is of what we run.
	(cd "$work" && npm pack --silent "@johnnymorganz/stylua@$STYLUA" >/dev/null 2>"$work/log") ||
		die "npm could not fetch stylua:
$(tail -n 5 "$work/log")"
	printf '%s  %s\n' "$STYLUA_SHA256" "$work"/*.tgz | sha256sum --check --status ||
		die "the fetched stylua is not the one that tools.env pins"
	tar -xzf "$work"/*.tgz -C "$built"
	cat >"$built/$name" <<-'END'
		#!/bin/sh
		# stylua's library without its command line; scripts/stylua.mjs is that.
		STYLUA_LIBRARY=$(dirname "$(readlink -f "$0")")/package/stylua_lib_node.mjs exec node "$@"
	END
	;;
luacheck)
	from_debian lua-check "$LUACHECK"
	cat >"$built/$name" <<-END
		#!/bin/sh
		$start_by_loader
		LUA_PATH="\$here/share/lua/5.1/?.lua;\$here/share/lua/5.1/?/init.lua" LUA_CPATH="\$libraries/lua/5.1/?.so" \\
			exec "\$loader" --library-path "\$libraries" "\$here/bin/lua5.1" "\$here/bin/luacheck" "\$@"
	END
	;;
shellcheck)
	from_debian shellcheck "$SHELLCHECK"
	cat >"$built/$name" <<-END
		#!/bin/sh
		$start_by_loader
		LC_ALL=C.UTF-8 exec "\$loader" --library-path "\$libraries" "\$here/bin/shellcheck" "\$@"
	END
	;;
esac
chmod +x "$built/$name"
rm -rf "$dir"
mv "$built" "$dir"
printf '%s\n' "$dir/$name"
