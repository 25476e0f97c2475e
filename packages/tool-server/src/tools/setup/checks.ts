import * as z from 'zod'
import { readTool } from '../../tool.ts'
import { setupCheckResult } from '../../tool-context.ts'
import type { ActiveAlert } from '../../alerts/alert-table.ts'
import { documented } from '../../analysis/figures.ts'
import { notesResult } from '../results.ts'

export const checkSetupHealth = readTool({
  name: 'check_setup_health',
  title: 'Setup health',
  description:
    "Checks this server's setup: profile, wallet, endpoints, policy, storage, and says how to fix what is wrong. Use it when tools fail for configuration.",
  scope: 'read:portfolio',
  input: z.strictObject({ verbose: z.boolean().default(false).describe('Also the checks that pass') }),
  output: z.object({
    ok: z.boolean(),
    profile: z.string(),
    version: z.string(),
    passed: z.int(),
    checks: z.array(setupCheckResult),
    timestamp: z.string(),
    source: z.string(),
  }),
}).handler(async (input, context) => {
  const report = await context.status.setup()
  return {
    ok: report.checks.every((check) => check.status !== 'fail'),
    profile: report.profile,
    version: report.version,
    passed: report.checks.filter((check) => check.status === 'pass').length,
    checks: report.checks.filter((check) => input.verbose || check.status !== 'pass'),
    timestamp: new Date(context.now()).toISOString(),
    source: 'config',
  }
})

const amount = documented(z.string())
const limits = z.object({ perTransaction: amount, perSession: amount, daily: amount }).nullable()
const used = z.object({ session: amount, daily: amount }).nullable()

const text = documented(z.string().nullable())
const freed = z.object({ session: text, daily: text }).nullable()

const usedOfCap = z.object({ used: amount, cap: amount })
const values = z
  .record(z.enum(['lossAtMost', 'speculative', 'coldStart', 'gas', 'exitGas', 'dueExitGas', 'sureExitGas']), usedOfCap)
  .nullable()

export const checkSafetyStatus = readTool({
  name: 'check_safety_status',
  title: 'Safety status',
  description:
    'Limits, dollars spent and left, pause, breaker, alerts, waiting operations. Use before large writes or after a refusal. Without admin:wallet no amounts.',
  scope: 'admin:wallet',
  openWorld: false,
  input: z.strictObject({}),
  output: z.object({
    walletConfigured: z.boolean(),
    paused: z.boolean(),
    pause: z
      .object({ since: documented(z.string()), reason: text })
      .nullable()
      .describe('since, reason'),
    breakerOpen: z.boolean(),
    breaker: z
      .object({
        open: z.boolean(),
        since: text,
        cause: text,
        stops: z.enum(['nothing', 'all-but-ways-home', 'everything']),
      })
      .describe('stops: nothing while closed'),
    policyValid: z.boolean(),
    allowlistMode: z.string(),
    unnamedSales: z.enum(['ask', 'allow']).describe('Of tokens without a price source'),
    approvalThresholdUsd: z.string().nullable(),
    limitsUsd: limits.describe('perTransaction, perSession, daily'),
    spentUsd: used.describe('session, daily; with gasUsd.'),
    gasUsd: used,
    remainingUsd: used.describe('freesAt: when some frees up, or an idle session ends'),
    freesAt: freed,
    valueUsd: values.describe(
      'Of any 24 hours: lossAtMost is what slippage could have cost, no real loss; gas of ways home (exitGas) is not where repaid (gasUsd: all).',
    ),
    dailyAlert: z.boolean(),
    alerts: documented(z.array(z.string())),
    pendingTransactions: z.int().nullable(),
    pendingApprovals: z.int().nullable(),
    scheduledOperations: z.int().nullable(),
    redacted: z.boolean(),
    notes: notesResult,
    timestamp: z.string(),
    source: z.string(),
  }),
}).handler(async (_input, context) => {
  const { heldUsd, unreadRequests, policyFault, ...report } = await context.status.safety(context.principal)
  const redacted = !context.principal.scopes.has('admin:wallet')
  return {
    ...report,
    policyValid: policyFault === null,
    ...(redacted ? withoutAmounts : {}),
    alerts: (context.status.alerts?.() ?? []).map(alertText),
    redacted,
    notes: [
      ...policyNotes(policyFault),
      ...(report.walletConfigured ? [] : [withoutWallet]),
      ...(report.limitsUsd === null ? [] : [whatCounts, ...(redacted ? [] : heldNotes(heldUsd))]),
      ...unreadNotes(unreadRequests),
    ],
    timestamp: new Date(context.now()).toISOString(),
    source: 'config',
  }
})

const whatCounts =
  'Sales and deposits count in full against limitsUsd, though their worth comes back as another token or a position; what brings funds home (remove_liquidity, collect_fees) does not, but for its gas.'

const withoutWallet =
  'This server has no wallet: it signs nothing and counts nothing. What one with a wallet keeps in the same directory, it does not see.'

/** An alert that stands names no amounts. */
function alertText({ alert, severity, summary, since }: ActiveAlert): string {
  return `${alert} (${severity}) since ${since}: ${summary}`
}

/** What will be free again without waiting for a window to end. */
function heldNotes(heldUsd: string | null): readonly string[] {
  if (heldUsd === null || Number(heldUsd) === 0) return []
  return [
    `${heldUsd} USD of what is spent is what the last calls might have spent and have not; it is free again once their transactions are a few blocks deep.`,
  ]
}

function policyNotes(fault: string | null): readonly string[] {
  if (fault === null) return []
  return [
    `${fault} Until the operator fixes it (svc policy check) nothing is signed; limits are those of the policy before.`,
  ]
}

function unreadNotes(unreadRequests: number): readonly string[] {
  if (unreadRequests === 0) return []
  return [
    `${unreadRequests} earlier calls are mined, and the endpoint does not give their receipts, or not so that they can be read: what was reserved for them counts as spent until it does. Another endpoint in SVC_RPC_URL_<chain id> may.`,
  ]
}

/** A key without `admin:wallet` sees the state of the safety engine, not the money behind it. */
const withoutAmounts = {
  approvalThresholdUsd: null,
  limitsUsd: null,
  spentUsd: null,
  gasUsd: null,
  remainingUsd: null,
  freesAt: null,
  valueUsd: null,
} as const
