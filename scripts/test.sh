#!/usr/bin/env bash
# test.sh PACKAGES FLAG...: runs `go test` with the flags. A test that fails is run once more by itself, because of some
# hundred stories with a real editor on a machine that does something else as well one may see the machine and not the
# program. What passes only then is named at the end: that is a defect, of the test or of the program. No second run
# where more than a few fail, and none for a data race.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"

packages=${1:?usage: test.sh PACKAGES FLAG...}
shift
gotestsum=$("$here/fetch-tool.sh" gotestsum)
twice=$(mktemp)
trap 'rm -f "$twice"' EXIT
failed=0
"$gotestsum" --format pkgname --format-hide-empty-pkg --packages "$packages" \
	--rerun-fails=1 --rerun-fails-max-failures=5 --rerun-fails-abort-on-data-race --rerun-fails-report "$twice" -- "$@" || failed=$?
if [ -s "$twice" ]; then
	say "these were run twice; one that passed only then is not steady, and wants a cure:"
	cat "$twice" >&2
fi
exit "$failed"
