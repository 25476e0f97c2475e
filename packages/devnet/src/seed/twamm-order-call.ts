import { encodeFunctionData } from 'viem'
import type { Call } from '../chain/block-writer.ts'
import { twammHook } from '../contracts.gen.ts'
import { poolKey } from './add-liquidity-calls.ts'
import type { Layout } from './layout.ts'
import { unitsFor, type UsdPrices } from './prices.ts'

/** Somebody's order to sell 24,000 dollars of WETH over a day or up to an hour more, for it ends with an hour. */
export function twammOrderCall(layout: Layout, usd: UsdPrices, nowTimestamp: number): Call {
  const { roles, tokens, twamm } = layout
  const owner = roles.traders[0] ?? roles.bank
  const expiration = BigInt((Math.floor(nowTimestamp / 3_600) + 25) * 3_600)
  const zeroForOne = tokens.WETH === twamm.pool.token0
  const data = encodeFunctionData({
    abi: twammHook.abi,
    functionName: 'submitOrder',
    args: [poolKey(twamm.pool), { owner, expiration, zeroForOne }, unitsFor('WETH', 24_000, usd)],
  })
  return { from: owner, to: twamm.hook, data, gas: 1_000_000n, what: 'an order to be sold over a day' }
}
