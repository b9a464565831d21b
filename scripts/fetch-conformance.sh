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
fetch_npm "$dir" "the MCP conformance suite's packages" "@modelcontextprotocol/conformance@$CONFORMANCE"
printf '%s\n' "$dir/node_modules/@modelcontextprotocol/conformance/dist/index.js"
