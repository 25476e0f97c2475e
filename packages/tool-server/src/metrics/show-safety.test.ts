import type { SafetyReport } from '@svc/engine'
import { afterEach, expect, it } from 'vitest'
import { figuresOf } from './figures.fixture.ts'
import { createSamples } from './samples.ts'
import { showSafety } from './show-safety.ts'

const samples = createSamples()
afterEach(() => samples.close())

it('shows limits and switches while they can be read, and nothing of them when they cannot', async () => {
  const known = {
    paused: true,
    breakerOpen: false,
    policyFault: null,
    pendingTransactions: 2,
    limitsUsd: { daily: '2000' },
    spentUsd: { daily: '5' },
    valueUsd: null,
  } as unknown as SafetyReport
  const shown = async (safety: () => Promise<SafetyReport>) => {
    await showSafety(samples, { safety, underWay: () => 0 })
    const figures = figuresOf(await samples.text())
    return Object.fromEntries([...figures].filter(([name]) => /^svc_(safety_|tx_pending)/.test(name)))
  }
  expect(await shown(async () => known)).toEqual({
    svc_safety_readable: 1,
    svc_safety_paused: 1,
    svc_safety_breaker_open: 0,
    svc_safety_policy_valid: 1,
    svc_safety_spent_usd: 5,
    'svc_safety_limit_usd{limit="daily"}': 2_000,
    svc_tx_pending: 2,
  })
  expect(await shown(() => Promise.reject(new Error('unreadable')))).toEqual({ svc_safety_readable: 0 })
  const unknown = { ...known, pendingTransactions: null, spentUsd: null, limitsUsd: null }
  expect(await shown(async () => unknown)).toEqual({
    svc_safety_readable: 1,
    svc_safety_paused: 1,
    svc_safety_breaker_open: 0,
    svc_safety_policy_valid: 1,
  })
})

it('shows whether this server leads, and how often it took over, where it can be another', async () => {
  const figure = async () => figuresOf(await samples.text()).get('svc_leader')
  const source = { safety: () => Promise.reject(new Error('unreadable')), underWay: () => 0 }
  await showSafety(samples, source)
  expect(await figure()).toBeUndefined()
  for (const [role, leads] of [
    ['follower', 0],
    ['leader', 1],
  ] as const) {
    await showSafety(samples, { ...source, role: () => ({ role, leader: 'us', epoch: 1n, takeovers: 2 }) })
    expect(await figure()).toBe(leads)
  }
  expect(figuresOf(await samples.text()).get('svc_takeovers')).toBe(2)
})
