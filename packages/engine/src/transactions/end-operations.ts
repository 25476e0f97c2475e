import { type JournaledOperation, type JournalEntry, operationInReceipt, type UserOperations } from '@svc/wallet/core'
import type { Hash } from 'viem'
import { ToolError } from '@svc/amm'
import { settledBlock } from '../call/chain-snapshot.ts'
import { isolateFailure, onStorage } from '../call/refusal.ts'
import type { ExecutionContext } from '../context/engine.ts'

/**
 * Brings the user operations that are out on a chain to their end where the chain shows it, and offers the wallet's own to the bundler
 * again; gives the hashes of its own that stay open. Whatever a bundler says, it is the chain that counts.
 */
export async function endOperations(context: ExecutionContext): Promise<readonly Hash[]> {
  const { engine, chain, wallet } = context
  const open: Hash[] = []
  for (const entry of await openOperations(context)) {
    const { userOperation, from, hash } = entry
    const isOwn = from.toLowerCase() === wallet.toLowerCase()
    let isOpen = true
    await isolateFailure(engine, 'clear-up.operation', { chainId: chain.id, hash }, async () => {
      const operations = operationsOn(context)
      const ended = await endOperation(context, entry, await operations.look(userOperation))
      const transaction = { chainId: chain.id, hash: 'txHash' in ended ? ended.txHash : hash, userOperation: hash }
      engine.audit.note({ event: 'tx.reconciled', transaction, result: { status: ended.state } })
      isOpen = ended.state === 'open'
      // What a bundler declined is offered once, as to an endpoint: whoever asked for it knows that it is open.
      if (isOpen && isOwn && entry.state !== 'refused') {
        engine.requireLead?.()
        await operations.offer(userOperation)
      }
    })
    // Another wallet's keeps this one from nothing.
    if (isOpen && isOwn) open.push(hash)
  }
  return open
}

/** Whatever wallet they are of: no key is needed to look for them. */
export async function openOperations({
  engine,
  chain,
}: Pick<ExecutionContext, 'engine' | 'chain'>): Promise<readonly OperationEntry[]> {
  const open = await onStorage('the journal cannot be read', () => engine.transactions.openOperations(chain.id))
  return open.flatMap((entry) =>
    entry.userOperation === undefined ? [] : [{ ...entry, userOperation: entry.userOperation }],
  )
}

export type OperationEntry = JournalEntry & { readonly userOperation: JournaledOperation }

/**
 * Writes down what became of an operation. One whose time is over in a settled block, and which took no nonce by then, has no effect
 * any more: its first call reverts, whoever includes it.
 */
export async function endOperation(
  context: Pick<ExecutionContext, 'engine' | 'client' | 'chain'>,
  entry: OperationEntry,
  sighting: Sighted,
): Promise<EndedOperation> {
  const { engine, client } = context
  const end = (what: Parameters<typeof engine.transactions.endOperation>[1]) =>
    onStorage('the journal cannot be written', () => engine.transactions.endOperation(entry.hash, what))
  if (sighting.status === 'mined' || sighting.status === 'reverted') {
    const { txHash } = sighting
    const receipt = await client.getTransactionReceipt({ hash: txHash })
    const { blockNumber, blockHash, gasUsed } = receipt
    const state = sighting.status === 'mined' ? 'final' : 'reverted'
    await end({ state, txHash, blockNumber, blockHash, gasUsed })
    // Its own, not that of all operations in the bundler's transaction.
    const own = { txHash, gasUsed: operationInReceipt(entry.userOperation, receipt)?.gasUsed ?? null }
    return state === 'final'
      ? { state, ...own }
      : { state, ...own, reason: 'reason' in sighting ? (sighting.reason ?? null) : null }
  }
  if ('included' in sighting && sighting.included !== undefined) {
    // Its receipt cannot be had: what it moved is not known, so that its reservation stands until one can be read.
    const { success, ...facts } = sighting.included
    const state = success ? 'final' : 'reverted'
    await end({ state, ...facts })
    return { state, txHash: facts.txHash, gasUsed: facts.gasUsed, reason: null }
  }
  if (sighting.status === 'open' && !(await isOver(context, entry))) return { state: 'open' }
  await end({ state: 'superseded' })
  return { state: 'superseded' }
}

type Sighted = Awaited<ReturnType<UserOperations['look' | 'follow']>>

/** `gasUsed` is `null` where its event cannot be found. */
type Included = { readonly txHash: Hash; readonly gasUsed: bigint | null }

export type EndedOperation =
  | (Included & { readonly state: 'final' })
  | (Included & { readonly state: 'reverted'; readonly reason: string | null })
  | { readonly state: 'superseded' }
  | { readonly state: 'open' }

/** Throws `RPC_*`. */
async function isOver(
  context: Pick<ExecutionContext, 'engine' | 'client' | 'chain'>,
  { userOperation }: OperationEntry,
): Promise<boolean> {
  const { client, chain } = context
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const settled = await client.getBlock({ blockNumber: settledBlock(chain, head) })
  if (Number(settled.timestamp) <= userOperation.expiresAt) return false
  // Of that very block, and an answer: what could not be looked for may have been included.
  return await operationsOn(context).isUnused(userOperation, settled.number)
}

/** Throws `ATOMIC_EXECUTION_UNAVAILABLE` where the wallet sends none. */
export function operationsOn({ engine, chain }: Pick<ExecutionContext, 'engine' | 'chain'>): UserOperations {
  const operations = engine.userOperations?.(chain)
  if (operations !== undefined) return operations
  throw new ToolError('ATOMIC_EXECUTION_UNAVAILABLE', 'This wallet sends no user operations.')
}
