import { describe, expect, test } from 'vitest'
import { type Principal, type SafetyReport, scopes } from '@svc/engine'
import { describeRefusals, untouchedWorld } from '../refusals.fixture.ts'
import { checkSafetyStatus } from './checks.ts'

describeRefusals(checkSafetyStatus, {}, {})

const report: SafetyReport = {
  walletConfigured: true,
  paused: false,
  pause: null,
  breakerOpen: false,
  breaker: { open: false, since: null, cause: null, stops: 'nothing' },
  policyFault: null,
  allowlistMode: 'strict',
  unnamedSales: 'ask',
  approvalThresholdUsd: '250',
  limitsUsd: { perTransaction: '500', perSession: '1000', daily: '2000' },
  spentUsd: { session: '12.5', daily: '99.123456' },
  heldUsd: '0',
  gasUsd: { session: '0.5', daily: '1.123456' },
  remainingUsd: { session: '987.5', daily: '1900.876544' },
  freesAt: { session: '2026-01-02T03:04:05.000Z', daily: null },
  valueUsd: {
    lossAtMost: { used: '1.5', cap: '40' },
    speculative: { used: '0', cap: '0' },
    coldStart: { used: '0', cap: '200' },
    gas: { used: '1', cap: '40' },
    exitGas: { used: '0.123456', cap: '40' },
    dueExitGas: { used: '0', cap: '40' },
    sureExitGas: { used: '0', cap: '40' },
  },
  dailyAlert: true,
  pendingTransactions: 1,
  unreadRequests: 0,
  pendingApprovals: 2,
  scheduledOperations: 3,
}

function statusFor(principal: Pick<Principal, 'tier' | 'scopes'>, change: Partial<SafetyReport> = {}) {
  const asked: Principal[] = []
  const world = untouchedWorld()
  const status = {
    setup: () => Promise.reject(new Error('not asked for')),
    safety: async (who: Principal) => {
      asked.push(who)
      return { ...report, ...change }
    },
    alerts: () => [
      {
        alert: 'daily_spend' as const,
        severity: 'warning' as const,
        summary: 'The daily limit is nearly used up.',
        condition: 'When.',
        since: '2026-01-02T03:04:05.000Z',
      },
    ],
  }
  const context = { ...world, status, principal: { ...world.principal, ...principal } }
  return { asked, answer: checkSafetyStatus.handle({}, context) }
}

describe('check_safety_status', () => {
  test('shows its amounts to a principal with admin:wallet', async () => {
    const { answer } = statusFor({ tier: 'write', scopes: new Set(scopes) })
    const { heldUsd: _held, unreadRequests: _unread, policyFault: _fault, ...shown } = report
    expect(checkSafetyStatus.output.parse(await answer)).toMatchObject({
      ...shown,
      policyValid: true,
      redacted: false,
      notes: [expect.stringMatching(/^Sales and deposits count in full .*remove_liquidity, collect_fees\) does not/)],
    })
  })

  test('says to anybody which alerts stand, and nothing of amounts', async () => {
    const { answer } = statusFor({ tier: 'read', scopes: new Set(['read:market']) })
    expect(await answer).toMatchObject({
      alerts: ['daily_spend (warning) since 2026-01-02T03:04:05.000Z: The daily limit is nearly used up.'],
    })
  })

  test('says what waits for blocks alone, to whom it shows amounts', async () => {
    const held = { notes: [expect.any(String), expect.stringMatching(/^2200.5 USD .* free again once .* blocks deep/)] }
    expect(await statusFor({ tier: 'write', scopes: new Set(scopes) }, { heldUsd: '2200.5' }).answer).toMatchObject(
      held,
    )
    const reader = statusFor({ tier: 'read', scopes: new Set(['read:market']) }, { heldUsd: '2200.5' })
    expect(JSON.stringify(await reader.answer)).not.toContain('2200.5')
  })

  test('says to anybody whose calls nobody can read the end of', async () => {
    const { answer } = statusFor({ tier: 'read', scopes: new Set(['read:market']) }, { unreadRequests: 2 })
    const note = expect.stringMatching(/^2 earlier calls are mined, .* counts as spent until/)
    expect(await answer).toMatchObject({ notes: [expect.any(String), note] })
  })

  test('says to anybody that nothing is signed while the policy is broken, beside everything else', async () => {
    const policyFault = 'The policy file contradicts itself.'
    const { answer } = statusFor({ tier: 'read', scopes: new Set(['read:market']) }, { policyFault })
    const shown = checkSafetyStatus.output.parse(await answer)
    expect(shown).toMatchObject({ policyValid: false, paused: false, pendingApprovals: 2 })
    expect(shown['notes']).toContain(
      `${policyFault} Until the operator fixes it (svc policy check) nothing is signed; limits are those of the policy before.`,
    )
  })

  test('shows a read key its state and not one amount', async () => {
    const { answer, asked } = statusFor({ tier: 'read', scopes: new Set(['read:market', 'read:portfolio']) })
    const shown = checkSafetyStatus.output.parse(await answer)
    expect(shown).toMatchObject({
      redacted: true,
      dailyAlert: true,
      pendingTransactions: 1,
      pendingApprovals: 2,
      scheduledOperations: 3,
      approvalThresholdUsd: null,
      limitsUsd: null,
      spentUsd: null,
      gasUsd: null,
      remainingUsd: null,
      freesAt: null,
      valueUsd: null,
    })
    expect(JSON.stringify(shown)).not.toMatch(/250|500|1000|987|99\.12/)
    expect(asked.map((principal) => principal.tier)).toEqual(['read'])
  })
})
