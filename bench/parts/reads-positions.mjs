// How often listing a thousand positions of one owner, and looking at a hundred that are watched, waits for the endpoint.
import { setTimeout as sleep } from 'node:timers/promises'
import { callTool, startServer } from '../write.mjs'
import { figure } from './figure.mjs'
import { mintPositions } from './own-positions.mjs'
import { inSequence } from './round-trips.mjs'
import { sized } from './size.mjs'

const positions = sized(1_000, 30)
const watched = sized(100, 10)
const looks = sized(3)
/** The shortest that the settings take. */
const watchSeconds = 15
const listBar = 8
const watchBar = 1

/** `proxy` counts what the servers that are started here ask. */
export async function positionFigures({ devnet, proxy, closers, report }) {
  const minted = await mintPositions(devnet, positions)
  report(`${positions} positions minted`)
  return [...(await listed({ devnet, proxy, closers }, minted)), await looked({ devnet, proxy, closers }, minted)]
}

async function listed({ devnet, proxy, closers }, { owner }) {
  const server = await startServer(devnet, proxy.url, closers, { settings: { LOG_LEVEL: 'info' } })
  const chain = String(devnet.chainId)
  const figures = []
  for (const when of ['cold', 'warm']) {
    const { totals, trips, ms } = await answeredInTime(async () => {
      await devnet.trade(1, when)
      proxy.take()
      const begin = performance.now()
      const { totals } = await callTool(server, 'get_positions_by_owner', { chain, owner, limit: 100 })
      return { totals, trips: proxy.take(), ms: Math.round(performance.now() - begin) }
    })
    if (totals.positions !== positions) throw new Error(`${totals.positions} positions were listed of ${positions}`)
    const calls = trips.reduce((sum, { methods }) => sum + methods.length, 0)
    const reference = `get_positions_by_owner, ${ms} ms, ${inSequence(trips)} one after the other, ${calls} calls in them`
    figures.push(
      figure({
        name: `${positions} positions of one owner: round trips, ${when}`,
        value: trips.length,
        unit: 'requests',
        reference,
        bar: listBar,
      }),
    )
  }
  figures.push(await paged({ devnet, proxy }, server, { chain, owner }))
  server.stop()
  return figures
}

/** Again where the chain answered too late, as it does beside much other work: that says nothing of how often it is asked. */
async function answeredInTime(ask, attempts = 3) {
  try {
    return await ask()
  } catch (error) {
    if (attempts === 1 || !error.message.includes('"RPC_TIMEOUT"')) throw error
    return answeredInTime(ask, attempts - 1)
  }
}

/** What it takes to be shown each of them: a page is an answer of its own, at its own block, and reads all of them. */
async function paged({ devnet, proxy }, server, asked) {
  let [cursor, pages, shown] = [undefined, 0, 0]
  proxy.take()
  while (cursor !== null) {
    const page = { ...asked, limit: 100, cursor }
    const { items, nextCursor } = await answeredInTime(() => callTool(server, 'get_positions_by_owner', page))
    await devnet.trade(1, pages)
    cursor = nextCursor
    pages += 1
    shown += items.length
  }
  const trips = proxy.take()
  if (shown !== positions) throw new Error(`${shown} positions were shown of ${positions}`)
  return figure({
    name: `${positions} positions of one owner: round trips of all pages`,
    value: trips.length,
    unit: 'requests',
    reference: `${pages} calls for 100 of them each, a block after each`,
  })
}

/** A look is what is asked without a pause; the first of a process finds out where each position stands. */
async function looked({ devnet, proxy, closers }, { ids }) {
  const settings = { SVC_WATCH_SECONDS: String(watchSeconds), LOG_LEVEL: 'info' }
  const server = await startServer(devnet, proxy.url, closers, { settings })
  const chain = String(devnet.chainId)
  for (const positionId of ids.slice(0, watched))
    await callTool(server, 'watch_position', { chain, version: 'v3', positionId, feesWaitingPct: 90 })
  const seen = []
  // Two more: the first may have begun before all were watched, and the next still finds out where some of them stand.
  while (seen.length < looks + 2) {
    await devnet.trade(1, seen.length)
    proxy.take()
    seen.push(await nextLook(proxy))
  }
  server.stop()
  const counted = seen.slice(2)
  const most = Math.max(...counted.map((trips) => trips.length))
  const calls = Math.max(...counted.flat().map(({ methods }) => methods.length))
  return figure({
    name: `${watched} watched positions of a chain: requests in an interval`,
    value: most,
    unit: 'requests',
    reference: `the most of ${looks} intervals of ${watchSeconds} s, ${calls} calls in a request`,
    bar: watchBar,
  })
}

/** All that is asked from the next request on for three quarters of an interval, in which the next look cannot begin. */
async function nextLook(proxy) {
  let trips = []
  while (trips.length === 0) {
    await sleep(100)
    trips = proxy.take()
  }
  await sleep(watchSeconds * 750)
  return [...trips, ...proxy.take()]
}
