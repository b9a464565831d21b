#!/usr/bin/env bash
# find-nvim.sh [MINIMUM]: prints the path of a Neovim that is new enough (0.10.0 unless said otherwise): the one named in
# NVIM_BIN, else the one on PATH, else the newest that the tests use, fetched into the private folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"
# shellcheck source=tools.env
. "$here/../tools.env"

minimum=${1:-0.10.0}

if [ -n "${NVIM_BIN:-}" ]; then
	# Named by the user: taken or refused, but never passed over in silence.
	path=$(command -v "$NVIM_BIN") || die "NVIM_BIN is $NVIM_BIN, which is no program"
	have=$(nvim_version "$path") || die "NVIM_BIN is $NVIM_BIN, which is no Neovim that runs here"
	version_at_least "$have" "$minimum" || die "NVIM_BIN is $NVIM_BIN, version $have; $minimum or newer is needed"
	printf '%s\n' "$path"
	exit 0
fi

if path=$(command -v nvim) && have=$(nvim_version "$path"); then
	if version_at_least "$have" "$minimum"; then
		printf '%s\n' "$path"
		exit 0
	fi
	say "$path is $have; $minimum or newer is needed"
fi

exec "$here/fetch-nvim.sh" "$NVIM_NEWEST"
