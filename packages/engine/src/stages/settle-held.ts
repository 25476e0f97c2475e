import type { TransactionReceipt } from 'viem'
import type { JournalEntry } from '@svc/wallet/core'
import type { HeldReservation } from '@svc/store'
import type { ExecutionContext } from '../context/engine.ts'
import { receiptOrNull, settledBlock } from '../call/chain-snapshot.ts'
import { takenBySpenders, toNamed } from '../transactions/taken-by-spenders.ts'
import { approvalOf, approvalsIn, isSignedOpen } from '../operations/may-be-mined.ts'
import { isolateFailure, onStorage } from '../call/refusal.ts'

/**
 * Until its blocks are settled, a call counts as reserved, even where its receipts say less: whoever can replace them makes of a trade
 * that failed one that lost, and may have a spender that the operator names take of its allowance before that is taken back. Once they are
 * settled, receipts are read again. Where they say what they said, and no such spender took anything, the spend and its budgets fall; else
 * they count as reserved for another day. Answers whether any fell. Throws `RPC_*` and
 * `STORAGE_UNAVAILABLE`.
 */
export async function settleHeld(context: ExecutionContext): Promise<boolean> {
  const { engine, chain } = context
  const all = await onStorage('the spend ledger cannot be read', () => engine.ledger.held(chain.id))
  if (all.length === 0) return false
  // Before the receipts: a block that was as deep when the head was read is final when they are.
  const head = await engine.rpc.head(chain)
  const fell = await Promise.all(
    all.map(async (held) => {
      let isLower = false
      await isolateFailure(engine, 'settle.held', { chainId: chain.id, requestId: held.requestId }, async () => {
        isLower = await settleDeep(context, held, head)
      })
      return isLower
    }),
  )
  return fell.includes(true)
}

async function settleDeep(context: ExecutionContext, { id, requestId }: HeldReservation, head: Head): Promise<boolean> {
  const { engine, client, chain } = context
  const deep = settledBlock(chain, head.number)
  const signed = await onStorage('the journal cannot be read', () => engine.journal.byRequest(requestId))
  const reserved = signed.filter(({ reservationId }) => reservationId === id)
  const granted = toNamed(approvalsIn(reserved), context)
  // What takes allowances back is drawn on no reservation.
  const isOf = ({ reservationId }: JournalEntry) =>
    reservationId === id || (granted.length > 0 && reservationId === null)
  const entries = signed.filter(isOf)
  if (entries.some((entry) => isSignedOpen(entry) || (entry.blockNumber ?? 0n) > deep)) return false
  const [first] = entries
  const count = first === undefined ? 0 : client.getTransactionCount({ address: first.from, blockNumber: deep })
  const [block, used, ...receipts] = await Promise.all([
    client.getBlock({ blockNumber: head.number }),
    count,
    ...entries.map(({ hash }) => receiptOrNull(client, hash)),
  ])
  // Another endpoint may still show the blocks that were replaced. A user operation has a nonce at the entry point, not of the wallet.
  const isNext = ({ nonce, userOperation }: JournalEntry) => userOperation === undefined && nonce >= used
  if (block.hash !== head.hash || entries.some(isNext)) return false
  const own = receipts.filter((receipt) => receipt !== null)
  const isMoved = entries.some((entry, index) => receipts[index] && receipts[index].blockHash !== entry.blockHash)
  // In the blocks that the journal knows it was counted.
  const taken =
    isMoved && first !== undefined
      ? await takenBySpenders({ ...context, wallet: first.from }, granted, { own, until: deep })
      : noneTaken
  const isSame = taken.size === 0 && entries.every((entry, index) => isAsJournalled(entry, receipts[index] ?? null))
  const { ledger, log } = engine
  await onStorage('the spend ledger cannot be written', () => (isSame ? ledger.lower(id) : ledger.keep(id)))
  if (!isSame) log.warn('settle.replaced', { requestId, transactions: entries.map(({ hash }) => hash) })
  return isSame
}

const noneTaken: ReadonlyMap<string, bigint> = new Map()

type Head = Awaited<ReturnType<ExecutionContext['engine']['rpc']['head']>>

/**
 * Whether a transaction, whose nonce is used up for good, came out as the journal has it. An approval moves nothing in any block. The
 * transaction that carries a user operation succeeds also where that one fails, so there the block alone says that nothing changed.
 */
function isAsJournalled(entry: JournalEntry, receipt: TransactionReceipt | null): boolean {
  const isEnded = entry.state === 'final' || entry.state === 'reverted'
  if (entry.userOperation !== undefined && isEnded) return receipt !== null && receipt.blockHash === entry.blockHash
  if (entry.state === 'reverted') return receipt?.status === 'reverted'
  if (entry.state !== 'final') return receipt === null
  return receipt?.status === 'success' && (receipt.blockHash === entry.blockHash || approvalOf(entry) !== null)
}
