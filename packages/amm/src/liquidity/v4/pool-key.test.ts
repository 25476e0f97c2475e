import { zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Pool, Token } from '../../ports.ts'
import { dynamicFeeFlag, poolIdOf, poolKeyOf, type PoolKey } from './pool-key.ts'

const usdc = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const key: PoolKey = { currency0: zeroAddress, currency1: usdc, fee: 500, tickSpacing: 10, hooks: zeroAddress }

describe('poolIdOf', () => {
  it('is the id that the ETH/USDC 0.05 % pool bears on every chain with that USDC', () => {
    expect(poolIdOf(key)).toBe('0x21c67e77068de97969ba93d4aab21826d33ca12bb9f565d8496e8fda8a82ca27')
  })
})

describe('poolKeyOf', () => {
  it('proves the key of a pool by its id', () => {
    expect(poolKeyOf(poolUnder(key, 500))).toEqual(key)
  })

  it('knows a pool whose hook decides the fee', () => {
    const hooks = '0x0000000000000000000000000000000000000080'
    const dynamic = { ...key, fee: dynamicFeeFlag, hooks } as const
    expect(poolKeyOf(poolUnder(dynamic, 1_234))).toEqual(dynamic)
  })

  it('refuses a pool whose members do not hash to its id', () => {
    expect(() => poolKeyOf({ ...poolUnder(key, 500), tickSpacing: 60 })).toThrow(TypeError)
  })
})

function poolUnder(key: PoolKey, feeInForce: number): Pool {
  return {
    version: 'v4',
    id: poolIdOf(key),
    token0: tokenAt(key.currency0),
    token1: tokenAt(key.currency1),
    fee: feeInForce,
    tickSpacing: key.tickSpacing,
    hooks: key.hooks === zeroAddress ? null : key.hooks,
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

function tokenAt(address: Token['address']): Token {
  const isNative = address === zeroAddress
  return { address, symbol: '', name: '', decimals: 18, isNative, listed: true, usdPegged: false }
}
