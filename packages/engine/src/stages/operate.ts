import { type JournalEntry, WalletError } from '@svc/wallet/core'
import {
  type Address,
  type Hash,
  type Hex,
  isAddressEqual,
  serializeTransaction,
  size,
  slice,
  type TransactionReceipt,
} from 'viem'
import { type ErrorCode, ToolError } from '@svc/amm'
import { callFacts } from '../audit/call-outcomes.ts'
import { onStorage } from '../call/refusal.ts'
import { callsOf } from '../batch/batch-step.ts'
import type { Reserved } from './reserve-spend.ts'
import type { ExecutionContext } from '../context/engine.ts'
import type { Step } from '../call/step.ts'
import { operationSignerOf } from '../signatures/guarded-signer.ts'
import { endOperation, type EndedOperation, operationsOn } from '../transactions/end-operations.ts'
import { checkCost, receiptOf, gasLimitFor } from '../spending/gas.ts'
import {
  broadcast,
  confirm,
  countFailure,
  noteIntent,
  notSent,
  requireAllowed,
  signingError,
  type Terms,
} from '../transactions/transact.ts'
import { noteSubmitted } from '../transactions/note-transaction.ts'

/**
 * Signs a batch as a user operation: first a line in the audit log, then bundler and paymaster are asked, and what they answer is held
 * against what the pipeline decided. Kill switch and breaker are looked up last of all, before each signature and once more before the
 * operation is in the journal, with the reservation that it draws on. Nothing has left the process when it resolves but what bundler and
 * paymaster were asked about.
 */
export async function signOperation(context: Reserved, step: Step, terms: Terms): Promise<JournalEntry> {
  const { engine, call, chain, wallet } = context
  const operation = step.batch?.operation
  const signer = engine.operationSigner?.(chain)
  if (operation === undefined || signer === undefined) {
    throw new ToolError('SIGNATURE_NOT_ALLOWED', 'This wallet signs transactions alone.')
  }
  const noted = noteIntent(context, step, terms)
  await Promise.all([noted, signer.ready?.()])
  const allow = () => requireAllowed(context, step, terms)
  const grantFor = (message: Readonly<Record<string, unknown>>) => grantOf(context, step, message)
  const guarded = operationSignerOf(signer, { allow, grantFor })
  try {
    // By the simulation: an estimate that is too low by a little makes all of them fail.
    const given = { callGasLimit: gasLimitFor(terms.gasUsed), signal: call.signal }
    const signed = await operationsOn(context).sign(operation.calls, guarded, given)
    await allow()
    const entry = {
      requestId: call.requestId,
      step: context.nextStep(),
      chainId: chain.id,
      from: wallet,
      nonce: Number(BigInt(signed.operation.nonce)),
      attempt: 0,
      rawTransaction: serializeTransaction({ type: 'eip1559', chainId: chain.id, to: wallet, data: step.data }),
      hash: signed.userOperationHash,
      reservationId: terms.reservationId,
      userOperation: { ...signed, expiresAt: operation.expiresAt },
    }
    const unlessPaused = engine.sharedSwitches !== undefined
    return await engine.journal.recordSigned(entry, terms.owed, { unlessPaused })
  } catch (error) {
    throw sponsorError(error) ?? signingError(error, chain.name)
  }
}

/** Sends what was signed: the stored bytes to the endpoint, a stored user operation to the bundler. */
export async function broadcastSigned(context: Reserved, step: Step, entry: JournalEntry): Promise<JournalEntry> {
  const { userOperation } = entry
  if (userOperation === undefined) return await broadcast(context, step, entry)
  const { engine } = context
  engine.requireLead?.()
  const { answer, reason } = await operationsOn(context).offer(userOperation)
  const state = answer === 'declined' ? 'refused' : 'broadcast'
  await onStorage('the journal cannot be written', () => engine.journal.mark(entry.hash, state))
  const { hash } = entry
  noteSubmitted(context, step, { ...entry, state })
  if (state !== 'refused') return { ...entry, state }
  await countFailure(context, entry, 'other')
  const message = 'The bundler declined the user operation, but may have passed it on all the same.'
  throw new ToolError('OPERATION_IN_DOUBT', message, {
    details: [{ message: `declined by the bundler: ${reason ?? 'without a word'}`, txHash: hash }],
    suggestion:
      'With an idempotencyKey the same call may be repeated in some minutes: it runs once it is proved that this one has no effect. Until then the wallet does nothing else on this chain.',
  })
}

