import type { ChainToken } from '@svc/wallet/core'
import { parseAbi } from 'viem'
import { contractFunction } from '../rpc/contract-function.ts'
import { knownQuery, query, type Query } from '../rpc/query.ts'

/**
 * What the aggregator of a token says, US dollars for one whole token times 1e18; `null` where the chain's row names none,
 * where it answers nothing above zero, or where its answer is older than its heartbeat.
 *
 * @param atSeconds time of the block that is read
 */
export function usdFeedQuery(token: Pick<ChainToken, 'usdFeed'>, atSeconds: bigint): Query<bigint | null> {
  const { usdFeed } = token
  if (usdFeed === undefined) return knownQuery(null)
  const reads = [readDecimals(usdFeed.address, []), readLatest(usdFeed.address, [])] as const
  return query(reads, ([decimals, latest]) => {
    if (decimals === null || latest === null || decimals > mostDecimals) return null
    const [, answer, , updatedAt] = latest
    const age = atSeconds - updatedAt
    if (answer <= 0n || age < 0n || age > BigInt(usdFeed.heartbeatSeconds)) return null
    return (answer * 10n ** 18n) / 10n ** BigInt(decimals)
  })
}

const mostDecimals = 36

/** Chainlink's AggregatorV3Interface. */
const aggregatorAbi = parseAbi([
  'function decimals() view returns (uint8)',
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])
const readDecimals = contractFunction(aggregatorAbi, 'decimals')
const readLatest = contractFunction(aggregatorAbi, 'latestRoundData')
