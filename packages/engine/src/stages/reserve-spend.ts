import { checkGasCap, gasWorth, worstGasCost, checkBalance } from '../spending/gas.ts'
import { budgetNames } from '../spending/budgets.ts'
import { budgetsOf } from '../spending/spend-budgets.ts'
import { mayBeLifted } from '../spending/limit-refusal.ts'
import { limitSpend, type SpendDecision } from '../spending/spend-limit.ts'
import { usdText } from '../call/amounts.ts'
import type { ErrorDetail, Intent } from '@svc/amm'
import { spentAmounts, valueOfSpend } from '../value/spend-value.ts'
import { onStorage, type Refusal, isolateFailure } from '../call/refusal.ts'
import { isWayHome } from '../value/way-home.ts'
import { settledDepth, receiptOrNull, settledBlock } from '../call/chain-snapshot.ts'
import { zeroAddress, type TransactionReceipt } from 'viem'
import type { Chain, JournalEntry } from '@svc/wallet/core'
import type { ExecutionContext, InspectionContext } from '../context/engine.ts'
import { type CallValue, valueOfCall } from '../value/call-value.ts'
import type { Simulated } from './prepare.ts'
import type { HeldReservation } from '@svc/store'
import { takenBySpenders, toNamed } from '../transactions/taken-by-spenders.ts'
import { approvalOf, approvalsIn, isSignedOpen } from '../operations/may-be-mined.ts'

/**
 * Takes what the intent spends out of the limits, what its gas could cost at worst, that of taking allowances back
 * included, and what it may lose out of the budgets of value, in one serialised commit; a dry run asks only.
 */
export async function reserveSpend(weighed: ValueWeighed): Promise<Reserved> {
  const { engine, call, chain, intent, simulation, priced, value, reservationId } = weighed
  const { requestId, principal, dryRun } = call
  const { fees, standing } = weighed.snapshotTaken
  const isExit = isWayHome(value, simulation, standing)
  const gasUsed = [...simulation.gasUsed, ...simulation.revokeGasUsed]
  const gasWei = worstGasCost(gasUsed, fees)
  const gas = checkGasCap(engine.policy, gasUsed, fees, priced, value.isExit)
  const spent = valueOfSpend(intent, simulation.deltas, priced, value)
  const leaving = spentAmounts(intent, simulation.deltas)
  const asked = {
    ...engine,
    principal: principal.id,
    chainId: chain.id,
    requestId,
    reservationId,
    value: spent,
    leaving,
    amounts: [...(value.simulated.leaves.positions.length > 0 ? [] : leaving)].flatMap(([key, amount]) => {
      const token = priced.get(key)?.token
      return token === undefined ? [] : [{ token, amount: givenOf(key, intent, chain) ?? amount }]
    }),
    budgets: budgetsOf(value, { ...engine, chainId: chain.id, priced, spendUsdMicros: spent.usdMicros }),
    isExit,
    homeUsdMicros: value.homeUsdMicros,
    isSureHome: value.isSureHome,
    gasWei,
    gasUsdMicros: gasWorth(gasWei, priced),
    dryRun: dryRun || gas.length > 0,
  }
  const take = () => onStorage('the spend ledger cannot be written', () => limitSpend(asked))
  const first = await take()
  const spend = mayBeLifted(first.refusals) && (await fellMeanwhile(weighed)) ? await take() : first
  if (spend.reserved && spend.used !== null) {
    const sumUsdMicros = spend.used.daily + spend.amountUsdMicros + spend.gasUsdMicros
    await engine.dailyAlert.look({ sumUsdMicros, policy: engine.policy, requestId })
  }
  return { ...weighed, spend, refusals: [...(await reportHeld(weighed, spend.refusals)), ...gas] }
}

/**
 * What the caller gave of a token that a deposit takes: in v4 it may take more than that within the slippage, which is what counts, but the
 * amount given is what the caller lowers. `null` where something else takes it too.
 */
function givenOf(key: string, { deposits = [], tools }: Intent, { wrappedNative }: Chain): bigint | null {
  const [deposit, ...others] = deposits
  if (deposit === undefined || others.length > 0 || tools !== undefined) return null
  const { token0, token1, amount0, amount1 } = deposit
  const sides = new Map([
    [token0.toLowerCase(), amount0],
    [token1.toLowerCase(), amount1],
  ])
  return sides.get(key) ?? (key === zeroAddress ? sides.get(wrappedNative.address.toLowerCase()) : undefined) ?? null
}

/** Before a call is refused: whether something that earlier ones held has fallen to what they spent. What cannot be read falls later. */
async function fellMeanwhile(weighed: ValueWeighed): Promise<boolean> {
  try {
    return await settleHeld(weighed)
  } catch (error) {
    weighed.engine.log.warn('settle.held', { requestId: weighed.call.requestId, error })
    return false
  }
}

/** Where more would fit once blocks are deep, says so. */
async function reportHeld({ engine, chain }: ValueWeighed, refusals: readonly Refusal[]): Promise<readonly Refusal[]> {
  if (refusals.length === 0) return refusals
  const held = await onStorage('the spend ledger cannot be read', () => engine.ledger.held(chain.id))
  const heldUsd = Number(usdText(held.reduce((sum, { heldUsdMicros }) => sum + heldUsdMicros, 0n)))
  const wouldFit = ({ limit, usedUsd, askedUsd, capUsd }: ErrorDetail) =>
    limit === 'perSession' || limit === 'daily' || limit === 'principalDaily'
      ? Number(usedUsd) + Number(askedUsd) - heldUsd <= Number(capUsd)
      : limit === budgetNames.loss
  const isHeld = ({ details = [] }: Refusal) => held.length > 0 && details.some(wouldFit)
  return refusals.map((one) => (isHeld(one) ? { ...one, message: `${one.message} ${heldText(chain)}` } : one))
}

function heldText(chain: Chain): string {
  return `Earlier calls count as much as they might have spent or lost until their transactions are ${settledDepth(chain) + 1} blocks deep; what they did not is free again then.`
}

export type Reserved = ValueWeighed & { readonly spend: SpendDecision }

/**
 * The stage that keeps a call from giving the owner's money away: it compares what comes back with what leaves, at prices of
 * named sources. Both are taken from the simulation and the calldata. A call that only brings funds home needs no price.
 */
export function weighValue<Own extends InspectionContext>(simulated: Simulated<Own>): ValueWeighed<Own> {
  const { simulation, priced, snapshotTaken } = simulated
  const value = valueOfCall(simulated, simulation, priced)
  const short = checkBalance(simulated, isWayHome(value, simulation, snapshotTaken.standing))
  return { ...simulated, value, refusals: [...short, ...value.refusals] }
}

export type ValueWeighed<Own extends InspectionContext = ExecutionContext> = Simulated<Own> & {
  readonly value: CallValue
}

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
