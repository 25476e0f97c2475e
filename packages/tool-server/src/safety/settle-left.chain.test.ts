import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import type { Intent } from '../intent.ts'
import { craftedIntent, routerItself, sum, swapRouter, v3Single, v3Step } from './fair-value/attack-calls.fixture.ts'
import { approveIntent, mintIntent, removeIntent, swapIntent } from './intents.fixture.ts'
import { answering, dieAt } from './network.fixture.ts'
import type { Road, RoadOptions } from './open-road.fixture.ts'
import { used } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

// The pools sell at 3,000, so what arrives for 300 dollars counts as nearly 330.
const bargain = { usd: { ETH: 3_300, WETH: 3_300 } }

describe('G4: what a request that is gone left counts as its own end would have counted it', () => {
  it.each<[string, RoadOptions, (road: Road) => Promise<Intent> | Intent, string]>([
    ['a trade: what arrived, where that is more', bargain, (road) => swapIntent(road, '300'), '329'],
    ['a trade for native currency, which leaves no logs', bargain, nativeSwapIntent, '329'],
    ['a deposit: what left', {}, mintIntent, '5999'],
    ['an approval that stays: all of it', {}, (road) => approveIntent(road, road.chain.amm.v2!.router, '25'), '25'],
  ])('%s', async (_name, options, intentOf, leastUsd) => {
    const road = await open(options)
    const [itself, afterwards] = await endTwice(road, await intentOf(road))
    expect(itself).toBeGreaterThanOrEqual(parseUnits(leastUsd, 6))
    expect(afterwards).toBe(itself)
    expect(await used(road)).toBe(itself)
  })

  it('a removal: nothing, whatever it brings home', async () => {
    const road = await open()
    await road.run(await mintIntent(road))
    const before = await used(road)
    expect(await endTwice(road, await removeIntent(road))).toEqual([0n, 0n])
    expect(await used(road)).toBe(before)
  })
})

describe('a trade that may have brought native currency', () => {
  it('counts as reserved where the endpoint no longer has the balances of then', async () => {
    const { road, settle, reserved } = await leaveBehind()
    road.network.fetch = answering('eth_getBalance', { code: -32_000, message: 'missing trie node' })
    await road.executor.reconcile()
    expect(settle.mock.calls[1]?.[1]).toBe(reserved)
    expect(await road.store.ledger.open()).toEqual([])
    expect(road.lines.map(({ event }) => event)).toContain('clear-up.unread-balance')
  })

  it('stays reserved while they cannot be read, and is settled when they can', async () => {
    const { road, settle } = await leaveBehind()
    dieAt(road, 'eth_getBalance')
    await road.executor.reconcile().catch(() => undefined)
    expect(await road.store.ledger.open()).toHaveLength(1)
    road.network.fetch = fetch
    await road.executor.reconcile()
    expect(settle.mock.calls[1]?.[1]).toBe(settle.mock.calls[0]?.[1])
    expect(await road.store.ledger.open()).toEqual([])
  })

  async function leaveBehind() {
    const road = await open(bargain)
    const settle = vi.spyOn(road.store.ledger, 'settle').mockRejectedValueOnce(new Error('gone'))
    await road.run(nativeSwapIntent(road))
    const [reservation] = await road.store.ledger.open()
    return { road, settle, reserved: reservation?.amountUsdMicros }
  }
})

/** What the ledger is told at the end of a call, and, because it does not hear that, once more by whoever comes after. */
async function endTwice(road: Road, intent: Intent): Promise<readonly bigint[]> {
  const settle = vi.spyOn(road.store.ledger, 'settle').mockRejectedValueOnce(new Error('gone'))
  await road.run(intent)
  await road.executor.reconcile()
  expect(settle.mock.calls[1]?.[4]).toEqual(settle.mock.calls[0]?.[4] ?? 'amounts')
  expect(await road.store.ledger.open()).toEqual([])
  return settle.mock.calls.map(([, usdMicros]) => usdMicros)
}

/** 300 USDC for native currency: the router unwraps what it buys. */
function nativeSwapIntent(road: Road): Intent {
  const [amountIn, least] = [parseUnits('300', 6), parseUnits('0.099', 18)]
  const swap = { tokenIn: 'USDC', tokenOut: 'WETH', recipient: routerItself, amountIn, least }
  const steps = [v3Single(road, swap), v3Step('unwrapWETH9', [least, road.wallet])]
  const sums = { spends: [sum(road, 'USDC', amountIn)], receives: [sum(road, 'ETH', least)] }
  return craftedIntent(road, [swapRouter(road, steps)], sums)
}
