// The tool server's profile `data` as it is deployed to an edge, in the real workerd beside the server of a local world.
import { once } from 'node:events'
import { get } from 'node:http'
import { json } from 'node:stream/consumers'
import { isDeepStrictEqual } from 'node:util'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { builtinModules } from 'node:module'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { openLocalWorld } from '../mcp/local-world.mjs'
import { ask, openPlace } from './ask.mjs'
import { makeCalls } from './calls.mjs'
import { startWorkerd } from './start-workerd.mjs'
import { schemaFault } from './wrangler-schema.mjs'

const root = fileURLToPath(new URL('../../', import.meta.url))
const deployed = join(root, 'deploy/edge')
/** What an isolate may have of memory, and a request of the processor. */
const [mostHeapMb, cpuSeconds] = [128, 30]

/** The same answers as of the server; and an edge that answers on, whoever leaves it. */
export async function checkServer(report, signal) {
  const folder = await mkdtemp(join(root, 'node_modules/.edge-'))
  const world = await openLocalWorld(signal, ['--profile', 'data'])
  let edge
  try {
    const wrangler = JSON.parse(await readFile(join(deployed, 'wrangler.json'), 'utf8'))
    const fault = await schemaFault(wrangler, folder)
    report('wrangler takes its configuration', fault === null, fault ?? '')
    edge = await startEdge(folder, wrangler, world)
    await reportStart(report, edge)
    report('plain http from elsewhere is refused', await refusesPlainHttp(edge), 'as JSON, without a redirect')
    const places = {
      server: await openPlace(world.ready.mcp.url, world.ready.mcp.keys),
      edge: await openPlace(`${edge.url}/mcp`, world.ready.mcp.keys),
    }
    const calls = await makeCalls(world)
    await checkAnswers(report, { edge, places, calls })
    await checkLeaving(report, { edge, places, calls })
    const { mostMb } = edge.used()
    report(`its heap keeps to ${mostHeapMb} MB`, edge.isRunning(), `the process had ${mostMb.toFixed(0)} MiB at most`)
  } finally {
    if (edge?.isRunning() === false) console.error(edge.said().slice(-4_000))
    await edge?.stop()
    await world.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}

/** As the platform bounds both: 3 MB where it is free, and a second, to which the process of a workerd has another. */
async function reportStart(report, edge) {
  const healthy = await fetch(`${edge.url}/healthz`)
  const { cpuSeconds } = edge.used()
  const detail = `${edge.bytes} bytes, ${edge.zipped} gzipped, ${cpuSeconds.toFixed(2)} s of CPU`
  report('it is small, and starts at once', healthy.ok && edge.zipped < 3_000_000 && cpuSeconds < 2, detail)
}

/** A request as one comes that a zone took over plain http: its URL is made of the name that it was sent to. */
async function refusesPlainHttp({ url }) {
  const request = get(`${url}/healthz`, { headers: { host: 'mcp.example.com' }, agent: false })
  const [answer] = await once(request, 'response')
  const body = await json(answer)
  return answer.statusCode === 403 && body.code === 'PROXY_REQUIRED' && answer.headers.location === undefined
}

async function checkAnswers(report, { edge, places, calls }) {
  const wrong = isDeepStrictEqual(places.server.opened, places.edge.opened) ? [] : ['initialize']
  let most = { seconds: 0, tool: '' }
  for (const call of calls) {
    const before = edge.used().cpuSeconds
    const found = await compare(places, call)
    const seconds = edge.used().cpuSeconds - before
    if (seconds > most.seconds) most = { seconds, tool: call.tool ?? call.method }
    if (found !== null)
      wrong.push(`${call.era} ${call.tool ?? call.method} ${JSON.stringify(call.input ?? null)}: ${found}`)
  }
  for (const one of wrong) console.error(one)
  report('it answers as the server does', wrong.length === 0 && calls.length >= 200, `${calls.length} calls`)
  const detail = `${most.seconds.toFixed(2)} s at most (${most.tool})`
  report(`no call takes ${cpuSeconds} s of CPU`, most.seconds < cpuSeconds, detail)
}

/** Asked again where they differ: a block may have come between, or an hour have passed out of a day. `null` where they say the same. */
async function compare({ server, edge }, call, left = 3) {
  const [expected, found] = await Promise.all([ask(server, call), ask(edge, call)])
  const [one, other] = [expected, found].map((answer) => settled(answer, call))
  if (isDeepStrictEqual(one, other)) return null
  return left > 0 ? compare({ server, edge }, call, left - 1) : firstDifference(one, other)
}

/** Half of them leave before they are answered; those who stay are answered all, and the edge afterwards as before. */
async function checkLeaving(report, { edge, places, calls }) {
  const all = calls.filter(({ tool, key }) => tool !== undefined && key === undefined)
  const quick = all.filter(({ tool }) => !takesLong.has(tool))
  const total = 2_000
  let [next, answered, left] = [0, 0, 0]
  const failures = new Map()
  const before = edge.used().cpuSeconds
  const began = performance.now()
  const client = async () => {
    for (let index = next++; index < total; index = next++) {
      const asked = index % 20 < 2 ? all : quick
      const call = asked[(index * 7) % asked.length]
      const leaving = index % 2 === 0 ? AbortSignal.timeout(1 + ((index * 13) % 60)) : AbortSignal.timeout(60_000)
      const answer = await ask(places.edge, call, { signal: leaving }).catch((error) => error)
      if (index % 2 === 0 && answer instanceof Error) left += 1
      else if (answer.status === 200) answered += 1
      else {
        const why =
          answer instanceof Error ? `${answer.message} ${answer.cause?.message ?? ''}` : `status ${answer.status}`
        failures.set(why, (failures.get(why) ?? 0) + 1)
      }
    }
  }
  await Promise.all(Array.from({ length: 24 }, client))
  const seconds = (performance.now() - began) / 1_000
  const cpu = edge.used().cpuSeconds - before
  for (const [why, count] of failures) console.error(`${count} times ${why}`)
  const detail = `${total} calls, ${left} left, ${answered} answered, ${seconds.toFixed(0)} s, ${cpu.toFixed(0)} s of CPU`
  report('whoever stays is answered, whoever leaves', failures.size === 0 && left >= 500, detail)
  const wrong = []
  for (const call of calls.slice(0, 40)) {
    const found = await compare(places, call)
    if (found !== null) wrong.push(`${call.tool}: ${found}`)
  }
  for (const one of wrong) console.error(one)
  report('it answers as before afterwards', wrong.length === 0)
}

/** Of the processor, or for services that are not there. */
const takesLong = new Set([
  'list_supported_chains',
  'search_pools',
  'get_pools_by_token_pair',
  'recommend_fee_tier',
  'optimize_lp_range',
  'backtest_lp_strategy',
  'get_position_performance',
  'get_token_price',
])

/** What may differ: when, how old, how fast, by what id; where the server itself stands; and pictures, which an edge keeps none of. */
function settled({ status, message }, { tool }) {
  return JSON.parse(
    JSON.stringify({ status, message }, (name, value) => {
      if (unlike.has(name)) return undefined
      if (name === 'checks' && tool === 'check_setup_health') return undefined
      if (name === 'passed' && tool === 'check_setup_health') return undefined
      // Of public endpoints, which either of them may reach or not.
      if ((name === 'notes' || name === 'problem') && tool === 'list_supported_chains') return undefined
      if (name === 'resources' && Array.isArray(value))
        return value.filter(({ uri }) => !/^(svc:\/\/charts|ui:)/.test(uri))
      if (name === 'content' && Array.isArray(value)) return value.filter(({ type }) => type === 'text').map(textOf)
      if (typeof value === 'string') return value.replace(uuid, 'an id')
      return value
    }),
  )
}

/** The text of a result is its data once more. */
function textOf({ text }) {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const unlike = new Set(['timestamp', 'expiresAt', 'blockAgeSeconds', 'headAgeSeconds'])
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g

function firstDifference(one, other, path = '') {
  const isPlain = (value) => typeof value === 'object' && value !== null
  if (!isPlain(one) || !isPlain(other))
    return `${path} is ${JSON.stringify(other)?.slice(0, 300)} where the server says ${JSON.stringify(one)?.slice(0, 300)}`
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])]
  const name = names.find((each) => !isDeepStrictEqual(one[each], other[each]))
  return firstDifference(one[name], other[name], `${path}.${name}`)
}

