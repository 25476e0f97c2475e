import type { Chain, JournalEntry } from '@svc/wallet/core'
import { type Address, formatEther, isAddressEqual, parseTransaction, type TransactionReceipt } from 'viem'
import { revokeStep } from '../call/step.ts'
import { checkGasCap, gasHome, gasWorth, worstGasCost } from '../spending/gas.ts'
import type { Engine, ExecutionContext } from '../context/engine.ts'
import { openOrders } from '../orders/settle-order.ts'
import { isPaused } from '../switches/kill-switch.ts'
import { sessionIdleMs } from '../spending/spend-limit.ts'
import { limitsOf } from '../spending/budgets.ts'
import { usdText } from '../call/amounts.ts'
import { ToolError } from '@svc/amm'
import type { PendingRevocation } from '@svc/store'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { contractRead, readOne } from '@svc/amm/rpc'
import { throwFirst, isolateFailure, onStorage } from '../call/refusal.ts'
import { priceTokens } from '../value/spend-value.ts'
import { settledBlock, snapshot } from '../call/chain-snapshot.ts'
import { currentAllowances, isAnyRefused, noteNotRevoked } from './revoke-allowances.ts'
import { broadcast, confirm, sign } from './transact.ts'

/**
 * Sets what earlier requests left of their allowances, and of rights over positions, to zero, and answers how many it set. One that cannot be read or
 * revoked stays pending and keeps neither the others nor a write; one whose revocation was mined and did not end it waits before
 * the next. While a request is not settled, none is over, and none that reads as zero in a block that lacks transactions
 * of the wallet. What is over is read again until the block that ended it is settled, and only then forgotten: one that replaces it may
 * have left it standing. Throws `STORAGE_UNAVAILABLE`.
 */
export async function revokePending(context: ExecutionContext, areAllSettled: boolean): Promise<number> {
  const { engine, chain, wallet } = context
  const pendingRevocations = [...(await dueOn(engine, chain, wallet)), ...(await endedOn(engine, chain, wallet))]
  if (pendingRevocations.length === 0 || (await isPaused(engine))) return 0
  // Bytes that were declined may be an approval and be mined all the same: until that is settled nothing is forgotten.
  const mayForget = areAllSettled && !(await onStorage('the journal cannot be read', () => isAnyRefused(context)))
  let tookBack = 0
  for (const one of pendingRevocations.filter((other) => !isWaiting(other, engine.now()))) {
    const of = { chainId: chain.id, token: one.token, spender: one.spender }
    await isolateFailure(engine, 'allowances.owed', of, async () => {
      const { stands, isOver, blockNumber } = await standingOf(context, one)
      const revoked = stands ? await revoke(context, one) : null
      if (revoked !== null) tookBack += 1
      await noteStanding(context, one, { revoked, blockNumber, isOver: mayForget && isOver })
    })
  }
  return tookBack
}

/**
 * Forgets what is over since a block that is settled, and notes that block of anything else that is over. What is read again must not
 * cost gas each time, for a token may tell of an allowance whatever was mined: it waits, and what stands still once its end is settled is
 * taken back a last time.
 */
async function noteStanding(
  { engine, chain }: ExecutionContext,
  one: PendingRevocation,
  { revoked, blockNumber, isOver }: Seen,
): Promise<void> {
  const { pendingRevocations } = engine
  const last = one.endedIn === undefined ? null : BigInt(one.endedIn)
  await onStorage('the owed allowances cannot be written', async () => {
    if (isOver && last !== null && last <= settledBlock(chain, blockNumber)) return pendingRevocations.remove([one])
    if (revoked !== null && (last !== null || !isOver)) await pendingRevocations.failed(one, engine.now())
    if (isOver) await pendingRevocations.end([{ ...one, endedIn: `${revoked?.blockNumber ?? last ?? blockNumber}` }])
  })
}

type Seen = {
  readonly revoked: TransactionReceipt | null
  readonly blockNumber: bigint
  /** And nothing can make it stand again but another block in place of the one it ended in. */
  readonly isOver: boolean
}

