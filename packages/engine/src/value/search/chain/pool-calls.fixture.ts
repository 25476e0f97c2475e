import { type Call, mintV4, noDeadline } from '@svc/devnet/blocks'
import { type Abi, type Address, encodeFunctionData, zeroAddress } from 'viem'
import { erc20Abi, v2RouterAbi, v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import { poolIdOf, v2PairAddress, v3PoolAddress } from '@svc/amm/liquidity'
import { spacings } from '../world/scenario.fixture.ts'
import type { Step } from '../world/sim-world.fixture.ts'
import type { ChainMarket, ChainPool } from './open-market.fixture.ts'
import type { ChainStage } from './play-steps.fixture.ts'

export function poolNamed({ pools }: ChainMarket, name: string): ChainPool {
  const pool = pools.get(name)
  if (pool === undefined) throw new TypeError(`There is no pool ${name}`)
  return pool
}

/** Knows a pool by its name from the step on that creates it. */
export function registerPool({ devnet, market }: ChainStage, { what, pool: name }: Step): void {
  const [, version, pair = '', fee = ''] = what.split(' ')
  const [token0, token1] = pair.split('/').map((symbol) => market.tokens.get(symbol)?.address ?? zeroAddress)
  const sides = { token0: token0 ?? zeroAddress, token1: token1 ?? zeroAddress, fee: Number(fee) }
  const tickSpacing = spacings[sides.fee] ?? 60
  const { v2, v3 } = devnet.chain.amm
  const sorted = [sides.token0, sides.token1] as const
  if (version === 'v2')
    market.pools.set(name, { ...sides, version, id: v2PairAddress(v2!, ...sorted), tickSpacing: null })
  if (version === 'v3')
    market.pools.set(name, { ...sides, version, id: v3PoolAddress(v3!, ...sorted, sides.fee), tickSpacing })
  if (version === 'v4')
    market.pools.set(name, { ...sides, version, id: poolIdOf(keyOf({ ...sides, tickSpacing })), tickSpacing })
}

/** A new pool at the price of the step; a pair with its first liquidity. */
export function creationCall(stage: ChainStage, step: Step): Call {
  const { devnet, market } = stage
  const pool = poolNamed(market, step.pool)
  const sqrtPriceX96 = BigInt(step.amounts['sqrtPriceX96'] ?? 0)
  const { v3, v4 } = devnet.chain.amm
  if (pool.version === 'v2') return depositCall(stage, step)
  if (pool.version === 'v4') {
    return call(market, v4!.positionManager, v4PositionManagerAbi, 'initializePool', [keyOf(pool), sqrtPriceX96])
  }
  const args = [pool.token0, pool.token1, pool.fee, sqrtPriceX96]
  return call(market, v3!.positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', args)
}

export function depositCall({ devnet, market }: ChainStage, { pool: name, amounts }: Step): Call {
  const pool = poolNamed(market, name)
  const { token0, token1, fee } = pool
  const own = market.others.address
  const [amount0, amount1] = [BigInt(amounts['amount0'] ?? 0), BigInt(amounts['amount1'] ?? 0)]
  const [tickLower, tickUpper] = [Number(amounts['tickLower']), Number(amounts['tickUpper'])]
  const { v2, v3, v4 } = devnet.chain.amm
  if (pool.version === 'v2') {
    return call(market, v2!.router, v2RouterAbi, 'addLiquidity', [
      token0,
      token1,
      amount0,
      amount1,
      0n,
      0n,
      own,
      noDeadline,
    ])
  }
  if (pool.version === 'v4') {
    const data = mintV4({ ...pool, hooks: zeroAddress }, own, tickLower, tickUpper, BigInt(amounts['liquidity'] ?? 0))
    return { from: own, to: v4!.positionManager, data, gas: 2_000_000n, what: `add to ${name}` }
  }
  const least = { amount0Min: 0n, amount1Min: 0n, recipient: own, deadline: noDeadline }
  const wanted = { token0, token1, fee, tickLower, tickUpper, amount0Desired: amount0, amount1Desired: amount1 }
  return call(market, v3!.positionManager, v3PositionManagerAbi, 'mint', [{ ...wanted, ...least }])
}

/** What takes shares of a pair apart; liquidity of ranges is not taken out again by any program that was done again so far. */
export function removalCalls({ devnet, market }: ChainStage, { pool: name, amounts }: Step): readonly Call[] {
  const { version, id, token0, token1 } = poolNamed(market, name)
  if (version !== 'v2') throw new TypeError(`No chain removes of the ${version} pool ${name} again yet`)
  const { router } = devnet.chain.amm.v2!
  const shares = BigInt(amounts['liquidity'] ?? 0)
  const removal = [token0, token1, shares, 0n, 0n, market.others.address, noDeadline]
  return [
    call(market, id, erc20Abi, 'approve', [router, shares]),
    call(market, router, v2RouterAbi, 'removeLiquidity', removal),
  ]
}

function call({ others }: ChainMarket, to: Address, abi: Abi, functionName: string, args: readonly unknown[]): Call {
  const data = encodeFunctionData({ abi, functionName, args })
  return { from: others.address, to, data, gas: 8_000_000n, what: functionName }
}

function keyOf({ token0, token1, fee, tickSpacing }: Pick<ChainPool, 'token0' | 'token1' | 'fee' | 'tickSpacing'>) {
  return { currency0: token0, currency1: token1, fee, tickSpacing: tickSpacing ?? 0, hooks: zeroAddress }
}
