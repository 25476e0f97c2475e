// CPU of a call on one of four replicas over one PostgreSQL, beside that of one of four servers as busy that share nothing, and of a server
// that has the machine to itself: on a few processors four busy ones take the caches of each other, whatever they share. Callers come from
// addresses of their own, as behind an edge, so that the limits of each are leased from the database as they are by default.
import { startPostgres } from '@svc/devnet/testing'
import { startChildServer } from './child-server.mjs'
import { figure, median } from './figure.mjs'
import { post } from './load.mjs'
import { modernHeaders, modernMessage, searchAnew } from './mcp-messages.mjs'
import { sized } from './size.mjs'

const replicas = sized(4, 2)
const rounds = sized(9)
/** Of each server: those who call all the time, at a third of their limit, and those who come for a few calls and are never seen again. */
const kinds = {
  steady: { callers: sized(4, 1), calls: sized(400, 20) },
  passing: { callers: sized(25, 2), calls: sized(40, 8) },
}
const bar = 1.1

export async function measureReplicas(report) {
  const postgres = await startPostgres({ ownServer: true })
  const servers = []
  try {
    const lone = await startChildServer('./replica-server.mjs')
    servers.push(lone)
    const env = { SVC_DATABASE_URL: await postgres.newSchema() }
    const [several, apart] = [[], []]
    for (let count = 0; count < replicas; count += 1) {
      several.push(await startChildServer('./replica-server.mjs', { env }))
      apart.push(await startChildServer('./replica-server.mjs'))
      servers.push(several[count], apart[count])
    }
    const { steady, passing } = await measureKinds({ lone: [lone], apart, several }, report)
    const name = 'CPU of a call on one of four replicas'
    const of = (micros, what) => `${median(micros).toFixed(0)} us on ${what}`
    const beside = (kind) => ({
      value: ratio(kind, 'apart'),
      reference: `${of(kind.apart, 'one of four that share nothing')}; ${spread(kind, 'apart')} in ${rounds} rounds`,
    })
    return [
      figure({ name, unit: 'x', ...beside(steady), bar }),
      figure({ name: `${name}, of callers who come for 40 calls`, unit: 'x', ...beside(passing) }),
      figure({
        name: `${name}, beside a server that has the machine to itself`,
        value: ratio(steady, 'lone'),
        unit: 'x',
        reference: of(steady.lone, 'that one'),
      }),
    ]
  } finally {
    for (const server of servers) server.stop()
    await postgres.stop()
  }
}

/** A machine that is busy for a while is so for all that are asked in the same round. */
function ratio(kind, name) {
  return median(ratios(kind, name))
}

function spread(kind, name) {
  const values = ratios(kind, name)
  return `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`
}

function ratios({ several, ...others }, name) {
  return several.map((micros, round) => micros / others[name][round])
}

/** The microseconds of a call in each round, by kind of caller and by who answers. */
async function measureKinds(answering, report) {
  const addressOfNext = newAddresses()
  const seen = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, { lone: [], apart: [], several: [] }]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const [kind, of] of Object.entries(kinds)) {
      for (const [name, servers] of Object.entries(answering)) {
        const micros = await cpuOfCalls(servers, of, addressOfNext)
        if (round > 0) seen[kind][name].push(micros)
      }
    }
    report(`replicas: ${round === 0 ? 'warm-up done' : `round ${round} of ${rounds}`}`)
  }
  return seen
}

/** Microseconds of CPU for each call: every server gets as many, from callers who meet each of them in turn. */
async function cpuOfCalls(servers, { callers, calls }, addressOfNext) {
  const before = await Promise.all(servers.map((server) => server.cpuMicros()))
  const addresses = Array.from({ length: callers * servers.length }, addressOfNext)
  await Promise.all(addresses.map((address, index) => callFrom(address, servers, { calls, first: index })))
  const after = await Promise.all(servers.map((server) => server.cpuMicros()))
  const spent = after.reduce((sum, micros, index) => sum + micros - before[index], 0)
  return spent / (addresses.length * calls)
}

async function callFrom(address, servers, { calls, first }) {
  for (let count = 0; count < calls; count += 1) {
    const { port, key } = servers[(first + count) % servers.length]
    const params = searchAnew(nextFor(port))
    const headers = {
      ...modernHeaders('tools/call', params),
      authorization: `Bearer ${key}`,
      'x-forwarded-proto': 'https',
      'x-forwarded-for': address,
    }
    const { status, text } = await post(undefined, port, headers, modernMessage(count, 'tools/call', params))
    if (status !== 200) throw new Error(`${status} ${text.slice(0, 300)}`)
  }
}

/** How many calls each server had: each makes a search of its own, and none finds the answer of another kept. */
const asked = new Map()

function nextFor(port) {
  const next = (asked.get(port) ?? 0) + 1
  asked.set(port, next)
  return next
}

/** Of the network for benchmarks (RFC 2544), one after the other. */
function newAddresses() {
  let next = 0
  return () => {
    next += 1
    return `198.18.${Math.floor(next / 250) % 250}.${1 + (next % 250)}`
  }
}
