import type { Operation } from '@svc/store'
import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { createChainActor, v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { AddRequest, Intent, IntentDeposit } from '@svc/amm'
import { approvalOf, laterDeadline, swapIntent } from '../fixtures/intents.fixture.ts'
import { beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import {
  moveThePrice,
  plannedOf,
  pushThePrice,
  quoteOf,
  settledOf,
  testClient,
} from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

/** Plans an intent and claims the plan, as a request that carries it out does. */
async function claimed(pipeline: Pipeline, intent: Intent): Promise<Operation> {
  const { plan } = plannedOf(await pipeline.run(intent, { dryRun: true }))
  return pipeline.store.operations.claim(plan.planId, { requestId: 'carries-out' })
}

describe('G4: what a person is told of gas', () => {
  it('is at worst what the limits are asked for, allowances taken back included', async () => {
    const pipeline = await open({ policy: { limitsUsd: { perTransaction: '1', perSession: '1', daily: '1' } } })
    const { plan } = plannedOf(await pipeline.run(swapIntent(pipeline, '300'), { dryRun: true }))
    const [, gasUsd] = /of which ([\d.]+) USD for gas at worst/.exec(plan.policy.refusals[0]?.message ?? '') ?? []
    expect(plan.gasCostAtMostUsd).toBeGreaterThan(0)
    expect(Number(gasUsd)).toBeCloseTo(plan.gasCostAtMostUsd ?? 0, 5)
  })
})

describe('an operation that is carried out', () => {
  it('passes with the planned intent, or with less', async () => {
    const pipeline = await open()
    const carriesOut = await claimed(pipeline, swapIntent(pipeline, '300'))
    settledOf(await pipeline.run(swapIntent(pipeline, '299'), { carriesOut }))
    const signed = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.intent')
    expect(signed.map((line) => [line['operationId'], line['planHash']])).toEqual(
      signed.map(() => [carriesOut.id, carriesOut.planHash]),
    )
  })

  it('is refused before anything is reserved when the intent goes beyond the plan', async () => {
    const pipeline = await open()
    const carriesOut = await claimed(pipeline, swapIntent(pipeline, '300'))
    const [usdc, router] = [pipeline.token('USDC'), pipeline.chain.amm.v3!.swapRouter02]
    const beyond: readonly Intent[] = [
      swapIntent(pipeline, '301'),
      swapIntent(pipeline, '300', { tokenIn: 'WETH', tokenOut: 'USDC', amountIn: 1n, intent: { spends: [] } }),
      swapIntent(pipeline, '300', { intent: { approvals: [approvalOf(usdc, router, 400_000_000n)] } }),
      swapIntent(pipeline, '300', { intent: { recipients: [] } }),
    ]
    for (const intent of beyond) {
      await expect(pipeline.run(intent, { carriesOut })).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
    }
    await expect(pipeline.run(beyond[0]!, { carriesOut })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [
        { message: 'Above the plan: spend.', planned: '300000000', now: '301000000' },
        { message: 'Above the plan: allowance.' },
      ],
    })
    expect(await pipeline.nonce()).toBe(0)
    expect(pipeline.trace.filter((mark) => mark === 'ledger reserve')).toEqual([])
  })

  it('keeps the minimum of the plan up to the last signature, whatever the new intent would take', async () => {
    const pipeline = await open()
    const least = await quoteOf(pipeline, '300')
    const exact = swapIntent(pipeline, '300', {
      intent: { receives: [{ token: pipeline.token('WETH'), amount: least }] },
    })
    const carriesOut = await claimed(pipeline, exact)
    // Before the approval leaves somebody trades: the intent alone would still be content with what is left.
    beforeSending(pipeline, 1, () => moveThePrice(pipeline))
    const named = (message: string) => expect.objectContaining({ message, txHash: expect.stringMatching(/^0x/) })
    await expect(pipeline.run(swapIntent(pipeline, '300'), { carriesOut })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: expect.arrayContaining([named('approve the exact amount'), named('take back an allowance')]),
    })
    expect(await pipeline.nonce()).toBe(2)
    expect(await pipeline.balance('USDC')).toBe(20_000_000_000n)
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await pipeline.store.ledger.open()).toEqual([])
  })
})

