import {
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  getTickAtSqrtPrice,
  sqrtPriceFromAmounts,
  tickSpacingForFee,
  unpackPositionInfo,
} from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import { maxUint128, numberToHex, zeroAddress, type Address, type PublicClient } from 'viem'
import type { Liquidity, PairShare, Pool, Position, Token, TokenDirectory } from '../../../ports.ts'
import { v2FactoryAbi } from '../abis/v2-factory.ts'
import { v2PairAbi } from '../abis/v2-pair.ts'
import { v3FactoryAbi } from '../abis/v3-factory.ts'
import { v3PoolAbi } from '../abis/v3-pool.ts'
import { v3PositionManagerAbi } from '../abis/v3-position-manager.ts'
import { v4PositionManagerAbi } from '../abis/v4-position-manager.ts'
import { v4StateViewAbi } from '../abis/v4-state-view.ts'
import { poolIdOf } from '../v4/pool-key.ts'

export type BenchReads = Pick<Liquidity, 'findPools' | 'position' | 'pairShare'>

const none = {
  hooks: null,
  reserve0: null,
  reserve1: null,
  feeGrowthGlobal0X128: null,
  feeGrowthGlobal1X128: null,
  protocolFee: 0,
}

export function benchReads(client: PublicClient, chain: Chain, tokens: TokenDirectory): BenchReads {
  const { v2, v3, v4 } = chain.amm
  if (!v2 || !v3 || !v4) throw new Error('all versions are deployed on the local chain')
  const token = (address: Address): Promise<Token> =>
    address === zeroAddress ? tokens.resolve(chain, 'ETH', 'token') : tokens.byAddress(chain, address)

  async function v3Pool(a: Address, b: Address, fee: number): Promise<Pool | null> {
    const id = await client.readContract({
      address: v3!.factory,
      abi: v3FactoryAbi,
      functionName: 'getPool',
      args: [a, b, fee],
    })
    if (id === zeroAddress) return null
    const pool = { address: id, abi: v3PoolAbi } as const
    const [[sqrtPriceX96, tick], liquidity, token0, token1, blockNumber] = await Promise.all([
      client.readContract({ ...pool, functionName: 'slot0' }),
      client.readContract({ ...pool, functionName: 'liquidity' }),
      client.readContract({ ...pool, functionName: 'token0' }),
      client.readContract({ ...pool, functionName: 'token1' }),
      client.getBlockNumber(),
    ])
    return {
      ...none,
      version: 'v3',
      id,
      token0: await token(token0),
      token1: await token(token1),
      fee,
      tickSpacing: tickSpacingForFee(fee),
      sqrtPriceX96,
      tick,
      liquidity,
      blockNumber,
    }
  }

  async function v4Pool(
    currency0: Address,
    currency1: Address,
    fee: number,
    tickSpacing: number,
    hooks: Address,
  ): Promise<Pool | null> {
    const id = poolIdOf({ currency0, currency1, fee, tickSpacing, hooks })
    const view = { address: v4!.stateView, abi: v4StateViewAbi, args: [id] } as const
    const [[sqrtPriceX96, tick], liquidity, blockNumber] = await Promise.all([
      client.readContract({ ...view, functionName: 'getSlot0' }),
      client.readContract({ ...view, functionName: 'getLiquidity' }),
      client.getBlockNumber(),
    ])
    if (sqrtPriceX96 === 0n) return null
    return {
      ...none,
      version: 'v4',
      id,
      token0: await token(currency0),
      token1: await token(currency1),
      fee,
      tickSpacing,
      hooks: hooks === zeroAddress ? null : hooks,
      sqrtPriceX96,
      tick,
      liquidity,
      blockNumber,
    }
  }

  async function v2Pool(pair: Address): Promise<Pool | null> {
    if (pair === zeroAddress) return null
    const at = { address: pair, abi: v2PairAbi } as const
    const [[reserve0, reserve1], token0, token1, blockNumber] = await Promise.all([
      client.readContract({ ...at, functionName: 'getReserves' }),
      client.readContract({ ...at, functionName: 'token0' }),
      client.readContract({ ...at, functionName: 'token1' }),
      client.getBlockNumber(),
    ])
    const sqrtPriceX96 = reserve0 === 0n ? 2n ** 96n : sqrtPriceFromAmounts(reserve1, reserve0)
    return {
      ...none,
      version: 'v2',
      id: pair,
      token0: await token(token0),
      token1: await token(token1),
      fee: 3000,
      tickSpacing: null,
      sqrtPriceX96,
      tick: getTickAtSqrtPrice(sqrtPriceX96),
      liquidity: 0n,
      reserve0,
      reserve1,
      blockNumber,
    }
  }

  return {
    async findPools(_chain, tokenA, tokenB, versions = []) {
      const wrap = (held: Token) => (held.isNative ? tokens.wrapped(chain).address : held.address)
      const pools = await Promise.all(
        versions.flatMap((version): Promise<Pool | null>[] => {
          if (version === 'v3') return [100, 500, 3000, 10000].map((fee) => v3Pool(wrap(tokenA), wrap(tokenB), fee))
          if (version === 'v4') {
            const [a, b] = BigInt(tokenA.address) < BigInt(tokenB.address) ? [tokenA, tokenB] : [tokenB, tokenA]
            return [100, 500, 3000, 10000].map((fee) =>
              v4Pool(a.address, b.address, fee, tickSpacingForFee(fee), zeroAddress),
            )
          }
          return [
            client
              .readContract({
                address: v2.factory,
                abi: v2FactoryAbi,
                functionName: 'getPair',
                args: [wrap(tokenA), wrap(tokenB)],
              })
              .then(v2Pool),
          ]
        }),
      )
      return pools.filter((pool) => pool !== null)
    },
    async position(_chain, version, positionId) {
      const tokenId = BigInt(positionId)
      if (version === 'v3') {
        const manager = { address: v3.positionManager, abi: v3PositionManagerAbi } as const
        const [facts, owner] = await Promise.all([
          client.readContract({ ...manager, functionName: 'positions', args: [tokenId] }),
          client.readContract({ ...manager, functionName: 'ownerOf', args: [tokenId] }),
        ])
        const [, , token0, token1, fee, tickLower, tickUpper, liquidity] = facts
        const {
          result: [fees0, fees1],
        } = await client.simulateContract({
          ...manager,
          functionName: 'collect',
          account: owner,
          args: [{ tokenId, recipient: owner, amount0Max: maxUint128, amount1Max: maxUint128 }],
        })
        const pool = (await v3Pool(token0, token1, fee))!
        return {
          version,
          positionId,
          owner,
          pool,
          tickLower,
          tickUpper,
          liquidity,
          ...worth(pool, tickLower, tickUpper, liquidity),
          fees0,
          fees1,
        }
      }
      const manager = { address: v4.positionManager, abi: v4PositionManagerAbi } as const
      const [[key, info], owner] = await Promise.all([
        client.readContract({ ...manager, functionName: 'getPoolAndPositionInfo', args: [tokenId] }),
        client.readContract({ ...manager, functionName: 'ownerOf', args: [tokenId] }),
      ])
      const pool = (await v4Pool(key.currency0, key.currency1, key.fee, key.tickSpacing, key.hooks))!
      const { tickLower, tickUpper } = unpackPositionInfo(info)
      const view = { address: v4.stateView, abi: v4StateViewAbi } as const
      const [[liquidity, last0, last1], [inside0, inside1]] = await Promise.all([
        client.readContract({
          ...view,
          functionName: 'getPositionInfo',
          args: [pool.id, v4.positionManager, tickLower, tickUpper, numberToHex(tokenId, { size: 32 })],
        }),
        client.readContract({ ...view, functionName: 'getFeeGrowthInside', args: [pool.id, tickLower, tickUpper] }),
      ])
      const fees0 = (BigInt.asUintN(256, inside0 - last0) * liquidity) >> 128n
      const fees1 = (BigInt.asUintN(256, inside1 - last1) * liquidity) >> 128n
      return {
        version,
        positionId,
        owner,
        pool,
        tickLower,
        tickUpper,
        liquidity,
        ...worth(pool, tickLower, tickUpper, liquidity),
        fees0,
        fees1,
      }
    },
    async pairShare(_chain, pair, owner): Promise<PairShare> {
      const pool = (await v2Pool(pair))!
      const at = { address: pair, abi: v2PairAbi } as const
      const [shares, totalSupply] = await Promise.all([
        client.readContract({ ...at, functionName: 'balanceOf', args: [owner] }),
        client.readContract({ ...at, functionName: 'totalSupply' }),
      ])
      const part = (reserve: bigint | null) => ((reserve ?? 0n) * shares) / totalSupply
      return {
        version: 'v2',
        positionId: pair,
        owner,
        pool,
        shares,
        totalSupply,
        amount0: part(pool.reserve0),
        amount1: part(pool.reserve1),
      }
    },
  }
}

function worth(
  pool: Pool,
  tickLower: number,
  tickUpper: number,
  liquidity: bigint,
): Pick<Position, 'amount0' | 'amount1'> {
  return getAmountsForLiquidity(
    pool.sqrtPriceX96,
    getSqrtPriceAtTick(tickLower),
    getSqrtPriceAtTick(tickUpper),
    liquidity,
    false,
  )
}