/** Waits for what was sent, in whichever way. Throws as `confirm` does. */
export async function confirmSigned(
  context: Reserved,
  step: Step,
  entry: JournalEntry,
  beside?: () => Promise<void>,
): Promise<TransactionReceipt> {
  const { userOperation } = entry
  if (userOperation === undefined) return await confirm(context, step, entry, beside)
  const { engine, client, chain } = context
  const followed = await operationsOn(context).follow(
    userOperation,
    engine.confirmTimeoutMs,
    engine.term?.() ?? undefined,
  )
  const ended = await endOperation(context, { ...entry, userOperation }, followed)
  noteEnd(context, step, entry, ended)
  if (ended.state === 'final') {
    const receipt = await client.getTransactionReceipt({ hash: ended.txHash }).catch((error: unknown) => {
      throw unreadEnd(step, ended.txHash, error)
    })
    await beside?.()
    return receiptOf(entry, receipt, chain)
  }
  if (ended.state === 'reverted') {
    if (!context.value.isExit) await countFailure(context, entry, 'reverted')
    const reason = ended.reason === null ? 'reverted' : `reverted: ${ended.reason}`
    throw new ToolError('TRANSACTION_REVERTED', `"${step.label}" was included and ${reason}.`, {
      details: [{ message: reason, step: step.label, txHash: ended.txHash }],
    })
  }
  if (ended.state === 'superseded') {
    await countFailure(context, entry, 'other')
    throw notSent(entry, 'No bundler included the user operation in time, or another one took its place.')
  }
  throw new ToolError('TRANSACTION_PENDING', `"${step.label}" is with the bundler and not included yet.`, {
    details: [{ message: 'not included', step: step.label, txHash: entry.hash }],
    suggestion:
      'Repeat the call with its idempotencyKey to hear its end: it is included, or over, within some minutes. get_transaction_status knows it only once it is included. Do not send it under another key.',
  })
}

/** What it moved is not known yet: as with one that is not included, what is reserved for it counts on. */
function unreadEnd({ label }: Step, txHash: Hash, cause: unknown): ToolError {
  return new ToolError('TRANSACTION_PENDING', `"${label}" is included, and its receipt could not be read.`, {
    details: [{ message: 'included, and not read', step: label, txHash }],
    suggestion: 'Repeat the call with its idempotencyKey to hear what it moved. Do not send it under another key.',
    cause,
  })
}

/**
 * What the wallet may sign of an operation that bundler and paymaster had a say in: exactly the calls that were simulated, for the account
 * that was looked at, paid by somebody who is none of those the calls deal with, and for no more gas than one transaction may cost.
 */
function grantOf(context: Reserved, step: Step, message: Readonly<Record<string, unknown>>) {
  const { engine, chain, wallet, route, known, priced } = context
  const { nonce, paymasterAndData } = message
  if (typeof nonce !== 'bigint' || nonce >= 2n ** 64n) throw notGranted('is not next in the order of the wallet')
  const paymaster = requirePaymaster(paymasterAndData, [wallet, ...callsOf(step).map(({ to }) => to)])
  const maxCostWei = costOf(message)
  const [dear] = checkCost(engine.policy, maxCostWei, priced, false)
  if (dear !== undefined) throw new ToolError(dear.code, `${dear.message} Nothing was signed.`)
  const isDelegated = route?.refusal === null && route.isDelegated
  return {
    chain,
    wallet,
    nowSeconds: context.snapshotTaken.atSeconds,
    spenders: new Set(known.spenders.keys()),
    registries: none,
    reactors: none,
    siweDomains: none,
    grants: [
      {
        kind: 'user-operation' as const,
        nonce,
        initCode: isDelegated ? ('0x' as const) : (route?.delegate ?? '0x'),
        callData: step.data,
        paymasterAndData: paymaster,
        maxCostWei,
      },
    ],
  }
}

