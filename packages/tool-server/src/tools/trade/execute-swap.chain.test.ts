import { startFaultProxy, useDevnet } from '@svc/devnet/testing'
import { formatUnits, parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openStranger } from '../../fair-value/attack-kit.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const decimals: Readonly<Record<string, number>> = { WETH: 18, ETH: 18, USDC: 6, DAI: 18, WBTC: 8, USDT: 6 }

async function swap(tokenIn: string, tokenOut: string, amount: string, args: Record<string, unknown> = {}) {
  const before = await Promise.all([tokenIn, tokenOut].map((symbol) => world.balance(symbol)))
  const answer = await world.call('execute_swap', { tokenIn, tokenOut, amount, ...args })
  const after = await Promise.all([tokenIn, tokenOut].map((symbol) => world.balance(symbol)))
  const gas = await world.gasPaid(answer)
  const sold = before[0]! - after[0]! - (tokenIn === 'ETH' ? gas : 0n)
  const bought = after[1]! - before[1]! + (tokenOut === 'ETH' ? gas : 0n)
  expect(answer.text('amountIn')).toBe(formatUnits(sold, decimals[tokenIn]!))
  expect(answer.text('amountOut')).toBe(formatUnits(bought, decimals[tokenOut]!))
  expect(Number(answer.text('amountIn'))).toBe(Number(amount))
  return answer
}

