import { useDevnet } from '@svc/devnet/testing'
import { getAmountsForLiquidity, getSqrtPriceAtTick, parseAmount } from '@svc/lp-math'
import { getAddress, parseEventLogs, type Address } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Intent, Settled } from '../../intent.ts'
import type { PairShare, Position, Token } from '../../ports.ts'
import { erc20Abi } from './abis/erc20.ts'
import { v3PoolAbi } from './abis/v3-pool.ts'
import { v4PoolManagerAbi } from './abis/v4-pool-manager.ts'
import { benchQuote } from './planning/bench-quote.fixture.ts'
import { benchTrade } from './planning/bench-trade.fixture.ts'
import { type Bench, createBench, mineTogether } from './planning/bench.fixture.ts'

const devnet = useDevnet()
let bench: Bench
let other: Bench
let eth: Token
let weth: Token
let usdc: Token

beforeEach(async () => {
  bench = await createBench(devnet())
  other = await createBench(devnet(), 1)
  ;[eth, weth, usdc] = await Promise.all([bench.token('ETH'), bench.token('WETH'), bench.token('USDC')])
  await devnet().fund(other.address, { WETH: '1000', USDC: '3000000', ETH: '1000' })
})

type Version = 'v3' | 'v4'

/** A position of five ether's worth on each side, and what trades of others since have earned it. */
async function open(version: Version, base: Token, trades: readonly Token[] = [base, usdc]): Promise<Position> {
  const planned = await bench.liquidity.planAdd(bench.chain, {
    version,
    token0: base,
    token1: usdc,
    fee: 500,
    hooks: null,
    amount0: parseAmount('5', 18),
    amount1: null,
    range: { pctEachSide: 15 },
    slippageBps: 50,
    deadline: bench.deadline,
    recipient: bench.address,
  })
  const { positionId } = await planned.decode(await bench.run(planned.intent))
  await trade(version, base, trades)
  return await read(version, positionId)
}

async function trade(version: Version, base: Token, trades: readonly Token[]) {
  for (const tokenIn of trades) {
    const amount = tokenIn === usdc ? parseAmount('60000', 6) : parseAmount('20', 18)
    await benchTrade(other, version, tokenIn, tokenIn === usdc ? base : usdc, amount)
  }
}

async function quoteTrade(version: Version, tokenIn: Token, tokenOut: Token): Promise<Intent> {
  const quote = await benchQuote(other, version, [tokenIn, tokenOut], parseAmount('20', 18))
  const request = { tokenIn, tokenOut, slippageBps: 5_000, deadline: bench.deadline, recipient: other.address }
  return (await other.liquidity.planSwap(other.chain, quote, request)).intent
}

function priceAfter(version: Version, trade: Settled): bigint {
  const logs = [...trade.main.logs]
  const [swap] =
    version === 'v3'
      ? parseEventLogs({ abi: v3PoolAbi, eventName: 'Swap', logs })
      : parseEventLogs({ abi: v4PoolManagerAbi, eventName: 'Swap', logs })
  return swap!.args.sqrtPriceX96
}

const read = (version: Version, positionId: string) => bench.liquidity.position(bench.chain, version, positionId)

const sides = (position: Position | PairShare) => [position.pool.token0, position.pool.token1]

function remove(
  position: Position | PairShare,
  facts: { percentage?: number; collectFees?: boolean; slippageBps?: number; recipient?: `0x${string}` } = {},
) {
  const request = {
    percentage: 100,
    collectFees: true,
    slippageBps: 50,
    deadline: bench.deadline,
    recipient: bench.address,
    ...facts,
  }
  return bench.liquidity.planRemove(bench.chain, position, request)
}

function increase(
  position: Position,
  amount0: bigint,
  amount1: bigint | null,
  facts: { payNative?: boolean; slippageBps?: number } = {},
) {
  const request = { amount0, amount1, payNative: false, slippageBps: 50, deadline: bench.deadline, ...facts }
  return bench.liquidity.planIncrease(bench.chain, position, request)
}

const places = [
  { version: 'v3', base: 'WETH' },
  { version: 'v4', base: 'WETH' },
  { version: 'v4', base: 'ETH' },
] as const

