import type { ChainClient } from '../chain/chain-client.ts'
import { priceFeed } from '../contracts.gen.ts'
import { type Layout, multicall3Address } from '../seed/layout.ts'
import type { FeedAnswer, FeedAnswers } from './feed-posts.ts'
import { feedSpecs } from './feed-specs.ts'

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
