import { type Hash, isAddressEqual, type TransactionReceipt } from 'viem'
import { ToolError } from '@svc/amm'
import type { EndedRevocation, PendingRevocation } from '@svc/store'
import type { Chain, JournalEntry } from '@svc/wallet/core'
import { type Allowance, revokeStep, type Step } from '../call/step.ts'
import type { Engine, ExecutionContext } from '../context/engine.ts'
import { minedCount, type Progress } from '../context/execution-context.ts'
import { onStorage } from '../call/refusal.ts'
import { isPrivateOut } from './private-route.ts'
import { broadcast, confirm, sign } from './transact.ts'
import { readAllowances } from '../call/chain-snapshot.ts'

/** Notes on disk the right over a position that a permit gives, for before it is signed: whoever sees the signature may hand it in. */
export async function oweRights(context: Granting): Promise<void> {
  await onStorage('the owed allowances cannot be written', () =>
    context.engine.pendingRevocations.add(rightsOf(context)),
  )
}

/** The right of a permit whose call was mined, which is over: the same call has burnt the position. Where it was not, the next sweeps see to it. */
export function endedRights(context: Granting, { mined }: Progress): readonly EndedRevocation[] {
  const last = mined.at(-1)?.receipt.blockNumber
  return last === undefined ? [] : rightsOf(context).map((one) => inBlock(one, last))
}

function inBlock(one: PendingRevocation, block: bigint): EndedRevocation {
  return { ...one, endedIn: `${block}` }
}

/** Notes what is over where no settlement does it in its own commit. Never rejects: what is not noted is looked at again. */
export async function noteEnded(context: Granting, ended: readonly EndedRevocation[]): Promise<void> {
  if (ended.length === 0) return
  await context.engine.pendingRevocations.end(ended).catch((error: unknown) => warnOwed(context, error))
}

/**
 * Sets what is left of the pipeline's allowances to zero and gives those that are, with the block in which they ended, for the sweeps to look again. With `blind` they are not read first and
 * not waited for: a transaction is out whose end is unknown, and the revocation queues behind it by its nonce. None has
 * ended while bytes that were declined may still be mined, or where the block that was read lacks transactions of the
 * wallet: either may be the approval. Never rejects: what could not be revoked stays pending, and the next write or start
 * tries again.
 */
export async function revokeAllowances(
  context: Granting,
  progress: Progress,
  options: { readonly blind: boolean; readonly standing?: Standing },
): Promise<Revoked> {
  const { allowances } = context
  const pendingRevocations = pendingOf(context)
  const receipts: TransactionReceipt[] = []
  if (pendingRevocations.length === 0) return { receipts, ended: [] }
  try {
    // In the public pool it would tell of the trade that it queues behind: the sweep takes back what that leaves.
    if (options.blind && (await isPrivateOut(context))) return { receipts, ended: [] }
    const standing = options.blind ? null : (options.standing ?? (await currentAllowances(context, allowances)))
    const mayEnd = standing?.holdsAll === true && !(await isAnyRefused(context))
    const due = allowances.flatMap((allowance, index) => {
      const stands = standing === null ? wasApproved(allowance, progress) : standing.amounts[index] !== 0n
      return stands && allowance.revokeAfter ? [{ allowance, index }] : []
    })
    // After a whole run it is known how many transactions are mined; after a failure the chain is asked.
    const count = options.standing === undefined ? {} : { latestCount: minedCount(progress) }
    const sent: Sent[] = []
    const failures: unknown[] = []
    try {
      for (const one of due) sent.push(await sendRevoke(context, progress, one, count))
    } catch (error) {
      failures.push(error)
    }
    if (!options.blind) {
      const outcomes = await Promise.allSettled(sent.map((one) => confirmRevoke(context, one)))
      for (const outcome of outcomes) {
        if (outcome.status === 'fulfilled') receipts.push(outcome.value)
        else failures.push(outcome.reason)
      }
    }
    if (failures.length > 0) throw failures[0]
    if (standing !== null && mayEnd) {
      const endedIn = receipts.reduce(
        (last, { blockNumber }) => (blockNumber > last ? blockNumber : last),
        standing.blockNumber,
      )
      return { receipts, ended: pendingRevocations.map((one) => inBlock(one, endedIn)) }
    }
  } catch (error) {
    warnOwed(context, error)
  }
  return { receipts, ended: [] }
}

function warnOwed({ engine, call }: Granting, error: unknown): void {
  engine.log.warn('allowances.owed', { requestId: call.requestId, error })
}

/** What an intent on its way has set or is going to set. */
type Granting = ExecutionContext & { readonly allowances: readonly Allowance[] }

type Revoked = { readonly receipts: readonly TransactionReceipt[]; readonly ended: readonly EndedRevocation[] }

/** Whether bytes of the wallet were declined on the chain and may be mined all the same, so that what reads as zero may rise. */
export async function isAnyRefused({
  engine,
  chain,
  wallet,
}: Pick<ExecutionContext, 'engine' | 'chain' | 'wallet'>): Promise<boolean> {
  return (await engine.journal.refused(chain.id, wallet)).length > 0
}

/**
 * Notes beside what is owed that taking it back was mined and failed, so that the next try waits, and tells the operator
 * the first time. Throws `STORAGE_UNAVAILABLE`.
 */
