import { type RewardsApi, startRewardsApi } from '@svc/devnet/rewards-api'
import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { formatUnits, type Hash } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'
import { findPool, givePositions } from '../earning-positions.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

/** A position, in the pool of WETH and USDC unless said otherwise. */
async function open(version: string, more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const range = { fee: 500, rangeStrategy: 'medium', version, slippageBps: 300 }
  return world.call('add_liquidity', { token0: 'WETH', token1: 'USDC', amount0: '3', ...range, ...more })
}

/** Trades of others in both directions through the pools of some positions. */
async function earn(...opened: readonly Answer[]): Promise<void> {
  const pools = new Set(opened.map((one) => one.text('pool.poolAddress') as `0x${string}`))
  await devnet().trade(20, 3, [...pools])
}

const decimals: Readonly<Record<string, number>> = { USDC: 6, WETH: 18, ETH: 18, DAI: 18 }
const symbols = Object.keys(decimals)

/** What the wallet gained, gas left out, in whole tokens. */
async function gains(work: () => Promise<Answer>): Promise<{ answer: Answer; gained: Record<string, bigint> }> {
  const before = await Promise.all(symbols.map((symbol) => world.balance(symbol)))
  const answer = await work()
  const gas = await world.gasPaid(answer)
  const after = await Promise.all(symbols.map((symbol) => world.balance(symbol)))
  const gained = symbols.map(
    (symbol, at) => [symbol, after[at]! - before[at]! + (symbol === 'ETH' ? gas : 0n)] as const,
  )
  return { answer, gained: Object.fromEntries(gained) }
}

/** The sum of the fees of a symbol in an answer, in smallest units. */
function feesOf(answer: Answer, symbol: string): bigint {
  const sides = answer
    .list('feesCollected')
    .flatMap((one) => ['0', '1'].map((side) => [one.text(`amount${side}Symbol`), one.text(`amount${side}`)] as const))
  return sides.reduce((sum, [own, amount]) => {
    const [whole = '0', fraction = ''] = amount.split('.')
    return own === symbol ? sum + BigInt(whole + fraction.padEnd(decimals[symbol]!, '0')) : sum
  }, 0n)
}

