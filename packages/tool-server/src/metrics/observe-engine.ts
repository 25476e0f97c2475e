import type { RpcAnswered } from '@svc/amm/rpc'
import type { AuditEvent } from '@svc/engine'
import { isRecord } from '@svc/runtime'
import { isLarge, isUnknownRecipient, movedUsd, usdOf } from '../alerts/read-lines.ts'
import type { Observing } from '../observer.ts'
import { codeOfFailure, endpointOf, type LabelValues } from './label-values.ts'
import type { Samples } from './samples.ts'

/**
 * Counts what becomes of transactions, by the lines of the audit log, the stages of the pipeline by their ends, and what endpoints
 * answer.
 */
export function observeEngine(samples: Samples, { chainOf, toolOf, dailyLimitUsd, now }: EngineFacts): EngineCounts {
  // What the server does by itself stands in audit lines as a tool of that name.
  const writerOf = (tool: unknown) => (tool === 'server' ? tool : toolOf(tool))
  const common = { samples, chainOf, toolOf: writerOf, sentAt: new Map<string, number>(), dailyLimitUsd, now }
  return {
    audited: (event) => readers.get(event.event)?.(event, common),
    async stage({ stage, dryRun }, run) {
      const startedAt = performance.now()
      const ended = () =>
        samples.observe('svc_tx_stage_duration_seconds', { stage }, (performance.now() - startedAt) / 1_000)
      return run().then(
        (value) => {
          ended()
          return value
        },
        (failure: unknown) => {
          ended()
          if (!dryRun) samples.count('svc_tx_refusals_total', { stage, code: codeOfFailure(failure) })
          throw failure
        },
      )
    },
    rpc: (answered) => countRpc(samples, answered, { chain: chainOf(answered.chainId), now }),
  }
}

export type EngineFacts = LabelValues & {
  /** Of the policy as it is now. */
  readonly dailyLimitUsd: () => number
  /** Unix milliseconds. */
  readonly now: () => number
}

type EngineCounts = Observing<'audited' | 'stage' | 'rpc'>

type Common = EngineFacts & {
  readonly samples: Samples
  /** By hash, when a transaction was handed over, until it ends. */
  readonly sentAt: Map<string, number>
}

function countRpc(
  samples: Samples,
  answered: RpcAnswered,
  { chain, now }: { readonly chain: string; readonly now: () => number },
): void {
  const { method, outcome, ms, headAtSeconds } = answered
  const endpoint = endpointOf(answered)
  const named = rpcMethods.has(method) ? method : 'other'
  samples.count('svc_rpc_requests_total', { chain, endpoint, method: named, outcome })
  samples.observe('svc_rpc_request_duration_seconds', { chain, endpoint }, ms / 1_000)
  if (headAtSeconds === null) return
  samples.set('svc_rpc_head_age_seconds', { chain, endpoint }, Math.max(0, now() / 1_000 - headAtSeconds))
}

/** What is counted of each line; of those that are not here nothing is. */
const readers: ReadonlyMap<AuditEvent['event'], (event: AuditEvent, common: Common) => void> = new Map([
  ['tx.intent', intended],
  ['tx.submitted', submitted],
  ['tx.settled', settled],
  ['tx.refused', refused],
  ['tx.failed', failed],
  ...(['confirmed', 'reverted', 'replaced', 'superseded', 'declined', 'pending'] as const).map(
    (outcome) => [`tx.${outcome}`, ended(outcome)] as const,
  ),
])

function intended({ tool, transaction }: AuditEvent, { samples, chainOf, toolOf }: Common): void {
  samples.count('svc_tx_intents_total', { tool: toolOf(tool), chain: chainOf(memberOf(transaction, 'chainId')) })
}

function submitted({ transaction, result }: AuditEvent, { samples, chainOf, sentAt, now }: Common): void {
  const outcome = memberOf(result, 'status') === 'refused' ? 'refused' : 'accepted'
  samples.count('svc_tx_submitted_total', { chain: chainOf(memberOf(transaction, 'chainId')), outcome })
  const hash = memberOf(transaction, 'hash')
  if (typeof hash !== 'string' || outcome === 'refused') return
  if (sentAt.size >= mostFollowed) sentAt.delete(sentAt.keys().next().value ?? '')
  if (!sentAt.has(hash)) sentAt.set(hash, now())
}

function ended(outcome: string) {
  return ({ transaction, result }: AuditEvent, { samples, chainOf, sentAt, now }: Common): void => {
    const chain = chainOf(memberOf(transaction, 'chainId'))
    samples.count('svc_tx_ended_total', { chain, outcome })
    const gasUsed = memberOf(result, 'gasUsed')
    if (typeof gasUsed === 'bigint') samples.count('svc_tx_gas_used_total', { chain }, Number(gasUsed))
    // A user operation goes by its own hash until it is mined.
    const hash = memberOf(transaction, 'userOperation') ?? memberOf(transaction, 'hash')
    if (typeof hash !== 'string' || outcome === 'pending') return
    const since = sentAt.get(hash)
    if (since === undefined) return
    sentAt.delete(hash)
    if (outcome === 'confirmed')
      samples.observe('svc_tx_confirm_seconds', { chain }, Math.max(0, now() - since) / 1_000)
  }
}

function settled(event: AuditEvent, { samples, chainOf, toolOf, dailyLimitUsd }: Common): void {
  const tool = toolOf(event['tool'])
  samples.count('svc_tx_settled_total', { tool, chain: chainOf(event['chainId']) })
  const { leftUsd, homeUsd } = movedUsd(event)
  samples.count('svc_tx_value_usd_total', { tool, direction: 'left' }, leftUsd)
  samples.count('svc_tx_value_usd_total', { tool, direction: 'home' }, homeUsd)
  if (isLarge(event, dailyLimitUsd())) samples.count('svc_tx_large_total', {})
  samples.count('svc_tx_gas_usd_total', { tool }, usdOf(event['gasUsd']))
  samples.count('svc_tx_lost_usd_total', { tool }, usdOf(event['lostUsd']))
  samples.observe('svc_tx_slippage_bps', { tool }, worstDriftBps(event['drift']))
}

function refused(event: AuditEvent, { samples }: Common): void {
  if (isUnknownRecipient(event)) samples.count('svc_tx_unknown_recipient_total', {})
}

function failed(_event: AuditEvent, { samples }: Common): void {
  samples.count('svc_tx_failed_total', {})
}

/** By how much less arrived than was simulated, at the worst token; drift below a hundredth is not in the line and counts as none. */
function worstDriftBps(drift: unknown): number {
  const rows: readonly unknown[] = Array.isArray(drift) ? drift : []
  const losses = rows.map((row) => {
    const [simulated, real] = [memberOf(row, 'simulated'), memberOf(row, 'real')]
    if (typeof simulated !== 'bigint' || typeof real !== 'bigint' || simulated <= 0n || real >= simulated) return 0
    return Number(((simulated - real) * 10_000n) / simulated)
  })
  return Math.max(0, ...losses)
}

function memberOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined
}

const mostFollowed = 1_000

/** Methods that we use; others count together. */
const rpcMethods: ReadonlySet<string> = new Set([
  'eth_blockNumber',
  'eth_call',
  'eth_chainId',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByNumber',
  'eth_getCode',
  'eth_getLogs',
  'eth_getStorageAt',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_maxPriorityFeePerGas',
  'eth_sendRawTransaction',
  'eth_simulateV1',
])
