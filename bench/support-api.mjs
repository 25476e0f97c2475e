// One replica of the support API on PostgreSQL: what a look at the status costs beside a bare hono hello, how many claims
// it takes in beside a plain two-insert transaction, how long it needs after a restart of the database, its memory.
import { randomBytes } from 'node:crypto'
import { startChildServer } from './parts/child-server.mjs'
import { openBareClaims } from './parts/bare-claims.mjs'
import { openClaimWorld } from './parts/claim-world.mjs'
import { figure, median } from './parts/figure.mjs'
import { post } from './parts/load.mjs'
import { getRequest, openRawLoad, postRequest } from './parts/raw-load.mjs'
import { sized } from './parts/size.mjs'

const rounds = sized(5)
/** Many and short: what else the machine does falls on both sides of a round alike. */
const statusRounds = sized(15)
const statusCalls = sized(4_000, 50)
const claimsPerRound = sized(2_000, 20)
const restarts = sized(5)

export async function run(report) {
  const closers = []
  try {
    const world = await openClaimWorld(closers, report)
    const floor = await startChildServer('./bare-hono-server.mjs')
    closers.push(() => floor.stop())
    const bare = await openBareClaims(world)
    closers.push(() => bare.close())
    const letGo = await bare.lead()
    const replica = await startChildServer('./support-api-server.mjs', { env: world.env })
    closers.push(() => replica.stop())
    const idleBytes = await replica.rssBytes()
    const figures = [
      ...(await measureStatus(replica, floor, report)),
      ...(await measureClaims(world, replica, bare, report)),
    ]
    await letGo()
    return [
      ...figures,
      ...(await measureRestarts(world, replica, report)),
      memory('resident memory of a replica that just started', idleBytes),
      memory('resident memory after the load of this benchmark', await replica.rssBytes()),
    ]
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

const memory = (name, bytes) => figure({ name, value: bytes / 1e6, unit: 'MB', reference: 'process.memoryUsage.rss()' })

async function measureStatus(replica, floor, report) {
  const variants = {
    floor: { server: floor, request: getRequest('/hello') },
    status: { server: replica, request: getRequest('/v1/faucet/status') },
  }
  const seen = { floor: { rate: [], micros: [] }, status: { rate: [], micros: [] } }
  for (let round = 0; round <= statusRounds; round += 1) {
    for (const [name, { server, request }] of Object.entries(variants)) {
      const load = await openRawLoad({ port: server.port, request, calls: statusCalls })
      const before = await server.cpuMicros()
      const rate = await load.drive()
      if (round === 0) continue
      seen[name].rate.push(rate)
      seen[name].micros.push(((await server.cpuMicros()) - before) / statusCalls)
    }
    report(`status: ${round === 0 ? 'warm-up done' : `round ${round} of ${statusRounds}`}`)
  }
  const [rate, micros] = ['rate', 'micros'].map((what) => ({
    floor: median(seen.floor[what]),
    status: median(seen.status[what]),
  }))
  const reference = `bare hono hello, ${Math.round(rate.floor)} a second, ${micros.floor.toFixed(0)} us of CPU`
  return [
    figure({
      name: 'status, requests a second',
      value: median(seen.status.rate.map((each, round) => each / seen.floor.rate[round])),
      unit: 'x',
      reference,
      bar: 0.6,
      atMost: false,
    }),
    figure({ name: 'status, requests a second of CPU', value: micros.floor / micros.status, unit: 'x', reference }),
    figure({ name: 'status, requests a second', value: rate.status, unit: '/s', reference }),
  ]
}

/** While another process leads, so that nothing is paid: what is timed ends when the last claim is in the database. */
async function measureClaims({ chainId }, replica, bare, report) {
  const seen = { bare: [], claims: [], micros: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const plain = await bare.insert(claimsPerRound)
    const before = await replica.cpuMicros()
    const { rate, answered } = await claimMany(replica, bare, chainId)
    const micros = ((await replica.cpuMicros()) - before) / claimsPerRound
    await answered
    await bare.clear()
    report(`claims, round ${round} of ${rounds}: ${Math.round(rate)} a second, bare ${Math.round(plain)}`)
    if (round === 0) continue
    seen.bare.push(plain)
    seen.claims.push(rate)
    seen.micros.push(micros)
  }
  const rate = median(seen.claims)
  const reference = `two inserts in a transaction, 10 connections, ${Math.round(median(seen.bare))} a second`
  return [
    figure({
      name: 'claims taken in, a second',
      value: rate / median(seen.bare),
      unit: 'x',
      reference,
      bar: 0.5,
      atMost: false,
    }),
    figure({ name: 'claims taken in, a second', value: rate, unit: '/s', reference }),
    figure({ name: 'CPU of the replica for a claim', value: median(seen.micros), unit: 'us', reference }),
  ]
}

async function claimMany({ port }, bare, chainId) {
  const request = postRequest('/v1/faucet/request', () => ({ address: newAddress(), chainId, appId: 'app-one' }))
  const load = await openRawLoad({ port, request, calls: claimsPerRound, inFlight: claimsPerRound })
  const before = await bare.count()
  const begin = performance.now()
  const answered = load.drive()
  answered.catch(() => {})
  while ((await bare.count()) - before < claimsPerRound) {
    await Promise.race([new Promise((resolve) => setTimeout(resolve, 10)), answered])
  }
  return { rate: (claimsPerRound * 1_000) / (performance.now() - begin), answered }
}

/** From the moment the database takes connections again to a claim that is answered with its transaction. */
async function measureRestarts({ postgres, chainId }, { port }, report) {
  await claimOne(port, chainId)
  const tookMs = []
  for (let round = 0; round < restarts; round += 1) {
    await postgres.kill()
    await claimOnce(port, chainId)
    await postgres.restart()
    const begin = performance.now()
    await claimOne(port, chainId)
    tookMs.push(performance.now() - begin)
    report(`restart ${round + 1} of ${restarts}: ${Math.round(tookMs.at(-1))} ms`)
  }
  return [
    figure({
      name: 'first grant after a restart of the database',
      value: Math.max(...tookMs) / 1_000,
      unit: 's',
      reference: `the slowest of ${restarts}; from the first connection the database takes`,
      bar: 2,
    }),
  ]
}

/** Asks until a claim is answered with its transaction. */
async function claimOne(port, chainId) {
  for (;;) {
    const { status, text } = await claimOnce(port, chainId)
    if (status === 200 && JSON.parse(text).txHash !== null) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function claimOnce(port, chainId) {
  const body = JSON.stringify({ address: newAddress(), chainId, appId: 'app-one' })
  return await post(undefined, port, { 'content-type': 'application/json' }, body, '/v1/faucet/request')
}

/** Nobody holds a key to it; what the local chain is asked of it is the same. */
function newAddress() {
  return `0x${randomBytes(20).toString('hex')}`
}
