import type { CheckRequest, SpendLimits, SpendVerdict } from '@svc/store'
import { expect, test } from 'vitest'
import { budgetNames, unnamedBudgetName } from './budgets.ts'
import { aboveOne, exceededLimits, limitRefusal, mayBeLifted } from './limit-refusal.ts'

const asks = { amountUsdMicros: 40_000_000n, gasUsdMicros: 1_000_000n, isExit: false }
const sums = { capUsdMicros: 100_000_000n, usedUsdMicros: 80_000_000n, askedUsdMicros: 41_000_000n }
const ofDay = { granted: false, limit: 'daily', freesAt: null, ...sums } as const
const ofGas = { granted: false, limit: 'dailyGas', freesAt: null, ...sums } as const
const ofLoss = { granted: false, limit: 'budget', budget: budgetNames.loss, ...sums } as const
const unnamed = unnamedBudgetName(1, '0x0000000000000000000000000000000000000001')
const forPerson = { ...ofLoss, budget: unnamed, capUsdMicros: 0n }
const one = aboveOne({ perTransaction: 10_000_000n }, asks)
const limits: SpendLimits = { perTransaction: 1n, perSession: 1n, daily: 1n }
const request: CheckRequest = { principal: 'key:one', chainId: 1, amountUsdMicros: 2n, limits, sessionIdleMs: 1 }
const unpriced = { code: 'PRICE_UNAVAILABLE', message: 'No source tells what a token is worth.' } as const

test.each([
  ['the day, most of which others hold', [limitRefusal(ofDay, asks)], true],
  ['the budget of losses', [limitRefusal(ofLoss, asks)], true],
  ['the day, which nobody has used', [limitRefusal({ ...ofDay, usedUsdMicros: 0n }, asks)], false],
  ['the day, which the call alone exceeds', [limitRefusal({ ...ofDay, askedUsdMicros: 100_000_001n }, asks)], false],
  ['the limit of one transaction', [one], false],
  ['the day, and the limit of one transaction', [limitRefusal(ofDay, asks), one], false],
  ['gas of a day', [limitRefusal(ofGas, asks)], false],
  ['gas of a day for ways home', [limitRefusal(ofGas, { ...asks, isExit: true })], false],
  ['what a person must decide', [limitRefusal(forPerson, asks)], false],
  ['a token without a price', [unpriced], false],
  ['nothing', [], false],
] as const)('whether a lower count of earlier calls may help against %s', (_, refusals, isHelped) => {
  expect(mayBeLifted(refusals)).toBe(isHelped)
})

test.each([
  ['a budget', ofLoss],
  ['the gas of a day', ofGas],
] as const)('%s that stands against a call is named, and the ledger asked for nothing else', async (_what, verdict) => {
  const check = () => Promise.reject(new Error('asked'))
  expect(await exceededLimits({ check }, request, verdict)).toEqual([verdict])
})

test('limits are named until the ledger would grant the call, each with those before it lifted', async () => {
  const ofSession = { ...ofDay, limit: 'perSession' } as const
  const asked: SpendLimits[] = []
  const check = async ({ limits }: CheckRequest) => {
    asked.push(limits)
    return asked.length === 1 ? ofSession : ({ granted: true } as SpendVerdict)
  }
  expect(await exceededLimits({ check }, request, ofDay)).toEqual([ofDay, ofSession])
  const lifted = 10n ** 19n
  expect(asked).toEqual([
    { ...limits, daily: lifted },
    { ...limits, daily: lifted, perSession: lifted },
  ])
})
