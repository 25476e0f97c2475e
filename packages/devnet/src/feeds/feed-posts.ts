import type { ChainClient } from '../chain/chain-client.ts'
import { priceFeed } from '../contracts.gen.ts'
import { type FeedName, type Layout, multicall3Address } from '../seed/layout.ts'
import { feedRenewalSeconds, type FeedSpec, feedSpecs, type FeedSymbol, toFeedAnswer } from './feed-specs.ts'
import { encodeFunctionData } from 'viem'
import type { Call } from '../chain/block-writer.ts'
import type { UsdPrices } from '../seed/prices.ts'

/** What a feed said last, and when (unix seconds). */
export type FeedAnswer = { readonly answer: bigint; readonly updatedAt: number }

export type FeedAnswers = Readonly<Record<FeedSymbol, FeedAnswer>>

/** Posts of those feeds that answer anew in a block at `timestamp`, and what all have answered after it. */
export function duePosts(
  layout: Layout,
  { last, usd, timestamp }: { readonly last: FeedAnswers; readonly usd: UsdPrices; readonly timestamp: number },
): { readonly calls: readonly Call[]; readonly last: FeedAnswers } {
  const calls: Call[] = []
  const answered: Record<FeedSymbol, FeedAnswer> = { ...last }
  for (const { symbol, asset, deviationBps } of feedSpecs) {
    const answer = toFeedAnswer(usd[asset])
    if (!isDue(last[symbol], { answer, timestamp, deviationBps })) continue
    calls.push(postCall(layout, symbol, answer))
    answered[symbol] = { answer, updatedAt: timestamp }
  }
  return { calls, last: answered }
}

/** Whether the market has left the last answer by the feed's deviation, or that answer is too old or from the future. */
export function isDue(
  last: FeedAnswer,
  now: Pick<FeedSpec, 'deviationBps'> & { readonly answer: bigint; readonly timestamp: number },
): boolean {
  const age = now.timestamp - last.updatedAt
  if (age < 0 || age >= feedRenewalSeconds) return true
  const distance = now.answer > last.answer ? now.answer - last.answer : last.answer - now.answer
  const size = last.answer < 0n ? -last.answer : last.answer
  return distance * 10_000n >= size * BigInt(now.deviationBps)
}

/** A post of every feed, whatever it said before. */
export function allPosts(layout: Layout, usd: UsdPrices): readonly Call[] {
  return feedSpecs.map(({ symbol, asset }) => postCall(layout, symbol, toFeedAnswer(usd[asset])))
}

/** An answer as of the block that takes it, or as of another time (unix seconds). */
export function postCall(layout: Layout, feed: FeedName, answer: bigint, updatedAt?: number): Call {
  return {
    from: layout.roles.deployer,
    to: layout.feeds[feed],
    data: encodeFunctionData({ abi: priceFeed.abi, functionName: 'post', args: [answer, BigInt(updatedAt ?? 0)] }),
    gas: 120_000n,
    what: `post to the ${feed} feed`,
  }
}

/** What the sequencer's uptime feed answers. */
export const sequencerAnswer = { up: 0n, down: 1n } as const

/** What all price feeds say at a block, or at the head of the chain. */
export async function readFeeds(client: ChainClient, layout: Layout, blockNumber?: bigint): Promise<FeedAnswers> {
  const rounds = await client.multicall({
    multicallAddress: multicall3Address,
    allowFailure: false,
    ...(blockNumber !== undefined && { blockNumber }),
    contracts: feedSpecs.map(({ symbol }) => ({
      address: layout.feeds[symbol],
      abi: priceFeed.abi,
      functionName: 'latestRoundData' as const,
    })),
  })
  const answers = rounds.map(([, answer, , updatedAt], index): readonly [string, FeedAnswer] => [
    feedSpecs[index]?.symbol ?? '',
    { answer, updatedAt: Number(updatedAt) },
  ])
  return Object.fromEntries(answers) as FeedAnswers
}
