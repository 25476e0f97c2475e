// Runs `npm start` twice as a newcomer does: at first with nothing kept of earlier runs, so that both chains are seeded, then with what that
// left. The second is asked for its tools, runs every example beside it as it stands, and carries a cross-chain order to its fill on the other chain.
// Either npm is ended by SIGTERM, and within 3 s nothing is left, neither process nor file. Exits 1 with what went wrong. An
// answer and an example are waited for as long as the first word says, in ms; three minutes where it is missing.
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'

const readyWithinMs = 240_000
const goneWithinMs = 3_000
const answersWithinMs = Number(process.argv[2] ?? 180_000)
/**
 * A minute for the first start and five seconds for a later one, on two cores. A busy machine lets it wait and not work more, so it is
 * held to the time of processors.
 */
const cpuSecondsAtMost = { first: 60, later: 5 }
/**
 * Slow processors, or what shares a core with it, lengthen that time too. By how much tells the time that the greater part of its libraries
 * takes to load, which was one second where a later start took 5.6: it may take ten times that.
 */
const laterReferencesAtMost = 10
const reference = "await Promise.all(['viem', 'kysely', 'zod'].map((name) => import(name)))"

const examples = fileURLToPath(new URL('../examples', import.meta.url))
const temporary = mkdtempSync(join(tmpdir(), 'svc-prove-start-'))
const env = { ...process.env, TMPDIR: temporary, XDG_CACHE_HOME: join(temporary, 'cache') }
let [npm, printed] = [null, '']
try {
  await begin('first')
  await end()
  const { url, key, other } = await begin('later')
  console.log(`idle, it holds ${describeMemory(descendants(npm.pid))}`)
  const tools = await listTools(url, key)
  console.log(`tools/list answered with ${tools} tools`)
  for (const name of readdirSync(examples).filter(isExample)) runExample(name)
  console.log(`a cross-chain order was filled: ${await crossOver(url, key, other)}`)
  await end()
  const left = readdirSync(temporary).filter((name) => name.startsWith('svc-'))
  if (left.length > 0) throw new Error(`left behind: ${left.join(' ')}`)
} catch (error) {
  for (const pid of [...descendants(npm.pid), npm.pid]) if (alive(pid)) process.kill(pid, 'SIGKILL')
  console.error(`npm start: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

async function begin(which) {
  const began = performance.now()
  printed = ''
  npm = spawn('npm', ['start'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  npm.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
    process.stdout.write(text)
  })
  const world = await ready()
  const seconds = (performance.now() - began) / 1_000
  const cpuSeconds = [npm.pid, ...descendants(npm.pid)].reduce((sum, pid) => sum + (stat(pid)?.cpuSeconds ?? 0), 0)
  console.log(`the ${which} start took ${seconds.toFixed(1)} s, and ${cpuSeconds.toFixed(1)} s of processors`)
  const isQuick = cpuSeconds <= cpuSecondsAtMost[which]
  if (isQuick || (which === 'later' && cpuSeconds <= laterReferencesAtMost * referenceSeconds())) return world
  throw new Error(`the ${which} start took more than ${cpuSecondsAtMost[which]} s of processors`)
}

/** Seconds of processors to load libraries in a bare process, the middle of five. */
function referenceSeconds() {
  const code = `${reference}; const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1e6))`
  const run = () =>
    Number(spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }).stdout)
  const seconds = Array.from({ length: 5 }, run).toSorted((a, b) => a - b)[2]
  if (!(seconds > 0)) throw new Error('the time of the libraries could not be measured')
  console.log(`loading libraries alone takes ${seconds.toFixed(2)} s of processors`)
  return seconds
}

async function end() {
  const family = descendants(npm.pid)
  const asked = performance.now()
  npm.kill('SIGTERM')
  while (family.some(alive)) {
    if (performance.now() - asked > goneWithinMs) throw new Error(`still there: ${family.filter(alive).join(' ')}`)
    await sleep(50)
  }
  console.log(`all ${family.length} processes gone after ${Math.round(performance.now() - asked)} ms`)
}

async function ready() {
  const until = performance.now() + readyWithinMs
  while (performance.now() < until) {
    const url = /MCP server\s+(http\S+)/.exec(printed)?.[1]
    const key = /write key\s+(svc_write_\S+)/.exec(printed)?.[1]
    const other = /second chain .*; "([^"]+)"/.exec(printed)?.[1]
    if (url !== undefined && key !== undefined && printed.includes('Ctrl-C')) return { url, key, other }
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

/** Moves dollars to the other chain by a client of its own kind, waits until that chain has decided, and says what came. */
async function crossOver(url, key, other) {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
  const client = new Client({ name: 'prove-start', version: '1.0.0' })
  const requestInit = { headers: { Authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  const call = async (name, input) => {
    const answer = await client.callTool({ name, arguments: input })
    if (answer.isError === true) throw new Error(`${name}: ${answer.content[0].text}`)
    return answer.structuredContent
  }
  try {
    const order = { tokenIn: 'USDC', tokenOut: 'USDC', amount: '1000', chain: 'local', destinationChain: other }
    const { operationId } = await call('submit_cross_chain_intent', order)
    const until = performance.now() + answersWithinMs
    while (performance.now() < until) {
      const { state, result } = await call('get_operation', { operationId })
      const { origin, destination } = result
      if (state === 'filled' && result.isFinal) {
        return `${origin.amountIn} USDC left ${origin.chain.name}, ${destination.amountOut} came on ${destination.chain.name}`
      }
      if (state !== 'open' && state !== 'filled') throw new Error(`the cross-chain order is ${state}`)
      await sleep(100)
    }
    throw new Error('the cross-chain order was not filled')
  } finally {
    await client.close()
  }
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
    // With what its own children took that have ended, in hundredths of a second.
    const cpuSeconds = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
    return { state: fields[0], parent: Number(fields[1]), cpuSeconds }
  } catch {
    return undefined
  }
}

/** What processes hold of memory, each page they share in parts, by the names of the programs. */
function describeMemory(pids) {
  const held = new Map()
  for (const pid of pids) {
    const name = /\((.*)\)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]
    const kB = Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1])
    held.set(name, [...(held.get(name) ?? []), Math.round(kB / 1_024)])
  }
  const all = [...held.values()].flat().reduce((sum, mb) => sum + mb, 0)
  return `${all} MB (${[...held].map(([name, parts]) => `${name} ${parts.join(' + ')}`).join(', ')})`
}
