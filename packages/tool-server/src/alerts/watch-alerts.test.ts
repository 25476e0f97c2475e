import type { AuditEvent } from '@svc/engine'
import { describe, expect, it } from 'vitest'
import { alertTable } from './alert-table.ts'
import { watchAlerts } from './watch-alerts.ts'

const minuteMs = 60_000

/** A watch over a clock, a limit of 2,000 USD a day and what the test says is spent. */
function openWatch() {
  const world = { now: Date.UTC(2026, 10, 21), spentUsd: null as number | null, limitUsd: 2_000, limitReads: 0 }
  const announced: string[] = []
  const lines: string[] = []
  const note = (event: string, facts?: unknown) => void lines.push(`${event} ${JSON.stringify(facts)}`)
  const watch = watchAlerts({
    now: () => world.now,
    dailyLimitUsd: () => {
      world.limitReads += 1
      return world.limitUsd
    },
    spentUsd: async () => world.spentUsd,
    announce: (what, { alert }) => void announced.push(`${what} ${alert}`),
    log: { info: note, warn: note },
  })
  const active = () => watch.active().map(({ alert }) => alert)
  const hear = (event: AuditEvent) => watch.observer.audited(event)
  const settle = (spentUsd: string, homeUsd = '0') => hear({ event: 'tx.settled', spentUsd, homeUsd })
  const pass = async (ms: number) => {
    world.now += ms
    await watch.sweep()
  }
  return { world, watch, announced, lines, active, hear, settle, pass }
}

describe('alerts', () => {
  it('are six, and a quiet server has none', async () => {
    const { active, pass } = openWatch()
    await pass(minuteMs)
    expect(active()).toEqual([])
    expect(alertTable).toHaveLength(6)
  })

  it('say that far more is moved than usual, by the week and by the daily limit', async () => {
    const busy = openWatch()
    for (let turn = 0; turn < 7 * 144; turn += 1) {
      busy.settle('400')
      await busy.pass(10 * minuteMs)
    }
    expect(busy.active()).toEqual([])
    // Three quarters of the daily limit, and not yet four times the mean.
    busy.settle('750')
    busy.settle('750')
    expect(busy.active()).toEqual([])
    busy.settle('200')
    expect(busy.active()).toEqual(['transaction_volume_spike'])
    await busy.pass(11 * minuteMs)
    expect(busy.announced).toEqual(['raised transaction_volume_spike', 'cleared transaction_volume_spike'])
    const quiet = openWatch()
    quiet.settle('499')
    expect(quiet.active()).toEqual([])
  })

  it('say that one write took out a large sum, whether spent or brought home', () => {
    for (const [spent, home] of [['1000', '0'] as const, ['0', '1000'] as const]) {
      const { active, settle } = openWatch()
      settle(spent, home)
      expect(active()).toContain('large_withdrawal')
    }
    const { active, settle } = openWatch()
    for (const _ of [1, 2, 3]) settle('999.99')
    expect(active()).not.toContain('large_withdrawal')
  })

  it('say that writes fail one after the other: three within ten minutes', async () => {
    const { active, hear, pass } = openWatch()
    hear({ event: 'tx.failed', code: 'TRANSACTION_REVERTED' })
    hear({ event: 'tx.failed', code: 'TRANSACTION_REVERTED' })
    await pass(10 * minuteMs)
    hear({ event: 'tx.failed', code: 'RPC_UNAVAILABLE' })
    expect(active()).toEqual([])
    hear({ event: 'tx.failed', code: 'RPC_UNAVAILABLE' })
    hear({ event: 'tx.failed', code: 'RPC_UNAVAILABLE' })
    expect(active()).toEqual(['failed_transactions'])
  })

  it('say that somebody asked for whom the policy does not list, and nothing of other refusals', () => {
    const { active, hear, lines } = openWatch()
    hear({ event: 'tx.refused', code: 'SLIPPAGE_TOO_HIGH' })
    expect(active()).toEqual([])
    hear({ event: 'tx.refused', code: 'RECIPIENT_NOT_ALLOWED' })
    hear({ event: 'tx.refused', code: 'CONTRACT_NOT_ALLOWED' })
    expect(active()).toEqual(['unknown_recipient'])
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^alert\.raised .*"alert":"unknown_recipient","severity":"critical"/)
  })

  it('say that callers keep running into the rate limits', async () => {
    const { active, pass, watch } = openWatch()
    for (let refused = 0; refused < 59; refused += 1) watch.observer.limited('token')
    expect(active()).toEqual([])
    watch.observer.limited('address')
    expect(active()).toEqual(['rate_limit_exhausted'])
    await pass(6 * minuteMs)
    expect(active()).toEqual([])
  })

  it('say that four fifths of the daily limit are spent, and stay where the state cannot be read', async () => {
    const { world, active, pass } = openWatch()
    world.spentUsd = 1_599
    await pass(minuteMs)
    expect(active()).toEqual([])
    world.spentUsd = 1_600
    await pass(minuteMs)
    expect(active()).toEqual(['daily_spend'])
    world.spentUsd = null
    await pass(minuteMs)
    expect(active()).toEqual(['daily_spend'])
  })

  it('look at nothing but the rate limits for a request that one of them turned away', () => {
    const { world, watch, settle } = openWatch()
    settle('1')
    world.limitReads = 0
    watch.observer.limited('token')
    expect(world.limitReads).toBe(0)
  })

  it('have a sum that is nothing again once all of it is long ago', async () => {
    const { active, settle, pass, world } = openWatch()
    for (const usd of ['0.1', '0.2', '0.3']) {
      settle(usd)
      await pass(minuteMs)
    }
    await pass(8 * 86_400_000)
    // What fractions leave behind would be more than four times a mean of nothing.
    world.limitUsd = 1e-20
    await pass(minuteMs)
    expect(active()).toEqual([])
  })

  it('are quiet of shares of a daily limit of 0', async () => {
    const { world, active, settle, pass } = openWatch()
    world.limitUsd = 0
    world.spentUsd = 0
    settle('0', '5')
    await pass(minuteMs)
    expect(active()).toEqual([])
  })
})
