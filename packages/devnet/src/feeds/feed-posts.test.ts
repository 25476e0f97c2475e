import { decodeFunctionData } from 'viem'
import { describe, expect, it, test } from 'vitest'
import { devAccounts } from '../accounts.ts'
import { priceFeed } from '../contracts.gen.ts'
import { createLayout } from '../seed/layout.ts'
import { pricesNow } from '../seed/market.ts'
import { duePosts, type FeedAnswers, isDue } from './create-feeder.ts'
import { feedHeartbeatSeconds, feedRenewalSeconds, feedSpecs, toFeedAnswer } from '../seed/token-specs.ts'

const layout = createLayout(devAccounts())

describe('isDue', () => {
  const last = { answer: 1_000_000n, updatedAt: 5_000 }

  it.each([
    ['the same price', 1_000_000n, false],
    ['just less than the deviation above', 1_004_999n, false],
    ['the deviation above', 1_005_000n, true],
    ['just less than the deviation below', 995_001n, false],
    ['the deviation below', 995_000n, true],
  ])('at %s', (_what, answer, expected) => {
    expect(isDue(last, { answer, timestamp: 5_001, deviationBps: 50 })).toBe(expected)
  })

  it('whatever the price, from the future on, and two hours before the heartbeat is over: blocks of the history are 75 minutes apart', () => {
    const at = (age: number) => isDue(last, { answer: last.answer, timestamp: last.updatedAt + age, deviationBps: 50 })
    expect(at(-1)).toBe(true)
    expect(at(0)).toBe(false)
    expect(at(feedRenewalSeconds - 1)).toBe(false)
    expect(at(feedRenewalSeconds)).toBe(true)
    expect(feedRenewalSeconds + 4_500).toBeLessThan(feedHeartbeatSeconds)
  })

  it('from an answer that is no price', () => {
    expect(isDue({ ...last, answer: 0n }, { answer: 1n, timestamp: 5_001, deviationBps: 50 })).toBe(true)
    expect(isDue({ ...last, answer: -1_000_000n }, { answer: 1n, timestamp: 5_001, deviationBps: 50 })).toBe(true)
  })
})

test('duePosts posts where a price has moved, and remembers what was posted', () => {
  const answers = feedSpecs.map(({ symbol, asset }) => [
    symbol,
    { answer: toFeedAnswer(pricesNow[asset]), updatedAt: 1_000 },
  ])
  const last = Object.fromEntries(answers) as FeedAnswers
  const usd = { ...pricesNow, ETH: 3_015, WBTC: 90_449, USDT: 0.9975, DAI: 1.0024 }
  const posts = duePosts(layout, { last, usd, timestamp: 2_000 })
  expect(posts.calls.map(({ to }) => to)).toEqual([layout.feeds.ETH, layout.feeds.USDT])
  const [{ data }] = posts.calls as [(typeof posts.calls)[0]]
  expect(decodeFunctionData({ abi: priceFeed.abi, data }).args).toEqual([301_500_000_000n, 0n])
  expect(posts.last).toEqual({
    ...last,
    ETH: { answer: 301_500_000_000n, updatedAt: 2_000 },
    USDT: { answer: 99_750_000n, updatedAt: 2_000 },
  })
  expect(duePosts(layout, { last: posts.last, usd, timestamp: 2_012 }).calls).toEqual([])
})
