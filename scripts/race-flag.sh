#!/usr/bin/env bash
# race-flag.sh: prints -race where Go's race detector works: it needs cgo, a C compiler and a platform that has it.
set -euo pipefail
read -r enabled compiler < <(go env CGO_ENABLED CC | paste -s -d ' ')
if [ "$enabled" = 1 ] && command -v "$compiler" >/dev/null; then
	echo -race
elif [ -n "${CI:-}" ]; then
	echo 'race-flag.sh: no C compiler: CI does not run without the race detector' >&2
	exit 1
else
	echo 'race-flag.sh: no C compiler: testing without the race detector' >&2
fi
