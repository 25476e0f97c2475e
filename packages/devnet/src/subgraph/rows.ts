import { GraphQLError } from 'graphql'

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

/**
 * Filters, sorts and cuts rows as the node of the public subgraphs does: operators are suffixes of the filter's members, decimals
 * compare as numbers, at most 1,000 rows are given and 5,000 skipped.
 */
export function queryRows<Row extends object>(rows: readonly Row[], query: RowQuery): Row[] {
  const { first, skip, where = {}, orderBy = 'id', orderDirection = 'asc' } = query
  if (first < 0 || first > 1_000) {
    throw new GraphQLError(`The value of the \`first\` argument must be between 0 and 1000, but is ${first}`)
  }
  if (skip < 0 || skip > 5_000) {
    throw new GraphQLError(`The value of the \`skip\` argument must be between 0 and 5000, but is ${skip}`)
  }
  const sign = orderDirection === 'asc' ? 1 : -1
  return rows
    .filter((row) => fits(row, where))
    .toSorted((a, b) => sign * compare(read(a, orderBy), read(b, orderBy)) || compare(read(a, 'id'), read(b, 'id')))
    .slice(skip, skip + first)
}

export type RowQuery = {
  readonly first: number
  readonly skip: number
  readonly orderBy?: string
  readonly orderDirection?: 'asc' | 'desc'
  readonly where?: Filter
}

type Filter = { readonly [member: string]: unknown }

function fits(row: object, where: Filter): boolean {
  return Object.entries(where).every(([member, wanted]) => {
    if (member === 'or') return (wanted as Filter[]).some((filter) => fits(row, filter))
    if (member === 'and') return (wanted as Filter[]).every((filter) => fits(row, filter))
    const [, name = member, operator = 'is'] = /^(.*?)(?:_(gte|gt|lte|lt|in))?$/.exec(member) ?? []
    const value = read(row, name)
    if (operator === 'in') return (wanted as unknown[]).some((one) => compare(value, one) === 0)
    const order = compare(value, wanted)
    return operators[operator]?.(order) ?? false
  })
}

const operators: Readonly<Record<string, (order: number) => boolean>> = {
  is: (order) => order === 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

/** A reference to another row stands for its id. */
function read(row: object, name: string): unknown {
  const value = (row as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'object' && value !== null && 'id' in value ? value.id : value
}

function compare(a: unknown, b: unknown): number {
  const [left, right] = [String(a), String(b)]
  if (decimal.test(left) && decimal.test(right)) return Number(left) - Number(right)
  return left < right ? -1 : left > right ? 1 : 0
}

const decimal = /^-?\d+(\.\d+)?$/

/** A pool or pair as the index follows it: amounts in whole tokens, dollars by the prices of the moment. */
export type PoolRecord = {
  readonly version: 'v2' | 'v3' | 'v4'
  readonly id: string
  readonly token0: TokenRecord
  readonly token1: TokenRecord
  readonly createdAt: number
  readonly feePips: number
  readonly tickSpacing: number
  readonly hooks: string
  sqrtPriceX96: bigint
  liquidity: bigint
  tick: number
  /** Whole token0 for one token1, as subgraphs call it; 0 before the pool has a price. */
  token0Price: number
  amount0: number
  amount1: number
  volumeUsd: number
  transactions: number
  readonly hours: Map<number, PeriodRecord>
  readonly days: Map<number, PeriodRecord>
}

export type TokenRecord = {
  readonly id: string
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

/** An hour or a day with at least one event. */
export type PeriodRecord = {
  readonly startsAt: number
  readonly open: number
  high: number
  low: number
  close: number
  token0Price: number
  sqrtPriceX96: bigint
  liquidity: bigint
  tick: number
  amount0: number
  amount1: number
  tvlUsd: number
  volume0: number
  volume1: number
  volumeUsd: number
  transactions: number
}

/** One trade, in whole tokens without sign. */
export type Traded = { readonly amount0: number; readonly amount1: number; readonly usd: number }
