import { useDevnet } from '@svc/devnet/testing'
import { getAmountsForLiquidity, getSqrtPriceAtTick, parseAmount } from '@svc/lp-math'
import { parseEventLogs, type Address } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Intent, Settled } from '../intent.ts'
import type { Token } from '../ports.ts'
import { erc20Abi } from '../abis/tokens.ts'
import { v3PoolAbi } from '../abis/v3.ts'
import { v4PoolManagerAbi } from '../abis/v4.ts'
import { openMarket, places, type RangedVersion } from './planning/bench-market.fixture.ts'
import { benchQuote } from './planning/bench-quote.fixture.ts'
import { benchTrade } from './planning/bench-trade.fixture.ts'
import { createBench, mineTogether } from './planning/bench.fixture.ts'

const devnet = useDevnet()
let market: Awaited<ReturnType<typeof openMarket>>

beforeEach(async () => {
  market = await openMarket(devnet())
})

describe.each(places)('$version $base', ({ version, base: symbol }) => {
  const base = () => market[symbol]

  it.each([100, 37.5, 1])('%d percent pays out principal and fees, told apart to the unit', async (percentage) => {
    const position = await market.open(version, base())
    const planned = await market.remove(position, { percentage })
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(outcome).toEqual(planned.preview)
    expect(outcome).toMatchObject({ fees0: position.fees0, fees1: position.fees1 })
    expect(changes).toEqual([outcome.amount0 + outcome.fees0, outcome.amount1 + outcome.fees1])
    const after = await market.read(version, position.positionId)
    expect(after.liquidity).toBe(position.liquidity - outcome.liquidityRemoved)
    expect(after).toMatchObject({ owner: market.bench.address, fees0: 0n, fees1: 0n })
    expect(after.liquidity === 0n).toBe(percentage === 100)
  })

  it('tells them apart when the price has moved since the plan', async () => {
    const position = await market.open(version, base())
    const planned = await market.remove(position, { slippageBps: 500 })
    await market.trade(version, base(), [base(), base()])
    const late = await market.read(version, position.positionId)
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(outcome).toMatchObject({
      amount0: late.amount0,
      amount1: late.amount1,
      fees0: late.fees0,
      fees1: late.fees1,
    })
    expect(changes).toEqual([outcome.amount0 + outcome.fees0, outcome.amount1 + outcome.fees1])
    expect(outcome.amount0).not.toBe(planned.preview.amount0)
  })

  it('tells them apart when others trade before and after it in the same block', async () => {
    const position = await market.open(version, base())
    const planned = await market.remove(position, { percentage: 50, slippageBps: 500 })
    const third = await createBench(devnet(), 2)
    await devnet().fund(third.address, { WETH: '100', ETH: '100' })
    const trades = [await quoteTrade(version, base(), market.usdc), await quoteTrade(version, base(), market.usdc)]
    const { result, changes } = await market.bench.changes(market.sides(position), async () => {
      const [before, ours] = await mineTogether(market.bench, [
        [market.other, trades[0]!],
        [market.bench, planned.intent],
        [third, trades[1]!],
      ])
      return { before: before!, ours: ours! }
    })
    const outcome = await planned.decode(result.ours)
    const { tickLower, tickUpper } = position
    const [atLower, atUpper] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
    const sqrtPriceX96 = priceAfter(version, result.before)
    expect(sqrtPriceX96).not.toBe(position.pool.sqrtPriceX96)
    expect(outcome).toMatchObject(
      getAmountsForLiquidity(sqrtPriceX96, atLower, atUpper, outcome.liquidityRemoved, false),
    )
    expect(outcome.fees0 + outcome.fees1 > position.fees0 + position.fees1).toBe(true)
    expect(changes).toEqual([outcome.amount0 + outcome.fees0, outcome.amount1 + outcome.fees1])
  })

  it('refuses on chain when the price moves more than the slippage', async () => {
    const position = await market.open(version, base())
    const planned = await market.remove(position, { slippageBps: 10 })
    for (let round = 0; round < 5; round += 1) await market.trade(version, base(), [base()])
    await expect(market.bench.run(planned.intent)).rejects.toThrow(/revert|Price slippage check/)
  })

  it('works with no slippage at all while the price stands still', async () => {
    const position = await market.open(version, base())
    const planned = await market.remove(position, { slippageBps: 0, percentage: 33 })
    const outcome = await planned.decode(await market.bench.run(planned.intent))
    expect(outcome).toEqual(planned.preview)
    const { token0, token1 } = position.pool
    const isPaidToo = version === 'v4'
    expect(planned.intent.receives).toEqual([
      { token: token0.address, amount: outcome.amount0 + (isPaidToo ? outcome.fees0 : 0n) },
      { token: token1.address, amount: outcome.amount1 + (isPaidToo ? outcome.fees1 : 0n) },
    ])
  })

  it('pays another recipient where asked to', async () => {
    const position = await market.open(version, base())
    const planned = await market.remove(position, { recipient: market.other.address })
    expect(planned.intent.recipients).toEqual([market.other.address])
    const before = await Promise.all(market.sides(position).map((side) => market.other.balance(side)))
    const outcome = await planned.decode(await market.bench.run(planned.intent))
    const after = await Promise.all(market.sides(position).map((side) => market.other.balance(side)))
    expect(after.map((value, index) => value - before[index]!)).toEqual([
      outcome.amount0 + outcome.fees0,
      outcome.amount1 + outcome.fees1,
    ])
  })

  it('refuses an empty position, and a part that pays out nothing', async () => {
    const position = await market.open(version, base())
    await expect(market.remove({ ...position, liquidity: 0n })).rejects.toMatchObject({
      code: 'AMOUNT_TOO_SMALL',
      details: [{ field: 'positionId' }],
    })
    for (const liquidity of [1n, 60n]) {
      await expect(market.remove({ ...position, liquidity }, { percentage: 1 })).rejects.toMatchObject({
        code: 'AMOUNT_TOO_SMALL',
        details: [{ field: 'percentage' }],
      })
    }
  })
})

