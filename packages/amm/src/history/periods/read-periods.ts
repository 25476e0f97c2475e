import * as z from 'zod'
import type { Pool } from '../../ports.ts'
import { type AskSubgraph, SubgraphError } from '../../subgraph/create-subgraphs.ts'
import type { BarGrid } from '../bars/bar-columns.ts'

/**
 * The periods of a pool within a grid, oldest first, each at a bar's beginning, and the one before them. Throws `SubgraphError`,
 * `malformed` for rows that are not in order or do not lie where they should. Subgraphs give a thousand rows a page at most.
 */
export async function readPeriods(
  ask: AskSubgraph,
  pool: Pick<Pool, 'id' | 'version' | 'token0' | 'token1'>,
  { start, count, barSeconds }: BarGrid & { readonly barSeconds: 3_600 | 86_400 },
  rowsOfPage = 1_000,
): Promise<Periods> {
  const isPair = pool.version === 'v2'
  const query = periodQueries[isPair ? 'pair' : 'pool'][barSeconds]
  const schema = isPair ? pairAnswer(pool) : poolAnswer
  const to = start + count * barSeconds
  const periods: Period[] = []
  for (let after = start, first: Page | null = null; ;) {
    const variables = { pool: pool.id.toLowerCase(), after, to, first: rowsOfPage }
    const page = schema.safeParse(await ask(query, variables))
    if (!page.success) throw new SubgraphError('malformed', 'answered in a form that it never had')
    first ??= page.data
    if (page.data.before.some(({ startsAt }) => startsAt >= after)) throw outOfPlace()
    for (const period of page.data.periods) {
      const isInPlace = period.startsAt >= after && period.startsAt < to && period.startsAt % barSeconds === 0
      if (!isInPlace) throw outOfPlace()
      after = period.startsAt + 1
      periods.push(period)
    }
    if (page.data.periods.length < rowsOfPage)
      return { meta: page.data._meta, before: first.before[0] ?? null, periods }
  }
}

export type Periods = {
  readonly meta: z.output<typeof metaField>
  readonly before: Period | null
  readonly periods: readonly Period[]
}

/** Whole tokens and dollars. Prices are whole token0 for one token1, as subgraphs have them. */
export type Period = {
  readonly startsAt: number
  /** Smallest units, as the pool counts it. */
  readonly liquidity: number
  /** The last of the period. */
  readonly price: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly volume0: number
  readonly volume1: number
  readonly volumeUsd: number
  readonly tvlUsd: number
  readonly trades: number
}

type Page = z.output<typeof poolAnswer>

function outOfPlace(): SubgraphError {
  return new SubgraphError('malformed', 'answered with periods that nobody asked for')
}

/** A decimal as subgraphs write it: text. */
const decimalField = z
  .string()
  .max(200)
  .refine((text) => /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text)))
  .transform(Number)

/** Unix seconds, as a number. */
const timeField = z.int().nonnegative()

/** Which block an answer is of. */
export const metaField = z.object({
  block: z.object({ number: z.int().nonnegative(), timestamp: z.int().nonnegative().nullable() }),
  hasIndexingErrors: z.boolean(),
})

const metaQuery = '_meta { block { number timestamp } hasIndexingErrors }'

const shared = {
  startsAt: timeField,
  volume0: decimalField,
  volume1: decimalField,
  volumeUsd: decimalField,
  tvlUsd: decimalField,
  trades: decimalField,
}

const poolPeriod = z.object({
  ...shared,
  liquidity: decimalField,
  price: decimalField,
  open: decimalField,
  high: decimalField,
  low: decimalField,
})

const poolAnswer = answerOf(poolPeriod)

/** Hours and days of pairs keep reserves alone: the price of their end, and the liquidity. */
function pairAnswer({ token0, token1 }: Pick<Pool, 'token0' | 'token1'>) {
  const unit = 10 ** ((token0.decimals + token1.decimals) / 2)
  const pairPeriod = z
    .object({ ...shared, reserve0: decimalField, reserve1: decimalField })
    .transform(({ reserve0, reserve1, ...period }): Period => {
      const price = reserve1 === 0 ? 0 : reserve0 / reserve1
      const liquidity = Math.sqrt(Math.max(0, reserve0 * reserve1)) * unit
      return { ...period, price, liquidity, open: price, high: price, low: price }
    })
  return answerOf(pairPeriod)
}

function answerOf<Row extends z.ZodType>(row: Row) {
  return z.object({ _meta: metaField, before: z.array(row).max(1), periods: z.array(row).max(1_000) })
}

/**
 * The hours or days of one pool after a time, a page of them, and the last one before the first page. Their members are given names
 * of ours, so that one reader serves all versions.
 */
const periodQueries = {
  pool: {
    3600: poolQuery('poolHourDatas', 'periodStartUnix'),
    86400: poolQuery('poolDayDatas', 'date'),
  },
  pair: {
    3600: pairQuery('pairHourDatas', 'hourStartUnix', 'pair', 'hourly'),
    86400: pairQuery('pairDayDatas', 'date', 'pairAddress', 'daily'),
  },
} as const

function query(list: string, time: string, owner: string, fields: string): string {
  return `query Periods($pool: String!, $after: Int!, $to: Int!, $first: Int!) {
  ${metaQuery}
  before: ${list}(first: 1, orderBy: ${time}, orderDirection: desc, where: { ${owner}: $pool, ${time}_lt: $after }) { ...Period }
  periods: ${list}(first: $first, orderBy: ${time}, orderDirection: asc, where: { ${owner}: $pool, ${time}_gte: $after, ${time}_lt: $to }) { ...Period }
}
${fields}`
}

/** `token0Price` is the last price of the period; `close` is not, in days: there it stays the first. */
function poolQuery(list: 'poolHourDatas' | 'poolDayDatas', time: string): string {
  const type = list === 'poolHourDatas' ? 'PoolHourData' : 'PoolDayData'
  return query(
    list,
    time,
    'pool',
    `fragment Period on ${type} {
  startsAt: ${time} liquidity price: token0Price open high low
  volume0: volumeToken0 volume1: volumeToken1 volumeUsd: volumeUSD tvlUsd: tvlUSD trades: txCount
}`,
  )
}

function pairQuery(list: 'pairHourDatas' | 'pairDayDatas', time: string, owner: string, prefix: string): string {
  const type = list === 'pairHourDatas' ? 'PairHourData' : 'PairDayData'
  return query(
    list,
    time,
    owner,
    `fragment Period on ${type} {
  startsAt: ${time} reserve0 reserve1
  volume0: ${prefix}VolumeToken0 volume1: ${prefix}VolumeToken1 volumeUsd: ${prefix}VolumeUSD tvlUsd: reserveUSD trades: ${prefix}Txns
}`,
  )
}
