import type { JournalEntry } from '@svc/wallet/core'
import type { TransactionReceipt } from 'viem'
import { type BlockTime, ToolError } from '@svc/amm'
import { sentWei as sentByBatches } from '../batch/batch-step.ts'
import { endCrossChain } from '../cross-chain/follow-cross-chain.ts'
import { openCrossChainOf, opens } from '../cross-chain/open-cross-chain.ts'
import { mayBeMined } from '../operations/may-be-mined.ts'
import { receiptOf } from '../spending/gas.ts'
import type { Reserved } from '../stages/reserve-spend.ts'
import type { Progress } from '../context/execution-context.ts'
import { holdTrades } from '../stages/hold-against-simulation.ts'
import { isTradeAlone } from '../calldata/call-bounds.ts'
import { realDeltas, settleLedger } from '../stages/settle.ts'
import { noteEnded, revokeAllowances } from '../transactions/revoke-allowances.ts'

/**
 * After a failure on the pipeline: gives a reservation back that nothing was signed on, settles one whose transactions are
 * all closed with what they moved and the gas they burnt, leaves one alone that has a transaction out or a refused one,
 * and takes approvals back that were made. Never rejects: the failure itself is what the caller hears of, and what is
 * left undone is done at the next write.
 */
export async function recover(
  context: Reserved,
  progress: Progress,
  failure: unknown,
): Promise<readonly TransactionReceipt[]> {
  const { engine, call, reservationId, spend } = context
  try {
    const entries = (await engine.journal.byRequest(call.requestId)).filter(
      (entry) => entry.reservationId === reservationId,
    )
    const isCrossing = await endUnopened(context, entries)
    if (entries.length === 0) {
      if (spend.reserved) await engine.ledger.release(reservationId)
      return []
    }
    if (await isOrdered(context)) return []
    const isOut = entries.some(({ state }) => state === 'signed' || state === 'broadcast' || state === 'mined')
    const inDoubt = isOut || (failure instanceof ToolError && failure.code === 'TRANSACTION_PENDING')
    const { receipts: revokes, ended } = await revokeAllowances(context, progress, { blind: inDoubt })
    await noteEnded(context, ended)
    // An endpoint may forward what it refuses: the amount counts until it is proved that something else took the nonce.
    const isRefused = entries.some(({ state }) => state === 'refused')
    if (inDoubt || isRefused || isCrossing) return revokes
    const receipts = [
      ...progress.mined.map(({ receipt }) => receipt),
      ...revokes,
      ...(await revertedOf(context, entries)),
    ]
    const deltas = realDeltas(context, progress, -sentWei(progress))
    await settleLedger(context, progress, { deltas, receipts, minedIn: await lastMined(context, progress) })
    const calls = progress.mined.filter(({ step }) => step.kind === 'call' && step.batch === undefined)
    const trades = calls.flatMap(({ receipt: { logs } }, index) => {
      const bounds = context.callBounds[index]
      return bounds !== undefined && isTradeAlone(bounds) ? [{ bounds, logs }] : []
    })
    await holdTrades(context, { requestId: call.requestId, trades, priced: progress.priced })
    return revokes
  } catch (error) {
    engine.log.error('road.not-recovered', { requestId: call.requestId, error })
    return []
  }
}

/** Whether an order is on record though keeping it seemed to fail: it is offered, so that what it draws on counts and stands. */
async function isOrdered({ engine, call, intent, reservationId }: Reserved): Promise<boolean> {
  if (intent.order === undefined) return false
  const signed = await engine.orders.byRequest(call.requestId)
  return signed.some((one) => one.reservationId === reservationId && one.endedAt === null)
}

/** Whether a cross-chain order of the intent is opened, or may be yet; one that never will be ends here, for it was on record before its call was signed. */
async function endUnopened(context: Reserved, entries: readonly JournalEntry[]): Promise<boolean> {
  const { engine, call, reservationId } = context
  const recorded = await engine.orders.byRequest(call.requestId)
  const stored = recorded.find((one) => one.kind === 'cross_chain' && one.reservationId === reservationId)
  if (stored === undefined || stored.endedAt !== null) return false
  const one = openCrossChainOf(stored)
  if (entries.some((entry) => entry.state !== 'reverted' && mayBeMined(entry) && opens(entry, one))) return true
  await endCrossChain(context, one, { status: 'unopened', openTxHash: null, fill: null, refund: null })
  return false
}

/** Receipts of what was mined and failed: it moved nothing and burnt its gas. */
function revertedOf(
  { client, chain }: Reserved,
  entries: readonly JournalEntry[],
): Promise<readonly TransactionReceipt[]> {
  const reverted = entries.filter(({ state }) => state === 'reverted')
  return Promise.all(
    reverted.map(async (entry) => receiptOf(entry, await client.getTransactionReceipt({ hash: entry.hash }), chain)),
  )
}

/** The block of the last call that was mined, if there is one and it can be read. */
async function lastMined({ client }: Reserved, { mined }: Progress): Promise<BlockTime | null> {
  const last = mined.findLast(({ step }) => step.kind === 'call')?.receipt.blockNumber
  return last === undefined ? null : client.getBlock({ blockNumber: last }).catch(() => null)
}

/** What mined calls sent along; refunds are left out, so that this is never too little. */
function sentWei({ mined }: Progress): bigint {
  return sentByBatches(mined.map(({ step }) => step))
}
