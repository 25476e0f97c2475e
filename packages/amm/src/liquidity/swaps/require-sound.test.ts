import { getAmount0Delta, getAmount1Delta, getSqrtPriceAtTick } from '@svc/lp-math'
import { expect, test } from 'vitest'
import type { Pool, SwapRecord } from '../../ports.ts'
import { swapsThroughAGap } from '../../history/swaps-through-a-gap.fixture.ts'
import { requireSound } from './read-swaps.ts'
import { swapFit } from './swap-fit.ts'

const startsAt = 1_700_006_400
const pool = { version: 'v3', fee: 3_000, tickSpacing: 60 } as Pool
const { swaps } = swapsThroughAGap({ days: 1, startsAt, pushedTo: null })
const check = (reported: readonly SwapRecord[]) => requireSound(pool, reported, startsAt + 86_400)
const with10 = (change: (swap: SwapRecord) => Partial<SwapRecord>) =>
  swaps.map((swap, index) => (index === 10 ? { ...swap, ...change(swap) } : swap))

test('what a pool logged is sound, and so is a price that jumped through an empty stretch', async () => {
  await check(swaps)
  await check(swapsThroughAGap({ days: 1, startsAt, pushedTo: -200_000 }).swaps)
  await check(swapsThroughAGap({ days: 1, startsAt, pushedTo: -200_000, dust: 1n }).swaps)
})

test.each<[string, readonly SwapRecord[]]>([
  [
    'an amount of 2^255',
    with10(({ amount0 }) => (amount0 > 0n ? { amount0: 2n ** 255n - 1n } : { amount1: 2n ** 255n - 1n })),
  ],
  [
    'an amount nine times too large',
    with10(({ amount0, amount1 }) => (amount0 > 0n ? { amount0: amount0 * 9n } : { amount1: amount1 * 9n })),
  ],
  [
    '2^255 of the token that went out',
    with10(({ amount0 }) => (amount0 < 0n ? { amount0: 2n ** 255n - 1n } : { amount1: 2n ** 255n - 1n })),
  ],
  ['a price of nothing', with10(() => ({ sqrtPriceX96: 0n }))],
  ['a price above all', with10(() => ({ sqrtPriceX96: 2n ** 160n - 1n }))],
  ['a time before the one of the log before', with10(({ timestamp }) => ({ timestamp: timestamp - 7_200 }))],
  ['times ahead of the head', swaps.map((swap) => ({ ...swap, timestamp: swap.timestamp + 2 ** 31 }))],
  ['a fee of more than all', with10(() => ({ fee: 1_000_001 }))],
])('a history with %s is refused', async (_, reported) => {
  await expect(check(reported)).rejects.toThrow(expect.objectContaining({ code: 'RPC_UNAVAILABLE' }))
})

test('a swap follows from the log before it, and from none further back, and not with other amounts or liquidity', () => {
  const fits = swaps.slice(1).map((swap, index) => swapFit(pool, swaps[index]!, swap))
  expect(new Set(fits)).toEqual(new Set(['follows']))
  const [third, fifth] = [swaps[3]!, swaps[5]!]
  expect(swapFit(pool, third, fifth)).toBe('breaks')
  const next = swaps[4]!
  for (const percent of [90n, 99n, 101n, 110n]) {
    const [amount0, amount1] = [(next.amount0 * percent) / 100n, (next.amount1 * percent) / 100n]
    expect(swapFit(pool, third, { ...next, amount0 })).toBe('breaks')
    expect(swapFit(pool, third, { ...next, amount1 })).toBe('breaks')
  }
})

test('between the same two usable ticks the liquidity of a log is held against what went out', () => {
  const liquidity = 10n ** 24n
  const [low, high] = [getSqrtPriceAtTick(10), getSqrtPriceAtTick(30)]
  const amount0 = -getAmount0Delta(low, high, liquidity, false)
  const amount1 = (getAmount1Delta(low, high, liquidity, true) * 1_000n) / 997n
  const before = { sqrtPriceX96: low, liquidity: liquidity / 7n }
  const swap = { amount0, amount1, sqrtPriceX96: high, liquidity, fee: 3_000 }
  expect(swapFit(pool, before, swap)).toBe('follows')
  for (const percent of [99n, 101n]) {
    expect(swapFit(pool, before, { ...swap, liquidity: (liquidity * percent) / 100n })).toBe('breaks')
  }
})

test('of a pair what the log says of the reserves before it must be what the log before left', () => {
  const pair = { version: 'v2', tickSpacing: null } as const
  const before = { sqrtPriceX96: 2n ** 96n, liquidity: 10n ** 12n }
  const [reserve0, reserve1] = [2n * 10n ** 12n, (10n ** 24n + 15n * 10n ** 20n) / (2n * 10n ** 12n)]
  const sqrt = (value: number) => BigInt(Math.round(Math.sqrt(value) * 2 ** 52))
  const after = {
    amount0: reserve0 - 10n ** 12n,
    amount1: reserve1 - 10n ** 12n,
    sqrtPriceX96: sqrt(Number(reserve1) / Number(reserve0)) << 44n,
    liquidity: BigInt(Math.round(Math.sqrt(Number(reserve0) * Number(reserve1)))),
    fee: 3_000,
  }
  expect(swapFit(pair, before, after)).toBe('follows')
  expect(swapFit(pair, { ...before, sqrtPriceX96: (before.sqrtPriceX96 * 1001n) / 1000n }, after)).toBe('breaks')
  expect(swapFit(pair, before, { ...after, amount0: after.amount0 * 9n })).toBe('absurd')
})

test('swaps are held against the one before, in whatever portions they are looked at', async () => {
  const [first] = swaps
  const still = { ...first!, amount0: 0n, amount1: 0n }
  const many = Array.from({ length: 1_001 }, (_, index) => ({ ...still, timestamp: startsAt + index }))
  let hasTurned = false
  setImmediate(() => (hasTurned = true))
  await check(many)
  expect(hasTurned, 'whatever else there is to do comes in between').toBe(true)
  await expect(check(many.with(1_000, still))).rejects.toThrow(expect.objectContaining({ code: 'RPC_UNAVAILABLE' }))
})
