import type { Chain } from '@svc/wallet/core'
import { formatUnits, type PublicClient } from 'viem'
import { v2PairAbi } from '../liquidity/abis/v2-pair.ts'
import { contractFunction } from '../rpc/contract-function.ts'
import { readAll } from '../rpc/read-all.ts'
import { fixedPrice } from './fixed-price.ts'
import type { PricePoint } from './price-point.ts'

/**
 * The mean price of a v2 pair over about half an hour, times 1e18 and rounded up: the growth of its cumulative price since
 * an older block by the time between (v2 whitepaper 2.2; both ends brought to their block's time as UniswapV2OracleLibrary
 * does), and the whole quote tokens that the pair held at that older block. `null` where the endpoint no longer knows the older block, or where that lies nearer than a quarter of an hour or
 * further than two hours back.
 */
export async function readV2Mean(
  client: PublicClient,
  chain: Chain,
  { pool, side }: Pick<PricePoint, 'pool' | 'side'>,
  head: PriceHead,
): Promise<V2Mean | null> {
  const older = head.number - BigInt(Math.ceil(windowSeconds / chain.blockTimeSeconds))
  if (older < 1n) return null
  const reads = [readReserves(pool, []), (side.tokenIs0 ? readPrice0Sum : readPrice1Sum)(pool, [])] as const
  try {
    const [now, before, block] = await Promise.all([
      readAll(client, chain, reads, head.number),
      readAll(client, chain, reads, older),
      client.getBlock({ blockNumber: older }),
    ])
    const elapsed = head.timestamp - block.timestamp
    if (elapsed < shortestSeconds || elapsed > longestSeconds) return null
    const end = sumAt(now, side.tokenIs0, head.timestamp)
    const start = sumAt(before, side.tokenIs0, block.timestamp)
    if (end === null || start === null) return null
    const growth = BigInt.asUintN(256, end - start)
    const held = before[0]?.[side.tokenIs0 ? 1 : 0] ?? 0n
    return {
      meanE18: fixedPrice(growth, elapsed << 112n, side.tokenDecimals, side.quoteDecimals),
      depthBefore: Number(formatUnits(held, side.quoteDecimals)),
    }
  } catch {
    return null
  }
}

export type V2Mean = { readonly meanE18: bigint; readonly depthBefore: number }

export type PriceHead = { readonly number: bigint; readonly timestamp: bigint }

type Reading = readonly [readonly [bigint, bigint, number] | null, bigint | null]

/** The cumulative price (UQ112.112 seconds) at a block's time, which the pair itself last wrote at its own last change. */
function sumAt([reserves, sum]: Reading, tokenIs0: boolean, timestamp: bigint): bigint | null {
  if (reserves === null || sum === null) return null
  const [held, other] = tokenIs0 ? [reserves[0], reserves[1]] : [reserves[1], reserves[0]]
  if (held === 0n) return null
  const since = BigInt.asUintN(32, timestamp - BigInt(reserves[2]))
  return sum + ((other << 112n) / held) * since
}

const windowSeconds = 1_800
const shortestSeconds = 900n
const longestSeconds = 7_200n

const readReserves = contractFunction(v2PairAbi, 'getReserves')
const readPrice0Sum = contractFunction(v2PairAbi, 'price0CumulativeLast')
const readPrice1Sum = contractFunction(v2PairAbi, 'price1CumulativeLast')
