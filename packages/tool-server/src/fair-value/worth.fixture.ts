import { parseUnits } from 'viem'
import type { PairShare, Position } from '@svc/amm'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { bandOf } from '../../../engine/src/value/bands.fixture.ts'
import { type Holdings, type TrustedPrices, valueAt } from '../../../engine/src/value/trusted-value.ts'

/** US dollars for one whole token by our handle, whatever pools and feeds say. What is not named is worth nothing. */
export const outsidePrices = { ETH: 3_000, WETH: 3_000, USDC: 1, USDT: 1, DAI: 1, WBTC: 90_000 } as const

/** What the wallet owns at outside prices: tokens, positions as if their pools stood there, shares of pairs. */
export async function worthOf(pipeline: Pipeline, outside: OutsidePrices = outsidePrices): Promise<number> {
  const symbols = Object.keys(outside)
  const prices = pricesOf(pipeline, outside)
  const balances = await Promise.all(symbols.map((symbol) => pipeline.balance(symbol)))
  const { items } = await pipeline.liquidity.positionsByOwner(pipeline.chain, pipeline.wallet, ['v2', 'v3', 'v4'])
  const holdings: Holdings = {
    tokens: new Map(symbols.map((symbol, index) => [pipeline.token(symbol).toLowerCase(), balances[index] ?? 0n])),
    positions: items.flatMap((item) => (item.version === 'v2' ? [] : [rangeOf(item)])),
    shares: items.flatMap((item) => (item.version === 'v2' ? [shareOf(item)] : [])),
  }
  const fees = items.reduce((sum, item) => (item.version === 'v2' ? sum : sum + feesOf(item, prices)), 0n)
  return Number(valueAt(holdings, prices, 'mid') + fees) / 1e6
}

export type OutsidePrices = Readonly<Record<string, number>>

function pricesOf(pipeline: Pipeline, outside: OutsidePrices): TrustedPrices {
  const byAddress = new Map(
    Object.entries(outside).map(([symbol, price]) => [pipeline.token(symbol).toLowerCase(), [symbol, price]]),
  )
  return (token) => {
    const [symbol, price] = byAddress.get(token) ?? []
    if (typeof symbol !== 'string' || typeof price !== 'number') return null
    return { ...bandOf(parseUnits(`${price}`, 18)), decimals: decimals[symbol] ?? 18 }
  }
}

const decimals: Readonly<Record<string, number>> = { USDC: 6, USDT: 6, WBTC: 8 }

function rangeOf({ pool, tickLower, tickUpper, liquidity }: Position): Holdings['positions'][number] {
  const [token0, token1] = [pool.token0.address.toLowerCase(), pool.token1.address.toLowerCase()]
  return { token0, token1, tickLower, tickUpper, liquidity }
}

function shareOf({ pool, shares, burnSupply }: PairShare): Holdings['shares'][number] {
  const [token0, token1] = [pool.token0.address.toLowerCase(), pool.token1.address.toLowerCase()]
  const { reserve0, reserve1 } = pool
  const held = { reserve0: reserve0 ?? 0n, reserve1: reserve1 ?? 0n, burnSupply }
  return { pair: pool.id.toLowerCase(), token0, token1, amount: shares, ...held }
}

function feesOf({ pool, fees0, fees1 }: Position, prices: TrustedPrices): bigint {
  const tokens = new Map([
    [pool.token0.address.toLowerCase(), fees0],
    [pool.token1.address.toLowerCase(), fees1],
  ])
  return valueAt({ tokens, positions: [], shares: [] }, prices, 'mid')
}