describe('a deposit that is carried out', () => {
  async function planned(pipeline: Pipeline, range: AddRequest['range']): Promise<Intent> {
    const [token0, token1] = await Promise.all(
      ['WETH', 'USDC'].map((symbol) => pipeline.tokens.byAddress(pipeline.chain, pipeline.token(symbol))),
    )
    const amounts = { amount0: 10n ** 17n, amount1: null }
    const terms = { slippageBps: 50, deadline: Number(laterDeadline(0)), recipient: pipeline.wallet }
    const pool = { version: 'v3', token0: token0!, token1: token1!, fee: 500, hooks: null } as const
    return (await pipeline.liquidity.planAdd(pipeline.chain, { ...pool, ...amounts, ...terms, range })).intent
  }

  it('passes as planned, and the intent it is carried out by is held against the ticks and prices of the plan', async () => {
    const pipeline = await open()
    const intent = await planned(pipeline, { pctEachSide: 15 })
    const carriesOut = await claimed(pipeline, intent)
    await expect(pipeline.run(await planned(pipeline, { pctEachSide: 14 }), { carriesOut })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: expect.arrayContaining([expect.objectContaining({ message: 'Differs: ticks of a deposit.' })]),
    })
    settledOf(await pipeline.run(intent, { carriesOut }))
  })

  it('is refused where the pool has moved, whatever price the new intent names', async () => {
    const pipeline = await open()
    const intent = await planned(pipeline, { priceLower: 6_000, priceUpper: 9_000 })
    const carriesOut = await claimed(pipeline, intent)
    const before = intent.deposits![0]!.sqrtPriceX96
    await pushThePrice(pipeline)
    const again = await planned(pipeline, { priceLower: 6_000, priceUpper: 9_000 })
    const now = again.deposits![0]!.sqrtPriceX96
    expect(now).not.toBe(before)
    await expect(pipeline.run(again, { carriesOut })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [
        { planned: expect.stringMatching(/^[\d.]+$/), now: expect.stringMatching(/^[\d.]+$/), slippageBps: 50 },
      ],
    })
    // An intent that hides it: then the simulation tells.
    await expect(pipeline.run(intent, { carriesOut })).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
    expect(await pipeline.nonce()).toBe(0)
  })

  /** An intent that names a price between the plan's and the chain's, each within the slippage of the next. */
  const betweenPrices = (intent: Intent): Intent => ({
    ...intent,
    deposits: intent.deposits!.map((deposit) =>
      Object.assign({ ...deposit }, { sqrtPriceX96: withBps(deposit.sqrtPriceX96, isUsdcFirst(deposit) ? -35 : 35) }),
    ),
  })

  it('is refused where the chain is beyond the slippage of the plan, though within that of the new intent', async () => {
    const pipeline = await open()
    const intent = await planned(pipeline, { priceLower: 6_000, priceUpper: 9_000 })
    const carriesOut = await claimed(pipeline, intent)
    await moveBy(pipeline, 60)
    await expect(pipeline.run(betweenPrices(intent), { carriesOut })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      message: 'What the call would do now is not what was planned. Nothing was signed.',
    })
    settledOf(await pipeline.run(betweenPrices(intent)))
  })

  it('is refused so before its last signature, too', async () => {
    const pipeline = await open()
    const intent = await planned(pipeline, { priceLower: 6_000, priceUpper: 9_000 })
    const carriesOut = await claimed(pipeline, intent)
    beforeSending(pipeline, 1, async () => {
      await moveBy(pipeline, 60)
      await testClient(pipeline).mine({ blocks: 3 })
    })
    await expect(pipeline.run(betweenPrices(intent), { carriesOut })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      message: 'What the call would do now is not what was planned. Nothing was signed.',
    })
    expect(await pipeline.balance('WETH')).toBe(5n * 10n ** 18n)
  })

  it('is refused where the plan was stored by a version that bound no deposits', async () => {
    const pipeline = await open()
    const intent = await planned(pipeline, { pctEachSide: 15 })
    const operation = await claimed(pipeline, intent)
    const { deposits: _none, ...old } = JSON.parse(operation.intent) as Record<string, unknown>
    const carriesOut = { ...operation, intent: JSON.stringify(old) }
    await expect(pipeline.run(intent, { carriesOut })).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [{ message: expect.stringContaining('has to be made again'), planned: '0', now: '1' }],
    })
  })

  it('is refused before its last signature where the pool leaves the plan’s slippage meanwhile', async () => {
    const pipeline = await open()
    const intent = await planned(pipeline, { priceLower: 6_000, priceUpper: 9_000 })
    const carriesOut = await claimed(pipeline, intent)
    beforeSending(pipeline, 1, async () => {
      await pushThePrice(pipeline)
      await testClient(pipeline).mine({ blocks: 3 })
    })
    await expect(pipeline.run(intent, { carriesOut })).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
    expect(await pipeline.balance('WETH')).toBe(5n * 10n ** 18n)
  })

  it('has the same hash at another block, and another where its values are others', async () => {
    const usd: Record<string, number | null> = {}
    const pipeline = await open({ usd })
    const intent = await planned(pipeline, { pctEachSide: 15 })
    const { plan } = plannedOf(await pipeline.run(intent, { dryRun: true }))
    await testClient(pipeline).mine({ blocks: 3 })
    const { plan: later } = plannedOf(await pipeline.run(intent, { dryRun: true }))
    expect(later.blockNumber).not.toBe(plan.blockNumber)
    expect(later.planHash).toBe(plan.planHash)
    Object.assign(usd, { WETH: 3_100, USDC: 1.01 })
    const { plan: dearer } = plannedOf(await pipeline.run(intent, { dryRun: true }))
    expect(dearer.values.leavesUsd).not.toBe(plan.values.leavesUsd)
    expect(dearer.planHash).not.toBe(plan.planHash)
    expect(plan.deposits).toMatchObject([{ token0: { symbol: 'WETH' }, token1: { symbol: 'USDC' }, feePct: 0.05 }])
  })
})

