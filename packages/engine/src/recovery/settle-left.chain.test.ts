import { useDevnet } from '@svc/devnet/testing'
import { parseUnits, zeroAddress } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import type { Intent, Position } from '@svc/amm'
import {
  craftedIntent,
  routerItself,
  sum,
  swapRouter,
  v3Single,
  v3Step,
} from '../../../tool-server/src/fair-value/attack-calls.fixture.ts'
import { approveIntent, mintIntent, removeIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import { afterSending, answering, dieAt } from '../fixtures/network.fixture.ts'
import type { Pipeline, PipelineOptions } from '../fixtures/open-pipeline.fixture.ts'
import { used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open, close } = usePipelines(devnet)

// The pools sell at 3,000, so what arrives for 300 dollars counts as nearly 330.
const bargain = { usd: { ETH: 3_300, WETH: 3_300 } }

describe('G4: what a request that is gone left counts as its own end would have counted it', () => {
  it.each<[string, PipelineOptions, (pipeline: Pipeline) => Promise<Intent> | Intent, string]>([
    ['a trade: what arrived, where that is more', bargain, (pipeline) => swapIntent(pipeline, '300'), '329'],
    ['a trade for native currency, which leaves no logs', bargain, nativeSwapIntent, '329'],
    ['a deposit: what left', {}, mintIntent, '5999'],
    [
      'an approval that stays: all of it',
      {},
      (pipeline) => approveIntent(pipeline, pipeline.chain.amm.v2!.router, '25'),
      '25',
    ],
  ])('%s', async (_name, options, intentOf, leastUsd) => {
    const pipeline = await open(options)
    const [itself, afterwards] = await endTwice(pipeline, await intentOf(pipeline))
    expect(itself).toBeGreaterThanOrEqual(parseUnits(leastUsd, 6))
    expect(afterwards).toBe(itself)
    expect(await used(pipeline)).toBe(itself)
  })

  it.each([
    ['nothing', 'v3', false, 0n, 0n],
    ['nothing, native currency neither', 'v4', false, 0n, 0n],
    ['what was traded on the way', 'v3', true, parseUnits('1000', 6), parseUnits('3500', 6)],
    [
      'what was traded on the way, and no native currency beside',
      'v4',
      true,
      parseUnits('1000', 6),
      parseUnits('3500', 6),
    ],
  ] as const)('own liquidity that is moved: %s', async (_name, version, swapToRatio, leastUsd, mostUsd) => {
    const pipeline = await open()
    const [itself = -1n, afterwards] = await endTwice(pipeline, await moveIntent(pipeline, version, swapToRatio))
    expect(itself).toBeGreaterThanOrEqual(leastUsd)
    expect(itself).toBeLessThanOrEqual(mostUsd)
    // What a close paid of native currency is reckoned a little low on the way, and what that reserved is all that is left to know.
    expect(afterwards).toBeGreaterThanOrEqual(itself)
    expect(afterwards! - itself).toBeLessThanOrEqual(itself / 100_000n)
  })

  it.each([
    ['is closed', 2, false],
    ['is opened', 4, false],
    ['is opened, on an endpoint that no longer has the balances of then', 4, true],
  ])('a move in turn, cut off when it %s: no more than was to be traded', async (_name, nth, isBlind) => {
    const first = await open()
    const intent = await moveIntent(first, 'v4', true)
    const before = await used(first)
    first.patience.isShort = true
    afterSending(first, nth, async () => {
      first.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
    })
    await expect(first.run(intent)).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    await close(first)
    const { dataDir, privateKey } = first
    const pipeline = await open({ dataDir, privateKey })
    if (isBlind) pipeline.network.fetch = answering('eth_getBalance', { code: -32_000, message: 'missing trie node' })
    await pipeline.executor.reconcile()
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect((await used(pipeline)) - before).toBeLessThanOrEqual(parseUnits('3500', 6))
  })

  it('a removal: nothing, whatever it brings home', async () => {
    const pipeline = await open()
    await pipeline.run(await mintIntent(pipeline))
    const before = await used(pipeline)
    expect(await endTwice(pipeline, await removeIntent(pipeline))).toEqual([0n, 0n])
    expect(await used(pipeline)).toBe(before)
  })
})

describe('a trade that may have brought native currency', () => {
  it('counts as reserved where the endpoint no longer has the balances of then', async () => {
    const { pipeline, settle, reserved } = await leaveBehind()
    pipeline.network.fetch = answering('eth_getBalance', { code: -32_000, message: 'missing trie node' })
    await pipeline.executor.reconcile()
    expect(settle.mock.calls[1]?.[1]).toBe(reserved)
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(pipeline.lines.map(({ event }) => event)).toContain('clear-up.unread-balance')
  })

  it('stays reserved while they cannot be read, and is settled when they can', async () => {
    const { pipeline, settle } = await leaveBehind()
    dieAt(pipeline, 'eth_getBalance')
    await pipeline.executor.reconcile().catch(() => undefined)
    expect(await pipeline.store.ledger.open()).toHaveLength(1)
    pipeline.network.fetch = fetch
    await pipeline.executor.reconcile()
    expect(settle.mock.calls[1]?.[1]).toBe(settle.mock.calls[0]?.[1])
    expect(await pipeline.store.ledger.open()).toEqual([])
  })

  async function leaveBehind() {
    const pipeline = await open(bargain)
    const settle = vi.spyOn(pipeline.store.ledger, 'settle').mockRejectedValueOnce(new Error('gone'))
    await pipeline.run(nativeSwapIntent(pipeline))
    const [reservation] = await pipeline.store.ledger.open()
    return { pipeline, settle, reserved: reservation?.amountUsdMicros }
  }
})

/** A position of some 6,000 dollars, and the intent that moves it to just above the price; native currency in v4. */
async function moveIntent(pipeline: Pipeline, version: 'v3' | 'v4', swapToRatio: boolean): Promise<Intent> {
  const { chain, liquidity, tokens } = pipeline
  const { timestamp } = await pipeline.rpc.head(chain)
  const common = { slippageBps: 50, deadline: Number(timestamp) + 600, recipient: pipeline.wallet }
  const [base, usdc] = await Promise.all([
    tokens.byAddress(chain, version === 'v3' ? pipeline.token('WETH') : zeroAddress),
    tokens.byAddress(chain, pipeline.token('USDC')),
  ])
  const deposit = { token0: base, token1: usdc, fee: 500, hooks: null, amount0: parseUnits('1', 18), amount1: null }
  await pipeline.run((await liquidity.planAdd(chain, { ...common, ...deposit, version, range: 'full' })).intent)
  const { items } = await liquidity.positionsByOwner(chain, pipeline.wallet, [version])
  const position = items.find((item): item is Position => item.version === version)!
  const inverted = position.pool.token0.symbol !== base.symbol
  const range = { priceLower: 2_000, priceUpper: 3_060 }
  return (await liquidity.planRebalance(chain, position, { ...common, range, inverted, swapToRatio })).intent
}

/** What the ledger is told at the end of a call, and, because it does not hear that, once more by whoever comes after. */
async function endTwice(pipeline: Pipeline, intent: Intent): Promise<readonly bigint[]> {
  const settle = vi.spyOn(pipeline.store.ledger, 'settle').mockRejectedValueOnce(new Error('gone'))
  await pipeline.run(intent)
  await pipeline.executor.reconcile()
  const [own, later] = settle.mock.calls.map(([, , , , came]) => came)
  // Rights that were revoked are found to be over by the sweep, which looks at the chain.
  expect(later).toEqual({ ...own, ended: undefined })
  expect(await pipeline.store.pendingRevocations.list()).toEqual([])
  expect(await pipeline.store.ledger.open()).toEqual([])
  return settle.mock.calls.map(([, usdMicros]) => usdMicros)
}

/** 300 USDC for native currency: the router unwraps what it buys. */
function nativeSwapIntent(pipeline: Pipeline): Intent {
  const [amountIn, least] = [parseUnits('300', 6), parseUnits('0.099', 18)]
  const swap = { tokenIn: 'USDC', tokenOut: 'WETH', recipient: routerItself, amountIn, least }
  const steps = [v3Single(pipeline, swap), v3Step('unwrapWETH9', [least, pipeline.wallet])]
  const sums = { spends: [sum(pipeline, 'USDC', amountIn)], receives: [sum(pipeline, 'ETH', least)] }
  return craftedIntent(pipeline, [swapRouter(pipeline, steps)], sums)
}
