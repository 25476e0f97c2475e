import type { Devnet } from '@svc/devnet'
import { fullRangeTicks, sqrtPriceFromPrice } from '@svc/lp-math'
import type { ReferencePool } from '@svc/wallet/core'
import { type Hex, parseUnits } from 'viem'
import { v3PositionManagerAbi } from '../abis/v3.ts'
import { createChainActor } from '../liquidity/chain-actor.fixture.ts'
import { v3PoolAddress } from '../liquidity/pools/pool-address.ts'
import { createPricedDevnet } from './priced-devnet.fixture.ts'

/** A new v3 pool at 0.3 %, of one record: dollars on each side over all prices, or on the quote's side alone, beside the price. */
export async function openPool(devnet: Devnet, wanted: WantedPool): Promise<ReferencePool> {
  const { symbol, quote, price, eachSideUsd = 1_000_000, oneSideUsd } = wanted
  const actor = await createChainActor(devnet, devnet.accounts[0]!.address)
  const priced = createPricedDevnet(devnet)
  const [token, against] = await Promise.all([priced.token(symbol), priced.token(quote)])
  const tokenIs0 = BigInt(token.address) < BigInt(against.address)
  const [token0, token1] = tokenIs0 ? [token, against] : [against, token]
  const sqrtPriceX96 = sqrtPriceFromPrice(`${tokenIs0 ? price : 1 / price}`, token0.decimals, token1.decimals)
  const v3 = devnet.chain.amm.v3!
  const pair = [token0.address, token1.address, fee] as const
  const opening = [...pair, sqrtPriceX96]
  await actor.write(v3.positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', opening)
  const id: Hex = v3PoolAddress(v3, ...pair)
  const { tick } = await priced.reads.pool(priced.chain, { version: 'v3', id })
  const edge = Math.floor(tick / spacing) * spacing
  const beside = tokenIs0
    ? { tickLower: edge - 100 * spacing, tickUpper: edge }
    : { tickLower: edge + spacing, tickUpper: edge + 100 * spacing }
  const sums =
    oneSideUsd === undefined
      ? [(eachSideUsd / price).toFixed(token.decimals), `${eachSideUsd}`]
      : ['0', `${oneSideUsd}`]
  const [ofToken = '0', ofQuote = '0'] = sums
  await devnet.fund(actor.address, { [symbol]: ofToken, [quote]: ofQuote })
  const amounts = [parseUnits(ofToken, token.decimals), parseUnits(ofQuote, against.decimals)]
  const [amount0Desired, amount1Desired] = tokenIs0 ? amounts : amounts.toReversed()
  await actor.mintV3({
    token0: pair[0],
    token1: pair[1],
    fee,
    ...(oneSideUsd === undefined ? fullRangeTicks(spacing) : beside),
    amount0Desired: amount0Desired!,
    amount1Desired: amount1Desired!,
  })
  return { version: 'v3', id, quote: against.address, fee }
}

export type WantedPool = {
  readonly symbol: string
  /** A dollar token. */
  readonly quote: string
  /** Of the token in the quote. */
  readonly price: number
  /** A million when absent. */
  readonly eachSideUsd?: number
  readonly oneSideUsd?: number
}

const fee = 3_000
const spacing = 60