const none: ReadonlySet<string> = new Set()

/** ERC-4337: address of the paymaster, two limits of its gas, and what it wants to hear. */
function requirePaymaster(value: unknown, others: readonly Address[]): Hex {
  const isPaid = typeof value === 'string' && isHexOf(value) && size(value) >= 52
  if (!isPaid) throw notGranted('is paid for by nobody else')
  const payer = slice(value, 0, 20)
  if (BigInt(payer) === 0n || others.some((one) => isAddressEqual(one, payer))) {
    throw notGranted('is paid for by whom it deals with')
  }
  return value
}

function isHexOf(value: string): value is Hex {
  return /^0x([0-9a-f]{2})*$/i.test(value)
}

/** In wei at its worst, that of the paymaster's own part left out: whoever pays, it is what the signature permits of gas. */
function costOf({ accountGasLimits, preVerificationGas, gasFees }: Readonly<Record<string, unknown>>): bigint {
  const [limits, fees] = [accountGasLimits, gasFees].map((word) => (typeof word === 'string' ? BigInt(word) : 0n))
  const low = 2n ** 128n
  const gas = (limits ?? 0n) / low + ((limits ?? 0n) % low)
  const ahead = typeof preVerificationGas === 'bigint' ? preVerificationGas : 0n
  return (gas + ahead) * ((fees ?? 0n) % low)
}

function notGranted(why: string): ToolError {
  return new ToolError('SIGNATURE_NOT_ALLOWED', `The user operation ${why}. Nothing was signed.`)
}

/** Whatever bundler and paymaster failed at, nothing went out. */
function sponsorError(error: unknown): ToolError | null {
  if (!(error instanceof WalletError)) return null
  const code = sponsorErrors.get(error.code)
  return code === undefined ? null : new ToolError(code, error.message, { cause: error })
}

const sponsorErrors: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['PAYMASTER_REFUSED', 'ATOMIC_EXECUTION_UNAVAILABLE'],
  ['BUNDLER_UNAVAILABLE', 'ATOMIC_EXECUTION_UNAVAILABLE'],
  ['DELEGATION_NOT_ALLOWED', 'ATOMIC_EXECUTION_UNAVAILABLE'],
  ['USER_OPERATION_REVERTED', 'SIMULATION_DRIFT'],
  ['RPC_UNAVAILABLE', 'RPC_UNAVAILABLE'],
  ['ABORTED', 'CANCELLED'],
])

/** What became of it, which the chain holds as well: nothing waits for this line. */
function noteEnd(
  { engine, call, chain }: ExecutionContext,
  step: Step,
  entry: JournalEntry,
  ended: EndedOperation,
): void {
  const { to, label, kind } = step
  const hash = 'txHash' in ended ? ended.txHash : entry.hash
  const status = ended.state === 'open' ? 'pending' : ended.state
  const gasUsed = 'gasUsed' in ended ? ended.gasUsed : null
  const transaction = { chainId: chain.id, hash, userOperation: entry.hash, nonce: entry.nonce, to, kind, label }
  engine.log.info('tx.outcome', { requestId: call.requestId, chainId: chain.id, hash, step: label, status, gasUsed })
  const event = status === 'final' ? 'tx.confirmed' : (`tx.${status}` as const)
  engine.audit.note({ event, ...callFacts(call), transaction, result: { status, gasUsed } })
}
