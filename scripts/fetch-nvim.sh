#!/usr/bin/env bash
# fetch-nvim.sh VERSION [DIR]: makes sure that DIR/bin/nvim is Neovim VERSION, and prints its path.
#
# DIR is by default nvim-VERSION in the private folder ($NVIM_AGENT_DIFF_CACHE, else nvim-agent-diff in the user's cache
# folder). The second call finds it there and returns at once.
#
# How: the packages of a newer Debian suite are downloaded and unpacked, not installed, and the one binary is told to use
# the C library that came with it. Nothing of the system is read by it or changed; root is not needed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"

usage='usage: fetch-nvim.sh VERSION [DIR]'
version=${1:?$usage}
dir=${2:-$(cache_dir)/nvim-$version}

# done_already: what is there runs, and is what was asked for (or the substitute taken for it, see below).
done_already() {
	local have
	[ -x "$dir/bin/nvim" ] && have=$(nvim_version "$dir/bin/nvim") && version_at_least "$have" "$version"
}

if done_already; then
	printf '%s\n' "$dir/bin/nvim"
	exit 0
fi

by_hand='install Neovim 0.10 or newer, and name it in NVIM_BIN (for the tests: TEST_NVIMS)'
apt_available || die "Neovim $version can be fetched only on Debian and its derivatives; here $by_hand"

lock "nvim-$version"
if done_already; then # by the one that held the lock before us
	printf '%s\n' "$dir/bin/nvim"
	exit 0
fi

mkdir -p "$(dirname "$dir")"
parent=$(cd "$(dirname "$dir")" && pwd)
dir=$parent/$(basename "$dir")
# We are about to replace the folder: only one that is empty, or that this script made.
marker=.made-by-fetch-nvim
[ ! -e "$dir" ] || [ -e "$dir/$marker" ] || rmdir "$dir" 2>/dev/null || die "$dir exists and is not mine to replace"
# Beside its place, so that the rename at the end is one step.
work=$(mktemp -d "$parent/.nvim-$version.XXXXXX")
trap 'rm -rf "$work"' EXIT

mapfile -t where < <(suites "$version")
choose_suite "$work" neovim "$version" "${where[@]}" ||
	die "$by_hand"
say "downloading Neovim $chosen_version and its libraries"
root=$work/root
# patchelf comes the same way; no need for the machine to have one, or one that is new enough.
unpack "$chosen_state" "$root" "$chosen_package" patchelf

# DIR/bin, DIR/lib, DIR/share: Neovim finds its runtime by the place of its binary.
built=$work/built
mv "$root/usr" "$built"
rm -rf "$built"/share/{doc,man,lintian,locale}

loader=$(loader_in "$built/lib")
libraries=$(dirname "$loader")
patch_elf() { "$loader" --library-path "$libraries" "$built/bin/patchelf" "$@" "$built/bin/nvim"; }
# An old style RPATH, because that one also holds for what the libraries themselves need.
patch_elf --force-rpath --set-rpath "\$ORIGIN/..${libraries#"$built"}"
patch_elf --set-interpreter "$dir${loader#"$built"}"
rm -f "$built/bin/patchelf"

touch "$built/$marker"

# What was there did not run: a broken or a moved copy.
rm -rf "$dir"
mv "$built" "$dir"

# It finds its own runtime, the treesitter parsers load, and iconv has its tables.
problem=$(env -u VIM -u VIMRUNTIME XDG_CONFIG_HOME="$work" XDG_DATA_HOME="$work" XDG_STATE_HOME="$work" \
	"$dir/bin/nvim" --headless --clean +'lua
	local ok, err = pcall(function()
		assert(vim.env.VIMRUNTIME:find(vim.fn.resolve(vim.v.progpath):gsub("/bin/nvim$", ""), 1, true) == 1, vim.env.VIMRUNTIME)
		vim.treesitter.get_string_parser("local a = 1", "lua"):parse()
		vim.cmd("syntax on | setfiletype c")
		assert(vim.b.current_syntax == "c", "no syntax")
		assert(vim.iconv("\228", "cp1252", "utf-8") == "\195\164", "no iconv")
	end)
	if not ok then io.stderr:write(tostring(err)) end
	' +qa 2>&1) || problem+=" (exit status $?)"
if [ -n "$problem" ]; then
	rm -rf "$dir"
	die "the fetched Neovim does not work here: $problem"
fi
say "Neovim $(nvim_version "$dir/bin/nvim") is in $dir"
printf '%s\n' "$dir/bin/nvim"
