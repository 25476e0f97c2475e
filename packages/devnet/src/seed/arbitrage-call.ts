import { encodeFunctionData } from 'viem'
import type { Call } from '../chain/block-writer.ts'
import { arbitrageur } from '../contracts.gen.ts'
import { arbitragedPools } from '../chain/funding-calls.ts'
import type { Layout, PlacedPool } from './layout.ts'
import { rawPrice, toSqrtPriceX96, type UsdPrices } from './prices.ts'

/** Brings pools back into their bands around the market's prices. Pools outside `only` are left alone. */
export function arbitrageCall(layout: Layout, usd: UsdPrices, only?: ReadonlySet<PlacedPool>): Call {
  const targets = arbitragedPools(layout).map((pool) =>
    only && !only.has(pool) ? 0n : toSqrtPriceX96(rawPrice(pool, usd)),
  )
  return {
    from: layout.roles.deployer,
    to: layout.contracts.arbitrageur,
    data: encodeFunctionData({ abi: arbitrageur.abi, functionName: 'arbitrage', args: [targets] }),
    gas: 8_000_000n,
    what: 'arbitrage',
  }
}
