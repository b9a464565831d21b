// nvim-agent-diff's plugin for OpenCode: what the edit, write and apply_patch tools are about to do is reviewed in the user's
// Neovim first. Written by `nvim-agent-diff setup opencode`; it needs nothing but OpenCode and that program.
const command = ["nvim-agent-diff"]

const tools = new Set(["edit", "multiedit", "write", "apply_patch"])

// gate runs the program with one message, and is its answer. Whatever goes wrong is an error, which blocks the tool.
async function gate(message, cwd) {
  const { spawn } = await import("node:child_process")
  const [program, ...args] = command
  return await new Promise((resolve, reject) => {
    const child = spawn(program, [...args, "hook", "opencode"], { cwd, stdio: ["pipe", "pipe", "pipe"] })
    let stdout = ""
    let stderr = ""
    child.stdout.setEncoding("utf8").on("data", (text) => (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (stderr += text))
    child.on("error", (error) => reject(new Error(`nvim-agent-diff cannot be run: ${error.message}. Nothing was changed.`)))
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(stderr.trim() || `nvim-agent-diff ended with ${code}. Nothing was changed.`))
      try {
        resolve(JSON.parse(stdout))
      } catch {
        reject(new Error("nvim-agent-diff gave no answer. Nothing was changed."))
      }
    })
    child.stdin.on("error", () => {}) // it has ended, which is said above
    child.stdin.end(JSON.stringify(message))
  })
}

export const NvimAgentDiff = async ({ directory }) => {
  const calls = new Map() // what was let through: its arguments, and what the model must be told
  return {
    "tool.execute.before": async (input, output) => {
      if (!tools.has(input.tool)) return
      const answer = await gate(
        { event: "before", tool: input.tool, sessionID: input.sessionID, callID: input.callID, directory, args: output.args },
        directory,
      )
      if (answer.decision !== "allow") throw new Error(answer.reason || "Blocked by nvim-agent-diff. Nothing was changed.")
      // In place: an object that is assigned to output.args is ignored.
      if (answer.args) Object.assign(output.args, answer.args)
      calls.set(input.callID, { args: { ...output.args }, note: answer.note })
    },
    "tool.execute.after": async (input, output) => {
      const call = calls.get(input.callID)
      if (!call) return
      calls.delete(input.callID)
      if (call.note) output.output = `${output.output}\n\n${call.note}`
      try {
        await gate({ event: "after", tool: input.tool, sessionID: input.sessionID, directory, args: call.args }, directory)
      } catch {
        // The file is written; only the editor has not read it again.
      }
    },
  }
}