export async function noteNotRevoked(
  engine: Pick<Engine, 'pendingRevocations' | 'audit' | 'log' | 'now'>,
  chain: Pick<Chain, 'id'>,
  pendingRevocations: PendingRevocation,
  hash: Hash,
): Promise<void> {
  await onStorage('the owed allowances cannot be written', () =>
    engine.pendingRevocations.failed(pendingRevocations, engine.now()),
  )
  if (pendingRevocations.failed !== undefined) return
  const { token, spender } = pendingRevocations
  engine.log.error('allowances.not-taken-back', { chainId: chain.id, token, spender, hash, fix })
  const transaction = { chainId: chain.id, hash, to: token, spender }
  engine.audit.note({ event: 'tx.not-taken-back', transaction, result: { status: 'reverted' } })
}

/**
 * Reads what stands of the wallet's allowances at a block, the newest of an endpoint where none is named, in the order asked, and how many of the
 * wallet's transactions that block holds: one that lags shows zero where an approval of ours stands. Throws `RPC_*` and
 * `STORAGE_UNAVAILABLE`.
 */
export async function currentAllowances(
  {
    engine,
    chain,
    client,
    wallet,
  }: Pick<ExecutionContext, 'chain' | 'client' | 'wallet'> & { readonly engine: WithJournal },
  allowances: readonly Pick<Allowance, 'token' | 'spender'>[],
  at?: bigint,
): Promise<Standing> {
  const next = await onStorage('the journal cannot be read', () => engine.journal.nextNonce(chain.id, wallet))
  const blockNumber = at ?? (await client.getBlockNumber({ cacheTime: 0 }))
  const [amounts, count] = await Promise.all([
    readAllowances(client, wallet, allowances, blockNumber),
    client.getTransactionCount({ address: wallet, blockNumber }),
  ])
  return { amounts, blockNumber, holdsAll: count >= (next ?? 0) }
}

export type Standing = {
  readonly amounts: readonly bigint[]
  readonly blockNumber: bigint
  /** Whether every nonce the journal has signed at is used in the block they were read at: a zero is believed only then. */
  readonly holdsAll: boolean
}

type Sent = { readonly allowance: Allowance; readonly step: Step; readonly entry: JournalEntry }

async function sendRevoke(
  context: Granting,
  { valid }: Progress,
  { allowance, index }: { readonly allowance: Allowance; readonly index: number },
  count: { readonly latestCount?: number },
): Promise<Sent> {
  const step = revokeStep(allowance)
  const gasUsed = valid.simulation.revokeGasUsed[index] ?? 0n
  const facts = { why: 'take back what is left of an allowance' }
  const entry = await sign(context, step, {
    // A slot that is emptied costs less in the simulation than one that still holds something.
    gasUsed: gasUsed > leastRevokeGas ? gasUsed : leastRevokeGas,
    fees: valid.snapshotTaken.fees,
    reservationId: null,
    facts,
    ...count,
  })
  return { allowance, step, entry: await broadcast(context, step, entry) }
}

async function confirmRevoke(context: Granting, { allowance, step, entry }: Sent): Promise<TransactionReceipt> {
  try {
    return await confirm(context, step, entry)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'TRANSACTION_REVERTED')
      await noteFailed(context, allowance, entry.hash)
    throw error
  }
}

async function noteFailed({ engine, chain, wallet }: Granting, allowance: Allowance, hash: Hash): Promise<void> {
  const pendingRevocations = (await engine.pendingRevocations.list()).find(
    ({ chainId, owner, token, spender }) =>
      chainId === chain.id &&
      isAddressEqual(owner, wallet) &&
      isAddressEqual(token, allowance.token) &&
      isAddressEqual(spender, allowance.spender),
  )
  if (pendingRevocations !== undefined) await noteNotRevoked(engine, chain, pendingRevocations, hash)
}

/** Whether the pipeline signed an approval of this token. */
function wasApproved({ token }: Allowance, { signed }: Progress): boolean {
  return signed.some(({ step }) => step.kind === 'approve' && isAddressEqual(step.to, token))
}

const leastRevokeGas = 60_000n

/** What will have to go back to zero: on disk with the first signature, at the latest. */
export function pendingOf({ chain, wallet, allowances }: Granting): readonly PendingRevocation[] {
  return allowances
    .filter(({ revokeAfter }) => revokeAfter)
    .map(({ token, spender }) => ({ chainId: chain.id, owner: wallet, token, spender }))
}

function rightsOf({ chain, wallet, intent: { permit } }: Granting): readonly PendingRevocation[] {
  if (permit === undefined) return []
  const { positionManager: token, spender, tokenId, nonce, deadline } = permit
  return [
    {
      chainId: chain.id,
      owner: wallet,
      token,
      spender,
      position: { tokenId: `${tokenId}`, nonce: `${nonce}`, deadline },
    },
  ]
}

const fix =
  'Taking this allowance back was mined and failed. It is tried again after a minute, then after twice as long each time, up to a day, and not while the daily limit is used up. A token that refuses this is best not traded again.'

type WithJournal = { readonly journal: Pick<ExecutionContext['engine']['journal'], 'nextNonce'> }
