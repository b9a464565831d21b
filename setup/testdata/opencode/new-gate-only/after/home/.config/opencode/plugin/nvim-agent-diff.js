// nvim-agent-diff
const command = ["/usr/local/bin/nvim-agent-diff"]
