// What minutes of mixed load leave behind: callers of every kind of credentials over three transports, sessions that come and go, some
// that break off, credentials that are refused, and sign-ins. Before and after, with every client gone, the live heap and the descriptors.
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { figure } from './figure.mjs'
import { drive, post } from './load.mjs'
import { legacyHeaders, legacyMessage, modernHeaders, modernMessage, openSession } from './mcp-messages.mjs'
import { renewedAfterMs } from './auth-world.mjs'
import { isSmoke } from './size.mjs'
import { openWebSocket } from './web-socket-client.mjs'

const bar = 2
/** What is full after it and compiled: caches, and code that V8 optimises late. On a busy machine a third of the time is not enough for that. */
const warmUpPart = 1 / 3
const warmUpCalls = 80_000
const mixed = [
  ['search_tokens', { query: 'usd', limit: 5 }],
  ['list_supported_chains', {}],
  ['search_tokens', { query: 'nobody' }],
  ['check_setup_health', {}],
]

/** Of `--minutes N`; `null` without. */
export function minutesAsked(words = process.argv) {
  const at = words.indexOf('--minutes')
  if (at < 0) return null
  const minutes = Number(words[at + 1])
  if (!(minutes > 0 && minutes <= 1_440)) throw new Error('--minutes takes a number of minutes, at most 1440.')
  return minutes
}

export async function mixedLoadFigures(world, minutes, report) {
  const { server } = world
  const idle = server.descriptors()
  const warm = await play(
    world,
    minutes * warmUpPart,
    (line) => report(`warm-up: ${line}`),
    minutes < 30 ? 0 : warmUpCalls,
  )
  const [opened, before] = [await descriptorsAtRest(server, idle), await server.liveHeap()]
  const seen = await play(world, minutes, report)
  const [left, after] = [await descriptorsAtRest(server, opened), await server.liveHeap()]
  const did = `${seen.calls} calls, ${seen.sessions} sessions opened, ${seen.signIns} sign-ins and ${seen.refused} refusals in ${minutes} minutes, after ${warm.calls} calls`
  const grown = (name, of, judged) =>
    figure({
      name,
      value: (of(after) / of(before) - 1) * 100,
      unit: '%',
      reference: `${megabytes(of(before))} before, ${megabytes(of(after))} after; ${did}`,
      bar: isSmoke ? null : judged,
    })
  return [
    grown('live heap grown by mixed load', ({ heapUsedBytes }) => heapUsedBytes, bar),
    grown('of it without compiled code', ({ heapUsedBytes, codeBytes }) => heapUsedBytes - codeBytes, null),
    figure({
      name: 'descriptors left by mixed load',
      value: left - opened,
      unit: '',
      reference: `${opened} before it, with no client there; ${did}`,
      bar: 0,
    }),
  ]
}

/** Rounds of everything until the time is over and there were so many calls, and what they were. */
async function play(world, minutes, report, leastCalls = 0) {
  const seen = { calls: 0, sessions: 0, signIns: 0, refused: 0 }
  const until = performance.now() + minutes * 60_000
  let [credentials, renewAt, sayAt] = [null, 0, performance.now() + 60_000]
  do {
    if (performance.now() >= renewAt) {
      credentials = await world.credentials()
      renewAt = performance.now() + renewedAfterMs
      seen.signIns += 1
    }
    for (const auth of Object.values(credentials)) await playAs(auth, world.server.port, seen)
    await playRefused(world.server.port, seen)
    if (performance.now() < sayAt) continue
    const heap = await world.server.liveHeap()
    report(`${seen.calls} calls, live heap ${megabytes(heap.heapUsedBytes)}`)
    sayAt += 60_000
    await world.signInAnew()
    seen.signIns += 1
  } while (performance.now() < until || seen.calls < leastCalls)
  return seen
}

/** Plain calls, a session that ends, one that is left, a WebSocket that is closed and one that breaks off. */
async function playAs(auth, port, seen) {
  const plain = 40
  for (const [name, input] of mixed) {
    const params = { name, arguments: input }
    const headers = { ...modernHeaders('tools/call', params), ...auth }
    await drive({ port, headers, body: (id) => modernMessage(id, 'tools/call', params), calls: plain })
  }
  await drive({
    port,
    headers: { ...modernHeaders('tools/list', {}), ...auth },
    body: (id) => modernMessage(id, 'tools/list', {}),
    calls: plain,
  })
  const session = await openSession(port, { ...legacyHeaders, ...auth })
  const calls = (index) => {
    const [name, input] = mixed[index % mixed.length]
    return legacyMessage(index, 'tools/call', { name, arguments: input })
  }
  await drive({ port, headers: session, body: calls, calls: plain })
  await end(port, session)
  const sockets = await Promise.all([openWebSocket(port, auth), openWebSocket(port, auth)])
  for (const socket of sockets)
    for (const [name, input] of mixed) await socket.ask('tools/call', { name, arguments: input })
  await sockets[0].close()
  sockets[1].drop()
  seen.calls += plain * (mixed.length + 2) + sockets.length * mixed.length
  seen.sessions += 1 + sockets.length
}

/** Callers without credentials, with wrong ones, with a body that is none, and one that leaves in the middle of his. */
async function playRefused(port, seen) {
  const body = modernMessage(1, 'tools/list', {})
  const headers = modernHeaders('tools/list', {})
  const wrong = { authorization: `Bearer ${'x'.repeat(40)}` }
  const statuses = []
  for (const fields of [{}, wrong, { 'access-jwt-assertion': 'no.token.atall' }]) {
    statuses.push((await post(undefined, port, { ...headers, ...fields }, body)).status)
  }
  if (statuses.some((status) => status !== 401)) throw new Error(`expected refusals, got ${statuses.join(', ')}`)
  await breakOff(port)
  seen.refused += statuses.length
}

function end(port, headers) {
  return fetch(`http://127.0.0.1:${port}/mcp`, { method: 'DELETE', headers }).then((answer) => answer.text())
}

async function breakOff(port) {
  const socket = connect(port, '127.0.0.1')
  await new Promise((resolve) => socket.once('connect', resolve))
  socket.write('POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\n{')
  socket.destroy()
}

/** Once the connections of clients that left are closed: at most so many as `expected`, or as many as there are after a while. */
async function descriptorsAtRest(server, expected) {
  for (let tries = 0; tries < 100 && server.descriptors() > expected; tries += 1) await sleep(100)
  return server.descriptors()
}

const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(2)} MB`
