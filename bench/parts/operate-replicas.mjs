// CPU of a call on one of four replicas over one PostgreSQL, beside that of a lone server without a database. Callers come from addresses of
// their own, as behind an edge, so that the limits of each are leased from the database as they are by default.
import { startPostgres } from '@svc/devnet/testing'
import { startChildServer } from './child-server.mjs'
import { figure, median } from './figure.mjs'
import { post } from './load.mjs'
import { modernHeaders, modernMessage } from './mcp-messages.mjs'
import { sized } from './size.mjs'

const replicas = sized(4, 2)
const rounds = sized(9)
const addresses = sized(25, 2)
const callsOfEach = 40
const bar = 1.1
const params = { name: 'search_tokens', arguments: { query: 'usd', limit: 5 } }

export async function measureReplicas(report) {
  const postgres = await startPostgres({ ownServer: true })
  const servers = []
  try {
    const lone = await startChildServer('./replica-server.mjs')
    servers.push(lone)
    const env = { SVC_DATABASE_URL: await postgres.newSchema() }
    const several = []
    for (let count = 0; count < replicas; count += 1)
      several.push(await startChildServer('./replica-server.mjs', { env }))
    servers.push(...several)
    const seen = { lone: [], several: [] }
    for (let round = 0; round <= rounds; round += 1) {
      const of = { lone: await cpuOfCalls([lone]), several: await cpuOfCalls(several) }
      if (round > 0) for (const [name, micros] of Object.entries(of)) seen[name].push(micros)
      report(`replicas: ${round === 0 ? 'warm-up done' : `round ${round} of ${rounds}`}`)
    }
    const [alone, one] = [median(seen.lone), median(seen.several)]
    const reference = `a lone server without a database, ${alone.toFixed(0)} us`
    return [
      figure({ name: 'CPU of a call on one of four replicas', value: one / alone, unit: 'x', reference, bar }),
      figure({
        name: 'CPU of a call on one of four replicas',
        value: one,
        unit: 'us',
        reference: 'median, this machine',
      }),
    ]
  } finally {
    for (const server of servers) server.stop()
    await postgres.stop()
  }
}

let fresh = 0

/** Microseconds of CPU for each call: every server gets as many, from callers who meet each of them in turn. */
async function cpuOfCalls(servers) {
  const before = await Promise.all(servers.map((server) => server.cpuMicros()))
  const callers = Array.from({ length: addresses * servers.length }, () => addressOf(fresh++))
  await Promise.all(callers.map((address, index) => callFrom(address, servers, index)))
  const after = await Promise.all(servers.map((server) => server.cpuMicros()))
  const spent = after.reduce((sum, micros, index) => sum + micros - before[index], 0)
  return spent / (callers.length * callsOfEach)
}

async function callFrom(address, servers, first) {
  for (let count = 0; count < callsOfEach; count += 1) {
    const { port, key } = servers[(first + count) % servers.length]
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

/** Of the network for benchmarks (RFC 2544), one after the other. */
function addressOf(index) {
  return `198.18.${Math.floor(index / 250) % 250}.${1 + (index % 250)}`
}
