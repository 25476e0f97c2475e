import { type Address, encodeFunctionData } from 'viem'
import type { Call } from '../chain/block-writer.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { priceFeed } from '../contracts.gen.ts'
import { type Layout, type FeedName, multicall3Address } from '../seed/layout.ts'
import type { LiveMarket, UsdPrices } from '../seed/market.ts'
import { type FeedSpec, feedSpecs, type FeedSymbol, toFeedAnswer, feedRenewalSeconds } from '../seed/token-specs.ts'

/** Posts to the feeds of a running chain, as each is set to. It makes no block unless it is asked to post. */
export function createFeeder(chain: FedChain): Feeder {
  const { client, layout, market, send } = chain
  let behaviours: Readonly<Partial<Record<FeedSymbol, Behaviour>>> = {}
  const behave = (symbol: FeedSymbol, behaviour: Behaviour) =>
    void (behaviours = { ...behaviours, [symbol]: behaviour })
  const priced = ({ symbol, asset }: Spec) => toFeedAnswer(market.usd[asset] * (behaviours[symbol]?.factor ?? 1))
  const behaveNow = async (spec: Spec, behaviour: Behaviour) => {
    behave(spec.symbol, behaviour)
    await send(postCall(layout, spec.symbol, priced(spec)))
  }
  const feedOf = (spec: Spec): DevnetFeed => ({
    address: layout.feeds[spec.symbol],
    follow: async () => await behaveNow(spec, {}),
    lie: async (factor) => await behaveNow(spec, { factor }),
    lag: (deviationBps) => behave(spec.symbol, { deviationBps }),
    stop: () => behave(spec.symbol, { stopped: true }),
    post: async (usd, { updatedAt } = {}) => await send(postCall(layout, spec.symbol, toFeedAnswer(usd), updatedAt)),
  })
  return {
    feeds: Object.fromEntries(feedSpecs.map((spec) => [spec.symbol, feedOf(spec)])) as Feeder['feeds'],
    sequencer: createSequencer(chain),
    postDue: async () => {
      const [last, { timestamp }] = await Promise.all([readFeeds(client, layout), client.getBlock()])
      for (const spec of feedSpecs) {
        const { stopped = false, deviationBps = spec.deviationBps } = behaviours[spec.symbol] ?? {}
        const answer = priced(spec)
        const now = { answer, timestamp: Number(timestamp), deviationBps }
        if (!stopped && isDue(last[spec.symbol], now)) await send(postCall(layout, spec.symbol, answer))
      }
    },
    remember: () => {
      const kept = behaviours
      return () => void (behaviours = kept)
    },
  }
}

export type Feeder = {
  readonly feeds: Readonly<Record<FeedSymbol, DevnetFeed>>
  readonly sequencer: DevnetSequencer
  /** Posts what is due at the market's prices, a block each. */
  readonly postDue: () => Promise<void>
  /** Remembers how each feed behaves; what it returns brings that back. */
  readonly remember: () => () => void
}

/** A price feed. How it is set holds until it is set anew; restoring a checkpoint restores it too. */
export type DevnetFeed = {
  readonly address: Address
  /** As it should (from the start): posts the market's price now, and along with trades whenever it is due. */
  follow(): Promise<void>
  /** Follows late: leaves its answer alone until the market is so far from it. */
  lag(deviationBps: number): void
  /** Posts nothing any more, so that its answer grows old. */
  stop(): void
  /** Posts the market's price times `factor` now, and follows the market so from then on. */
  lie(factor: number): Promise<void>
  /**
   * Posts this answer now, once, as of the block's time or of another (unix seconds). It stays until the feed has reason to
   * post again, which a feed that follows has with the next trade: stop it first to keep the answer.
   */
  post(usd: number, options?: { readonly updatedAt?: number }): Promise<void>
}

/** The uptime feed of the sequencer that an L2 would have. */
export type DevnetSequencer = {
  readonly address: Address
  /** Says that the sequencer is up or down as of now. What it says already, it does not say again. */
  set(isUp: boolean): Promise<void>
}

type FedChain = {
  readonly client: ChainClient
  readonly layout: Layout
  readonly market: LiveMarket
  readonly send: (call: Call) => Promise<void>
}

type Spec = (typeof feedSpecs)[number]

type Behaviour = Partial<Pick<FeedSpec, 'deviationBps'>> & { readonly factor?: number; readonly stopped?: boolean }

function createSequencer({ client, layout, send }: FedChain): DevnetSequencer {
  const address = layout.feeds.sequencer
  return {
    address,
    set: async (isUp) => {
      const read = { address, abi: priceFeed.abi, functionName: 'latestRoundData' } as const
      const [, answer] = await client.readContract(read)
      const wanted = sequencerAnswer[isUp ? 'up' : 'down']
      if (answer !== wanted) await send(postCall(layout, 'sequencer', wanted))
    },
  }
}

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
