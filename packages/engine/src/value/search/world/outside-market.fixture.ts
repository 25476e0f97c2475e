import type { Random } from '@svc/lp-math'
import type { Address } from 'viem'
import type { FeedPlan, Scenario } from './scenario.fixture.ts'
import type { SimPool } from './sim-pool.fixture.ts'
import type { SimToken } from './sim-token.fixture.ts'

/** Prices in US dollars outside the chain, and the feeds that report them on it. Changed in place. */
export type OutsideMarket = {
  prices: Prices
  feeds: Map<Address, FeedState>
  /** Logarithm by which all prices but those of dollars drift in an hour; then they also stray twice as much as usual. */
  hourlyDrift: number
  /** Prices of the last two hours, oldest first. */
  readonly trail: { readonly timestamp: number; readonly prices: Prices }[]
}

/** By token. */
export type Prices = Map<Address, number>

export type FeedState = {
  readonly plan: FeedPlan
  /** As an aggregator with 8 decimals answers. */
  answer: bigint
  updatedAt: number
  due: { readonly answer: bigint; readonly at: number } | null
  stopped: boolean
}

export function createMarket(scenario: Scenario, timestamp: number): OutsideMarket {
  const prices = new Map(scenario.tokens.map(({ token, usd }) => [token.address, usd]))
  const feeds = new Map<Address, FeedState>()
  for (const { token, usd, feed } of scenario.tokens) {
    if (feed === null) continue
    feeds.set(token.address, { plan: feed, answer: answerOf(usd), updatedAt: timestamp, due: null, stopped: false })
  }
  return { prices, feeds, hourlyDrift: 0, trail: [] }
}

export function cloneMarket(market: OutsideMarket): OutsideMarket {
  const feeds = new Map([...market.feeds].map(([address, feed]) => [address, { ...feed }]))
  return { ...market, prices: new Map(market.prices), feeds, trail: [...market.trail] }
}

/** Prices and what feeds answer, as plain data by the address of the token. */
export function quotedMarket({ prices, feeds }: OutsideMarket): QuotedMarket {
  const answers = [...feeds].map(
    ([token, { answer, updatedAt }]) => [token, { answer: `${answer}`, updatedAt }] as const,
  )
  return { prices: Object.fromEntries(prices), feeds: Object.fromEntries(answers) }
}

export type QuotedMarket = {
  readonly prices: Readonly<Record<Address, number>>
  readonly feeds: Readonly<Record<Address, { readonly answer: string; readonly updatedAt: number }>>
}

/** Lets the market move for so many seconds, and the feeds answer. */
export function moveMarket(
  market: OutsideMarket,
  scenario: Scenario,
  random: Random,
  timestamp: number,
  seconds: number,
): void {
  const years = seconds / (365 * 86_400)
  for (const { token, sigma } of scenario.tokens) {
    if (sigma === 0) continue
    const deviation = sigma * (market.hourlyDrift === 0 ? 1 : 2) * Math.sqrt(years)
    const drift = (market.hourlyDrift * seconds) / 3600 - (deviation * deviation) / 2
    const factor = Math.exp(deviation * random.normal() + drift)
    market.prices.set(token.address, priceOf(market, token) * factor)
  }
  const [oldest] = market.trail
  const last = market.trail.at(-1)
  if (last === undefined || timestamp - last.timestamp >= trailStepSeconds)
    market.trail.push({ timestamp, prices: new Map(market.prices) })
  if (oldest !== undefined && timestamp - oldest.timestamp > trailSeconds) market.trail.shift()
  for (const [address, feed] of market.feeds) updateFeed(feed, market.prices.get(address) ?? 0, timestamp)
}

const trailSeconds = 7_200
const trailStepSeconds = 300

/** 0 for a token that only its maker deals in. */
export function priceOf(market: Pick<OutsideMarket, 'prices'>, token: Pick<SimToken, 'address'>): number {
  return market.prices.get(token.address) ?? 0
}

/** Token1 for one unit of token0 outside; `null` where a token has no price there. */
export function outsideRawPrice(
  market: Pick<OutsideMarket, 'prices'>,
  pool: Pick<SimPool, 'token0' | 'token1'>,
): number | null {
  const [price0, price1] = [priceOf(market, pool.token0), priceOf(market, pool.token1)]
  if (price0 === 0 || price1 === 0) return null
  return (price0 / price1) * 10 ** (pool.token1.decimals - pool.token0.decimals)
}

function updateFeed(feed: FeedState, price: number, timestamp: number): void {
  if (feed.stopped) return
  if (feed.due !== null) {
    if (timestamp < feed.due.at) return
    feed.answer = feed.due.answer
    feed.updatedAt = timestamp
    feed.due = null
  }
  const { heartbeatSeconds, deviationBps, lagSeconds } = feed.plan
  const answer = answerOf(price)
  const strays = Math.abs(Number(answer) / Number(feed.answer) - 1) > deviationBps / 10_000
  if (strays || timestamp - feed.updatedAt >= heartbeatSeconds) feed.due = { answer, at: timestamp + lagSeconds }
}

function answerOf(price: number): bigint {
  return BigInt(Math.round(price * 1e8))
}
