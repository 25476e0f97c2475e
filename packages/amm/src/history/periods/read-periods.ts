import * as z from 'zod'
import type { Pool } from '../../ports.ts'
import type { AskSubgraph } from '../../subgraph/create-subgraphs.ts'
import { decimalField, metaField, timeField } from '../../subgraph/fields.ts'
import { SubgraphError } from '../../subgraph/subgraph-error.ts'
import type { BarGrid } from '../bars/bar-grid.ts'
import { periodQueries } from './period-queries.ts'

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
