import type { Confirmation, JournalEntry } from '@svc/wallet/core'
import { type Hex, parseTransaction, size, slice } from 'viem'
import { callFacts } from '../audit/call-outcomes.ts'
import type { Step } from '../call/step.ts'
import type { ExecutionContext } from '../context/engine.ts'

/** Its hash and nonce are known now. The line of the audit log is on disk with the next that is waited for, at the latest in a moment. */
export function noteSubmitted(
  { engine, call, chain }: ExecutionContext,
  { kind, label }: Step,
  entry: JournalEntry,
): void {
  const { hash, nonce, attempt, state, submission } = entry
  const { requestId } = call
  const gasEstimate = gasLimitOf(entry)
  engine.log.info('tx.broadcast', { requestId, chainId: chain.id, hash, nonce, step: label, state, gasEstimate })
  const how = submission === undefined ? {} : { submission }
  const transaction = { chainId: chain.id, hash, nonce, attempt, kind, label, gasEstimate, ...how }
  engine.audit.note({ event: 'tx.submitted', ...callFacts(call), transaction, result: { status: state } })
}

/** What became of it, which the chain holds as well: nothing waits for this line. */
export function noteOutcome(
  { engine, call, chain }: ExecutionContext,
  step: Step,
  { status, entry, ...rest }: Confirmation,
): void {
  const { to, data, label, kind } = step
  const { hash, nonce, submission } = entry
  const mined = 'receipt' in rest ? rest.receipt : null
  const result = { status, block: mined?.blockNumber ?? null, gasUsed: mined?.gasUsed ?? null }
  engine.log.info('tx.outcome', { requestId: call.requestId, chainId: chain.id, hash, nonce, step: label, ...result })
  const how = submission === undefined ? {} : { submission }
  const transaction = { chainId: chain.id, hash, nonce, to, selector: selectorOf(data), kind, label, ...how }
  const event = status === 'final' ? 'tx.confirmed' : status === 'refused' ? 'tx.declined' : (`tx.${status}` as const)
  engine.audit.note({ event, ...callFacts(call), transaction, result })
}

/** The first four bytes of calldata. */
export function selectorOf(data: Hex): Hex {
  return size(data) < 4 ? '0x' : slice(data, 0, 4)
}

/** What was simulated and a reserve, as it was signed. */
function gasLimitOf({ rawTransaction, userOperation }: JournalEntry): bigint | null {
  if (userOperation === undefined) return parseTransaction(rawTransaction).gas ?? null
  const limit = userOperation.operation['callGasLimit']
  return typeof limit === 'string' ? BigInt(limit) : null
}