/** What stands in deploy/edge, bundled as wrangler does it, with the chains and the policy of the world in the place of its own. */
async function startEdge(folder, wrangler, { ready, dataDir }) {
  const { main, compatibility_date: compatibilityDate, compatibility_flags: compatibilityFlags, vars } = wrangler
  const policy = JSON.parse(await readFile(join(dataDir, 'policy.json'), 'utf8'))
  const rateLimits = { perIp: 1_000_000, unauthenticatedPerIp: 1_000_000, perToken: 1_000_000 }
  await writeFile(join(folder, 'policy.json'), JSON.stringify({ ...policy, rateLimits }))
  await copyFile(join(dataDir, 'chains.json'), join(folder, 'chains.json'))
  await copyFile(join(deployed, main), join(folder, main))
  const { outputFiles } = await build({
    entryPoints: [join(folder, main)],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2024',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['node:*', 'cloudflare:*', ...builtinModules, '@resvg/resvg-js'],
    minify: true,
    write: false,
    logLevel: 'warning',
  })
  const [{ text, contents }] = outputFiles
  const settings = {
    ...vars,
    NODE_ENV: 'development',
    SVC_API_KEY_READ: ready.mcp.keys.read,
    SVC_API_KEY_FEEDBACK: ready.mcp.keys.feedback,
    SVC_API_KEY_WRITE: ready.mcp.keys.write,
    [`SVC_RPC_URL_${ready.rpc.chainId}`]: ready.rpc.url,
    [`SVC_RPC_URL_${ready.crossChain.chainId}`]: ready.crossChain.url,
    SVC_ORDER_API_URL: ready.orders.url,
    SVC_ORDER_API_KEY: 'not asked here',
    SVC_REWARDS_URL: ready.rewards.url,
    SVC_GATEWAY_URL: ready.api.url,
  }
  const worker = await startWorkerd({
    folder,
    script: text,
    compatibilityDate,
    compatibilityFlags,
    settings,
    heapMb: mostHeapMb,
  })
  return { ...worker, bytes: contents.length, zipped: gzipSync(contents, { level: 9 }).length }
}
