#!/usr/bin/env bash
# fetch-conformance.sh: makes sure that the MCP conformance suite, in the version that tools.env pins, is in the private
# folder (50 MB), and prints the path of its program. Nothing is installed on the machine, and no script of a package's runs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"
# shellcheck source=tools.env
. "$here/../tools.env"

dir=$(cache_dir)/conformance-$CONFORMANCE

# The folder is renamed into place when it is complete, so that being there is enough.
if [ ! -d "$dir" ]; then
	command -v npm >/dev/null || die "the MCP conformance suite comes by npm: install Node.js with it"
	lock conformance
fi
if [ ! -d "$dir" ]; then
	say "fetching the MCP conformance suite $CONFORMANCE"
	work=$(mktemp -d "$(cache_dir)/.conformance.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	npm install --prefix "$work" --ignore-scripts --no-audit --no-fund "@modelcontextprotocol/conformance@$CONFORMANCE" >"$work/log" 2>&1 ||
		die "npm could not fetch the MCP conformance suite:
$(tail -n 5 "$work/log")"
	mv "$work" "$dir"
fi
printf '%s\n' "$dir/node_modules/@modelcontextprotocol/conformance/dist/index.js"
