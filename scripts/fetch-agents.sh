#!/usr/bin/env bash
# fetch-agents.sh: makes sure that the agents, in the versions that tools.env pins, are in the private folder (1.1 GB), and
# prints the folder of their packages. Nothing is installed on the machine, and no script of a package's runs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/lib.sh"
# shellcheck source=tools.env
. "$here/../tools.env"

packages=("@anthropic-ai/claude-code@$CLAUDE_CODE" "@openai/codex@$CODEX" "@google/gemini-cli@$GEMINI_CLI" "opencode-ai@$OPENCODE")
dir=$(cache_dir)/agents-$CLAUDE_CODE-$CODEX-$GEMINI_CLI-$OPENCODE
fetch_npm "$dir" "the agents" "${packages[@]}"
printf '%s\n' "$dir/node_modules"
