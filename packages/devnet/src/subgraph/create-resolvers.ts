import type { EventIndex } from './index-events.ts'
import { queryRows, type RowQuery } from './query-rows.ts'
import type { PeriodRecord, PoolRecord } from './records.ts'
import { pairPeriodRow, pairRow, periodRow, poolRow } from './rows.ts'

/** What the queries of one version's schema are answered with, out of an index that stands at a block. */
export function createResolvers(
  version: PoolRecord['version'],
  index: EventIndex,
  block: BlockMeta,
): Readonly<Record<string, unknown>> {
  const pools = index.pools().filter((pool) => pool.version === version)
  const held = ({ amount0, amount1, token0, token1 }: PoolRecord) =>
    amount0 * index.usdOf(token0) + amount1 * index.usdOf(token1)
  const all = (row: (pool: PoolRecord, tvlUsd: number) => object) => (query: RowQuery) => {
    const rows = pools.map((pool) => row(pool, held(pool)))
    return queryRows(rows, query)
  }
  const periods =
    (of: 'hours' | 'days', row: (pool: PoolRecord, period: PeriodRecord) => object) => (query: RowQuery) => {
      const owner = query.where?.['pool'] ?? query.where?.['pair'] ?? query.where?.['pairAddress']
      const rows = pools
        .filter(({ id }) => owner === undefined || id === owner)
        .flatMap((pool) => [...pool[of].values()].map((period) => row(pool, period)))
      return queryRows(rows, query)
    }
  const _meta = { block, deployment: `Qm${version}`, hasIndexingErrors: false }
  if (version === 'v2') {
    return {
      _meta,
      pairs: all(pairRow),
      pairHourDatas: periods('hours', (pool, period) => pairPeriodRow(pool, period, 'hourly')),
      pairDayDatas: periods('days', (pool, period) => pairPeriodRow(pool, period, 'daily')),
    }
  }
  return {
    _meta,
    pools: all(poolRow),
    poolHourDatas: periods('hours', (pool, period) => periodRow(pool, period, 'periodStartUnix')),
    poolDayDatas: periods('days', (pool, period) => periodRow(pool, period, 'date')),
  }
}

export type BlockMeta = { readonly number: number; readonly timestamp: number; readonly hash: string }
