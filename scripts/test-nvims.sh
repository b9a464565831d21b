#!/usr/bin/env bash
# test-nvims.sh [VERSION...]: prints the Neovims to test on, fetched if need be, joined by colons (what TEST_NVIMS holds).
# Without a version: the oldest and the newest that tools.env names.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"
# shellcheck source=tools.env
. "$here/../tools.env"

if [ $# -eq 0 ]; then set -- "$NVIM_OLDEST" "$NVIM_NEWEST"; fi

found=()
for version; do
	if apt_available || [ -n "${CI:-}" ]; then
		path=$("$here/fetch-nvim.sh" "$version")
	else
		# Not a Debian: better tested on the Neovim at hand than not at all. CI never settles for that.
		path=$("$here/find-nvim.sh") || exit 1
		say "in place of Neovim $version, testing on $path ($(nvim_version "$path"))"
	fi
	# Two versions may have come down to one binary.
	case ":$(IFS=:; printf '%s' "${found[*]:-}"):" in *":$path:"*) ;; *) found+=("$path") ;; esac
done
(IFS=:; printf '%s\n' "${found[*]}")