/** Whether it stands at the newest block, and whether it never will again once it is taken back. */
async function standingOf(
  context: ExecutionContext,
  one: PendingRevocation,
): Promise<{ readonly stands: boolean; readonly isOver: boolean; readonly blockNumber: bigint }> {
  const { client, wallet } = context
  const { token, spender, position } = one
  if (position === undefined) {
    const { amounts, holdsAll, blockNumber } = await currentAllowances(context, [one])
    const stands = amounts[0] !== 0n
    return { stands, isOver: stands || holdsAll, blockNumber }
  }
  const { number: blockNumber, timestamp } = await client.getBlock()
  const id = [BigInt(position.tokenId)] as const
  const [right, owner, { holdsAll }] = await Promise.all([
    readOne(client, contractRead(token, v3PositionManagerAbi, 'positions', id), blockNumber),
    readOne(client, contractRead(token, v3PositionManagerAbi, 'ownerOf', id), blockNumber),
    currentAllowances(context, [], blockNumber),
  ])
  // Burnt, used, or run out: a signature that can still be handed in is waited for.
  const isSpent = right === null || right[0] > BigInt(position.nonce) || timestamp > BigInt(position.deadline)
  const isOwn = owner !== null && isAddressEqual(owner, wallet)
  return {
    stands: isOwn && right !== null && isAddressEqual(right[1], spender),
    isOver: isSpent && holdsAll,
    blockNumber,
  }
}

/** What a wallet still owes on a chain. */
export async function pendingOn(
  { pendingRevocations }: Engine,
  chain: Chain,
  wallet: Address,
): Promise<readonly PendingRevocation[]> {
  const list = await onStorage('the owed allowances cannot be read', () => pendingRevocations.list())
  return list.filter(({ chainId, owner }) => chainId === chain.id && isAddressEqual(owner, wallet))
}

async function endedOn(
  { pendingRevocations }: Engine,
  chain: Chain,
  wallet: Address,
): Promise<readonly PendingRevocation[]> {
  const ended = await onStorage('the owed allowances cannot be read', () => pendingRevocations.ended())
  return ended.filter(({ chainId, owner }) => chainId === chain.id && isAddressEqual(owner, wallet))
}

/** Whether an allowance has ended in a block that may be replaced, so that it is to be read again. */
export async function isAnyToReadAgain(engine: Engine, chain: Chain, wallet: Address): Promise<boolean> {
  return (await endedOn(engine, chain, wallet)).some((one) => !isWaiting(one, engine.now()))
}

/** Whether an allowance is pending whose time to be revoked has come. */
export async function isAnyDue(engine: Engine, chain: Chain, wallet: Address): Promise<boolean> {
  return (await dueOn(engine, chain, wallet)).some((one) => !isWaiting(one, engine.now()))
}

/**
 * Whether an allowance waits before it is revoked again: each time that was mined for nothing burnt gas, so the wait is
 * a minute after the first and doubles up to a day. A clock that was set back makes nothing wait.
 */
export function isWaiting({ failed }: PendingRevocation, now: number): boolean {
  if (failed === undefined) return false
  const waitMs = Math.min(60_000 * 2 ** (failed.times - 1), 24 * 3_600_000)
  return now >= failed.at && now < failed.at + waitMs
}

/** What is owed less the allowances that signed orders live by: those stand until the chain has decided. */
async function dueOn(engine: Engine, chain: Chain, wallet: Address): Promise<readonly PendingRevocation[]> {
  const pending = await pendingOn(engine, chain, wallet)
  if (pending.length === 0) return pending
  const open = await openOrders(engine, chain)
  const isOfOrder = ({ token, spender, position }: PendingRevocation): boolean =>
    position === undefined &&
    isAddressEqual(spender, chain.permit2) &&
    open.some(({ order, wallet: owner }) => isAddressEqual(order.tokenIn, token) && isAddressEqual(owner, wallet))
  return pending.filter((one) => !isOfOrder(one))
}

