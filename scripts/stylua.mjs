// stylua's command line, as far as this project needs it: `stylua.mjs [--check] FILE...`. The npm package that ships
// stylua as WebAssembly has no command line, and the one that has downloads a binary from elsewhere.
// Reads .stylua.toml of the working folder. Exit status: 1 when --check finds a file to format, 2 on an error.
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'

const stylua = await import(process.env.STYLUA_LIBRARY)

// Which enum a key's word belongs to; other keys hold numbers and booleans.
const enums = {
  block_newline_gaps: stylua.BlockNewlineGaps,
  call_parentheses: stylua.CallParenType,
  collapse_simple_statement: stylua.CollapseSimpleStatement,
  indent_type: stylua.IndentType,
  line_endings: stylua.LineEndings,
  quote_style: stylua.QuoteStyle,
  space_after_function_names: stylua.SpaceAfterFunctionNames,
  syntax: stylua.LuaVersion,
}

// readConfig takes the part of TOML that our file uses (key = value) and refuses the rest: a setting that is not
// understood must not be passed over. Called for every file, because formatting one consumes the configuration.
function readConfig() {
  const path = '.stylua.toml'
  const config = stylua.Config.new()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const text = line.replace(/#.*$/, '').trim()
    if (text === '') continue
    const [, key, word, plain] = /^([a-z_]+)\s*=\s*(?:"([^"]*)"|(\d+|true|false))$/.exec(text) ?? []
    const value = word === undefined ? plain && JSON.parse(plain) : enums[key]?.[word]
    if (value === undefined || !(key in config)) throw new Error(`${path}: not understood: ${line}`)
    config[key] = value
  }
  return config
}

function showDifference(path, formatted) {
  spawnSync('diff', ['-u', '--label', path, '--label', `${path} (formatted)`, path, '-'], {
    input: formatted,
    stdio: ['pipe', 'inherit', 'inherit'],
  })
}

const args = process.argv.slice(2)
const check = args[0] === '--check'
let status = 0
for (const path of check ? args.slice(1) : args) {
  let text, formatted
  try {
    text = readFileSync(path, 'utf8')
    formatted = stylua.formatCode(text, readConfig(), undefined, stylua.OutputVerification.Full)
  } catch (error) {
    console.error(`${path}: ${error}`)
    status = 2
    continue
  }
  if (formatted === text) continue
  if (check) {
    showDifference(path, formatted)
    status = Math.max(status, 1)
  } else {
    writeFileSync(path, formatted)
    console.log(`formatted ${path}`)
  }
}
process.exitCode = status
