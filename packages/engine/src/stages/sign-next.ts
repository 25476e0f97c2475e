import type { JournalEntry } from '@svc/wallet/core'
import type { Address, Hash, TypedDataDefinition } from 'viem'
import { type ErrorCode, ToolError, type PositionPermit } from '@svc/amm'
import { requireRoute, routeQuestion } from '../batch/atomic-route.ts'
import { callFacts } from '../audit/call-outcomes.ts'
import { isAtDestination, usdText } from '../call/amounts.ts'
import { mayBringHome } from '../value/way-home.ts'
import { declaredTokens } from '../verdict/call-tokens.ts'
import type { Reserved } from './reserve-spend.ts'
import { minedCount, type Progress } from '../context/execution-context.ts'
import { simulationHash } from '../simulation/asset-changes.ts'
import type { Step } from '../call/step.ts'
import { pendingOf, oweRights } from '../transactions/revoke-allowances.ts'
import { signOperation } from './operate.ts'
import { isPrivateStep, requirePrivate } from '../transactions/private-route.ts'
import { sign } from '../transactions/transact.ts'
import { shownPlanHash } from '../operations/plan-shown.ts'
import { withSignature } from '@svc/amm/liquidity'
import { onStorage, throwFirst } from '../call/refusal.ts'
import { assertDeclared } from '../verdict/assert-declared.ts'
import { declaredContext, play } from './prepare.ts'
import { requireRunning } from '../switches/signing-state.ts'

/** Signs the next step of a run of the pipeline on the terms of the simulation in force; with the first, what will be owed is noted. */
export async function signNext(context: Reserved, progress: Progress, next: Step): Promise<JournalEntry> {
  const { call, intent, reservationId, tokenAllowlistPassed } = context
  const { simulation, snapshotTaken, firstStep } = progress.valid
  context.engine.requireOpen()
  noteSimulated(context, progress)
  progress.planHash ??= call.carriesOut?.planHash ?? shownPlanHash(context)
  const isPrivate = isPrivateStep(context, next)
  const [delegateTo] = await Promise.all([delegationOf(context, next), isPrivate && requirePrivate(context, next)])
  const entry = await (next.batch?.operation === undefined ? sign : signOperation)(context, next, {
    gasUsed: simulation.gasUsed[progress.signed.length - firstStep] ?? 0n,
    fees: snapshotTaken.fees,
    latestCount: minedCount(progress),
    reservationId,
    ...(delegateTo === null ? {} : { delegateTo }),
    isPrivate,
    isWayHome: progress.reserved.isExit && mayBringHome(context),
    ...(progress.signed.length === 0 && { owed: pendingOf(context) }),
    facts: {
      why: intent.why,
      planHash: progress.planHash,
      ...(call.carriesOut === null ? {} : { operationId: call.carriesOut.id }),
      spendUsd: usdText(progress.reserved.amountUsdMicros),
      gasAtMostUsd: usdText(progress.reserved.gasUsdMicros),
      tokenAllowlistPassed,
      simulatedBy: simulation.playedBy,
      simulatedAtBlock: simulation.blockNumber,
      simulationHash: hashOf(context, progress.valid),
      deltas: Object.fromEntries(simulation.deltas),
    },
  })
  progress.signed.push({ step: next, hash: entry.hash })
  return entry
}

/** What the wallet is delegated to with the transaction; `null` where it is not. The code is looked up again just before. */
async function delegationOf(context: Reserved, { batch }: Step): Promise<Address | null> {
  const { route } = context
  if (batch === undefined || route === null) return null
  await requireRoute(routeQuestion(context), route)
  return route.refusal === null && !route.isDelegated ? route.delegate : null
}

/**
 * What the caller hears of a failure of the pipeline. Before the first signature it is the failure itself. After it, nothing
 * may read as "nothing happened": the hashes signed so far are named, and the code is `OPERATION_INCOMPLETE`, which is
 * not to be repeated. A code of its own stays only where it speaks of the transactions itself, or where nothing but
 * approvals was mined and nothing is out: those are revoked, at the latest before the next write.
 */
export function afterSigning({ signed, mined }: Progress, failure: unknown, revoked: Revoked = []): unknown {
  if (signed.length === 0) return failure
  const known = failure instanceof ToolError ? failure : null
  if (known !== null && speaksOfItself.has(known.code)) return failure
  const named = new Set(known?.details.map(({ txHash }) => txHash))
  const hashes = signed
    .map(({ step, hash }) => ({ message: step.label, txHash: minedHash(mined, step) ?? hash }))
    .filter(({ txHash }) => !named.has(txHash))
  const ends = revoked.map(({ transactionHash: txHash }) => ({ message: 'take back an allowance', txHash }))
  const details = [...(known?.details ?? []), ...hashes, ...ends]
  if (known !== null && !isOwnState.has(known.code)) {
    const out = signed.length - mined.length - (speaksOfLast(known, signed) ? 1 : 0)
    if (out === 0 && mined.every(({ step }) => step.kind === 'approve')) {
      const { code, message, suggestion, cause } = known
      return new ToolError(code, message, { details, suggestion, ...(cause === undefined ? {} : { cause }) })
    }
  }
  const why = known === null ? 'something went wrong inside the server' : known.message
  return new ToolError('OPERATION_INCOMPLETE', `The call was cut short after it had signed: ${why}`, {
    details,
    cause: failure,
  })
}

