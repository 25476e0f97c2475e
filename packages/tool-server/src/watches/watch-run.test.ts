import type { Position } from '@svc/amm'
import { storePrincipal } from '@svc/engine'
import { getSqrtPriceAtTick } from '@svc/lp-math'
import { openStore, type Store, watchBounds } from '@svc/store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { untouchedWorld } from '../tools/refusals.fixture.ts'
import { firstState } from './conditions.ts'
import { createWatchRun } from './watch-run.ts'

const pool = { sqrtPriceX96: getSqrtPriceAtTick(3), tick: 3, blockNumber: 5n } as Position['pool']
const position = { version: 'v3', positionId: '7', liquidity: 0n, tickLower: -10, tickUpper: 10, pool } as Position

let store: Store
let lines: string[]

beforeEach(async () => {
  lines = []
  store = await openStore({ path: ':memory:', now: () => 1_000 })
})
afterEach(() => store.close())

async function addWatch(): Promise<string> {
  const { principal } = untouchedWorld()
  const none = { ilPct: null, feeDropPct: null, feesWaitingPct: null, limitPct: null }
  const watch = {
    principal: storePrincipal(principal),
    chainId: 1,
    version: 'v3',
    positionId: '7',
    conditions: JSON.stringify({ outOfRange: true, ...none, paysWithinDays: 30 }),
    state: JSON.stringify(firstState(position)),
  } as const
  return (await store.watches.of('ann').add(watch))?.id ?? ''
}

/** A look that finds the position without liquidity. */
function look(): Promise<void> {
  const note = (event: string, facts?: unknown) => void lines.push(`${event} ${JSON.stringify(facts)}`)
  const run = createWatchRun({
    watches: store.watches,
    ports: { ...untouchedWorld(), liquidity: { positions: async () => [position] } as never },
    safety: () => Promise.reject(new Error('was asked')),
    isInForce: () => true,
    hasWebhook: true,
    publish: () => {},
    everyMs: 60_000,
    signal: new AbortController().signal,
    now: () => 1_000,
    log: { info: () => {}, warn: note },
  })
  return run()
}

test('a position without liquidity is closed, and in range nowhere', async () => {
  await addWatch()
  await look()
  const [event] = await store.watches.of('ann').events({ limit: 1 })
  expect(event).toMatchObject({ kind: 'closed', webhook: 'pending' })
  expect(JSON.parse(event?.content ?? '')).toMatchObject({ blockNumber: 5, inRange: false })
  expect(lines).toEqual([])
})

test('what goes for new events before it was delivered is said in the log', async () => {
  const id = await addWatch()
  const state = (await store.watches.active())[0]?.state ?? ''
  const events = Array.from({ length: 500 }, () => ({ kind: 'il', content: '{}' }))
  for (let kept = 0; kept < watchBounds.unsettledEvents; kept += events.length)
    await store.watches.record(id, { state, hasEnded: false, events, awaitsWebhook: true })
  await look()
  expect(lines).toEqual(['webhook.dropped {"principal":"ann","events":1}'])
})
