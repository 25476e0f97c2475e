import { useDevnet } from '@svc/devnet/testing'
import { parseAmount } from '@svc/lp-math'
import { getAddress, zeroAddress } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { AddOutcome, AddPreview, AddRequest, LiquidityPlan, Token, Version } from '../ports.ts'
import { benchTrade } from './planning/bench-trade.fixture.ts'
import { type Bench, createBench } from './planning/bench.fixture.ts'

const devnet = useDevnet()
let bench: Bench
const tokens = new Map<string, Token>()
const token = (symbol: string) => tokens.get(symbol)!

beforeEach(async () => {
  bench = await createBench(devnet())
  for (const symbol of ['ETH', 'WETH', 'USDC', 'USDT', 'WBTC', 'DAI', 'FOT']) {
    tokens.set(symbol, await bench.token(symbol))
  }
})

type Facts = Partial<Omit<AddRequest, 'token0' | 'token1' | 'amount0' | 'amount1'>> & Pick<AddRequest, 'version'>

function plan(
  pair: readonly [string, string],
  amounts: readonly [string, string | null],
  facts: Facts,
  chain = bench.chain,
) {
  const [token0, token1] = [token(pair[0]), token(pair[1])]
  return bench.liquidity.planAdd(chain, {
    token0,
    token1,
    fee: facts.version === 'v2' ? null : 500,
    hooks: null,
    amount0: parseAmount(amounts[0], token0.decimals),
    amount1: amounts[1] === null ? null : parseAmount(amounts[1], token1.decimals),
    range: facts.version === 'v2' ? null : { pctEachSide: 15 },
    slippageBps: 50,
    deadline: bench.deadline,
    recipient: bench.address,
    ...facts,
  })
}

async function carryOut(planned: LiquidityPlan<AddPreview, AddOutcome>, pair: readonly [string, string]) {
  const watched = [token(pair[0]), token(pair[1])]
  const { result: settled, changes } = await bench.changes(watched, () => bench.run(planned.intent))
  const outcome = await planned.decode(settled)
  expect(changes).toEqual([-outcome.amount0, -outcome.amount1])
  return outcome
}

async function holding(version: Version, positionId: string, holder: Bench) {
  const { liquidity: reads } = bench
  if (version !== 'v2') {
    const { owner, liquidity } = await reads.position(bench.chain, version, positionId)
    return { owner, liquidity }
  }
  const { owner, shares } = await reads.pairShare(bench.chain, getAddress(positionId), holder.address)
  return { owner, liquidity: shares }
}

/** Both orders of addresses, the native currency on either side. */
const pairs = [
  ['WETH', 'USDC'],
  ['USDC', 'WETH'],
  ['ETH', 'USDC'],
  ['USDC', 'ETH'],
] as const

const worth = (symbol: string) => (symbol === 'USDC' ? '3000' : '1')

