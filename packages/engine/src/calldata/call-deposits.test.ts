import { type Address, concat, encodeAbiParameters, encodeFunctionData, type Hex, parseAbiParameters } from 'viem'
import { describe, expect, it } from 'vitest'
import { v2RouterAbi, v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import { encodeModifyLiquidities, v4Action } from '../../../amm/src/liquidity/v4/v4-action.ts'
import { readCalldata } from './read-calldata.ts'
import type { Surface } from './call-recipients.ts'

const target: Address = `0x${'aa'.repeat(20)}`
const wrapped: Address = `0x${'55'.repeat(20)}`
const [low, high]: readonly [Address, Address] = [`0x${'11'.repeat(20)}`, `0x${'99'.repeat(20)}`]
const owner: Address = `0x${'77'.repeat(20)}`
const zero: Address = `0x${'00'.repeat(20)}`

const deposits = (surface: Surface, data: Hex) => readCalldata(surface, target, data, wrapped)?.deposits ?? null

const mint = (change: { readonly fee?: number; readonly token1?: Address } = {}) =>
  encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'mint',
    args: [
      {
        token0: low,
        token1: high,
        fee: 500,
        tickLower: -20,
        tickUpper: 10,
        amount0Desired: 5n,
        amount1Desired: 6n,
        amount0Min: 3n,
        amount1Min: 4n,
        recipient: owner,
        deadline: 9n,
        ...change,
      },
    ],
  })
const open = (price: bigint, fee = 500) => {
  const args = [low, high, fee, price] as const
  return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'createAndInitializePoolIfNecessary', args })
}
const multicall = (...calls: readonly Hex[]) =>
  encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [calls] })

const minted = {
  kind: 'mint',
  version: 'v3',
  key: { token0: low, token1: high, fee: 500, tickSpacing: null, hooks: null },
  range: { tickLower: -20, tickUpper: 10 },
  positionId: null,
  recipient: owner,
  asked: { amount0: 5n, amount1: 6n },
  least: { amount0: 3n, amount1: 4n },
  liquidity: null,
  most: null,
  opensAt: null,
}

describe('the deposits of calldata on v3', () => {
  it('are its mints and increases, at any depth and in order', () => {
    const params = { tokenId: 8n, amount0Desired: 5n, amount1Desired: 6n, amount0Min: 3n, amount1Min: 4n, deadline: 9n }
    const more = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'increaseLiquidity', args: [params] })
    const increased = { ...minted, kind: 'increase', key: null, range: null, positionId: '8', recipient: null }
    expect(deposits('v3PositionManager', mint())).toEqual([minted])
    expect(deposits('v3PositionManager', multicall(more, multicall(mint())))).toEqual([increased, minted])
  })

  it('say at which price they create their pool', () => {
    expect(deposits('v3PositionManager', multicall(open(7n), mint()))).toEqual([{ ...minted, opensAt: 7n }])
    expect(deposits('v3PositionManager', multicall(open(7n), mint(), mint()))).toEqual([
      { ...minted, opensAt: 7n },
      minted,
    ])
  })

  it.each<readonly [string, Hex]>([
    ['a pool that is created and left', open(7n)],
    ['another pool that is created', multicall(open(7n, 3000), mint())],
    ['a pool that is created after its deposit', multicall(mint(), open(7n))],
    ['a pool that is created twice', multicall(open(7n), open(8n), mint())],
    ['bytes behind the arguments', concat([mint(), '0x00'])],
    [
      'a dirty address',
      mint().replace(`${'00'.repeat(12)}${'77'.repeat(20)}`, `${'01'.repeat(12)}${'77'.repeat(20)}`) as Hex,
    ],
  ])('are not read from %s', (_what, data) => {
    expect(deposits('v3PositionManager', data)).toBeNull()
  })
})

