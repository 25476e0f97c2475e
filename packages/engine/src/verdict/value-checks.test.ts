import type { Budget } from '@svc/store'
import { describe, expect, it } from 'vitest'
import { budgetNames, poolBudgetName, poolPricedBudgetName } from '../spending/budgets.ts'
import { type ValueQuestion, valueChecks } from './value-checks.ts'
import { policy, pool, value, weighed, weth } from '../fixtures/weighed.fixture.ts'

const checksOf = (change: Partial<ValueQuestion>) =>
  valueChecks({ policy, chainId: 8453, tool: 'execute_swap', weighed: weighed(), used: new Map(), ...change })
const find = (checks: ReturnType<typeof checksOf>, rule: string | null) => checks.find((check) => check.rule === rule)

describe('what the rules of value say to a call', () => {
  it('tells of an honest one what each bound is and what was asked of it', () => {
    const checks = checksOf({ used: new Map([[budgetNames.loss, 3_500_000n]]) })
    expect(checks.filter(({ verdict }) => verdict !== 'allow')).toEqual([])
    expect(checks.map(({ rule }) => rule)).toEqual([
      null,
      'maxPriceBandBps',
      'maxPoolDeviationBps',
      'maxPriceImpactBps',
      'maxLossBps',
      'speculativeUsd',
      'coldStartUsd',
      'poolPricedUsd',
      'maxDailyLossUsd',
    ])
    expect(find(checks, null)?.asked).toBe('played at block 7 by eth_simulateV1')
    expect(find(checks, 'maxPriceBandBps')).toMatchObject({
      asked: 'WETH 21 bps',
      says: expect.stringContaining('1000'),
    })
    expect(find(checks, 'maxPriceImpactBps')?.asked).toBe('12 bps')
    expect(find(checks, 'maxLossBps')?.asked).toBe(
      'at worst 240 USD leave and 238 USD come back: 84 bps of 126 (21 bps of doubt about prices)',
    )
    expect(find(checks, 'maxDailyLossUsd')).toMatchObject({
      says: expect.stringContaining('at most 40 USD in any 24 hours, of which 3.5 USD are used'),
      asked: '2 USD',
    })
  })

  it.each([
    ['PRICE_UNAVAILABLE', 'maxPriceBandBps'],
    ['POOL_PRICE_OFF_MARKET', 'maxPoolDeviationBps'],
    ['PRICE_IMPACT_EXCEEDED', 'maxPriceImpactBps'],
    ['VALUE_LOSS_EXCEEDED', 'maxLossBps'],
  ] as const)('puts %s to %s, with the sentence and a fix', (code, rule) => {
    const checks = checksOf({ weighed: weighed({ refusals: [{ code, message: 'It says why.' }] }) })
    expect(checks.flatMap((check) => (check.verdict === 'deny' ? [check.rule] : []))).toEqual([rule])
    expect(find(checks, rule)).toMatchObject({ code, because: ['It says why.'], change: expect.any(String) })
  })

  it('refuses what a budget has no room for, each with its own code, and leaves a token that pools price to a person', () => {
    const full = (name: string): Budget => ({ name, usdMicros: 2n, capUsdMicros: 100n })
    const names = [
      budgetNames.loss,
      budgetNames.speculative,
      budgetNames.coldStart,
      budgetNames.poolPriced,
      poolBudgetName(8453, pool),
      poolPricedBudgetName(8453, weth),
    ]
    const bounds = { ...value.bounds, pools: [{ pool, capUsdMicros: 100n }] }
    const checks = checksOf({
      weighed: weighed({ bounds }, names.map(full)),
      used: new Map(names.map((name) => [name, 99n])),
    })
    expect(checks.slice(5).map(({ rule, verdict, code }) => [rule, verdict, code])).toEqual([
      ['maxDailyLossUsd', 'deny', 'VALUE_LOSS_EXCEEDED'],
      ['speculativeUsd', 'deny', 'SPENDING_LIMIT_EXCEEDED'],
      ['coldStartUsd', 'deny', 'SPENDING_LIMIT_EXCEEDED'],
      ['poolPricedUsd', 'ask', 'APPROVAL_REQUIRED'],
      [`valueRules.pools.8453.${pool}.budgetUsd`, 'deny', 'SPENDING_LIMIT_EXCEEDED'],
      ['priceSources', 'ask', 'APPROVAL_REQUIRED'],
    ])
  })

  it('takes what only brings funds home for what it is, and what asks for nothing where nothing is left', () => {
    const checks = checksOf({
      weighed: weighed({ isExit: true, lossBps: 9_999 }, []),
      used: new Map([[budgetNames.loss, 41_000_000n]]),
    })
    expect(checks.filter(({ verdict }) => verdict !== 'allow')).toEqual([])
    expect(find(checks, 'maxLossBps')?.asked).toBe('it only brings funds home, which is not held to prices')
  })

  it('says what holds where nothing was looked at, where the chain is away, and where the call would fail', () => {
    const unseen = checksOf({ weighed: null })
    expect(new Set(unseen.map(({ verdict, asked }) => `${verdict} ${asked}`))).toEqual(
      new Set(['unknown not looked at']),
    )
    const failed = { status: 'failed', message: 'It reverts.', priced: null } as const
    const away = checksOf({ weighed: { ...failed, code: 'RPC_UNAVAILABLE' } })
    expect(new Set(away.map(({ verdict, code }) => `${verdict} ${code}`))).toEqual(new Set(['unknown null']))
    const broken = checksOf({ weighed: { ...failed, code: 'SIMULATION_FAILED' } })
    expect(broken[0]).toMatchObject({
      verdict: 'deny',
      code: 'SIMULATION_FAILED',
      asked: 'could not be played: It reverts.',
    })
    expect(new Set(broken.slice(1).map(({ asked }) => asked))).toEqual(new Set(['not weighed']))
  })
})
