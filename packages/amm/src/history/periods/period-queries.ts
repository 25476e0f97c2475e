import { metaQuery } from '../../subgraph/fields.ts'

/**
 * The hours or days of one pool after a time, a page of them, and the last one before the first page. Their members are given names
 * of ours, so that one reader serves all versions.
 */
export const periodQueries = {
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