describe('the deposits of calldata on v2', () => {
  const pair = (tokenA: Address, tokenB: Address) => {
    const args = [tokenA, tokenB, 5n, 6n, 3n, 4n, owner, 9n] as const
    return encodeFunctionData({ abi: v2RouterAbi, functionName: 'addLiquidity', args })
  }
  const shares = {
    ...minted,
    version: 'v2',
    key: { token0: low, token1: high, fee: null, tickSpacing: null, hooks: null },
    range: null,
  }

  it('are in the pair’s order, whichever the router is called in', () => {
    expect(deposits('v2Router', pair(low, high))).toEqual([shares])
    const flipped = { asked: { amount0: 6n, amount1: 5n }, least: { amount0: 4n, amount1: 3n } }
    expect(deposits('v2Router', pair(high, low))).toEqual([{ ...shares, ...flipped }])
  })

  it.each([
    [low, { token0: low, token1: wrapped }, { amount0: 5n, amount1: null }, { amount0: 3n, amount1: 4n }],
    [high, { token0: wrapped, token1: high }, { amount0: null, amount1: 5n }, { amount0: 4n, amount1: 3n }],
  ])('with %s take the value that is sent along for the wrapped token', (token, key, asked, least) => {
    const args = [token, 5n, 3n, 4n, owner, 9n] as const
    const data = encodeFunctionData({ abi: v2RouterAbi, functionName: 'addLiquidityETH', args })
    expect(deposits('v2Router', data)).toEqual([{ ...shares, key: { ...shares.key, ...key }, asked, least }])
  })
})

describe('the deposits of calldata on v4', () => {
  const key = { currency0: low, currency1: high, fee: 500, tickSpacing: 10, hooks: zero }
  const most = { amount0: 5n, amount1: 6n }
  const mintV4 = v4Action.mint({ key, tickLower: -20, tickUpper: 10, liquidity: 8n, most, owner })
  const shares = {
    ...minted,
    version: 'v4',
    key: { token0: low, token1: high, fee: 500, tickSpacing: 10, hooks: null },
    asked: null,
    least: null,
    liquidity: 8n,
    most,
  }
  const initialize = encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'initializePool',
    args: [key, 7n],
  })

  it('are its mints and increases, with the hook and the price at which the pool is created', () => {
    const increase = v4Action.increase(3n, 8n, most)
    const increased = { ...shares, kind: 'increase', key: null, range: null, positionId: '3', recipient: null }
    expect(deposits('v4PositionManager', encodeModifyLiquidities([increase, mintV4], 9))).toEqual([increased, shares])
    const modify = encodeModifyLiquidities([mintV4], 9)
    const data = encodeFunctionData({
      abi: v4PositionManagerAbi,
      functionName: 'multicall',
      args: [[initialize, modify]],
    })
    expect(deposits('v4PositionManager', data)).toEqual([{ ...shares, opensAt: 7n }])
    const hooked = v4Action.mint({
      key: { ...key, hooks: high },
      tickLower: -20,
      tickUpper: 10,
      liquidity: 8n,
      most,
      owner,
    })
    expect(deposits('v4PositionManager', encodeModifyLiquidities([hooked], 9))).toMatchObject([
      { key: { hooks: high } },
    ])
  })

  it.each<readonly [string, Hex]>([
    ['a pool that is created and left', initialize],
    ['words for a hook', reported('0x01')],
    ['bytes behind the parameters', encodeModifyLiquidities([{ ...mintV4, data: concat([mintV4.data, zero]) }], 9)],
  ])('are not read from %s', (_what, data) => {
    expect(deposits('v4PositionManager', data)).toBeNull()
  })

  it('without a word for a hook are read', () => {
    expect(deposits('v4PositionManager', reported('0x'))).toHaveLength(1)
  })
})

function reported(hookData: Hex): Hex {
  const parameters = parseAbiParameters('uint256, uint256, uint128, uint128, bytes')
  const data = encodeAbiParameters(parameters, [3n, 8n, 5n, 6n, hookData])
  return encodeModifyLiquidities([{ action: 0x00, data }], 9)
}
