import type { UsdFeed } from '@svc/wallet/core'
import { parseAbi } from 'viem'
import { contractFunction } from '../rpc/contract-function.ts'
import { query, type Query } from '../rpc/query.ts'
import type { FeedReading, SequencerReading } from './band/feed-witness.ts'

/** What an aggregator answers now. One that knows `latestAnswer` alone answers no round, and is no source. */
export function feedQuery(row: UsdFeed): Query<FeedReading> {
  const reads = [readDecimals(row.address, []), readLatestRound(row.address, [])] as const
  return query(reads, ([decimals, latest]) => {
    if (latest === null) return { row, decimals, round: null }
    const [, answer, , updatedAt] = latest
    return { row, decimals, round: { answer, updatedAt } }
  })
}

/** What the uptime feed of a sequencer answers now. */
export function sequencerQuery(row: SequencerReading['row']): Query<SequencerReading> {
  return query([readLatestRound(row.address, [])], ([latest]) => {
    if (latest === null) return { row, round: null }
    const [, answer, startedAt] = latest
    return { row, round: { answer, startedAt } }
  })
}

/** Chainlink's AggregatorV3Interface. */
const aggregatorAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])
const readDecimals = contractFunction(aggregatorAbi, 'decimals')
const readLatestRound = contractFunction(aggregatorAbi, 'latestRoundData')
