import type { Chain } from '@svc/wallet/core'
import { type Address, zeroAddress } from 'viem'
import { v2PairAddress, v3PoolAddress } from '../liquidity/pools/pool-address.ts'
import { poolIdOf, standardKeys } from '../liquidity/v4/pool-key.ts'
import type { PoolPlace, PricedToken } from './named-tokens.ts'
import type { PoolRow } from './band/pool-reading.ts'

/**
 * Where pools of a token against another would stand: the v2 pair, the v3 pools of the four tiers, the v4 pools under
 * standard keys, of native currency too where that is what a token wraps.
 */
export function discoverablePools(chain: Chain, token: PricedToken, quote: PricedToken): readonly PoolPlace[] {
  if (token.address === quote.address) return []
  const { v2, v3, v4 } = chain.amm
  const plain = pairOf(token.address, quote.address, token, quote)
  const sorted = sortedOf(plain)
  const placed = (row: PoolRow) => placeOf(plain, row)
  const withNative = ({ address }: PricedToken) =>
    address === chain.wrappedNative.address ? [address, zeroAddress] : [address]
  const managed = withNative(token).flatMap((held) =>
    withNative(quote).map((against) => pairOf(held, against, token, quote)),
  )
  return [
    ...(v2 ? [placed({ version: 'v2', id: v2PairAddress(v2, ...sorted), fee: 3_000 })] : []),
    ...v3Tiers.flatMap((fee) => (v3 ? [placed({ version: 'v3', id: v3PoolAddress(v3, ...sorted, fee), fee })] : [])),
    ...(v4 ? managed.flatMap(managedPools) : []),
  ]
}

const v3Tiers = [100, 500, 3_000, 10_000] as const

type Pair = Pick<PoolPlace, 'token' | 'quote' | 'side' | 'quoteKey'>

function pairOf(token: Address, quote: Address, priced: PricedToken, against: PricedToken): Pair {
  const tokenIs0 = BigInt(token) < BigInt(quote)
  const side = { tokenIs0, tokenDecimals: priced.decimals, quoteDecimals: against.decimals }
  return { token, quote, side, quoteKey: against.address.toLowerCase() }
}

function sortedOf({ token, quote, side }: Pair): readonly [Address, Address] {
  return side.tokenIs0 ? [token, quote] : [quote, token]
}

function managedPools(pair: Pair): readonly PoolPlace[] {
  return standardKeys(...sortedOf(pair)).map((key) => {
    const { fee, tickSpacing } = key
    return placeOf(pair, { version: 'v4', id: poolIdOf(key), fee, tickSpacing })
  })
}

function placeOf(pair: Pair, row: PoolRow): PoolPlace {
  return { ...pair, row, fault: null }
}