/** The sqrt price at which the price is so many basis points off. */
function withBps(sqrtPriceX96: bigint, bps: number): bigint {
  return (sqrtPriceX96 * BigInt(Math.round(Math.sqrt(1 + bps / 10_000) * 1e12))) / 10n ** 12n
}

function isUsdcFirst({ amount0 }: IntentDeposit): boolean {
  return amount0 === 0n
}

/** Somebody buys WETH in small trades until the price is some basis points higher. */
async function moveBy({ devnet, token, liquidity, tokens, chain }: Pipeline, bps: number): Promise<void> {
  const { address } = devnet.accounts[6]!
  await devnet.fund(address, { USDC: '3000000' })
  const actor = await createChainActor(devnet, address)
  const [weth, usdc] = await Promise.all(['WETH', 'USDC'].map((symbol) => tokens.byAddress(chain, token(symbol))))
  const priceNow = async () => {
    const pools = await liquidity.findPools(chain, weth!, usdc!, ['v3'])
    return Number(pools.find(({ fee }) => fee === 500)!.sqrtPriceX96) ** 2
  }
  const before = await priceNow()
  const path = v3PathOf(token('USDC'), 500, token('WETH'))
  while (Math.abs((await priceNow()) / before - 1) * 1e4 < bps) await actor.swapV3(path, 40_000n * 10n ** 6n)
}
