import { parseAbi } from 'viem'
import type { ChainClient } from './chain/chain-client.ts'
import type { Layout, PlacedPool } from './seed/layout.ts'
import { decimalsOf } from './seed/market.ts'

/** A pool's price and active liquidity at the head of the chain. */
export async function readPool(client: ChainClient, layout: Layout, pool: PlacedPool): Promise<PoolReading> {
  const { sqrtPrice, liquidity } = await readers[pool.version](client, layout, pool)
  const price0 = sqrtPrice ** 2 * 10 ** (decimalsOf(pool.asset0) - decimalsOf(pool.asset1))
  return { price: pool.base === pool.asset0 ? price0 : 1 / price0, liquidity }
}

export type PoolReading = {
  /** Whole quote tokens for one whole base token. */
  readonly price: number
  /** In-range liquidity; for v2 sqrt(reserve0 * reserve1). */
  readonly liquidity: bigint
}

type Reader = (
  client: ChainClient,
  layout: Layout,
  pool: PlacedPool,
) => Promise<{ readonly sqrtPrice: number; readonly liquidity: bigint }>

const fromX96 = (sqrtPriceX96: bigint) => Number(sqrtPriceX96) / 2 ** 96

const readers: Readonly<Record<PlacedPool['version'], Reader>> = {
  v2: async (client, _layout, { id }) => {
    const abi = parseAbi(['function getReserves() view returns (uint112, uint112, uint32)'])
    const [reserve0, reserve1] = await client.readContract({ address: id, abi, functionName: 'getReserves' })
    const [x, y] = [Number(reserve0), Number(reserve1)]
    return { sqrtPrice: Math.sqrt(y / x), liquidity: BigInt(Math.floor(Math.sqrt(x * y))) }
  },
  v3: async (client, _layout, { id }) => {
    const abi = parseAbi([
      'function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)',
      'function liquidity() view returns (uint128)',
    ])
    const [slot0, liquidity] = await Promise.all([
      client.readContract({ address: id, abi, functionName: 'slot0' }),
      client.readContract({ address: id, abi, functionName: 'liquidity' }),
    ])
    return { sqrtPrice: fromX96(slot0[0]), liquidity }
  },
  v4: async (client, layout, { id }) => {
    const abi = parseAbi([
      'function getSlot0(bytes32) view returns (uint160, int24, uint24, uint24)',
      'function getLiquidity(bytes32) view returns (uint128)',
    ])
    const address = layout.contracts.stateView
    const [slot0, liquidity] = await Promise.all([
      client.readContract({ address, abi, functionName: 'getSlot0', args: [id] }),
      client.readContract({ address, abi, functionName: 'getLiquidity', args: [id] }),
    ])
    return { sqrtPrice: fromX96(slot0[0]), liquidity }
  },
}