describe.each(['v2', 'v3', 'v4'] as const)('%s', (version) => {
  describe.each(pairs)('%s and %s', (...pair) => {
    it('deposits what the preview says, and the outcome is what the wallet sees', async () => {
      const planned = await plan(pair, [worth(pair[0]), null], { version })
      const outcome = await carryOut(planned, pair)
      const { preview } = planned
      expect(outcome).toMatchObject({
        amount0: preview.amount0,
        amount1: preview.amount1,
        liquidity: preview.liquidity,
      })
      expect(preview.currentPrice).toBeCloseTo(pair[0] === 'USDC' ? 1 / 3000 : 3000, pair[0] === 'USDC' ? 6 : 0)
      // The given amount is used up but for what one unit of liquidity is worth.
      const asked = parseAmount(worth(pair[0]), token(pair[0]).decimals)
      expect(Number(asked - outcome.amount0) / Number(asked)).toBeLessThan(1e-8)
      expect(outcome.amount0 <= asked).toBe(true)
    })

    it('uses one of two given amounts up and never takes more than the other', async () => {
      const generous = pair[1] === 'USDC' ? '9000' : '3'
      const planned = await plan(pair, [worth(pair[0]), generous], { version, slippageBps: 0 })
      const outcome = await carryOut(planned, pair)
      const alone = await plan(pair, [worth(pair[0]), null], { version })
      expect(outcome.amount1).toBe(alone.preview.amount1)
      for (const { token: spent, amount } of planned.intent.spends) {
        const isFirst = spent === token(pair[0]).address
        expect(amount <= parseAmount(isFirst ? worth(pair[0]) : generous, token(pair[isFirst ? 0 : 1]).decimals)).toBe(
          true,
        )
      }
    })
  })

  it('declares an exact allowance for each token and none for native currency', async () => {
    const { intent } = await plan(['ETH', 'USDC'], ['1', null], { version })
    const { v2, v3, v4 } = bench.chain.amm
    const spender = { v2: v2!.router, v3: v3!.positionManager, v4: v4!.positionManager }[version]
    const spent = intent.spends.find((quantity) => quantity.token === token('USDC').address)!
    expect(intent.approvals).toEqual([
      { ...spent, spender, via: version === 'v4' ? 'permit2' : 'erc20', revokeAfter: true },
    ])
    expect(intent.calls[0]!.valueWei).toBe(intent.spends.find((quantity) => quantity.token === zeroAddress)!.amount)
    expect(intent).toMatchObject({ slippageBps: 50, deadline: bench.deadline, recipients: [bench.address] })
  })

  it('gives the position to the recipient', async () => {
    const other = await createBench(devnet(), 1)
    const planned = await plan(['WETH', 'USDC'], ['1', null], { version, recipient: other.address })
    const { positionId, liquidity } = await carryOut(planned, ['WETH', 'USDC'])
    expect(await holding(version, positionId, other)).toEqual({ owner: other.address, liquidity })
  })

  it.each([
    ['WETH', 'USDC'],
    ['USDC', 'WETH'],
  ] as const)('holds when sales of %s move the price less than the slippage, and not beyond', async (sold, bought) => {
    const other = await createBench(devnet(), 1)
    await devnet().fund(other.address, { WETH: '1000', USDC: '3000000' })
    const sell = async (weth: number) => {
      const amount = sold === 'WETH' ? `${weth}` : `${weth * 3000}`
      await benchTrade(other, version, token(sold), token(bought), parseAmount(amount, token(sold).decimals))
    }
    const planned = await plan(['WETH', 'USDC'], ['1', null], { version, slippageBps: 100 })
    await sell({ v2: 1, v3: 6, v4: 1 }[version])
    const outcome = await carryOut(planned, ['WETH', 'USDC'])
    expect([outcome.amount0, outcome.amount1]).not.toEqual([planned.preview.amount0, planned.preview.amount1])

    const late = await plan(['WETH', 'USDC'], ['1', null], { version, slippageBps: 100 })
    await sell({ v2: 20, v3: 200, v4: 50 }[version])
    await expect(bench.run(late.intent)).rejects.toThrow(/revert|Price slippage check|INSUFFICIENT/)
  })

  it('sends back the native value that a moved price leaves over', async () => {
    const other = await createBench(devnet(), 1)
    await devnet().fund(other.address, { USDC: '100000' })
    const planned = await plan(['ETH', 'USDC'], ['1', null], { version, slippageBps: 100 })
    const isNative = version === 'v4'
    await benchTrade(other, version, token('USDC'), token(isNative ? 'ETH' : 'WETH'), parseAmount('3000', 6))
    const outcome = await carryOut(planned, ['ETH', 'USDC'])
    expect(outcome.amount0 < planned.intent.calls[0]!.valueWei).toBe(true)
    expect(outcome.amount0 < planned.preview.amount0).toBe(true)
  })

  it.each([
    ['WBTC', 'USDC'],
    ['USDC', 'WBTC'],
    ['ETH', 'WBTC'],
    ['WBTC', 'ETH'],
  ] as const)('creates a missing pool of %s and %s at the price of the amounts', async (...pair) => {
    const amounts = { WBTC: '0.02', USDC: '1800', ETH: '0.6' }
    const existing = version === 'v3' && (pair[0] === 'ETH' || pair[1] === 'ETH')
    const planned = await plan(pair, [amounts[pair[0]], amounts[pair[1]]], {
      version,
      ...(version !== 'v2' && { fee: existing ? 100 : 3000 }),
    })
    expect(planned.preview.createsPool).toBe(true)
    const price = Number(amounts[pair[1]]) / Number(amounts[pair[0]])
    expect(planned.preview.currentPrice / price).toBeCloseTo(1, 6)
    const outcome = await carryOut(planned, pair)
    expect(outcome).toMatchObject({ amount0: planned.preview.amount0, amount1: planned.preview.amount1 })
    const pools = await bench.liquidity.findPools(bench.chain, token(pair[0]), token(pair[1]), [version])
    const created = pools.find(({ id }) => id === planned.preview.pool.id)!
    expect(created.sqrtPriceX96 - planned.preview.pool.sqrtPriceX96).toBe(0n)
    expect(outcome.positionId === created.id).toBe(version === 'v2')
  })

  it('needs both amounts for a missing pool', async () => {
    const facts = { version, ...(version !== 'v2' && { fee: 3000 }) }
    await expect(plan(['WBTC', 'USDC'], ['0.02', null], facts)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'amount1' }],
    })
    await expect(plan(['USDC', 'WBTC'], ['0', '1'], facts)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'amount0' }],
    })
  })

  it('says so where the version is not deployed', async () => {
    const bare = { ...bench.chain, amm: {} }
    const refusal = { code: 'VERSION_NOT_DEPLOYED' }
    await expect(plan(['WETH', 'USDC'], ['1', null], { version }, bare)).rejects.toMatchObject(refusal)
  })

  it('refuses both sides being one token', async () => {
    const pair = version === 'v4' ? (['WETH', 'WETH'] as const) : (['ETH', 'WETH'] as const)
    await expect(plan(pair, ['1', null], { version })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'token1' }],
    })
  })
})