describe('v3 alone', () => {
  it('leaves the fees owed when asked not to collect them', async () => {
    const position = await market.open('v3', market.weth)
    const planned = await market.remove(position, { collectFees: false, percentage: 40 })
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(outcome).toEqual({ ...planned.preview, fees0: 0n, fees1: 0n })
    expect(changes).toEqual([outcome.amount0, outcome.amount1])
    expect(await market.read('v3', position.positionId)).toMatchObject({ fees0: position.fees0, fees1: position.fees1 })
  })

  it('says what was fee and what was principal when the price moved since such a plan', async () => {
    const position = await market.open('v3', market.weth)
    const planned = await market.remove(position, { collectFees: false, slippageBps: 500 })
    await market.trade('v3', market.weth, [market.weth, market.weth])
    const late = await market.read('v3', position.positionId)
    const { result, changes } = await market.bench.changes(market.sides(position), () =>
      market.bench.run(planned.intent),
    )
    const outcome = await planned.decode(result)
    expect(changes).toEqual([outcome.amount0 + outcome.fees0, outcome.amount1 + outcome.fees1])
    const after = await market.read('v3', position.positionId)
    const owned = [late.amount0 + late.fees0, late.amount1 + late.fees1]
    expect([changes[0]! + after.fees0, changes[1]! + after.fees1]).toEqual(owned)
  })
})

describe('v2', () => {
  const sharesOf = (address: Address) =>
    market.bench.client.readContract({
      address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [market.bench.address],
    })

  it.each([100, 25])('gives %d percent of the pair tokens back for their share', async (percentage) => {
    const held = await market.share(market.weth, market.usdc, '2')
    const planned = await market.remove(held, { percentage })
    const { result, changes } = await market.bench.changes(market.sides(held), () => market.bench.run(planned.intent))
    const outcome = await planned.decode(result)
    expect(outcome).toEqual(planned.preview)
    expect(changes).toEqual([outcome.amount0, outcome.amount1])
    expect(outcome.liquidityRemoved).toBe((held.shares * BigInt(percentage)) / 100n)
    expect(await sharesOf(held.positionId)).toBe(held.shares - outcome.liquidityRemoved)
    expect(planned.intent.spends).toEqual([{ token: held.positionId, amount: outcome.liquidityRemoved }])
    expect(planned.intent.approvals).toMatchObject([{ token: held.positionId, amount: outcome.liquidityRemoved }])
  })

  it.each(['weth', 'usdc'] as const)(
    'refuses on chain when %s has become less worth than the slippage',
    async (sold) => {
      const { weth, usdc, other, bench } = market
      const held = await market.share(weth, usdc, '2')
      const planned = await market.remove(held, { slippageBps: 10 })
      const [tokenIn, tokenOut, amount] = sold === 'weth' ? [weth, usdc, '20'] : [usdc, weth, '60000']
      await benchTrade(other, 'v2', tokenIn, tokenOut, parseAmount(amount, tokenIn.decimals))
      await expect(bench.run(planned.intent)).rejects.toThrow(/INSUFFICIENT_._AMOUNT/)
    },
  )

  it('reports what arrived of a token with a fee on transfer', async () => {
    await devnet().fund(market.bench.address, { FOT: '1000' })
    const held = await market.share(await market.bench.token('FOT'), market.weth, '100')
    const planned = await market.remove(held)
    const { result, changes } = await market.bench.changes(market.sides(held), () => market.bench.run(planned.intent))
    const outcome = await planned.decode(result)
    expect(changes).toEqual([outcome.amount0, outcome.amount1])
    expect(outcome).not.toEqual(planned.preview)
  })

  it('refuses where nothing is held or nothing would be paid out', async () => {
    const held = await market.share(market.weth, market.usdc, '2')
    await expect(market.remove({ ...held, shares: 0n })).rejects.toMatchObject({ details: [{ field: 'positionId' }] })
    await expect(market.remove({ ...held, shares: 3n })).rejects.toMatchObject({ details: [{ field: 'percentage' }] })
  })
})

async function quoteTrade(version: RangedVersion, tokenIn: Token, tokenOut: Token): Promise<Intent> {
  const quote = await benchQuote(market.other, version, [tokenIn, tokenOut], parseAmount('20', 18))
  const request = {
    tokenIn,
    tokenOut,
    slippageBps: 5_000,
    deadline: market.bench.deadline,
    recipient: market.other.address,
  }
  return (await market.other.liquidity.planSwap(market.other.chain, quote, request)).intent
}

function priceAfter(version: RangedVersion, trade: Settled): bigint {
  const logs = [...trade.main.logs]
  const [swap] =
    version === 'v3'
      ? parseEventLogs({ abi: v3PoolAbi, eventName: 'Swap', logs })
      : parseEventLogs({ abi: v4PoolManagerAbi, eventName: 'Swap', logs })
  return swap!.args.sqrtPriceX96
}
