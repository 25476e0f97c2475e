import { type OutsideMarket, priceOf } from './outside-market.fixture.ts'
import { rawPriceAt, type SimPool, sqrtPriceOfRaw } from './sim-pool.fixture.ts'
import { amountOf, type SimToken, usdOf } from './sim-token.fixture.ts'
import { amountsAt, feesOf, liquidityOf, type OwnedRange } from './tick-pool.fixture.ts'

/** Somebody's tokens and positions. Changed in place. */
export type SimAccount = {
  readonly name: string
  readonly balances: Map<SimToken, bigint>
  readonly positions: SimPosition[]
  /** Counts positions, so that each has an owner of its own, as an NFT has. */
  minted: number
}

/** `range` is `null` for the share of a v2 pair. */
export type SimPosition = { readonly pool: string; readonly range: OwnedRange | null }

export function cloneAccount(account: SimAccount): SimAccount {
  return { ...account, balances: new Map(account.balances), positions: [...account.positions] }
}

export function balanceOf(account: SimAccount, token: SimToken): bigint {
  return account.balances.get(token) ?? 0n
}

export function credit(account: SimAccount, token: SimToken, amount: bigint): void {
  account.balances.set(token, balanceOf(account, token) + amount)
}

/** All that an account has, in US dollars at the prices outside, whatever the pools say. */
export function worthOf(
  account: SimAccount,
  pools: ReadonlyMap<string, SimPool>,
  market: Pick<OutsideMarket, 'prices'>,
): number {
  let usd = 0
  for (const [token, amount] of account.balances) usd += usdOf(token, amount, priceOf(market, token))
  for (const position of account.positions) usd += worthOfPosition(position, pools, market, account.name)
  return usd
}

/**
 * What a position is worth once its pool is back at the price outside, with the fees it has earned: no push of the pool changes it.
 * Where one of its tokens is worth nothing, so is what it holds, for it ends up holding that one.
 */
function worthOfPosition(
  { pool: name, range }: SimPosition,
  pools: ReadonlyMap<string, SimPool>,
  market: Pick<OutsideMarket, 'prices'>,
  owner: string,
): number {
  const pool = pools.get(name)
  if (pool === undefined) return 0
  const [price0, price1] = [priceOf(market, pool.token0), priceOf(market, pool.token1)]
  const usd = (amounts: { readonly amount0: bigint; readonly amount1: bigint }) =>
    usdOf(pool.token0, amounts.amount0, price0) + usdOf(pool.token1, amounts.amount1, price1)
  const isPriced = price0 > 0 && price1 > 0
  if (pool.version === 'v2') {
    const { pair } = pool
    if (!isPriced) return 0
    const share = Number(pair.shares.get(owner) ?? 0n) / Number(pair.totalSupply)
    const raw0 = Math.sqrt((Number(pair.reserve0) * Number(pair.reserve1)) / rawPriceAt(pool, price0, price1))
    return 2 * share * (raw0 / 10 ** pool.token0.decimals) * price0
  }
  if (range === null) return 0
  const fees = usd(feesOf(pool.state, range))
  if (!isPriced) return fees
  const sqrtPriceX96 = sqrtPriceOfRaw(rawPriceAt(pool, price0, price1))
  return fees + usd(amountsAt(sqrtPriceX96, range, liquidityOf(pool.state, range), false))
}

/** What somebody who can trade outside, at the price there and without a fee, can pay of a token. */
export function affordable(account: SimAccount, market: Pick<OutsideMarket, 'prices'>, token: SimToken): bigint {
  if (token.own) return endless
  let usd = 0
  for (const [held, amount] of account.balances) usd += usdOf(held, amount, priceOf(market, held))
  return amountOf(token, usd, priceOf(market, token))
}

/** Takes an amount that is affordable; what is lacking is bought outside. */
export function pay(account: SimAccount, market: Pick<OutsideMarket, 'prices'>, token: SimToken, amount: bigint): void {
  if (token.own) return
  credit(account, token, -amount)
  let owedUsd = -usdOf(token, balanceOf(account, token), priceOf(market, token))
  if (owedUsd <= 0) return
  for (const [other, held] of account.balances) {
    const price = priceOf(market, other)
    if (other === token || held <= 0n || price === 0) continue
    const part = Math.min(owedUsd, usdOf(other, held, price))
    const sold = amountOf(other, part, price)
    credit(account, other, sold < held ? -sold : -held)
    credit(account, token, amountOf(token, part, priceOf(market, token)))
    owedUsd -= part
    if (owedUsd <= 0) return
  }
}

const endless = 1n << 110n
