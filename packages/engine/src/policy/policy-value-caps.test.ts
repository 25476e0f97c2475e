import { describe, expect, it } from 'vitest'
import { parsePolicy } from './policy.ts'
import { dailyValueCaps } from '../spending/budgets.ts'

const capsOf = (policy: object) => dailyValueCaps(parsePolicy(policy, { production: false }))
const limitsUsd = { perTransaction: '5000', perSession: '50000', daily: '50000' }

describe('what a day may move of tokens that pools alone price', () => {
  it.each([
    ['loses no more than the day may where prices are wrong by all that the policy lets stand', {}, 10_000],
    ['follows the loss of the day', { maxDailyLossUsd: '300' }, 3_000],
    ['follows the width of a band', { maxPriceBandBps: 400 }, 25_000],
    ['is no more than the day itself', { maxPriceBandBps: 0 }, 50_000],
    ['is what the policy says', { poolPricedUsd: '123' }, 123],
  ])('%s', (_what, change, usd) => {
    expect(capsOf({ limitsUsd, ...change }).poolPriced).toBe(BigInt(usd) * 1_000_000n)
  })
})