describe('harvest_rewards', () => {
  test.each([
    // What is worth the same as the target stays as it is.
    { target: 'USDC', stays: [] as string[] },
    { target: 'WETH', stays: ['ETH'] },
    { target: 'ETH', stays: ['WETH'] },
  ])('collects each version in one transaction and swaps all to $target, wei for wei', async ({ target, stays }) => {
    const opened = [
      await open('v3'),
      await open('v3', { token0: 'DAI', token1: 'WETH', amount0: '3000', fee: 3_000 }),
      await open('v4', { token0: 'ETH' }),
    ]
    await earn(...opened)
    const { answer, gained } = await gains(() => world.call('harvest_rewards', { targetToken: target }))
    expect(
      answer
        .list('feesCollected')
        .map((one) => one.text('positionId'))
        .toSorted(),
    ).toEqual(opened.map((one) => one.text('positionId')).toSorted())
    expect(new Set(answer.list('feesCollected').map((one) => one.text('txHash'))).size).toBe(2)
    expect(answer.text('summary.consolidatedAmount')).toBe(formatUnits(gained[target]!, decimals[target]!))
    for (const symbol of symbols.filter((one) => one !== target)) {
      const kept = stays.some((one) => one === symbol) ? feesOf(answer, symbol) : 0n
      expect([symbol, gained[symbol]]).toEqual([symbol, kept])
    }
    for (const swap of answer.list('consolidationSwaps')) {
      expect(swap.text('amountIn')).toBe(
        formatUnits(feesOf(answer, swap.text('tokenIn')), decimals[swap.text('tokenIn')]!),
      )
      expect(swap.text('tokenOut')).toBe(target)
      expect(answer.at('transactions')).toContain(swap.text('txHash'))
    }
    expect(answer.at('summary')).toMatchObject({ positionsHarvested: 3, positionsSkipped: 0, totalRewardsUsd: 0 })
    const net = answer.number('summary.totalFeesUsd') - answer.number('summary.totalGasCostUsd')
    expect(answer.number('summary.netValueUsd')).toBeCloseTo(net, 3)
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(/^Rewards are left out/))
  })

  test('fifty positions are two transactions', async () => {
    await givePositions(world, 25)
    const pools = await Promise.all([findPool(world, 'v3'), findPool(world, 'v4')])
    await devnet().trade(40, 3, pools as Hash[])
    const sent = await world.client.getTransactionCount({ address: world.wallet })
    const { answer, gained } = await gains(() => world.call('harvest_rewards', { minHarvestUsd: 0 }))
    expect(answer.list('feesCollected')).toHaveLength(50)
    expect(answer.at('transactions')).toHaveLength(2)
    expect((await world.client.getTransactionCount({ address: world.wallet })) - sent).toBe(2)
    for (const symbol of ['USDC', 'WETH', 'ETH']) expect(gained[symbol]).toBe(feesOf(answer, symbol))
    expect(answer.at('summary')).toMatchObject({ consolidatedAmount: null, consolidatedToken: null })
  })

  test('leaves out what waits for less than it is worth, and what was not named', async () => {
    const [rich, poor, other] = [await open('v3'), await open('v3', { amount0: '0.003' }), await open('v3')]
    await earn(rich)
    const named = [rich, poor].map((one) => one.text('positionId'))
    const answer = await world.call('harvest_rewards', { positionIds: named, minHarvestUsd: 0.5 })
    expect(answer.list('feesCollected').map((one) => one.text('positionId'))).toEqual([rich.text('positionId')])
    expect(answer.at('summary')).toMatchObject({ positionsHarvested: 1, positionsSkipped: 1 })
    expect(answer.at('notes')).toContain(`Skipped, as less than 0.5 USD waits: v3 ${poor.text('positionId')}.`)
    const left = await world.call('get_position', { positionId: other.text('positionId') })
    expect(Number(left.text('feesOwed0'))).toBeGreaterThan(0)
  })

  test('refuses where there is nothing to collect, and says what to call', async () => {
    expect(await world.refuse('harvest_rewards')).toMatchObject({ code: 'NO_POSITIONS' })
    const opened = await open('v3')
    const dust = await world.refuse('harvest_rewards')
    expect(dust).toMatchObject({ code: 'DUST_FILTER_ALL_SKIPPED', retryable: false })
    expect(dust.suggestion).toMatch(/a smaller minHarvestUsd changes nothing/)
    const nothing = await world.refuse('harvest_rewards', { minHarvestUsd: 0 })
    expect(nothing).toMatchObject({ code: 'NOTHING_TO_COLLECT', message: expect.stringMatching(/^The open position/) })
    const strange = await world.refuse('harvest_rewards', { positionIds: [opened.text('positionId'), '1'] })
    expect(strange).toMatchObject({ code: 'POSITION_NOT_FOUND', details: [{ positionId: '1' }] })
  })

  test('buys no token whose text is made to mislead, and says so before anything is collected', async () => {
    const opened = await open('v3')
    await earn(opened)
    const sent = await world.client.getTransactionCount({ address: world.wallet })
    for (const dryRun of [true, false]) {
      const refusal = await world.refuse('harvest_rewards', { targetToken: world.address('HOSTILE'), dryRun })
      expect(refusal).toMatchObject({
        code: 'VALIDATION_FAILED',
        message: expect.stringMatching(/Put nothing into 0x/),
        details: [{ field: 'targetToken', accepted: expect.stringContaining('execute_swap') }],
      })
      expect(refusal.message).not.toMatch(/IGNORE ALL PREVIOUS/)
    }
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(sent)
  })

  test('counts no closed position, and takes the least it names', async () => {
    const [closed, first] = [await open('v3'), await open('v3', { amount0: '0.003' })]
    await world.call('remove_liquidity', { positionId: closed.text('positionId') })
    const gone = await world.refuse('harvest_rewards', { positionIds: [closed.text('positionId')] })
    expect(gone).toMatchObject({ code: 'NOTHING_TO_COLLECT', suggestion: expect.stringContaining('add_liquidity') })
    await earn(first)
    const dust = await world.refuse('harvest_rewards', { minHarvestUsd: 1000 })
    expect(dust).toMatchObject({ code: 'DUST_FILTER_ALL_SKIPPED', details: [{ positions: 1 }] })
    const most = Number(/^at most ([0-9.]+)$/.exec(String(dust.details[0]?.['accepted']))?.[1])
    const answer = await world.call('harvest_rewards', { minHarvestUsd: most })
    expect(answer.at('summary')).toMatchObject({ positionsHarvested: 1, positionsSkipped: 0 })
    expect(answer.at('notes')).toContainEqual(
      expect.stringMatching(
        /^Gas of [0-9.]+ USD is more than what the call brings, .* USD: collect fees, 0x[0-9a-f]{64}\.$/,
      ),
    )
    expect(answer.at('notes')).not.toContainEqual(expect.stringMatching(/^Gas of all transactions/))
    await world.call('remove_liquidity', { positionId: first.text('positionId') })
    expect(await world.refuse('harvest_rewards')).toMatchObject({ code: 'NO_POSITIONS' })
  })

  test('a dry run shows the whole plan and broadcasts nothing; execute_plan carries it out', async () => {
    const opened = [await open('v3'), await open('v4', { token0: 'ETH' })]
    await earn(...opened)
    const sent = await world.client.getTransactionCount({ address: world.wallet })
    const planned = await world.call('harvest_rewards', { targetToken: 'USDC', dryRun: true })
    expect(planned.text('status')).toBe('planned')
    expect(planned.text('plan.why')).toMatch(/Collect .* v3 .*Collect .* v4 .*Swap .*Swap /)
    // Fees of both tokens come together: only what liquidity pays out is the one or the other.
    expect(planned.at('plan.warnings')).not.toContainEqual(expect.stringMatching(/^receivesAtLeast/))
    expect(planned.at('plan.warnings')).toContainEqual(
      expect.stringMatching(/^3 more transactions follow, those that why tells of;/),
    )
    expect(planned.list('feesCollected').map((one) => one.at('txHash'))).toEqual([null, null])
    expect(planned.list('consolidationSwaps')).toHaveLength(2)
    for (const swap of planned.list('consolidationSwaps')) {
      const sale = { tokenIn: swap.text('tokenIn'), tokenOut: swap.text('tokenOut'), amount: swap.text('amountIn') }
      const quote = await world.call('get_quote', sale)
      expect(swap.number('priceImpactBps')).toBeCloseTo(quote.number('priceImpactBps'), 0)
    }
    expect(planned.number('summary.totalGasCostUsd')).toBeGreaterThan(0)
    const net = planned.number('summary.totalFeesUsd') - planned.number('summary.totalGasCostUsd')
    expect(planned.number('summary.netValueUsd')).toBeCloseTo(net, 3)
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(sent)
    await earn(...opened)
    const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    // No more is sold than the plan says: what was earned since stays in the wallet.
    const sold = (answer: Answer) =>
      answer.list('consolidationSwaps').map((swap) => `${swap.text('amountIn')} ${swap.text('tokenIn')}`)
    expect(sold(done).toSorted()).toEqual(sold(planned).toSorted())
    const expected = planned.number('summary.totalGasCostUsd')
    expect(done.number('summary.totalGasCostUsd') / expected).toBeGreaterThan(0.5)
    expect(done.number('summary.totalGasCostUsd') / expected).toBeLessThan(2)
    expect((await world.refuse('execute_plan', { planId: planned.text('plan.planId') })).code).toBe('OPERATION_STATE')
  })

  test('a plan says how many positions of a version it collects', async () => {
    await earn(await open('v3'), await open('v3'))
    const planned = await world.call('harvest_rewards', { dryRun: true })
    expect(planned.number('summary.totalGasCostUsd')).toBe(planned.number('plan.gasCostUsd'))
    expect(planned.text('plan.why')).toBe('Collect the fees of 2 v3 positions.')
  })

  test("another wallet's is looked at in a dry run alone", async () => {
    const other = await openWorld(devnet())
    try {
      await earn(await open('v3'))
      const args = { wallet: world.wallet, targetToken: 'USDC' }
      const seen = await other.call('harvest_rewards', { ...args, dryRun: true })
      expect(seen.at('status')).toBe('preview')
      expect(seen.at('transactions')).toEqual([])
      expect(seen.list('feesCollected')).toHaveLength(1)
      expect(seen.number('summary.netValueUsd')).toBeGreaterThan(0)
      const refused = await other.refuse('harvest_rewards', args)
      expect(refused).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'wallet', accepted: 'dryRun true' }],
      })
    } finally {
      await other.close()
    }
  })
})

