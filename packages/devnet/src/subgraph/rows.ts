import type { PeriodRecord, PoolRecord, TokenRecord } from './records.ts'

/** A pool of v3 or v4 as its subgraph answers: integers and decimals are text, as a token1 for one token0 is `token1Price`. */
export function poolRow(pool: PoolRecord, tvlUsd: number) {
  return {
    id: pool.id,
    createdAtTimestamp: String(pool.createdAt),
    token0: tokenRow(pool.token0),
    token1: tokenRow(pool.token1),
    feeTier: String(pool.feePips),
    liquidity: String(pool.liquidity),
    sqrtPrice: String(pool.sqrtPriceX96),
    tick: String(pool.tick),
    ...pricesOf(pool.token0Price),
    volumeUSD: decimalText(volumeOf(pool)),
    feesUSD: decimalText((volumeOf(pool) * pool.feePips) / 1e6),
    txCount: String(pool.transactions),
    totalValueLockedUSD: decimalText(tvlUsd),
    tickSpacing: String(pool.tickSpacing),
    hooks: pool.hooks,
  }
}

export function pairRow(pool: PoolRecord, tvlUsd: number) {
  const { id, createdAtTimestamp, token0, token1, token0Price, token1Price, volumeUSD, txCount } = poolRow(pool, tvlUsd)
  const reserves = { reserve0: decimalText(pool.amount0), reserve1: decimalText(pool.amount1) }
  return {
    id,
    createdAtTimestamp,
    token0,
    token1,
    token0Price,
    token1Price,
    volumeUSD,
    txCount,
    ...reserves,
    reserveUSD: decimalText(tvlUsd),
  }
}

/** `startName` is what the kind of period calls its beginning. */
export function periodRow(pool: PoolRecord, period: PeriodRecord, startName: 'periodStartUnix' | 'date') {
  return {
    id: `${pool.id}-${period.startsAt}`,
    [startName]: period.startsAt,
    pool: { id: pool.id },
    liquidity: String(period.liquidity),
    sqrtPrice: String(period.sqrtPriceX96),
    ...pricesOf(period.token0Price),
    tick: String(period.tick),
    open: decimalText(period.open),
    high: decimalText(period.high),
    low: decimalText(period.low),
    close: decimalText(period.close),
    tvlUSD: decimalText(period.tvlUsd),
    volumeToken0: decimalText(period.volume0),
    volumeToken1: decimalText(period.volume1),
    volumeUSD: decimalText(period.volumeUsd),
    feesUSD: decimalText((period.volumeUsd * pool.feePips) / 1e6),
    txCount: String(period.transactions),
  }
}

export function pairPeriodRow(pool: PoolRecord, period: PeriodRecord, prefix: 'hourly' | 'daily') {
  return {
    id: `${pool.id}-${period.startsAt}`,
    ...(prefix === 'hourly'
      ? { hourStartUnix: period.startsAt, pair: { id: pool.id } }
      : { date: period.startsAt, pairAddress: pool.id }),
    reserve0: decimalText(period.amount0),
    reserve1: decimalText(period.amount1),
    reserveUSD: decimalText(period.tvlUsd),
    [`${prefix}VolumeToken0`]: decimalText(period.volume0),
    [`${prefix}VolumeToken1`]: decimalText(period.volume1),
    [`${prefix}VolumeUSD`]: decimalText(period.volumeUsd),
    [`${prefix}Txns`]: String(period.transactions),
  }
}

function tokenRow({ id, symbol, name, decimals }: TokenRecord) {
  return { id, symbol, name, decimals: String(decimals) }
}

function pricesOf(token0Price: number) {
  return {
    token0Price: decimalText(token0Price),
    token1Price: decimalText(token0Price === 0 ? 0 : 1 / token0Price),
  }
}

function volumeOf(pool: PoolRecord): number {
  return [...pool.hours.values()].reduce((sum, hour) => sum + hour.volumeUsd, 0)
}

/** A plain decimal: their numbers bear no exponents. */
function decimalText(value: number): string {
  if (Number.isInteger(value)) return BigInt(value).toString()
  return value.toFixed(20).replace(/\.?0+$/, '')
}