describe('execute_swap', () => {
  for (const version of ['v2', 'v3', 'v4'] as const) {
    test.each([
      ['WETH', 'USDC', '0.5'],
      ['USDC', 'WETH', '1500'],
      ['ETH', 'USDC', '0.5'],
      ['USDC', 'ETH', '1500'],
    ])(`sells %s for %s over ${version}, to the wei`, async (tokenIn, tokenOut, amount) => {
      const quoted = await world.call('get_quote', { tokenIn, tokenOut, amount, version })
      const answer = await swap(tokenIn, tokenOut, amount, { version })
      expect(answer.text('version')).toBe(version)
      expect(answer.text('amountOut')).toBe(quoted.text('amountOut'))
      expect(answer.number('amountOutUsd') / answer.number('amountInUsd')).toBeGreaterThan(0.97)
      expect((await world.call('get_agent_balance')).at('allowances')).toEqual([])
    })
  }

  for (const version of ['v2', 'v3', 'v4'] as const) {
    test.each([
      ['WETH', 'USDC', '1500'],
      ['USDC', 'WETH', '0.5'],
      ['ETH', 'USDC', '1500'],
      ['USDC', 'ETH', '0.5'],
    ])(`buys an exact amount for %s of %s over ${version}, to the wei`, async (tokenIn, tokenOut, amount) => {
      const trade = { tokenIn, tokenOut, amount, type: 'exact_out', version }
      const quoted = await world.call('get_quote', trade)
      const held = () => Promise.all([tokenIn, tokenOut].map((symbol) => world.balance(symbol)))
      const before = await held()
      const answer = await world.call('execute_swap', trade)
      const after = await held()
      const gas = await world.gasPaid(answer)
      const [sold, bought] = [before[0]! - after[0]!, after[1]! - before[1]!]
      expect(answer.text('amountOut')).toBe(amount)
      expect(formatUnits(bought + (tokenOut === 'ETH' ? gas : 0n), decimals[tokenOut]!)).toBe(amount)
      expect(answer.text('amountIn')).toBe(formatUnits(sold - (tokenIn === 'ETH' ? gas : 0n), decimals[tokenIn]!))
      expect([answer.text('amountIn'), answer.text('quotedAmountIn')]).toEqual([
        quoted.text('amountIn'),
        quoted.text('amountIn'),
      ])
      expect(Number(quoted.text('maxAmountIn')) / Number(quoted.text('amountIn'))).toBeCloseTo(1.005, 5)
      expect((await world.call('get_agent_balance')).at('allowances')).toEqual([])
    })
  }

  test('goes through pools of several versions where that brings most: shown, carried out and planned like any other trade', async () => {
    const stranger = await openStranger(devnet())
    const market = await world.call('get_quote', { tokenIn: 'WBTC', tokenOut: 'WETH', amount: '0.01' })
    const weth = parseUnits((50 * market.number('price') * 1.012).toFixed(9), 18)
    await stranger.addV2(world.address('WBTC'), world.address('WETH'), parseUnits('50', 8), weth)
    for (const [tokenOut, hops] of [
      ['USDC', 2],
      ['USDT', 3],
    ] as const) {
      const trade = { tokenIn: 'WBTC', tokenOut, amount: '0.1' }
      const quoted = await world.call('get_quote', trade)
      const route = quoted.list('route')
      const versions = route.map((hop) => hop.text('version'))
      expect([versions[0], versions.length, new Set(versions).size > 1]).toEqual(['v2', hops, true])
      const answer = await swap('WBTC', tokenOut, '0.1')
      expect(answer.at('pools')).toEqual(route.map((hop) => hop.text('pool')))
      expect(answer.text('version')).toBe([...new Set(versions)].join(', '))
      expect(answer.text('amountOut')).toBe(quoted.text('amountOut'))
      const planned = await world.call('execute_swap', { ...trade, dryRun: true })
      const before = await Promise.all(['WBTC', 'WETH', tokenOut].map((symbol) => world.balance(symbol)))
      const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
      const after = await Promise.all(['WBTC', 'WETH', tokenOut].map((symbol) => world.balance(symbol)))
      const moved = after.map((amount, index) => amount - before[index]!)
      expect(moved).toEqual([-parseUnits('0.1', 8), 0n, parseUnits(done.text('amountOut'), 6)])
    }
    expect((await world.call('get_agent_balance')).at('allowances')).toEqual([])
    const named = await world.refuse('get_quote', { tokenIn: 'WBTC', tokenOut: 'USDT', amount: '0.1', version: 'v2' })
    expect(named).toMatchObject({ code: 'POOL_NOT_FOUND', details: [{ field: 'version', accepted: ['v3'] }] })
  })

  test('counts the most that an exact output may take against the limits, and shows it in the plan', async () => {
    const trade = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '0.5', type: 'exact_out', slippageBps: 100 }
    const quoted = await world.call('get_quote', trade)
    const planned = await world.call('execute_swap', { ...trade, dryRun: true })
    const [most] = planned.list('plan.bounds.spendsAtMost').map((one) => one.text('amount'))
    expect(most).toBe(quoted.text('maxAmountIn'))
    expect(planned.list('plan.bounds.receivesAtLeast').map((one) => one.text('amount'))).toEqual(['0.5'])
    expect(Number(planned.text('plan.spendUsd'))).toBeGreaterThanOrEqual(Number(most) * 0.999)
    const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect([done.text('status'), done.text('amountOut')]).toEqual(['success', '0.5'])
  })

  test('an exact output is bought over a token between them, and refused with a slippage beyond the policy', async () => {
    const trade = { tokenIn: 'WBTC', tokenOut: 'USDC', amount: '1500', type: 'exact_out' }
    const answer = await world.call('execute_swap', trade)
    expect([answer.at('pools'), answer.text('amountOut')]).toEqual([expect.objectContaining({ length: 2 }), '1500'])
    expect((await world.refuse('execute_swap', { ...trade, slippageBps: 501 })).code).toBe('SLIPPAGE_TOO_HIGH')
  })

  test('promises no exact amount of a token that keeps a part of each transfer', async () => {
    const trade = { tokenIn: 'WETH', tokenOut: world.address('FOT'), amount: '1', type: 'exact_out' }
    for (const tool of ['get_quote', 'execute_swap']) {
      expect(await world.refuse(tool, trade)).toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'type', accepted: 'exact_in' }],
      })
    }
  })

  test('says that a trade went to the private endpoint alone, by itself or in a harvest', async () => {
    const apart = await startFaultProxy({ target: devnet().rpcUrl })
    const own = await openWorld(devnet(), { privateUrls: [apart.url] })
    try {
      const answer = await own.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.5' })
      expect(answer.text('submission')).toBe('private')
      expect(apart.methods().get('eth_sendRawTransaction')).toBe((answer.at('transactions') as unknown[]).length)
      // So does a harvest that swaps, and one that collects alone is public.
      const position = { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '0.5', rangeStrategy: 'narrow' }
      await own.call('add_liquidity', position)
      const harvests: unknown[] = []
      for (const targetToken of ['USDC', undefined]) {
        await own.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.5', version: 'v3' })
        const harvest = { minHarvestUsd: 0, includeRewards: false, ...(targetToken !== undefined && { targetToken }) }
        harvests.push((await own.call('harvest_rewards', harvest)).text('submission'))
      }
      expect(harvests).toEqual(['private', 'public'])
    } finally {
      await own.close()
      await apart.stop()
    }
  })

  test('takes the best version by itself', async () => {
    const outputs = await Promise.all(
      ['v2', 'v3', 'v4'].map(async (version) =>
        Number(
          (await world.call('get_quote', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '2', version })).text(
            'amountOut',
          ),
        ),
      ),
    )
    const answer = await swap('WETH', 'USDC', '2')
    expect(Number(answer.text('amountOut'))).toBe(Math.max(...outputs))
  })

  test('shares a large trade out among routes, in one transaction and to one minimum', async () => {
    await devnet().fund(world.wallet, { USDC: '45000' })
    const trade = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '45000' }
    const quoted = await world.call('get_quote', trade)
    const alone = await Promise.all(['v2', 'v3', 'v4'].map((version) => world.call('get_quote', { ...trade, version })))
    for (const one of alone) expect(Number(one.text('amountOut'))).toBeLessThan(Number(quoted.text('amountOut')))
    const shares = quoted.list('route').map((hop) => hop.number('sharePct'))
    expect(shares.length).toBeGreaterThan(1)
    const planned = await world.call('execute_swap', { ...trade, slippageBps: 100, dryRun: true })
    const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect([done.text('status'), done.text('amountIn')]).toEqual(['success', '45000'])
    expect(Number(done.text('amountOut'))).toBeGreaterThanOrEqual(Number(quoted.text('amountOut')))
    expect(done.at('pools')).toEqual(quoted.list('route').map((hop) => hop.text('pool')))
  })

  test('goes over two pools where there is no direct one', async () => {
    const answer = await swap('WBTC', 'USDC', '0.05', { version: 'v3' })
    expect(answer.at('pools')).toHaveLength(2)
  })

  test('refuses more slippage than the policy allows, before anything is signed', async () => {
    const refusal = await world.refuse('execute_swap', {
      tokenIn: 'WETH',
      tokenOut: 'USDC',
      amount: '1',
      slippageBps: 501,
    })
    expect(refusal.code).toBe('SLIPPAGE_TOO_HIGH')
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
  })

  test('names a token that keeps a part of each transfer, and the slippage it takes', async () => {
    const buy = { tokenIn: 'WETH', tokenOut: world.address('FOT'), amount: '0.01', dryRun: true }
    expect(await world.refuse('execute_swap', buy)).toMatchObject({
      code: 'SIMULATION_FAILED',
      retryable: false,
      message: expect.stringContaining(' keeps 1 % of each transfer'),
      details: [{ field: 'slippageBps', accepted: expect.stringContaining('at least 150'), transferFeeBps: 100 }],
    })
    const planned = await world.call('execute_swap', { ...buy, slippageBps: 150 })
    expect(planned.text('status')).toBe('planned')
    expect(planned.text('plan.why')).toMatch(
      /, less any fee that the token takes of transfers: deltas say what arrives\.$/,
    )
  })

  test('says of a token that nobody prices, before and after it is bought, what it takes to sell it, and so it is', async () => {
    const fot = world.address('FOT')
    const buy = { tokenIn: 'WETH', tokenOut: fot, amount: '0.1', slippageBps: 150 }
    const says = expect.stringMatching(
      /^No named source tells what 0x\w+ is worth\. To sell it later, .* needs a person's approval .*, and any amount of it counts then, with its gas, as the whole limit of one transaction\./,
    )
    expect((await world.call('get_quote', buy)).at('notes')).toContainEqual(says)
    expect((await world.call('execute_swap', { ...buy, dryRun: true })).at('plan.warnings')).toContainEqual(says)
    const bought = await world.call('execute_swap', buy)
    expect(bought.at('notes')).toContainEqual(says)
    const sale = { tokenIn: fot, tokenOut: 'WETH', amount: '1', slippageBps: 150 }
    expect((await world.call('get_quote', sale)).at('notes')).not.toContainEqual(says)
    const planned = await world.call('execute_swap', { ...sale, dryRun: true })
    expect(planned.at('plan.policy.conditions')).toMatchObject([{ code: 'APPROVAL_REQUIRED' }])
    const limit = (await world.call('check_safety_status')).text('limitsUsd.perTransaction')
    expect(Number(planned.text('plan.spendUsd'))).toBeGreaterThan(Number(limit) * 0.99)
  })

  test('says what a negative price impact means, and nothing of others', async () => {
    const pair = { version: 'v2', slippageBps: 100 }
    const sold = await swap('WETH', 'USDC', '5', pair)
    expect(sold.number('priceImpactBps')).toBeGreaterThan(0)
    expect(sold.at('notes')).not.toContainEqual(expect.stringContaining('priceImpactBps'))
    const bought = await swap('USDC', 'WETH', '500', pair)
    expect(bought.number('priceImpactBps')).toBeLessThan(0)
    const bps = -bought.number('priceImpactBps')
    const note = `priceImpactBps is negative: ${bps} bps better than the market price, fees left out.`
    expect(bought.at('notes')).toContain(note)
  })

  test('says first that the wallet does not hold the amount, and what was meant where it is written in smallest units', async () => {
    for (const args of [{ amount: '100000000' }, { amount: '100000000', dryRun: true }]) {
      expect(await world.refuse('execute_swap', { tokenIn: 'USDC', tokenOut: 'WETH', ...args })).toMatchObject({
        code: 'INSUFFICIENT_BALANCE',
        message: expect.stringMatching(
          /^The wallet holds [0-9.]+ USDC where the call needs 100000000\. Amounts are in whole tokens: were 100 USDC meant\?$/,
        ),
        details: [{ symbol: 'USDC', needs: '100000000' }],
      })
    }
    // 1 wei of 18 decimals, and a speck of what is held, are meant by nobody.
    const more = await world.refuse('execute_swap', { tokenIn: 'ETH', tokenOut: 'USDC', amount: '100000000' })
    expect(more).toMatchObject({ code: 'INSUFFICIENT_BALANCE', message: expect.stringMatching(/needs 100000000\.$/) })
  })

  test('a dry run sells nothing', async () => {
    const before = await world.balance('WETH')
    const plan = await world.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', dryRun: true })
    expect(plan.text('status')).toBe('planned')
    expect(await world.balance('WETH')).toBe(before)
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
  })
})
