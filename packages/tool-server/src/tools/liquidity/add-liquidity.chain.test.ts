import { useDevnet } from '@svc/devnet/testing'
import { formatUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { devnetPolicy } from '@svc/engine'
import { callApproved, openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const decimals: Readonly<Record<string, number>> = {
  WETH: 18,
  ETH: 18,
  USDC: 6,
  USDT: 6,
  DAI: 18,
  WBTC: 8,
  FOT: 18,
  HOSTILE: 18,
}

/** Adds and checks that the result tells the wallet's own story to the wei; native amounts leave gas out. */
async function add(pair: readonly [string, string], args: Record<string, unknown>, isForPerson = false) {
  const before = await Promise.all(pair.map((symbol) => world.balance(symbol)))
  const named = pair.map((symbol) => (symbol === 'HOSTILE' || symbol === 'FOT' ? world.address(symbol) : symbol))
  const wanted = { token0: named[0], token1: named[1], ...args }
  const answer = await (isForPerson
    ? callApproved(world, 'add_liquidity', wanted)
    : world.call('add_liquidity', wanted))
  const after = await Promise.all(pair.map((symbol) => world.balance(symbol)))
  const gas = await world.gasPaid(answer)
  for (const [index, symbol] of pair.entries()) {
    const paid = before[index]! - after[index]! - (symbol === 'ETH' ? gas : 0n)
    expect(answer.text(`amount${index}Deposited`)).toBe(formatUnits(paid, decimals[symbol]!))
  }
  return answer
}

const orders = [
  ['WETH', 'USDC'],
  ['USDC', 'WETH'],
] as const

describe('add_liquidity', () => {
  for (const version of ['v2', 'v3', 'v4'] as const) {
    test.each(orders)(`opens a ${version} position in %s/%s, amounts to the wei`, async (token0, token1) => {
      const [amount0, amount1] = token0 === 'WETH' ? ['1', '3500'] : ['3500', '1']
      const range = version === 'v2' ? {} : { fee: 500, rangeStrategy: 'medium' }
      const answer = await add([token0, token1], { amount0, amount1, version, ...range })
      const price = answer.number('currentPrice')
      expect(answer.data).toMatchObject({
        status: 'success',
        version,
        explorerUrl: null,
        safetyChecks: { tokenAllowlistPassed: true, spendingLimitPassed: true, simulationPassed: true },
      })
      expect(token0 === 'WETH' ? price : 1 / price).toBeGreaterThan(1000)
      expect([answer.text('pool.token0'), answer.text('pool.token1')]).toEqual(
        [token0, token1].map((symbol) => world.address(symbol)),
      )
      expect([answer.text('token0Symbol'), answer.text('token1Symbol')]).toEqual([token0, token1])
      expect(answer.number('amount0DepositedUsd') / answer.number('amount1DepositedUsd')).toBeGreaterThan(0.2)
      expect(await allowancesLeft()).toEqual([])
      await sameAsPosition(answer.text('positionId'), version)
    })

    test(`says the same of the two orders of a ${version} pair`, async () => {
      const ranged = version !== 'v2'
      const args = { amount0: '0.5', version, ...(ranged ? { fee: 500, priceLower: 2000, priceUpper: 4000 } : {}) }
      const one = await world.call('add_liquidity', { ...args, token0: 'WETH', token1: 'USDC' })
      const other = await world.call('add_liquidity', {
        ...args,
        ...(ranged ? { priceLower: 1 / 4000, priceUpper: 1 / 2000 } : {}),
        token0: 'USDC',
        token1: 'WETH',
        amount0: one.text('amount1Deposited'),
      })
      expect(other.number('currentPrice') * one.number('currentPrice')).toBeCloseTo(1, 4)
      expect(1 / Number(other.at('priceUpper') ?? Infinity)).toBeCloseTo(Number(one.at('priceLower') ?? 0), 1)
      expect(Number(other.text('amount1Deposited'))).toBeCloseTo(Number(one.text('amount0Deposited')), 6)
    })
  }

  test('tells what really moved while others trade, not what was planned', async () => {
    const pools = devnet().pools.filter((pool) => pool.label === 'WETH/USDC 0.05 %' && pool.version === 'v3')
    const trader = devnet().startTrader({ seed: 7, intervalMs: 30, pools: pools.map((pool) => pool.id) })
    const args = { fee: 500, rangeStrategy: 'wide', slippageBps: 500 }
    let added = 0
    try {
      while (added < 3) {
        // A market that runs away from the plan, or a pool seen between a large trade and the arbitrage after it,
        // is refused with nothing moved; then the next try counts.
        const outcome = await add(['WETH', 'USDC'], { ...args, amount0: '0.3' }).catch((error: unknown) => error)
        const ranAway = /SIMULATION_(FAILED|DRIFT)|TRANSACTION_REVERTED|POOL_PRICE_OFF_MARKET|VALUE_LOSS_EXCEEDED/
        if (outcome instanceof Error && ranAway.test(outcome.message)) continue
        if (outcome instanceof Error) throw outcome
        added += 1
      }
    } finally {
      await trader.stop()
    }
    expect(added).toBe(3)
    expect(trader.trades()).toBeGreaterThan(0)
  })

  test.each([
    ['narrow', 10, 0.2],
    ['medium', 30, 0.5],
    ['wide', 100, 1],
  ])('%s reaches %d %% of the price from end to end', async (rangeStrategy, width, tolerance) => {
    const answer = await add(['WETH', 'USDC'], { amount0: '0.5', fee: 500, rangeStrategy })
    expect(answer.text('rangeWidth')).toMatch(/^\d+\.\d\d%$/)
    expect(Math.abs(Number.parseFloat(answer.text('rangeWidth')) - width)).toBeLessThan(tolerance)
    expect(answer.number('priceLower')).toBeLessThan(answer.number('currentPrice'))
    expect(answer.number('priceUpper')).toBeGreaterThan(answer.number('currentPrice'))
  })

  test('the full range is all a pool can hold', async () => {
    const answer = await add(['WETH', 'USDC'], { amount0: '0.5', fee: 3000, rangeStrategy: 'full' })
    expect(answer.text('rangeWidth')).toBe('full')
    expect([answer.at('priceLower'), answer.at('priceUpper')]).toEqual([null, null])
    const shown = await world.call('get_position', { positionId: answer.text('positionId') })
    expect([shown.at('priceLower'), shown.at('priceUpper'), shown.at('notes')]).toEqual([null, null, []])
  })

  test('prices snap to ticks, and the result says which', async () => {
    const answer = await add(['WETH', 'USDC'], { amount0: '0.5', fee: 3000, priceLower: 1234.5, priceUpper: 9876.5 })
    expect(answer.number('priceLower')).not.toBe(1234.5)
    expect(Math.abs(answer.number('priceLower') / 1234.5 - 1)).toBeLessThan(0.004)
    expect(Math.abs(answer.number('priceUpper') / 9876.5 - 1)).toBeLessThan(0.004)
  })

  test('says of inverted prices that they are, with those that were meant', async () => {
    const pair = { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '1' }
    const inverted = await world.refuse('add_liquidity', { ...pair, priceLower: 1 / 4000, priceUpper: 1 / 2000 })
    expect(inverted).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'priceLower', accepted: 'token1 per token0, as priceLower 2000 and priceUpper 4000' }],
    })
    // Also where the amount would fit the far side of such a range.
    const other = { token0: 'USDC', token1: 'WETH', fee: 500, amount0: '3000' }
    expect(await world.refuse('add_liquidity', { ...other, priceLower: 2000, priceUpper: 4000 })).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'priceLower', accepted: 'token1 per token0, as priceLower 0.00025 and priceUpper 0.0005' }],
    })
    // Not every range far from the price is that.
    const below = await world.refuse('add_liquidity', { ...pair, priceLower: 0.5, priceUpper: 1 })
    expect(below.details).toMatchObject([{ field: 'amount0', accepted: 'amount0 0 and amount1 above 0' }])
  })

  test.each(['v3', 'v4'])('one side alone suffices outside the price on %s', async (version) => {
    const { price } = (await world.call('get_token_price', { token: 'WETH', quote: 'USDC' })).data as { price: number }
    const above = await add(['WETH', 'USDC'], {
      version,
      fee: 500,
      priceLower: price * 1.1,
      priceUpper: price * 1.2,
      amount0: '1',
      amount1: '0',
    })
    expect(Number(above.text('amount0Deposited'))).toBeCloseTo(1, 6)
    expect(above.text('amount1Deposited')).toBe('0')
    const below = await add(['WETH', 'USDC'], {
      version,
      fee: 500,
      priceLower: price * 0.8,
      priceUpper: price * 0.9,
      amount0: '0',
      amount1: '2000',
    })
    expect(below.text('amount0Deposited')).toBe('0')
    expect(Number(below.text('amount1Deposited'))).toBeCloseTo(2000, 3)
  })

  test.each(['v2', 'v3', 'v4'])('a left-out amount1 is matched to the pool on %s', async (version) => {
    const range = version === 'v2' ? {} : { fee: 500, rangeStrategy: 'wide' }
    const answer = await add(['WETH', 'USDC'], { amount0: '1', version, ...range })
    expect(Number(answer.text('amount0Deposited'))).toBeCloseTo(1, 4)
    expect(Number(answer.text('amount1Deposited'))).toBeGreaterThan(500)
  })

  test.each(['v2', 'v3', 'v4'])('native currency is paid as such on %s', async (version) => {
    const range = version === 'v2' ? {} : { fee: 500, rangeStrategy: 'medium' }
    const weth = await world.balance('WETH')
    const answer = await add(['ETH', 'USDC'], { amount0: '0.7', version, ...range })
    expect(Number(answer.text('amount0Deposited'))).toBeCloseTo(0.7, 3)
    expect(await world.balance('WETH')).toBe(weth)
  })

  test.each(['v2', 'v3', 'v4'])('a missing %s pool is created at the price of the amounts', async (version) => {
    const range = version === 'v2' ? {} : { fee: 10_000, rangeStrategy: 'wide' }
    const answer = await add(['WBTC', 'DAI'], { amount0: '0.1', amount1: '9000', version, ...range })
    expect(answer.number('currentPrice')).toBeCloseTo(90_000, -2)
    expect(answer.at('estimatedFeeApy7d')).toBeNull()
    expect(answer.at('notes')).toEqual(expect.arrayContaining([expect.stringContaining('new')]))
    const pools = await world.call('get_pools_by_token_pair', { token0: 'DAI', token1: 'WBTC', version })
    expect(pools.list('items').map((pool) => pool.text('poolAddress'))).toEqual([answer.text('pool.poolAddress')])
  })

  test('an unusual fee names an existing v4 pool or nothing', async () => {
    const args = { token0: 'WBTC', token1: 'DAI', amount0: '0.1', amount1: '6000', rangeStrategy: 'wide' }
    const refusal = await world.refuse('add_liquidity', { ...args, version: 'v4', fee: 777 })
    expect(refusal.code).toBe('VALIDATION_FAILED')
    expect(refusal.details[0]?.field).toBe('fee')
  })

  test('a dry run leaves no trace', async () => {
    const state = async () => ({
      balances: await Promise.all(['ETH', 'WETH', 'USDC'].map((symbol) => world.balance(symbol))),
      nonce: await world.client.getTransactionCount({ address: world.wallet }),
      block: await world.client.getBlockNumber(),
      spent: (await world.call('check_safety_status')).at('spentUsd'),
    })
    const before = await state()
    const args = { token0: 'WETH', token1: 'USDC', amount0: '1', fee: 500, rangeStrategy: 'medium', dryRun: true }
    const planned = await world.call('add_liquidity', args)
    expect(planned.data).toMatchObject({ status: 'planned', plan: { policy: { allowed: true, refusals: [] } } })
    const deltas = planned
      .list('plan.deltas')
      .map((delta) => [delta.text('symbol'), delta.text('amount').startsWith('-')])
    expect(deltas).toEqual(
      expect.arrayContaining([
        ['WETH', true],
        ['USDC', true],
      ]),
    )
    expect(await state()).toEqual(before)
  })

  test('an unlisted token is told of in lenient mode, and refused in strict mode', async () => {
    await world.close()
    world = await openWorld(devnet(), { policy: { ...devnetPolicy(), unnamedSales: 'allow' } })
    const args = { fee: 10_000, rangeStrategy: 'full', amount0: '1' } as const
    const unlisted = `The policy does not list the token ${world.address('HOSTILE')} (so tokenAllowlistPassed is false, which a strict allowlist alone refuses): nothing vouches for it, and selling it may need a person's approval.`
    const pair = { token0: world.address('HOSTILE'), token1: 'USDC' }
    const planned = await world.call('add_liquidity', { ...pair, ...args, dryRun: true })
    expect(planned.at('plan.policy')).toMatchObject({
      allowed: true,
      checks: { tokenAllowlistPassed: false },
      conditions: [{ code: 'APPROVAL_REQUIRED' }],
    })
    expect(planned.at('plan.warnings')).toContain(unlisted)
    const answer = await add(['HOSTILE', 'USDC'], args, true)
    expect(answer.at('safetyChecks')).toEqual({
      tokenAllowlistPassed: false,
      spendingLimitPassed: true,
      simulationPassed: true,
    })
    expect(answer.at('amount0DepositedUsd')).toBeNull()
    expect(answer.at('notes')).toEqual([
      expect.stringMatching(/^Put nothing into 0x.* calls itself like the listed USDC/),
      expect.stringContaining('buy tokens without a named price source'),
      unlisted,
      `No trustworthy USD price for ${world.address('HOSTILE')}.`,
    ])
    expect(JSON.stringify(answer.data)).not.toMatch(/IGNORE ALL PREVIOUS/)
    const strict = await openWorld(devnet(), { policy: { ...strictPolicy } })
    try {
      const refusal = await strict.refuse('add_liquidity', {
        ...args,
        token0: strict.address('HOSTILE'),
        token1: 'USDC',
      })
      expect(refusal.code).toBe('TOKEN_NOT_ALLOWLISTED')
    } finally {
      await strict.close()
    }
  })

  test('the same idempotency key adds once', async () => {
    const args = {
      token0: 'WETH',
      token1: 'USDC',
      amount0: '0.1',
      fee: 500,
      rangeStrategy: 'wide',
      idempotencyKey: 'k1',
    }
    const first = await world.call('add_liquidity', args)
    const nonce = await world.client.getTransactionCount({ address: world.wallet })
    expect((await world.call('add_liquidity', args)).text('positionId')).toBe(first.text('positionId'))
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(nonce)
    expect((await world.refuse('add_liquidity', { ...args, amount0: '0.2' })).code).toBe('IDEMPOTENCY_CONFLICT')
  })

  test('tells of worths that differ by more than a quarter, in dollars, and of no others', async () => {
    const args = { token0: 'WETH', token1: 'USDC', amount0: '0.3', fee: 500 }
    const unlike = await world.call('add_liquidity', { ...args, rangeStrategy: 'wide' })
    const [usd0, usd1] = [unlike.number('amount0DepositedUsd'), unlike.number('amount1DepositedUsd')]
    expect(usd0 / usd1).toBeLessThan(0.75)
    const text = `here ${usd0.toFixed(2)} USD of WETH and ${usd1.toFixed(2)} USD of USDC`
    expect(unlike.at('notes')).toContainEqual(expect.stringContaining(text))
    const alike = await world.call('add_liquidity', { ...args, rangeStrategy: 'narrow' })
    expect(alike.at('notes')).not.toContainEqual(expect.stringContaining('unlike worths'))
  })

  test('more than the wallet holds is refused with nothing signed', async () => {
    const args = { token0: 'WETH', token1: 'USDC', amount0: '21', fee: 500, rangeStrategy: 'wide' }
    const nonce = await world.client.getTransactionCount({ address: world.wallet })
    expect((await world.refuse('add_liquidity', args)).code).toBe('INSUFFICIENT_BALANCE')
    const units = { ...args, token0: 'USDC', token1: 'WETH', amount0: '100000000' }
    expect((await world.refuse('add_liquidity', units)).message).toContain('in whole tokens: were 100 USDC meant?')
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(nonce)
  })
})

const strictPolicy = {
  version: 1 as const,
  limitsUsd: { perTransaction: '50000', perSession: '100000', daily: '250000' },
  approvalThresholdUsd: null,
  allowlist: { mode: 'strict' as const },
}

async function allowancesLeft(): Promise<unknown> {
  return (await world.call('get_agent_balance')).at('allowances')
}

async function sameAsPosition(positionId: string, version: string): Promise<void> {
  const owned = await world.call('get_positions_by_owner')
  const mine = owned.list('items').filter((item) => item.text('version') === version)
  expect(mine.map((item) => item.text('positionId'))).toEqual([positionId])
  expect(mine[0]!.text('owner')).toBe(world.wallet)
  const held = mine[0]!.number('valueUsd')
  expect(held).toBeGreaterThan(100)
  expect(new Set([mine[0]!.text('token0Symbol'), mine[0]!.text('token1Symbol')])).toEqual(new Set(['USDC', 'WETH']))
}
