import { describe, expect, test } from 'vitest'
import { describeRefusals, refusalOf } from '../refusals.fixture.ts'
import { strategiesOf } from '../strategies-of.ts'
import { backtestLpStrategy } from './backtest-lp-strategy.ts'

const valid = { token0: 'WETH', token1: 'USDC', chain: 'base', amount: '10000', startTime: '2026-10-01' }

describeRefusals(backtestLpStrategy, valid, {
  token0: 'token',
  token1: 'token',
  chain: 'chain',
  amount: 'usdAmount',
  startTime: 'time',
  fee: 'anyFee',
  pool: 'pool',
  endTime: 'time',
  strategies: 'strategies',
})

describe('the period of a backtest', () => {
  test.each([
    [{ startTime: '2026-11-22' }, 'VALIDATION_FAILED', 'startTime'],
    [{ endTime: '2026-11-22' }, 'VALIDATION_FAILED', 'endTime'],
    [{ startTime: '2026-10-01', endTime: '2026-10-01' }, 'VALIDATION_FAILED', 'startTime'],
    [{ startTime: '2026-10-02', endTime: '2026-10-01' }, 'VALIDATION_FAILED', 'startTime'],
    [{ startTime: '2025-11-19' }, 'VALIDATION_FAILED', 'startTime'],
    [{ startTime: '2026-11-07T01:00:00Z' }, 'INSUFFICIENT_HISTORY', 'startTime'],
  ])('refuses %o', async (change, code, field) => {
    const refusal = await refusalOf(backtestLpStrategy, { ...valid, ...change })
    expect([refusal.code, refusal.details[0]?.field]).toEqual([code, field])
  })

  test('says how many days a short one has, and takes 14 whole ones whatever the minute', async () => {
    const short = await refusalOf(backtestLpStrategy, { ...valid, startTime: '2026-11-11' })
    expect(short.details[0]).toMatchObject({ daysFound: 10, daysNeeded: 14 })
    const unaligned = { startTime: '2026-10-01T10:59:59Z', endTime: '2026-10-15T10:01:00Z' }
    await expect(refusalOf(backtestLpStrategy, { ...valid, ...unaligned })).rejects.toThrow('was touched')
  })
})

const strategy = { name: 'a', rangePct: 10, rebalanceThresholdPct: 80 }

describe('the strategies of a backtest', () => {
  test.each<[string, readonly string[]]>([
    ['', ['strategies']],
    ['[{]', ['strategies']],
    ['null', ['strategies']],
    ['{}', ['strategies']],
    ['[]', ['strategies']],
    [JSON.stringify(Array.from({ length: 11 }, (_, index) => ({ ...strategy, name: `s${index}` }))), ['strategies']],
    ['[5]', ['strategies[0]']],
    [JSON.stringify([{ ...strategy, name: '' }]), ['strategies[0].name']],
    [JSON.stringify([{ ...strategy, name: 'a\u202e' }]), ['strategies[0].name']],
    [JSON.stringify([strategy, strategy]), ['strategies[1].name']],
    [JSON.stringify([strategy, { ...strategy, name: 'b', rangePct: 0 }]), ['strategies[1].rangePct']],
    [JSON.stringify([{ ...strategy, rangePct: -5 }]), ['strategies[0].rangePct']],
    [JSON.stringify([{ ...strategy, rangePct: 200 }]), ['strategies[0].rangePct']],
    [JSON.stringify([{ ...strategy, rangePct: '10' }]), ['strategies[0].rangePct']],
    ['[{"name":"a","rangePct":1e999,"rebalanceThresholdPct":null}]', ['strategies[0].rangePct']],
    [JSON.stringify([{ name: 'a', rebalanceThresholdPct: 5 }]), ['strategies[0].rangePct']],
    [
      JSON.stringify([{ name: 'a', rangePct: null, rebalanceThresholdPct: 101, x: 1 }]),
      ['strategies[0].rebalanceThresholdPct', 'strategies[0].x'],
    ],
  ])('refuses %s by its path', async (strategies, fields) => {
    const refusal = await refusalOf(backtestLpStrategy, { ...valid, strategies })
    expect([refusal.code, refusal.details.map(({ field }) => field)]).toEqual(['INVALID_STRATEGY', fields])
    expect(refusal.message).toContain(`${fields[0]}: `)
    expect(JSON.stringify(refusal)).toMatch(/^[ -~]*$/)
  })

  test.each([
    ['a list', [strategy]],
    ['the JSON of one', JSON.stringify([strategy])],
    ['one without a threshold', [{ name: 'a', rangePct: null }]],
  ])('are taken as %s', async (_what, strategies) => {
    await expect(refusalOf(backtestLpStrategy, { ...valid, strategies })).rejects.toThrow('was touched')
  })

  test('are read alike from both forms, and never rebalance without a threshold', () => {
    const given = [strategy, { name: 'b', rangePct: 5 }]
    const read = [strategy, { name: 'b', rangePct: 5, rebalanceThresholdPct: null }]
    expect(strategiesOf(given)).toEqual(read)
    expect(strategiesOf(JSON.stringify(given))).toEqual(read)
  })

  test('of a list are refused by their path, too', async () => {
    const refusal = await refusalOf(backtestLpStrategy, { ...valid, strategies: [strategy, 5] })
    expect([refusal.code, refusal.details[0]?.field]).toEqual(['INVALID_STRATEGY', 'strategies[1]'])
  })

  test('says where the JSON breaks off', async () => {
    const { details } = await refusalOf(backtestLpStrategy, { ...valid, strategies: '[{"name":}]' })
    expect(details[0]?.message).toContain('line 1, column 10')
  })
})
