import { getAmountsForLiquidity, getLiquidityForAmounts, getSqrtPriceAtTick } from '@svc/lp-math'
import { v3PoolAbi, v3PositionManagerAbi } from '@svc/amm/abis'
import { type Address, encodeAbiParameters, encodeEventTopics, type Hex, type Log, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { bandOf } from './bands.fixture.ts'
import { type CallBounds, noBounds } from '../calldata/call-bounds.ts'
import type { DepositBounds } from '../calldata/deposit-bounds.ts'
import type { Inspected, PositionState } from '../simulation/inspection.ts'
import { minedOutcome, outcomesOf } from './moved-holdings.ts'
import { mostLost } from './weigh-change.ts'
import type { Moved } from './moved.ts'

const [one, other, wrapped] = ['0x1', '0x2', '0x3'] as const
const manager = '0x00000000000000000000000000000000000000aa'
const pool = { id: '0x0b', token0: one, token1: other } as const
const e18 = 10n ** 18n
const ticks = { tickLower: -600, tickUpper: 600 }
const price = getSqrtPriceAtTick(0)
const [lower, upper] = [getSqrtPriceAtTick(-600), getSqrtPriceAtTick(600)]
const liquidity = getLiquidityForAmounts(price, lower, upper, e18, e18)
const taken = getAmountsForLiquidity(price, lower, upper, liquidity, false)
const prices = () => ({ ...bandOf(e18), decimals: 18 })

describe('what each call comes to by itself', () => {
  it('a trade: the most it takes for the least it brings, whatever was simulated', () => {
    const trades = [{ tokenIn: one, tokenOut: other, pools: [] }]
    const bounds = { ...noBounds, trades, feeBps: 30, pays: new Map([[one, 100n]]), brings: new Map([[other, 7n]]) }
    const { whole, calls } = outcomesOf(moved([bounds], { deltas: deltasOf(-10n, 99n) }), prices)
    expect([whole.leaves.tokens, whole.arrives.tokens]).toEqual([new Map([[one, 10n]]), new Map([[other, 99n]])])
    expect(calls).toMatchObject([{ feeBps: 30, outcomes: [{ leaves: { tokens: bounds.pays } }] }])
    expect(calls[0]!.outcomes[0]!.arrives.tokens).toEqual(bounds.brings)
  })

  it('a deposit: what its position takes, also where fees and what was freed come home in the same call', () => {
    const { calls } = outcomesOf(moved([withDeposits([mint])], { deltas: deltasOf(50n * e18, 50n * e18) }), prices)
    const [atPrice] = calls[0]!.outcomes
    expect(atPrice!.leaves.tokens).toEqual(paid(taken.amount0, taken.amount1))
    expect(atPrice!.arrives).toMatchObject({ tokens: new Map(), positions: [{ ...ticks, liquidity }] })
  })

  it('two deposits: each at every end, none of them in place of the other', () => {
    const both = outcomesOf(moved([withDeposits([mint, mint])]), prices)
    const single = outcomesOf(moved([withDeposits([mint])]), prices)
    for (const end of [1, 2]) {
      const [two, alone] = [both, single].map(({ calls }) => calls[0]!.outcomes[end]!.leaves.tokens)
      for (const token of [one, other]) expect(two!.get(token)).toBe(2n * (alone!.get(token) ?? 0n))
    }
    // Low for the one and high for the other, where that is worse: with one deposit that is one of both ends.
    expect([both.calls[0]!.outcomes.length, single.calls[0]!.outcomes.length]).toEqual([4, 3])
    expect(both.whole.arrives.positions).toHaveLength(2)
  })

  it('two additions to a position: on balance it grew once', () => {
    const grown = { liquidityBefore: 5n, liquidityAfter: 5n + 2n * liquidity }
    const position: PositionState = { contract: manager, id: 7n, pool, isHooked: false, ...ticks, ...grown }
    const addition = { ...mint, positionId: 7n, pool: null, ticks: null }
    const bounds = withDeposits([addition, addition])
    const { whole, calls } = outcomesOf(moved([bounds], { positions: [position] }), prices)
    expect(whole.arrives.positions).toEqual([{ token0: one, token1: other, ...ticks, liquidity: 2n * liquidity }])
    const [atPrice] = calls[0]!.outcomes
    expect(atPrice!.arrives.positions.map((part) => part.liquidity)).toEqual([liquidity, liquidity])
  })

  it('shares of a pair that are put into a pool: as what the pair holds for them, at every end', () => {
    const pair = { pair: one, token0: '0x8', token1: '0x9', reserve0: e18, reserve1: e18, burnSupply: e18 }
    const { calls } = outcomesOf(moved([withDeposits([mint, mint])], { pairs: new Map([[one, pair]]) }), prices)
    const { leaves } = calls[0]!.outcomes[0]!
    expect(leaves.tokens).toEqual(new Map([[other, 2n * taken.amount1]]))
    const share = { ...pair, amount: taken.amount0 }
    expect(leaves.shares).toEqual([share, share])
    expect(calls[0]!.outcomes.every(({ leaves }) => !leaves.tokens.has(one))).toBe(true)
  })

  it('native currency that is not asked back: all of it', () => {
    const { calls } = outcomesOf(moved([{ ...withDeposits([mint]), unreturnedWei: 9n * e18 }]), prices)
    for (const { leaves } of calls[0]!.outcomes) expect(leaves.tokens.get(zeroAddress)).toBe(9n * e18)
  })
})

describe('what a call that was mined has moved', () => {
  const wallet = '0x00000000000000000000000000000000000000f0'
  const id = '0x000000000000000000000000000000000000000b'
  const own = { token0: '0x1', token1: '0x2', id } as const
  const simulated = outcomesOf(moved([]), prices).whole
  const lossAt = (deltas: Moved['deltas'], logs: readonly Log[]) => {
    const calls = [{ deposits: [{ ...mint, pool: own }], removals: [] }]
    const inspected = { positions: [], pools: [], orders: [], vaultDeposits: [] }
    return mostLost(minedOutcome(deltas, { wallet, simulated, inspected, calls, logs }), prices, wrapped)
  }
  const minted = (to: Address, amount: bigint) => mintLogs({ pool: id, manager, to, amount, ...ticks })

  it('is no loss where a deposit took other amounts of both tokens, for the position holds them', () => {
    const at = getSqrtPriceAtTick(50)
    const more = getLiquidityForAmounts(at, lower, upper, e18, e18)
    const { amount0, amount1 } = getAmountsForLiquidity(at, lower, upper, more, true)
    const lost = lossAt(deltasOf(-amount0, -amount1), minted(wallet, more))
    // A position that was entered half a percent beside the market.
    expect(lost).toBeLessThan(2_000n)
    expect(lossAt(deltasOf(-amount0 - e18 / 10n, -amount1), minted(wallet, more))).toBeGreaterThan(99_000n)
  })

  it('is all that left where nothing was minted for the wallet', () => {
    const all = lossAt(deltasOf(-e18, 0n), [])
    expect(all).toBe(1_000_000n)
    expect(lossAt(deltasOf(-e18, 0n), minted(manager, liquidity))).toBe(all)
    expect(lossAt(deltasOf(-e18, 0n), minted(wallet, liquidity).toReversed())).toBe(all)
  })
})

const mint: DepositBounds = {
  version: 'v3',
  contract: manager,
  positionId: null,
  pool,
  ticks,
  liquidity: null,
  most: { amount0: e18, amount1: e18 },
  least: { amount0: (e18 * 9n) / 10n, amount1: (e18 * 9n) / 10n },
}

function withDeposits(deposits: readonly DepositBounds[]): CallBounds {
  return { ...noBounds, deposits }
}

function moved(
  calls: readonly CallBounds[],
  change: Partial<Pick<Moved, 'deltas' | 'pairs'>> & Partial<Pick<Inspected, 'positions'>> = {},
): Moved {
  const { deltas = new Map(), positions = [], pairs = new Map() } = change
  const standing = { ...pool, version: 'v3', stoodBefore: true, sqrtPriceX96: price, pair: null } as const
  return {
    calls,
    inspected: { positions, pools: [standing], orders: [], vaultDeposits: [] },
    deltas,
    paid: new Map(),
    pairs,
    wrappedNative: wrapped,
  }
}

function deltasOf(ofOne: bigint, ofOther: bigint): Moved['deltas'] {
  return new Map([
    [one, ofOne],
    [other, ofOther],
  ])
}

function paid(amount0: bigint, amount1: bigint) {
  return new Map([
    [one, amount0],
    [other, amount1],
  ])
}

/** As a new position of v3 announces itself. */
function mintLogs({ pool: of, manager: by, to, amount, tickLower, tickUpper }: MintLogs): readonly Log[] {
  const ofMint = { owner: by, tickLower, tickUpper }
  const minted = encodeEventTopics({ abi: v3PoolAbi, eventName: 'Mint', args: ofMint })
  const given = { from: zeroAddress, to, tokenId: 1n }
  const transfer = encodeEventTopics({ abi: v3PositionManagerAbi, eventName: 'Transfer', args: given })
  const grown = encodeEventTopics({ abi: v3PositionManagerAbi, eventName: 'IncreaseLiquidity', args: { tokenId: 1n } })
  const words = (...types: readonly string[]) => types.map((type) => ({ type }))
  const log = (address: Address, topics: readonly unknown[], data: Hex) => ({ address, topics, data }) as object as Log
  return [
    log(of, minted, encodeAbiParameters(words('address', 'uint128', 'uint256', 'uint256'), [by, amount, 1n, 1n])),
    log(by, transfer, '0x'),
    log(by, grown, encodeAbiParameters(words('uint128', 'uint256', 'uint256'), [amount, 1n, 1n])),
  ]
}

type MintLogs = {
  readonly pool: Address
  readonly manager: Address
  readonly to: Address
  readonly amount: bigint
  readonly tickLower: number
  readonly tickUpper: number
}