describe.each(['v3', 'v4'] as const)('%s ranges', (version) => {
  it('are the same ticks whichever token comes first', async () => {
    const one = await plan(['WETH', 'USDC'], ['1', null], { version, range: { priceLower: 2500, priceUpper: 3600 } })
    const range = { priceLower: 1 / 3600, priceUpper: 1 / 2500 }
    const two = await plan(['USDC', 'WETH'], ['3000', null], { version, range })
    expect([one.preview.tickLower, one.preview.tickUpper]).toEqual([two.preview.tickLower, two.preview.tickUpper])
    expect(one.preview.priceLower / 2500).toBeCloseTo(1, 2)
    expect(two.preview.priceUpper * one.preview.priceLower).toBeCloseTo(1, 10)
  })

  it('come back unchanged when given again as the answer named them', async () => {
    const { preview } = await plan(['USDC', 'WETH'], ['3000', null], { version })
    const { priceLower, priceUpper } = preview
    const again = await plan(['USDC', 'WETH'], ['3000', null], { version, range: { priceLower, priceUpper } })
    expect(again.preview).toMatchObject({ tickLower: preview.tickLower, tickUpper: preview.tickUpper })
  })

  it('may be full', async () => {
    const planned = await plan(['WETH', 'USDC'], ['1', null], { version, range: 'full' })
    expect(planned.preview).toMatchObject({ tickLower: -887_270, tickUpper: 887_270 })
    await carryOut(planned, ['WETH', 'USDC'])
  })

  it.each([
    { pair: ['WETH', 'USDC'], range: { priceLower: 3300, priceUpper: 4000 }, used: 0 },
    { pair: ['WETH', 'USDC'], range: { priceLower: 2000, priceUpper: 2700 }, used: 1 },
    { pair: ['USDC', 'WETH'], range: { priceLower: 1 / 2700, priceUpper: 1 / 2000 }, used: 0 },
    { pair: ['USDC', 'WETH'], range: { priceLower: 1 / 4000, priceUpper: 1 / 3300 }, used: 1 },
    { pair: ['ETH', 'USDC'], range: { priceLower: 3300, priceUpper: 4000 }, used: 0 },
    { pair: ['USDC', 'ETH'], range: { priceLower: 1 / 4000, priceUpper: 1 / 3300 }, used: 1 },
  ] as const)('beside the price take one token: $pair $used', async ({ pair, range, used }) => {
    const given = used === 0 ? ([worth(pair[0]), null] as const) : (['0', worth(pair[1])] as const)
    const planned = await plan(pair, given, { version, range })
    expect(planned.intent.spends).toHaveLength(1)
    const outcome = await carryOut(planned, pair)
    expect(used === 0 ? outcome.amount1 : outcome.amount0).toBe(0n)

    const useless = used === 0 ? (['1', '1'] as const) : (['1', '1'] as const)
    await expect(plan(pair, useless, { version, range })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: used === 0 ? 'amount1' : 'amount0' }],
    })
  })

  it('beside the price need the amount of the token they take', async () => {
    const range = { priceLower: 2000, priceUpper: 2700 }
    await expect(plan(['WETH', 'USDC'], ['0', null], { version, range })).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'amount1' }],
    })
  })

  it('refuse a zero amount of a token they take', async () => {
    for (const [amounts, field] of [
      [['0', null], 'amount0'],
      [['1', '0'], 'amount1'],
    ] as const) {
      await expect(plan(['WETH', 'USDC'], amounts, { version })).rejects.toMatchObject({
        code: 'AMOUNT_TOO_SMALL',
        details: [{ field }],
      })
    }
  })

  it('refuse a fee that is no tier and no pool', async () => {
    for (const fee of [null, 123]) {
      await expect(plan(['WETH', 'USDC'], ['1', '3000'], { version, fee })).rejects.toMatchObject({
        code: 'VALIDATION_FAILED',
        details: [{ field: 'fee' }],
      })
    }
  })
})

describe('v2', () => {
  it('reports what left the wallet of a token with a fee on transfer', async () => {
    await devnet().fund(bench.address, { FOT: '1000' })
    const pair = ['FOT', 'WETH'] as const
    const outcome = await carryOut(await plan(pair, ['100', null], { version: 'v2' }), pair)
    expect(outcome.amount0).toBe(parseAmount('100', 18))
  })
})

describe('v4', () => {
  it('spends at most what the slippage allows and sends the rest of the native value back', async () => {
    const planned = await plan(['ETH', 'USDC'], ['1', null], { version: 'v4', slippageBps: 100 })
    const sent = planned.intent.calls[0]!.valueWei
    expect(sent > planned.preview.amount0).toBe(true)
    const outcome = await carryOut(planned, ['ETH', 'USDC'])
    expect(outcome.amount0).toBe(planned.preview.amount0)
  })
})
