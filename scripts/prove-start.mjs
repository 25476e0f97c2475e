// Runs `npm start` as a newcomer does, asks the server for its tools, runs every example beside it as it stands, then ends npm by
// SIGTERM and sees that nothing is left within 3 s, neither process nor file. Exits 1 with what went wrong. An answer and an
// example are waited for as long as the first word says, in ms; three minutes where it is missing.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'

const readyWithinMs = 240_000
const goneWithinMs = 3_000
const answersWithinMs = Number(process.argv[2] ?? 180_000)

const examples = fileURLToPath(new URL('../examples', import.meta.url))
const temporary = mkdtempSync(join(tmpdir(), 'svc-prove-start-'))
const env = { ...process.env, TMPDIR: temporary }
const npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
let printed = ''
npm.stdout.setEncoding('utf8').on('data', (text) => {
  printed += text
  process.stdout.write(text)
})
try {
  const { url, key } = await ready()
  const tools = await listTools(url, key)
  console.log(`tools/list answered with ${tools} tools`)
  for (const name of readdirSync(examples).filter(isExample)) runExample(name)
  const family = descendants(npm.pid)
  const asked = performance.now()
  npm.kill('SIGTERM')
  while (family.some(alive)) {
    if (performance.now() - asked > goneWithinMs) throw new Error(`still there: ${family.filter(alive).join(' ')}`)
    await sleep(50)
  }
  console.log(`all ${family.length} processes gone after ${Math.round(performance.now() - asked)} ms`)
  const left = readdirSync(temporary).filter((name) => name.startsWith('svc-'))
  if (left.length > 0) throw new Error(`left behind: ${left.join(' ')}`)
} catch (error) {
  for (const pid of [...descendants(npm.pid), npm.pid]) if (alive(pid)) process.kill(pid, 'SIGKILL')
  console.error(`npm start: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

async function ready() {
  const until = performance.now() + readyWithinMs
  while (performance.now() < until) {
    const url = /MCP server\s+(http\S+)/.exec(printed)?.[1]
    const key = /write key\s+(svc_write_\S+)/.exec(printed)?.[1]
    if (url !== undefined && key !== undefined && printed.includes('Ctrl-C')) return { url, key }
    if (npm.exitCode !== null) throw new Error(`ended with ${npm.exitCode} before it was ready`)
    await sleep(100)
  }
  throw new Error(`not ready after ${readyWithinMs} ms`)
}

async function listTools(url, key) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'prove-start', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/list',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: meta } }),
    signal: AbortSignal.timeout(answersWithinMs),
  })
  if (!response.ok) throw new Error(`tools/list answered ${response.status}: ${await response.text()}`)
  const body = await response.json()
  return body.result.tools.length
}

/** The other module tells them where the world is. */
function isExample(name) {
  return name.endsWith('.mjs') && name !== 'local-world.mjs'
}

function runExample(name) {
  const cwd = join(temporary, 'reader')
  mkdirSync(cwd, { recursive: true })
  const options = { cwd, env, encoding: 'utf8', timeout: answersWithinMs, killSignal: 'SIGKILL' }
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [join(examples, name)], options)
  if (error !== undefined) throw new Error(`examples/${name}: ${error.message}`)
  if (status !== 0) throw new Error(`examples/${name} ended with ${status}: ${stdout}${stderr}`)
  console.log(`examples/${name} ran`)
}

function descendants(pid) {
  const parents = new Map()
  for (const name of readdirSync('/proc')) {
    const parent = /^\d+$/.test(name) ? stat(name)?.parent : undefined
    if (parent !== undefined) parents.set(Number(name), parent)
  }
  const family = []
  const visit = (of) => {
    for (const [child, parent] of parents) {
      if (parent !== of) continue
      family.push(child)
      visit(child)
    }
  }
  visit(pid)
  return family
}

/** A zombie counts as gone: only its parent can reap it. */
function alive(pid) {
  const state = stat(pid)?.state
  return state !== undefined && state !== 'Z' && state !== 'X'
}

function stat(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { state: fields[0], parent: Number(fields[1]) }
  } catch {
    return undefined
  }
}
