import { decodeAbiParameters, getAddress, zeroAddress, type AbiParameter } from 'viem'
import { expect, it } from 'vitest'
import type { Pool, Quote, Token } from '../../ports.ts'
import { poolIdOf } from './pool-key.ts'
import { swapAction } from './plan-swap.ts'

const [a, b, c] = ['a1', 'b2', 'c3'].map((end): Token => {
  const address = getAddress(`0x00000000000000000000000000000000000000${end}`)
  return { address, symbol: end, name: end, decimals: 18, isNative: false, listed: true, usdPegged: false }
}) as [Token, Token, Token]

const quote = (pools: readonly Pool[]): Quote => ({
  amountIn: 1000n,
  amountOut: 900n,
  route: pools.map((pool) => ({ pool, tokenIn: pool.token0, tokenOut: pool.token1 })),
  version: 'v4',
  priceImpactBps: 0,
  gasEstimate: 0n,
  blockNumber: 1n,
})

/** Word for word, as the routers of each version lay their structs out. */
const poolKey = ['address', 'address', 'uint24', 'int24', 'address']
const pathKey = ['address', 'uint24', 'int24', 'address', 'bytes']
const keyOf = (pool: Pool) => [pool.token0.address, pool.token1.address, 500, 10, zeroAddress]

it.each([
  ['2.0', [tuple(poolKey), 'bool', 'uint128', 'uint128', 'bytes'], []],
  ['2.1.0', [tuple(poolKey), 'bool', 'uint128', 'uint128', 'bytes'], []],
  ['2.1.1', [tuple(poolKey), 'bool', 'uint128', 'uint128', 'uint256', 'bytes'], [0n]],
] as const)('writes a single swap as router %s reads it', (version, layout, bounds) => {
  const pool = poolOf(a, b)
  const { action, data } = swapAction(version, quote([pool]), [b, a], { least: 800n, most: 1000n })
  expect(action).toBe(0x06)
  const [decoded] = decodeAbiParameters([tuple(layout)], data)
  expect(decoded).toEqual([keyOf(pool), false, 1000n, 800n, ...bounds, '0x'])
})

it.each([
  ['2.0', ['address', list(tuple(pathKey)), 'uint128', 'uint128'], []],
  ['2.1.0', ['address', list(tuple(pathKey)), 'uint256[]', 'uint128', 'uint128'], [[]]],
  ['2.1.1', ['address', list(tuple(pathKey)), 'uint256[]', 'uint128', 'uint128'], [[]]],
] as const)('writes a path as router %s reads it', (version, layout, bounds) => {
  const { action, data } = swapAction(version, quote([poolOf(a, b), poolOf(b, c)]), [a, b, c], {
    least: 800n,
    most: 1000n,
  })
  expect(action).toBe(0x07)
  const [decoded] = decodeAbiParameters([tuple(layout)], data)
  const hops = [b, c].map(({ address }) => [address, 500, 10, zeroAddress, '0x'])
  expect(decoded).toEqual([a.address, hops, ...bounds, 1000n, 800n])
})

it('refuses an amount that does not fit', () => {
  const large = { ...quote([poolOf(a, b)]), amountIn: 2n ** 128n }
  expect(() => swapAction('2.0', large, [a, b], { least: 1n, most: 2n ** 128n })).toThrow(
    expect.objectContaining({ code: 'VALIDATION_FAILED', details: [expect.objectContaining({ field: 'amount' })] }),
  )
})

function tuple(parts: readonly (string | AbiParameter)[]): AbiParameter {
  return { type: 'tuple', components: parts.map((part) => (typeof part === 'string' ? { type: part } : part)) }
}

function list(item: AbiParameter): AbiParameter {
  return { ...item, type: `${item.type}[]` }
}

function poolOf(token0: Token, token1: Token): Pool {
  const key = { currency0: token0.address, currency1: token1.address, fee: 500, tickSpacing: 10, hooks: zeroAddress }
  return {
    version: 'v4',
    id: poolIdOf(key),
    token0,
    token1,
    fee: 500,
    tickSpacing: 10,
    hooks: null,
    sqrtPriceX96: 2n ** 96n,
    tick: 0,
    liquidity: 1n,
    reserve0: null,
    reserve1: null,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    protocolFee: 0,
    blockNumber: 1n,
  }
}
