#!/usr/bin/env bash
# fuzz.sh TIME [PACKAGE...]: lets every fuzz test of the packages (default: all) run for the time. Go fuzzes one at a time.
# Little of the time goes into making inputs small: by default nearly all of it would.
set -euo pipefail
time=${1:?usage: fuzz.sh TIME [PACKAGE...]}
shift
if [ $# -eq 0 ]; then set -- ./...; fi

ran=0
packages=$(go list "$@")
for package in $packages; do
	listed=$(go test -list '^Fuzz' "$package") # on its own line: a package that does not compile ends this
	for name in $(grep '^Fuzz' <<<"$listed" || true); do
		echo "== $package $name"
		go test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 5x "$package"
		ran=$((ran + 1))
	done
done
echo "$ran fuzz tests ran for $time each"
