import { type CrossChainFill, type CrossChainRefund, type OpenedOrder, readCrossChain } from '@svc/amm'
import { announcesOrder } from '@svc/amm/cross-chain'
import type { StoredOrder } from '@svc/store'
import { type Chain, isNeverMined, type JournalEntry } from '@svc/wallet/core'
import { type Hash, isAddress, isAddressEqual, parseTransaction } from 'viem'
import { receiptOrNull } from '../call/chain-snapshot.ts'
import { onStorage } from '../call/refusal.ts'
import type { Engine, ExecutionContext } from '../context/engine.ts'

/** Cross-chain orders of a chain that have not ended: what is reserved for them counts. Throws `STORAGE_UNAVAILABLE`. */
export async function openCrossChainOrders(
  { orders }: Pick<Engine, 'orders'>,
  { id }: Pick<Chain, 'id'>,
): Promise<readonly OpenCrossChain[]> {
  const open = await onStorage('the orders cannot be read', () => orders.open(id))
  return open.filter(({ kind }) => kind === 'cross_chain').map(openCrossChainOf)
}

export type OpenCrossChain = Omit<StoredOrder, 'kind' | 'wallet'> & OpenedOrder & { readonly kind: 'cross_chain' }

export type CrossChainEnd = 'filled' | 'refunded' | 'unopened' | 'lost'

export type ViewedCrossChain = OpenCrossChain & {
  /** `overdue`: its deadline is over at the destination, nobody has filled it, and what was put in has not come back yet. */
  readonly status: 'open' | 'overdue' | CrossChainEnd
  /** Whether the blocks that say so are deep enough, so that what was reserved for it is settled. */
  readonly isFinal: boolean
  readonly openTxHash: Hash | null
  readonly fill: CrossChainFill | null
  readonly refund: CrossChainRefund | null
}

/** A row as it is worked with. Throws where one of ours makes no sense. */
export function openCrossChainOf(stored: StoredOrder): OpenCrossChain {
  const { kind, terms, wallet } = stored
  if (kind !== 'cross_chain' || !isAddress(wallet)) throw new TypeError('a cross-chain order makes no sense')
  return { ...stored, kind, wallet, order: readCrossChain(terms) }
}

/**
 * What has become of the transaction that opens an order, by the journal and its receipt. `unopened` where none is mined nor may be any more;
 * `misopened` where it was mined and its settler announced another order, or none.
 *
 * @throws ToolError `RPC_*`, `STORAGE_UNAVAILABLE`
 */
export async function readOpening(
  { engine, client }: Pick<ExecutionContext, 'engine' | 'client'>,
  one: OpenCrossChain,
): Promise<Opening> {
  const signed = await onStorage('the journal cannot be read', () => engine.journal.byRequest(one.requestId))
  const calls = signed.filter((entry) => entry.reservationId === one.reservationId && opens(entry, one))
  const mined = calls.find(({ state }) => state === 'final')
  if (mined === undefined) {
    const isOut = calls.some((entry) => entry.state !== 'reverted' && !isNeverMined(entry))
    return { state: isOut ? 'out' : 'unopened', txHash: null, blockNumber: null }
  }
  const receipt = await receiptOrNull(client, mined.hash)
  if (receipt === null) return { state: 'out', txHash: mined.hash, blockNumber: null }
  const isOpened = announcesOrder(receipt.logs, one.order, { chainId: one.chainId, wallet: one.wallet })
  const { hash: txHash } = mined
  return { state: isOpened ? 'opened' : 'misopened', txHash, blockNumber: receipt.blockNumber }
}

export type Opening =
  | { readonly state: 'out' | 'unopened'; readonly txHash: Hash | null; readonly blockNumber: null }
  | { readonly state: 'opened' | 'misopened'; readonly txHash: Hash; readonly blockNumber: bigint }

/** Whether a signed transaction is the call that opens an order; what cancels it at its nonce is not. */
export function opens(
  { rawTransaction }: Pick<JournalEntry, 'rawTransaction'>,
  { order }: Pick<OpenCrossChain, 'order'>,
) {
  const { to } = parseTransaction(rawTransaction)
  return to != null && isAddressEqual(to, order.settler)
}