function hashOf({ chain, wallet, steps }: Reserved, { simulation, snapshotTaken, firstStep }: Progress['valid']): Hash {
  const { blockNumber: block, deltas } = simulation
  const { atSeconds } = snapshotTaken
  return simulationHash({ chainId: chain.id, wallet, block, atSeconds, steps: steps.slice(firstStep), deltas })
}

/** What is signed rests on it: everything it takes to play it again. Once for each simulation. */
function noteSimulated({ engine, call, chain, wallet, intent, steps }: Reserved, { valid, signed }: Progress): void {
  const { simulation, snapshotTaken, firstStep } = valid
  if (signed.length > firstStep) return
  engine.audit.note({
    event: 'tx.simulated',
    ...callFacts(call),
    chainId: chain.id,
    wallet,
    wrappedNative: chain.wrappedNative.address,
    block: simulation.blockNumber,
    atSeconds: snapshotTaken.atSeconds,
    tokens: declaredTokens(intent),
    steps: steps.slice(firstStep),
    // What another chain owes is no effect that can be played again here.
    simulation: {
      deltas: Object.fromEntries([...simulation.deltas].filter(([key]) => !isAtDestination(key))),
      ...(simulation.inOrder === undefined ? {} : { inOrder: Object.fromEntries(simulation.inOrder) }),
      gas: simulation.gasUsed,
      by: simulation.playedBy,
    },
  })
}

type Revoked = readonly { readonly transactionHash: Hash }[]

/** Whether a failure is about the transaction signed last: it is never mined, or was declined and may be. */
function speaksOfLast({ code, details }: ToolError, signed: Progress['signed']): boolean {
  if (code === 'TRANSACTION_NOT_SENT' || code === 'CANCELLED_BY_OPERATOR') return true
  return code === 'OPERATION_IN_DOUBT' && details.some(({ txHash }) => txHash === signed.at(-1)?.hash)
}

/** The transaction a step was mined as, which may be a later one than was signed first. */
function minedHash(mined: Progress['mined'], step: Step): Hash | undefined {
  return mined.find((one) => one.step === step)?.receipt.transactionHash
}

const speaksOfItself: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['TRANSACTION_REVERTED', 'TRANSACTION_PENDING'])

/** What became of the bytes is not known when our own state fails. */
const isOwnState: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['STORAGE_UNAVAILABLE', 'INTERNAL'])

/**
 * Puts the wallet's signature where a call keeps a place for one, once the call is simulated, counted and approved: checked against
 * the one permit that the intent declares, with a line in the audit log first and a note of the right that it gives. What comes of it is
 * simulated once more to the byte, on no assumption: there the endpoint sees the signature first. Any other step passes as it is.
 */
export async function signPermit(context: Reserved, progress: Progress, step: Step): Promise<Step> {
  const { engine, call, chain, wallet, known, intent } = context
  const { permit } = intent
  if (permit === undefined || step.kind !== 'call') return step
  if (engine.signGranted === undefined) {
    throw new ToolError('SIGNATURE_NOT_ALLOWED', 'This wallet signs transactions alone.')
  }
  engine.requireOpen()
  throwFirst((await requireRunning(engine, () => false)).refusals)
  const line = { event: 'tx.permit', ...callFacts(call), chainId: chain.id, wallet, permit } as const
  const noted = onStorage('the audit log cannot be written', () => engine.audit.append(line))
  await Promise.all([noted, oweRights(context)])
  const { snapshotTaken } = progress.valid
  const signature = await engine.signGranted(typedDataOf(chain.id, permit), {
    chain,
    wallet,
    nowSeconds: snapshotTaken.atSeconds,
    spenders: new Set(known.spenders.keys()),
    registries: none,
    reactors: none,
    siweDomains: none,
    grants: [{ kind: 'position-permit', ...permit }],
  })
  const signed = { ...step, data: withSignature(step.data, signature) }
  const simulation = await play(context, [signed], snapshotTaken)
  throwFirst(assertDeclared(intent, simulation, declaredContext(context)))
  return signed
}

const none: ReadonlySet<string> = new Set()

function typedDataOf(
  chainId: number,
  { positionManager, spender, tokenId, nonce, deadline }: PositionPermit,
): TypedDataDefinition {
  return {
    domain: { name: 'Uniswap V3 Positions NFT-V1', version: '1', chainId, verifyingContract: positionManager },
    types: {
      Permit: [
        { name: 'spender', type: 'address' },
        { name: 'tokenId', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { spender, tokenId, nonce, deadline: BigInt(deadline) },
  }
}
