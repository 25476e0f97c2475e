// The production bundle: from spawn to the first answered tools/list, against a bare node:http server that imports viem,
// bundled and started the same way; memory after a few calls; memory of a thousand idle sessions under a real limit.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundle, bundleOptions } from '../scripts/bundle.mjs'
import { figure, median, notMeasured } from './parts/figure.mjs'
import { post } from './parts/load.mjs'
import { legacyHeaders, legacyMessage, modernHeaders, modernMessage, openSession } from './parts/mcp-messages.mjs'
import { openMemoryLimit } from './parts/memory-limit.mjs'
import { spawnServer } from './parts/spawned-server.mjs'
import { sized } from './parts/size.mjs'

const rounds = sized(15)
const idleSessions = sized(1_000, 20)
const limitMb = 256

export async function run(report) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    const bundled = await bundleBoth(directory)
    const { product } = bundled
    const server = settingsIn(directory)
    report('bundled')
    const starts = describeStarts(await alternate(variantsOf({ ...bundled, server }), server, report))
    const idle = await measureIdle(product, server)
    report('idle memory read')
    const sessions = await measureSessions(product, server)
    return [...starts, idle, ...sessions]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** A start to the first list of a legacy session alone, beside the floor of the same run: see `operate.mjs`. */
export async function measureLegacyStart(report) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  try {
    const bundled = await bundleBoth(directory)
    const server = settingsIn(directory)
    const { legacy, hello } = variantsOf({ ...bundled, server })
    const seen = await alternate({ legacy, hello }, server, report)
    const reference = `bare node:http and viem, bundled alike, ${Math.round(seen.hello.ms)} ms`
    const name = 'spawn to first tools/list of a legacy session'
    return [figure({ name, value: seen.legacy.ms / seen.hello.ms, unit: 'x', reference, bar: 2.5 })]
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function bundleBoth(directory) {
  const product = await bundle(join(directory, 'svc-server.mjs'))
  const hello = join(directory, 'hello.mjs')
  const source = fileURLToPath(new URL('./parts/hello-server.mjs', import.meta.url))
  await build({ ...bundleOptions, entryPoints: [source], outfile: hello })
  return { product, hello, source }
}

/** The settings of a server in the profile data; only the rate limit is out of the way. */
export function settingsIn(directory) {
  const policy = { rateLimits: { unauthenticatedPerIp: 1_000_000, perIp: 1_000_000, perToken: 1_000_000 } }
  writeFileSync(join(directory, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  const keyOf = (tier) => `svc_${tier}_${randomBytes(32).toString('base64url')}`
  const key = keyOf('read')
  const env = {
    SVC_DATA_DIR: directory,
    SVC_LISTEN: '127.0.0.1:0',
    SVC_RPC_URL_1: 'http://127.0.0.1:9',
    SVC_API_KEY_READ: key,
    SVC_API_KEY_FEEDBACK: keyOf('feedback'),
    SVC_API_KEY_WRITE: keyOf('write'),
  }
  return { env, headers: { ...legacyHeaders, authorization: `Bearer ${key}` } }
}

function variantsOf({ product, hello, source, server }) {
  const words = [product, '--transport', 'http']
  return {
    product: { words, ask: (port) => askForTools(port, server) },
    legacy: { words, ask: (port) => askLegacy(port, server) },
    hello: { words: [hello], ask: askHello },
    unbundled: { words: [source], ask: askHello },
  }
}

/** Medians of time and CPU to the first answer, by variant; their rounds alternate, and the first is thrown away. */
async function alternate(variants, server, report) {
  const seen = Object.fromEntries(Object.keys(variants).map((name) => [name, { ms: [], cpu: [] }]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, variant] of Object.entries(variants)) {
      const child = await spawnServer(variant.words, { env: server.env })
      await variant.ask(child.port)
      const ms = performance.now() - child.startedAt
      const cpu = child.cpuMs()
      await child.stop()
      if (round === 0) continue
      seen[name].ms.push(ms)
      seen[name].cpu.push(cpu)
    }
    if (round % 5 === 0) report(`started ${round} of ${rounds} times`)
  }
  return Object.fromEntries(
    Object.entries(seen).map(([name, { ms, cpu }]) => [name, { ms: median(ms), cpu: median(cpu) }]),
  )
}

function describeStarts({ product, legacy, hello, unbundled }) {
  const bundled = `bare node:http and viem, bundled alike, ${Math.round(hello.ms)} ms`
  const asInstalled = `bare node:http and viem, not bundled, ${Math.round(unbundled.ms)} ms`
  const ofHello = (name, value, bar) => figure({ name, value: value / hello.ms, unit: 'x', reference: bundled, bar })
  const absolute = (name, value) => figure({ name, value, unit: 'ms', reference: 'median, this machine' })
  return [
    ofHello('spawn to first tools/list', product.ms, 2.5),
    ofHello('spawn to first tools/list of a legacy session', legacy.ms),
    figure({
      name: 'spawn to first tools/list, of one not bundled',
      value: product.ms / unbundled.ms,
      unit: 'x',
      reference: asInstalled,
    }),
    ...(product.cpu === null
      ? []
      : [
          figure({
            name: 'CPU until the first tools/list',
            value: product.cpu / hello.cpu,
            unit: 'x',
            reference: `the same floor, ${Math.round(hello.cpu)} ms of CPU`,
          }),
        ]),
    absolute('cold: spawn to first tools/list', product.ms),
    absolute('cold: spawn to first tools/list of a legacy session', legacy.ms),
  ]
}

async function measureIdle(product, server) {
  const child = await spawnServer([product, '--transport', 'http'], { env: server.env })
  try {
    const headers = await openSession(child.port, server.headers)
    await fewCalls(child.port, headers)
    for (let round = 0; round < 5; round += 1) await askForTools(child.port, server)
    await sleep(sized(3_000, 100))
    const value = child.rssMb()
    const name = 'resident memory in the profile data, idle after a few calls'
    if (value === null) return notMeasured({ name, unit: 'MB', why: 'the system has no /proc', bar: 110 })
    return figure({ name, value, unit: 'MB', reference: 'VmRSS, no flags', bar: 110 })
  } finally {
    await child.stop()
  }
}

async function measureSessions(product, server) {
  const name = `resident memory with ${idleSessions} idle sessions`
  const limit = openMemoryLimit(limitMb * 1_048_576)
  if (typeof limit === 'string') return [notMeasured({ name, unit: 'MB', why: limit, bar: 200 })]
  const words = [product, '--transport', 'http']
  const child = await spawnServer(words, { env: server.env, wrap: limit.wrap })
  try {
    const before = child.rssMb()
    const sessions = []
    for (let opened = 0; opened < idleSessions; opened += 1)
      sessions.push(await openSession(child.port, server.headers))
    await fewCalls(child.port, sessions.at(-1))
    await sleep(sized(2_000, 100))
    const rss = child.rssMb()
    const answers = sessions.map((headers) => post(undefined, child.port, headers, legacyMessage(9, 'ping')))
    const served = (await Promise.all(answers)).filter(({ status }) => status === 200).length
    const reference = `cgroup v1 limit of ${limitMb} MB, ${Math.round(before)} MB before the first session`
    const survived = child.isAlive() && limit.kills() === 0 ? served : 0
    return [
      figure({ name, value: rss, unit: 'MB', reference, bar: 200 }),
      figure({ name: 'memory of a session', value: ((rss - before) * 1024) / idleSessions, unit: 'KB', reference }),
      figure({ name: 'peak of the whole group', value: limit.mostMb(), unit: 'MB', reference }),
      figure({
        name: 'sessions that still answer, none killed',
        value: survived,
        unit: 'sessions',
        reference,
        bar: idleSessions,
        atMost: false,
      }),
    ]
  } finally {
    await child.stop()
    await limit.close()
  }
}

/** Reads that need no chain, and one that finds its endpoint dead. */
async function fewCalls(port, headers) {
  const calls = [
    ['list_supported_chains', {}],
    ['search_tokens', { query: 'usd' }],
    ['check_setup_health', {}],
    ['get_gas_price', { chain: '1' }],
  ]
  for (const [name, input] of calls) {
    await expectOk(post(undefined, port, headers, legacyMessage(3, 'tools/call', { name, arguments: input })))
  }
}

const askHello = (port) => expectOk(post(undefined, port, legacyHeaders, '{}'))

export function askForTools(port, { headers }) {
  const asked = { ...headers, ...modernHeaders('tools/list', {}) }
  return expectTools(post(undefined, port, asked, modernMessage(1, 'tools/list', {})))
}

async function askLegacy(port, { headers }) {
  return expectTools(post(undefined, port, await openSession(port, headers), legacyMessage(2, 'tools/list', {})))
}

async function expectOk(answer) {
  const { status, text } = await answer
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 500)}`)
  return text
}

async function expectTools(answer) {
  const text = await expectOk(answer)
  if (!text.includes('"get_quote"')) throw new Error(`no list of tools: ${text.slice(0, 500)}`)
}
