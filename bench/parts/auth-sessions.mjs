// A thousand sessions of clients over three transports at once, under a real limit of memory: clients of the revision without sessions on
// connections that they keep, sessions of the older one with their streams open, and WebSockets. The production bundle, as an operator starts it.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { bundle } from '../../scripts/bundle.mjs'
import { figure, notMeasured } from './figure.mjs'
import { post } from './load.mjs'
import { openMemoryLimit } from './memory-limit.mjs'
import { legacyHeaders, legacyMessage, modernHeaders, modernMessage, openSession } from './mcp-messages.mjs'
import { spawnServer } from './spawned-server.mjs'
import { sized } from './size.mjs'
import { openWebSocket } from './web-socket-client.mjs'

const sessions = sized(1_000, 30)
const limitMb = 256
const name = `${sessions} sessions over three transports, most memory of the group`
const call = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } }

export async function sessionFigures(report) {
  const limit = openMemoryLimit(limitMb * 1_048_576)
  if (typeof limit === 'string') return [notMeasured({ name, unit: 'MB', why: limit, bar: limitMb })]
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-'))
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
  /** @type {(() => unknown)[]} */
  const closers = [() => limit.close(), () => rmSync(directory, { recursive: true, force: true })]
  try {
    const { env, auth } = settingsIn(directory)
    const program = await bundle(join(directory, 'svc-server.mjs'))
    const child = await spawnServer([program, '--transport', 'http'], { env, wrap: limit.wrap })
    closers.push(() => child.stop())
    closers.push(() => agent.destroy())
    const before = child.rssMb()
    const clients = await openClients(child.port, { auth, agent, closers, report })
    await sleep(sized(2_000, 100))
    const rss = child.rssMb()
    let served = 0
    for (const ask of clients) served += Number(await ask().then(isAnswer, () => false))
    // The group is charged with no page that another program reads from the same file; what is resident counts them.
    const reference = `limit of ${limitMb} MB; resident ${before.toFixed(0)} MB before the first session, ${rss.toFixed(0)} MB with all`
    return [
      figure({ name, value: limit.mostMb(), unit: 'MB', reference, bar: limitMb }),
      figure({ name: 'resident memory with them', value: rss, unit: 'MB', reference, bar: limitMb }),
      figure({
        name: 'of them answer at the end, none killed',
        value: child.isAlive() && limit.kills() === 0 ? served : 0,
        unit: 'sessions',
        reference,
        bar: sessions,
        atMost: false,
      }),
    ]
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

/** A third of the sessions on each transport; each made a call, and gives a way to make another. */
async function openClients(port, { auth, agent, closers, report }) {
  const clients = []
  while (clients.length < sessions) {
    const ask = await [openStateless, openStreaming, openSocket][clients.length % 3](port, { auth, agent, closers })
    if (!isAnswer(await ask())) throw new Error(`session ${clients.length} did not answer`)
    clients.push(ask)
    if (clients.length % 100 === 0) report(`${clients.length} of ${sessions} sessions`)
  }
  return clients
}

/** A connection of its own, kept alive as long as the server does. */
async function openStateless(port, { auth, closers }) {
  const own = new Agent({ keepAlive: true, maxSockets: 1 })
  closers.push(() => own.destroy())
  const headers = { ...modernHeaders('tools/call', call), ...auth }
  return async () => (await post(own, port, headers, modernMessage(1, 'tools/call', call))).text
}

async function openStreaming(port, { auth, agent }) {
  const headers = await openSession(port, { ...legacyHeaders, ...auth })
  const accept = 'text/event-stream'
  const stream = request({ host: '127.0.0.1', port, path: '/mcp', agent, headers: { ...headers, accept } })
  stream.on('error', () => {}).end()
  await new Promise((resolve, reject) => {
    stream.once('response', (answer) => {
      answer.on('error', () => {}).resume()
      if (answer.statusCode === 200) resolve()
      else reject(new Error(`the stream of a session: ${answer.statusCode}`))
    })
  })
  return async () => (await post(undefined, port, headers, legacyMessage(1, 'tools/call', call))).text
}

async function openSocket(port, { auth, closers }) {
  const client = await openWebSocket(port, auth)
  closers.push(() => client.drop())
  return async () => JSON.stringify(await client.ask('tools/call', call))
}

function isAnswer(text) {
  return text.includes('"structuredContent"')
}

/** Settings of a server in the profile data; only the rate limit is out of the way. */
function settingsIn(directory) {
  const policy = { rateLimits: { unauthenticatedPerIp: 1_000_000, perIp: 1_000_000, perToken: 1_000_000 } }
  writeFileSync(join(directory, 'policy.json'), JSON.stringify(policy), { mode: 0o600 })
  const token = randomBytes(32).toString('base64url')
  const env = {
    SVC_DATA_DIR: directory,
    SVC_LISTEN: '127.0.0.1:0',
    SVC_RPC_URL_1: 'http://127.0.0.1:9',
    SVC_WEBSOCKET: 'on',
    MCP_AUTH_TOKEN: token,
  }
  return { env, auth: { authorization: `Bearer ${token}` } }
}