describe('with a key for the trading API', () => {
  const service = useRewards()

  async function openWithKey(): Promise<void> {
    await world.close()
    const { trading, rewards } = service()
    const tradingApi = {
      apiKey: new Secret(trading.apiKey),
      url: trading.url,
      timeoutMs: 60_000,
      sleep: async () => {},
    }
    world = await openWorld(devnet(), { tradingApi, rewards: { url: rewards.url } })
    await earn(await open('v3'))
    await devnet().rewards.add([
      { user: world.wallet, token: 'USDC', amount: '12.5', reason: 'Trading', campaignId: 7n },
      { user: world.wallet, token: 'DAI', amount: '40', reason: 'Holding', campaignId: 8n },
    ])
  }

  test('a harvest claims what campaigns owe between collections and swaps, wei for wei', async () => {
    await openWithKey()
    const { answer, gained } = await gains(() => world.call('harvest_rewards', { targetToken: 'USDC' }))
    expect(answer.at('rewardsClaimed')).toMatchObject([
      {
        distributor: devnet().rewards.distributor,
        txHash: expect.stringMatching(/^0x/),
        tokens: [
          { symbol: 'USDC', amount: '12.5' },
          { symbol: 'DAI', amount: '40' },
        ],
      },
    ])
    const sold = answer.list('consolidationSwaps').map((swap) => [swap.text('tokenIn'), swap.text('amountIn')])
    expect(sold).toEqual(expect.arrayContaining([['DAI', '40']]))
    expect([gained['DAI'], gained['WETH']]).toEqual([0n, 0n])
    expect(answer.text('summary.consolidatedAmount')).toBe(formatUnits(gained['USDC']!, 6))
    expect(answer.number('summary.totalRewardsUsd')).toBeCloseTo(52.5, 0)
    const { summary } = answer.data as { summary: Record<string, number> }
    const net = summary['totalFeesUsd']! + summary['totalRewardsUsd']! - summary['totalGasCostUsd']!
    expect(summary['netValueUsd']).toBeCloseTo(net, 3)
    expect(answer.at('notes')).not.toContainEqual(expect.stringMatching(/^Rewards/))
    expect(await world.refuse('claim_lp_rewards', { tokens: ['USDC', 'DAI'] })).toMatchObject({
      code: 'NO_REWARDS_AVAILABLE',
    })
  })

  test('dust alone, or no position, is refused as ever where rewards wait, and says which call claims them', async () => {
    await openWithKey()
    const dust = await world.refuse('harvest_rewards', { minHarvestUsd: 1_000 })
    expect(dust).toMatchObject({
      code: 'DUST_FILTER_ALL_SKIPPED',
      suggestion: expect.stringContaining('claim_lp_rewards claims rewards'),
    })
    const [positionId] = (await world.call('get_positions_by_owner', {}))
      .list('items')
      .map((one) => one.text('positionId'))
    await world.call('remove_liquidity', { positionId: positionId! })
    const none = await world.refuse('harvest_rewards')
    expect(none).toMatchObject({
      code: 'NO_POSITIONS',
      suggestion: expect.stringContaining('claim_lp_rewards claims rewards'),
    })
    const claimed = await world.call('claim_lp_rewards', { tokens: ['USDC', 'DAI'] })
    expect(claimed.list('claimed')).toHaveLength(2)
  })

  test('a plan holds the claim, and what comes later is left out of it', async () => {
    await openWithKey()
    const planned = await world.call('harvest_rewards', { targetToken: 'USDC', dryRun: true })
    expect(planned.list('rewardsClaimed').map((claim) => claim.at('txHash'))).toEqual([null])
    const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(done.list('rewardsClaimed')).toHaveLength(1)
    const without = await open('v3')
    await earn(without)
    const bare = await world.call('harvest_rewards', { dryRun: true })
    expect(bare.at('rewardsClaimed')).toEqual([])
    const { wallet: user } = world
    await devnet().rewards.add([{ user, token: 'USDC', amount: '3', reason: 'Trading', campaignId: 7n }])
    const carried = await world.call('execute_plan', { planId: bare.text('plan.planId') })
    expect(carried.at('rewardsClaimed')).toEqual([])
    expect(carried.at('notes')).toContainEqual(expect.stringMatching(/^Rewards that came since/))
  })

  test.each([
    [{ fault: { status: 503 } } as const, /^Rewards are left out: The trading API answered with status 503/],
    [{ fault: 'wrong-from' } as const, /^Rewards are left out: .*it is sent by somebody else/],
  ])('a service in trouble costs the rewards, not the fees: %j', async (fault, note) => {
    await openWithKey()
    service().trading.setFaults([fault])
    const answer = await world.call('harvest_rewards')
    service().trading.setFaults([])
    expect([answer.at('rewardsClaimed'), answer.list('feesCollected').length]).toEqual([[], 1])
    expect(answer.at('notes')).toContainEqual(expect.stringMatching(note))
  })

  test('a harvest that goes on tells what it had claimed, and claims no second time', async () => {
    await openWithKey()
    const { fetch } = world.network
    const quoter = world.chain.amm.v3!.quoterV2.slice(2).toLowerCase()
    let sent = 0
    world.network.fetch = (input, init) => {
      const body = typeof init?.body === 'string' ? init.body.toLowerCase() : ''
      sent += body.includes('eth_sendrawtransaction') ? 1 : 0
      const isSilent = sent > 1 && body.includes(quoter)
      return isSilent ? Promise.resolve(new Response('busy', { status: 503 })) : fetch(input, init)
    }
    const args = { targetToken: 'USDC', idempotencyKey: 'claimed' }
    expect(await world.refuse('harvest_rewards', args)).toMatchObject({ code: 'CONSOLIDATION_SWAP_FAILED' })
    world.network.fetch = fetch
    const { wallet: user } = world
    await devnet().rewards.add([{ user, token: 'USDC', amount: '3', reason: 'Trading', campaignId: 7n }])
    const answer = await world.call('harvest_rewards', args)
    expect(answer.at('rewardsClaimed')).toMatchObject([
      { tokens: expect.arrayContaining([expect.objectContaining({ symbol: 'DAI', amount: '40' })]) },
    ])
    const sold = answer.list('consolidationSwaps').map((swap) => [swap.text('tokenIn'), swap.text('amountIn')])
    expect(sold).toEqual(expect.arrayContaining([['DAI', '40']]))
  })

  test('without includeRewards nobody is asked', async () => {
    await openWithKey()
    const asked = service().trading.asked().length
    const answer = await world.call('harvest_rewards', { includeRewards: false })
    expect([answer.at('rewardsClaimed'), service().trading.asked().length]).toEqual([[], asked])
  })
})

function useRewards() {
  let services: { readonly trading: TradingApi; readonly rewards: RewardsApi }
  beforeAll(async () => {
    const { chain, rpcUrl } = devnet()
    const trading = await startTradingApi({ chain, rpcUrl, apiKey: 'local-key' })
    services = { trading, rewards: await startRewardsApi({ devnet: devnet() }) }
  })
  afterAll(async () => {
    await services.trading.stop()
    await services.rewards.stop()
  })
  return () => services
}
