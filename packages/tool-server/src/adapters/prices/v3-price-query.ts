import { getSqrtPriceAtTick, priceFromSqrtPrice, priceFromTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { formatUnits, type Address } from 'viem'
import type { Token } from '../../ports.ts'
import { erc20Abi } from '../liquidity/abis/erc20.ts'
import { v3PoolAbi } from '../liquidity/abis/v3-pool.ts'
import { v3PoolAddress } from '../liquidity/v3/pool-address.ts'
import { contractFunction } from '../rpc/contract-function.ts'
import { query, type Query } from '../rpc/query.ts'
import { fixedPriceOfSqrt } from './fixed-price.ts'
import type { PricePoint } from './price-point.ts'

/** What the v3 pools of a token against a quote token say, each read where the factory must have put it. */
export function v3PriceQueries(chain: Chain, token: Token, quote: Token): readonly Query<PricePoint | null>[] {
  const { v3 } = chain.amm
  if (v3 === undefined) return []
  const tokenIs0 = BigInt(token.address) < BigInt(quote.address)
  const [token0, token1] = tokenIs0 ? [token, quote] : [quote, token]
  return tiers.map((fee) => {
    const pool = v3PoolAddress(v3, token0.address, token1.address, fee)
    return poolQuery(pool, { token0, token1, quote, tokenIs0 })
  })
}

const tiers = [100, 500, 3_000, 10_000] as const
const windowSeconds = 1_800

type Side = { readonly token0: Token; readonly token1: Token; readonly quote: Token; readonly tokenIs0: boolean }

function poolQuery(pool: Address, { token0, token1, quote, tokenIs0 }: Side): Query<PricePoint | null> {
  const reads = [
    readSlot0(pool, []),
    readLiquidity(pool, []),
    readObserve(pool, [[windowSeconds, 0]]),
    readBalanceOf(quote.address, [pool]),
  ] as const
  return query(reads, ([slot0, liquidity, observed, balance]) => {
    if (slot0 === null || liquidity === null || balance === null || slot0[0] === 0n) return null
    const [sqrtPriceX96] = slot0
    const side = {
      tokenIs0,
      tokenDecimals: (tokenIs0 ? token0 : token1).decimals,
      quoteDecimals: quote.decimals,
    }
    const meanSqrt = observed === null ? null : meanSqrtPrice(observed[0], tokenIs0)
    const turned = (price: number) => (tokenIs0 ? price : 1 / price)
    const tick = observed === null ? null : meanTick(observed[0])
    const depths = [balance, virtualQuote(liquidity, sqrtPriceX96, tokenIs0)]
    if (observed !== null && meanSqrt !== null) {
      depths.push(virtualQuote(meanLiquidity(observed[1]), meanSqrt, tokenIs0))
    }
    return {
      pool,
      version: 'v3',
      side,
      meanE18: meanSqrt === null ? null : fixedPriceOfSqrt(meanSqrt, side),
      spotE18: fixedPriceOfSqrt(sqrtPriceX96, side),
      mean: tick === null ? null : turned(priceAtMeanTick(tick, token0.decimals, token1.decimals)),
      spot: turned(priceFromSqrtPrice(sqrtPriceX96, token0.decimals, token1.decimals)),
      depth: Number(formatUnits(least(depths), quote.decimals)),
    }
  })
}

/** The time-weighted mean tick, whose price is the geometric mean of prices (v3 whitepaper 5.2). */
function meanTick([before, now]: readonly bigint[]): number | null {
  return before === undefined || now === undefined ? null : Number(now - before) / windowSeconds
}

/** The same as a square root price, of the whole tick at which the token is dearer. */
function meanSqrtPrice([before, now]: readonly bigint[], tokenIs0: boolean): bigint | null {
  if (before === undefined || now === undefined) return null
  const window = BigInt(windowSeconds)
  const sum = now - before
  const floor = sum / window - (sum % window < 0n ? 1n : 0n)
  const isWhole = floor * window === sum
  return getSqrtPriceAtTick(Number(tokenIs0 && !isWhole ? floor + 1n : floor))
}

/**
 * The harmonic mean of in-range liquidity over the window, 0 when unknown: a single second without liquidity leaves next to
 * nothing of it, and a single block with much of it adds nothing (v3-core Oracle counts seconds times 2^128 over liquidity, in 160 bits).
 */
function meanLiquidity([before, now]: readonly bigint[]): bigint {
  if (before === undefined || now === undefined) return 0n
  const growth = BigInt.asUintN(160, now - before)
  return growth === 0n ? 0n : (BigInt(windowSeconds) << 128n) / growth
}

/** Smallest units of the quote token that liquidity would hold over all prices (v3 whitepaper eq. 6.5 and 6.6). */
function virtualQuote(liquidity: bigint, sqrtPriceX96: bigint, tokenIs0: boolean): bigint {
  return tokenIs0 ? (liquidity * sqrtPriceX96) >> 96n : (liquidity << 96n) / sqrtPriceX96
}

function least(amounts: readonly bigint[]): bigint {
  return amounts.reduce((low, amount) => (amount < low ? amount : low))
}

function priceAtMeanTick(tick: number, decimals0: number, decimals1: number): number {
  const whole = Math.floor(tick)
  return priceFromTick(whole, decimals0, decimals1) * 1.0001 ** (tick - whole)
}

const readSlot0 = contractFunction(v3PoolAbi, 'slot0')
const readLiquidity = contractFunction(v3PoolAbi, 'liquidity')
const readObserve = contractFunction(v3PoolAbi, 'observe')
const readBalanceOf = contractFunction(erc20Abi, 'balanceOf')