describe.each(places)('$version $base', ({ version, base }) => {
  const baseToken = () => (base === 'ETH' ? eth : weth)

  describe('collecting', () => {
    it('pays out exactly the fees, and the outcome is what the wallet sees', async () => {
      const position = await open(version, baseToken())
      const planned = await bench.liquidity.planCollect(bench.chain, position, {
        deadline: bench.deadline,
        recipient: bench.address,
      })
      expect(planned.preview).toEqual({ fees0: position.fees0, fees1: position.fees1 })
      const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
      const outcome = await planned.decode(result)
      expect(changes).toEqual([outcome.fees0, outcome.fees1])
      expect(outcome).toEqual(planned.preview)
      expect(outcome.fees0 > 0n && outcome.fees1 > 0n).toBe(true)
      expect(await read(version, position.positionId)).toMatchObject({
        liquidity: position.liquidity,
        fees0: 0n,
        fees1: 0n,
      })
    })

    it('counts the fees of trades between plan and block', async () => {
      const position = await open(version, baseToken())
      const planned = await bench.liquidity.planCollect(bench.chain, position, {
        deadline: bench.deadline,
        recipient: bench.address,
      })
      await trade(version, baseToken(), [usdc, baseToken()])
      const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
      const outcome = await planned.decode(result)
      expect(changes).toEqual([outcome.fees0, outcome.fees1])
      expect(outcome.fees0 > planned.preview.fees0 && outcome.fees1 > planned.preview.fees1).toBe(true)
    })

    it('refuses where there is nothing', async () => {
      const position = await open(version, baseToken(), [])
      const request = { deadline: bench.deadline, recipient: bench.address }
      await expect(bench.liquidity.planCollect(bench.chain, position, request)).rejects.toMatchObject({
        code: 'NOTHING_TO_COLLECT',
      })
    })
  })

  describe('removing', () => {
    it.each([100, 37.5, 1])('%d percent pays out principal and fees, told apart to the unit', async (percentage) => {
      const position = await open(version, baseToken())
      const planned = await remove(position, { percentage })
      const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
      const outcome = await planned.decode(result)
      expect(outcome).toEqual(planned.preview)
      expect(outcome).toMatchObject({ fees0: position.fees0, fees1: position.fees1 })
      expect(changes).toEqual([outcome.amount0 + outcome.fees0, outcome.amount1 + outcome.fees1])
      const after = await read(version, position.positionId)
      expect(after.liquidity).toBe(position.liquidity - outcome.liquidityRemoved)
      expect(after).toMatchObject({ owner: bench.address, fees0: 0n, fees1: 0n })
      expect(after.liquidity === 0n).toBe(percentage === 100)
    })

    it('tells them apart when the price has moved since the plan', async () => {
      const position = await open(version, baseToken())
      const planned = await remove(position, { slippageBps: 500 })
      await trade(version, baseToken(), [baseToken(), baseToken()])
      const late = await read(version, position.positionId)
      const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
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
      const position = await open(version, baseToken())
      const planned = await remove(position, { percentage: 50, slippageBps: 500 })
      const third = await createBench(devnet(), 2)
      await devnet().fund(third.address, { WETH: '100', ETH: '100' })
      const trades = [await quoteTrade(version, baseToken(), usdc), await quoteTrade(version, baseToken(), usdc)]
      const { result, changes } = await bench.changes(sides(position), async () => {
        const [before, ours] = await mineTogether(bench, [
          [other, trades[0]!],
          [bench, planned.intent],
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
      const position = await open(version, baseToken())
      const planned = await remove(position, { slippageBps: 10 })
      for (let round = 0; round < 5; round += 1) await trade(version, baseToken(), [baseToken()])
      await expect(bench.run(planned.intent)).rejects.toThrow(/revert|Price slippage check/)
    })

    it('works with no slippage at all while the price stands still', async () => {
      const position = await open(version, baseToken())
      const planned = await remove(position, { slippageBps: 0, percentage: 33 })
      const outcome = await planned.decode(await bench.run(planned.intent))
      expect(outcome).toEqual(planned.preview)
    })

    it('pays another recipient where asked to', async () => {
      const position = await open(version, baseToken())
      const planned = await remove(position, { recipient: other.address })
      expect(planned.intent.recipients).toEqual([other.address])
      const before = await Promise.all(sides(position).map((side) => other.balance(side)))
      const outcome = await planned.decode(await bench.run(planned.intent))
      const after = await Promise.all(sides(position).map((side) => other.balance(side)))
      expect(after.map((value, index) => value - before[index]!)).toEqual([
        outcome.amount0 + outcome.fees0,
        outcome.amount1 + outcome.fees1,
      ])
    })

    it('refuses an empty position, and a part that pays out nothing', async () => {
      const position = await open(version, baseToken())
      await expect(remove({ ...position, liquidity: 0n })).rejects.toMatchObject({
        code: 'AMOUNT_TOO_SMALL',
        details: [{ field: 'positionId' }],
      })
      for (const liquidity of [1n, 60n]) {
        await expect(remove({ ...position, liquidity }, { percentage: 1 })).rejects.toMatchObject({
          code: 'AMOUNT_TOO_SMALL',
          details: [{ field: 'percentage' }],
        })
      }
    })
  })

  describe('increasing', () => {
    it('adds what the preview says, and the outcome is what the position gained', async () => {
      const position = await open(version, baseToken(), [])
      const planned = await increase(
        position,
        parseAmount(position.pool.token0.decimals === 6 ? '3000' : '1', position.pool.token0.decimals),
        null,
      )
      const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
      const outcome = await planned.decode(result)
      expect(outcome).toEqual(planned.preview)
      expect(changes).toEqual([-outcome.amount0, -outcome.amount1])
      const after = await read(version, position.positionId)
      expect(after.liquidity).toBe(position.liquidity + outcome.liquidity)
    })

    it('leaves v3 fees owed and lets v4 fees pay part of it', async () => {
      const position = await open(version, baseToken())
      const planned = await increase(
        position,
        parseAmount(position.pool.token0.decimals === 6 ? '3000' : '1', position.pool.token0.decimals),
        null,
      )
      const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
      const outcome = await planned.decode(result)
      expect(outcome).toEqual(planned.preview)
      const paid = version === 'v4' ? [position.fees0, position.fees1] : [0n, 0n]
      expect(changes).toEqual([paid[0]! - outcome.amount0, paid[1]! - outcome.amount1])
      const after = await read(version, position.positionId)
      expect(after).toMatchObject(
        version === 'v4' ? { fees0: 0n, fees1: 0n } : { fees0: position.fees0, fees1: position.fees1 },
      )
    })

    it('pays out what fees exceed the need', async () => {
      const position = await open(version, baseToken())
      const planned = await increase(position, position.fees0 / 100n, null)
      const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
      const outcome = await planned.decode(result)
      expect(outcome).toEqual(planned.preview)
      const paid = version === 'v4' ? [position.fees0, position.fees1] : [0n, 0n]
      expect(changes).toEqual([paid[0]! - outcome.amount0, paid[1]! - outcome.amount1])
      expect(changes[0]! > 0n).toBe(version === 'v4')
      expect(planned.intent.receives.length > 0).toBe(version === 'v4')
    })

    it('declares what may leave at most, and refuses on chain to take more', async () => {
      const position = await open(version, baseToken(), [])
      const amount0 = parseAmount(position.pool.token0.decimals === 6 ? '3000' : '1', position.pool.token0.decimals)
      const planned = await increase(position, amount0, null, { slippageBps: 10 })
      for (let round = 0; round < 5; round += 1) await trade(version, baseToken(), [baseToken()])
      await expect(bench.run(planned.intent)).rejects.toThrow(/revert|Price slippage check/)
    })

    it('names the amount that the range does not take', async () => {
      const position = await open(version, baseToken(), [])
      const { pool, tickUpper, tickLower } = position
      const above = { ...position, tickLower: tickLower - 6000, tickUpper: tickUpper - 6000 }
      await expect(increase(above, 1000n, 1000n)).rejects.toMatchObject({ details: [{ field: 'amount0' }] })
      const below = { ...position, tickLower: tickLower + 6000, tickUpper: tickUpper + 6000 }
      await expect(increase(below, 1000n, 1000n)).rejects.toMatchObject({ details: [{ field: 'amount1' }] })
      expect(pool.version).toBe(version)
    })
  })
})

describe('v3 alone', () => {
  it('leaves the fees owed when asked not to collect them', async () => {
    const position = await open('v3', weth)
    const planned = await remove(position, { collectFees: false, percentage: 40 })
    const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
    const outcome = await planned.decode(result)
    expect(outcome).toEqual({ ...planned.preview, fees0: 0n, fees1: 0n })
    expect(changes).toEqual([outcome.amount0, outcome.amount1])
    expect(await read('v3', position.positionId)).toMatchObject({ fees0: position.fees0, fees1: position.fees1 })
  })

  it('says what was fee and what was principal when the price moved since such a plan', async () => {
    const position = await open('v3', weth)
    const planned = await remove(position, { collectFees: false, slippageBps: 500 })
    await trade('v3', weth, [weth, weth])
    const late = await read('v3', position.positionId)
    const { result, changes } = await bench.changes(sides(position), () => bench.run(planned.intent))
    const outcome = await planned.decode(result)
    expect(changes).toEqual([outcome.amount0 + outcome.fees0, outcome.amount1 + outcome.fees1])
    const after = await read('v3', position.positionId)
    const owned = [late.amount0 + late.fees0, late.amount1 + late.fees1]
    expect([changes[0]! + after.fees0, changes[1]! + after.fees1]).toEqual(owned)
  })

  it('pays the wrapped side natively when asked to, and sends the rest back', async () => {
    const position = await open('v3', weth, [])
    const isFirst = position.pool.token0.address === weth.address
    const amount0 = parseAmount(isFirst ? '1' : '3000', position.pool.token0.decimals)
    const planned = await increase(position, amount0, null, { payNative: true })
    const { result, changes } = await bench.changes([eth, weth, usdc], () => bench.run(planned.intent))
    const outcome = await planned.decode(result)
    const [inWeth, inUsdc] = isFirst ? [outcome.amount0, outcome.amount1] : [outcome.amount1, outcome.amount0]
    expect(changes).toEqual([-inWeth, 0n, -inUsdc])
    expect(planned.intent.calls[0]!.valueWei).toBe(inWeth)
  })
})

it('refuses to pay natively where no side takes it', async () => {
  const position = await open('v4', weth, [])
  const refusal = { code: 'VALIDATION_FAILED', details: [{ field: 'payNative' }] }
  await expect(increase(position, 1_000_000n, null, { payNative: true })).rejects.toMatchObject(refusal)
})

it('refuses a hook that may change amounts in every call that names a position', async () => {
  const position = await open('v4', weth)
  const hooked: Position = {
    ...position,
    pool: { ...position.pool, hooks: '0x0000000000000000000000000000000000000001' },
  }
  const refusal = { code: 'HOOK_NOT_SUPPORTED' }
  await expect(remove(hooked)).rejects.toMatchObject(refusal)
  await expect(increase(hooked, 1_000_000n, null)).rejects.toMatchObject(refusal)
  const request = { deadline: bench.deadline, recipient: bench.address }
  await expect(bench.liquidity.planCollect(bench.chain, hooked, request)).rejects.toMatchObject(refusal)
})

describe('v2', () => {
  async function share(symbol = 'WETH'): Promise<PairShare> {
    const [token0, token1, amount] = symbol === 'FOT' ? [await bench.token('FOT'), weth, '100'] : [weth, usdc, '2']
    const planned = await bench.liquidity.planAdd(bench.chain, {
      version: 'v2',
      token0,
      token1,
      fee: null,
      hooks: null,
      amount0: parseAmount(amount, 18),
      amount1: null,
      range: null,
      slippageBps: 50,
      deadline: bench.deadline,
      recipient: bench.address,
    })
    const { positionId } = await planned.decode(await bench.run(planned.intent))
    return await readShare(positionId)
  }

  const sharesOf = (address: Address) =>
    bench.client.readContract({ address, abi: erc20Abi, functionName: 'balanceOf', args: [bench.address] })

  const readShare = (pair: string) => bench.liquidity.pairShare(bench.chain, getAddress(pair), bench.address)

  it.each([100, 25])('gives %d percent of the pair tokens back for their share', async (percentage) => {
    const held = await share()
    const planned = await remove(held, { percentage })
    const { result, changes } = await bench.changes(sides(held), () => bench.run(planned.intent))
    const outcome = await planned.decode(result)
    expect(outcome).toEqual(planned.preview)
    expect(changes).toEqual([outcome.amount0, outcome.amount1])
    expect(outcome.liquidityRemoved).toBe((held.shares * BigInt(percentage)) / 100n)
    expect(await sharesOf(held.positionId)).toBe(held.shares - outcome.liquidityRemoved)
    expect(planned.intent.spends).toEqual([{ token: held.positionId, amount: outcome.liquidityRemoved }])
    expect(planned.intent.approvals).toMatchObject([{ token: held.positionId, amount: outcome.liquidityRemoved }])
  })

  it('refuses on chain when the share pays less than the slippage allows', async () => {
    const held = await share()
    const planned = await remove(held, { slippageBps: 10 })
    await benchTrade(other, 'v2', weth, usdc, parseAmount('20', 18))
    await expect(bench.run(planned.intent)).rejects.toThrow(/INSUFFICIENT_._AMOUNT/)
  })

  it('reports what arrived of a token with a fee on transfer', async () => {
    await devnet().fund(bench.address, { FOT: '1000' })
    const held = await share('FOT')
    const planned = await remove(held)
    const { result, changes } = await bench.changes(sides(held), () => bench.run(planned.intent))
    const outcome = await planned.decode(result)
    expect(changes).toEqual([outcome.amount0, outcome.amount1])
    expect(outcome).not.toEqual(planned.preview)
  })

  it('refuses where nothing is held or nothing would be paid out', async () => {
    const held = await share()
    await expect(remove({ ...held, shares: 0n })).rejects.toMatchObject({ details: [{ field: 'positionId' }] })
    await expect(remove({ ...held, shares: 3n })).rejects.toMatchObject({ details: [{ field: 'percentage' }] })
  })
})
