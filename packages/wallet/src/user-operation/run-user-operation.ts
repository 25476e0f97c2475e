import type { Hash, Hex, Log } from 'viem'
import { startDeadline } from '../with-deadline.ts'
import { WalletError } from '../wallet-error.ts'
import { lookForOperation, type Sighting } from './look-for-operation.ts'
import { offerUserOperation, type OperationCall, type OperationContext } from './open-bundler.ts'
import type { SignedUserOperation, UserOperationRecord } from './signed-user-operation.ts'
import { signUserOperation } from './sign-user-operation.ts'
import { encodeCalls } from './choose-delegation.ts'

/**
 * Brings calls to the chain as one sponsored user operation, with at most one effect: what is signed is kept before it is
 * offered, only what is kept is offered, and another one is signed only once the chain proves that the kept one is never
 * executed. Throws `REQUEST_CONFLICT` when the record holds the operation of other calls, and what
 * {@link signUserOperation} throws, in which case nothing is out.
 */
export async function runUserOperation(
  context: OperationContext,
  calls: readonly OperationCall[],
  record: UserOperationRecord,
): Promise<OperationOutcome> {
  for (let round = 0; round < mostRounds; round += 1) {
    const kept = await record.load()
    const signed = kept ?? (await signUserOperation(context, calls))
    requireSame(signed, calls, context)
    if (kept === null && !(await keep(record, signed))) continue
    const sighting = await follow(context, signed, kept !== null)
    const { userOperationHash } = signed
    if (sighting.status === 'open') {
      return { status: 'pending', userOperationHash, operation: signed, declined: sighting.declined }
    }
    if (sighting.status === 'mined' || sighting.status === 'reverted') return { ...sighting, userOperationHash }
    await record.save(null)
  }
  throw new WalletError('NONCE_CONTENDED', `Other operations of ${context.owner} took every nonce that was tried.`, {
    details: { chainId: context.chain.id, address: context.owner },
  })
}

export type OperationOutcome = { readonly userOperationHash: Hex } & (
  | { readonly status: 'mined'; readonly txHash: Hash; readonly logs: readonly Log[] }
  | { readonly status: 'reverted'; readonly txHash: Hash; readonly reason: string | null }
  /** It may still be executed; the record holds it. */
  | {
      readonly status: 'pending'
      readonly operation: SignedUserOperation
      /** What the bundler said when it would not take the operation. */
      readonly declined: string | null
    }
)

const mostRounds = 3

/** `false` when another call kept its operation meanwhile: that one is gone on with, and this one is offered to nobody. */
async function keep(record: UserOperationRecord, signed: SignedUserOperation): Promise<boolean> {
  try {
    await record.save(signed)
    return true
  } catch (error) {
    if (error instanceof WalletError && error.code === 'REQUEST_CONFLICT') return false
    throw error
  }
}

function requireSame(
  kept: SignedUserOperation,
  calls: readonly OperationCall[],
  { chain, owner }: OperationContext,
): void {
  const { sender, callData } = kept.operation
  const isSame =
    kept.chainId === chain.id &&
    sender.toLowerCase() === owner.toLowerCase() &&
    callData.toLowerCase() === encodeCalls(calls).toLowerCase()
  if (isSame) return
  throw new WalletError('REQUEST_CONFLICT', 'The record holds the user operation of other calls.', {
    details: { requestId: null, userOperationHash: kept.userOperationHash },
  })
}

export type FollowContext = Pick<
  OperationContext,
  'client' | 'chain' | 'bundler' | 'timeoutMs' | 'resendAfterMs' | 'signal' | 'onStep'
>

/** How far an operation came while it was watched. */
export type Followed =
  | Exclude<Sighting, { readonly status: 'open' }>
  | { readonly status: 'open'; readonly declined: string | null }

/** Offers the operation and watches the chain until it is settled or the patience is over. `isOffered`: a moment ago. */
export async function follow(
  context: FollowContext,
  signed: SignedUserOperation,
  isKnown: boolean,
  isOffered = false,
): Promise<Followed> {
  const { bundler, chain, timeoutMs, resendAfterMs, signal, onStep } = context
  const { userOperationHash } = signed
  const place = { client: context.client, chain, bundler }
  const pollMs = Math.min(2_000, Math.max(50, chain.blockTimeSeconds * 250))
  const deadline = startDeadline(timeoutMs, signal)
  let declined: string | null = null
  let offeredAt = isOffered ? performance.now() : -Infinity
  try {
    // What was kept before may have ended meanwhile; then there is nothing to offer.
    let sighting: Sighting = isKnown ? await lookForOperation(place, signed) : { status: 'open' }
    while (sighting.status === 'open') {
      if (performance.now() - offeredAt > resendAfterMs) {
        offeredAt = performance.now()
        onStep('send', { userOperationHash })
        const offer = await deadline.race(offerUserOperation(bundler, signed))
        declined = offer?.reason ?? null
        onStep('confirm', { userOperationHash })
      }
      sighting = await lookForOperation(place, signed)
      if (sighting.status !== 'open') break
      if (deadline.isOver()) return { status: 'open', declined }
      await deadline.pause(pollMs)
    }
    return sighting
  } finally {
    deadline.stop()
  }
}