/** Notes which of the transactions whose end was just looked up are revocations that were mined and failed. */
export async function noteFailedRevocations(
  { engine, chain, wallet }: ExecutionContext,
  entries: readonly JournalEntry[],
): Promise<void> {
  const failed = entries.filter(({ state, reservationId }) => state === 'reverted' && reservationId === null)
  if (failed.length === 0) return
  for (const one of await pendingOn(engine, chain, wallet)) {
    const last = failed.findLast((entry) => takesBack(entry, one))
    if (last !== undefined) await noteNotRevoked(engine, chain, one, last.hash)
  }
}

/** Whether a signed transaction takes this allowance back. */
export function takesBack(
  { rawTransaction }: JournalEntry,
  allowance: Pick<PendingRevocation, 'token' | 'spender' | 'position'>,
): boolean {
  const { to, data } = parseTransaction(rawTransaction)
  const step = revokeStep(allowance)
  return to != null && isAddressEqual(to, step.to) && data === step.data
}

async function revoke(context: ExecutionContext, pendingRevocations: PendingRevocation): Promise<TransactionReceipt> {
  const { engine, chain, client, wallet } = context
  const step = revokeStep(pendingRevocations)
  const [{ fees, ownFeePerGas, balanceWei, transactionCount: latestCount }, gasUsed, priced] = await Promise.all([
    snapshot({ ...engine, client, chain, wallet, allowances: [] }),
    client.estimateGas({ account: wallet, to: step.to, data: step.data }),
    priceTokens([], { ...engine, directory: engine.tokens, chain }),
  ])
  // An allowance is revoked without a price too, for the small fixed sum.
  throwFirst(checkGasCap(engine.policy, [gasUsed], fees, priced, true))
  const worstWei = worstGasCost([gasUsed], fees)
  requireGasHome(balanceWei - worstWei, ownFeePerGas)
  if (pendingRevocations.failed !== undefined) await requireRoomInDay(engine, gasWorth(worstWei, priced) ?? 0n)
  const facts = { why: 'take back an allowance that an earlier request left' }
  const entry = await sign(context, step, { gasUsed, fees, latestCount, reservationId: null, facts })
  const sent = await broadcast(context, step, entry)
  try {
    return await confirm(context, step, sent)
  } catch (error) {
    if (isMinedFailure(error)) await noteNotRevoked(engine, chain, pendingRevocations, sent.hash)
    throw error
  }
}

/** The token names the gas of it: it may not burn that of a removal, which every call has left. */
function requireGasHome(leftWei: bigint, feePerGas: bigint): void {
  const kept = gasHome * feePerGas
  if (leftWei >= kept) return
  const message = `Taking the allowance back waits: it would leave less than ${formatEther(kept)} of native currency, the gas of a removal, which is kept so that the owner can leave.`
  throw new ToolError('INSUFFICIENT_BALANCE', message)
}

/** The first revocation is never refused for that; a token that makes it fail may not burn more gas than a day may. */
async function requireRoomInDay({ ledger, policy }: Engine, gasUsdMicros: bigint): Promise<void> {
  const { dailyGasUsdMicros, dailyExitGasUsdMicros } = await onStorage('the spend ledger cannot be read', () =>
    ledger.usage('server', { sessionIdleMs }),
  )
  const cap = limitsOf(policy).dailyGas
  const usedUsdMicros = dailyGasUsdMicros - dailyExitGasUsdMicros
  if (usedUsdMicros + gasUsdMicros <= cap) return
  const [capUsd, usedUsd, gasUsd] = [cap, usedUsdMicros, gasUsdMicros].map(usdText)
  const message = `Taking the allowance back failed before, and ${gasUsd} USD of gas for it no longer fit what any 24 hours may burn, ${capUsd} USD, of which ${usedUsd} USD are used.`
  throw new ToolError('SPENDING_LIMIT_EXCEEDED', message)
}

function isMinedFailure(error: unknown): boolean {
  return error instanceof ToolError && error.code === 'TRANSACTION_REVERTED'
}
