import type { Fees, ChainSnapshot } from '../call/chain-snapshot.ts'
import {
  formatEther,
  type Hex,
  isAddressEqual,
  parseTransaction,
  type TransactionReceipt,
  zeroAddress,
  type Address,
  type PublicClient,
} from 'viem'
import { mayPass } from '@svc/amm'
import { smaller } from '@svc/lp-math'
import type { GasCost } from '@svc/store'
import { type Chain, type JournalEntry, operationInReceipt } from '@svc/wallet/core'
import { sentWei } from '../batch/batch-step.ts'
import type { Policy } from '../policy/policy.ts'
import { type Refusal, shortOf } from '../call/refusal.ts'
import { limitsOf } from './budgets.ts'
import { type PricedTokens, type Unpriced, valueOf } from '../value/spend-value.ts'
import type { Step } from '../call/step.ts'
import { usdText } from '../call/amounts.ts'
import { countable } from './countable.ts'
import type { CallBounds } from '../calldata/call-bounds.ts'
import type { Inspected } from '../simulation/inspection.ts'
import type { Simulation } from '../simulation/simulation.ts'

/**
 * The gas limit for a transaction that used `gasUsed` in the simulation: that figure is after refunds, which give back at
 * most a fifth (EIP-3529), so a quarter is added for the peak; half of that again for what may change until it is mined
 * (more ticks crossed, cold storage) and for the 64th that each nested call holds back (EIP-150). Unused gas costs
 * nothing. Above the cap of one transaction (EIP-7825) only when the simulation itself was.
 */
export function gasLimitFor(gasUsed: bigint): bigint {
  const generous = (gasUsed * 15n) / 8n
  if (generous <= transactionGasCap) return generous
  return gasUsed > transactionGasCap ? gasUsed : transactionGasCap
}

/** What gas is expected to cost, in wei, at the fees of a snapshot of the chain. */
export function expectedGasCost(gasUsed: readonly bigint[], { expectedPerGas }: Fees): bigint {
  return sum(gasUsed) * expectedPerGas
}

/** What gas may cost at worst, in wei. */
export function worstGasCost(gasUsed: readonly bigint[], { maxFeePerGas }: Fees): bigint {
  return sum(gasUsed.map(gasLimitFor)) * maxFeePerGas
}

/** What gas may cost at most where native currency has no price to hold against a limit: a fiftieth of a coin. */
export const unpricedGasCapWei = 10n ** 18n / 50n

const transactionGasCap = 16_777_216n

function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n)
}

/** Native currency for gas in millionths of a US dollar, rounded up; `null` where it has no price limits may count with. */
export function gasWorth(wei: bigint, priced: PricedTokens): bigint | null {
  const { usdMicros, unpriced } = valueOf(new Map([[zeroAddress, wei]]), priced)
  return unpriced.length > 0 ? null : usdMicros
}

/** What the gas of mined transactions counts as, each by its receipt; `null` where native currency has no price. */
export function gasCosts(receipts: readonly TransactionReceipt[], priced: PricedTokens): readonly GasCost[] | null {
  const costs: GasCost[] = []
  for (const receipt of receipts) {
    const wei = gasCostOf([receipt])
    const usdMicros = gasWorth(wei, priced)
    if (usdMicros === null) return null
    costs.push({ hash: receipt.transactionHash, usdMicros: countable(usdMicros), wei })
  }
  return costs
}

/** The same where a reservation stands behind it: without a price what was reserved for gas stays counted. */
export function gasCostsOr(
  reservedUsdMicros: bigint,
  receipts: readonly TransactionReceipt[],
  priced: PricedTokens,
): readonly GasCost[] {
  const asReserved = (receipt: TransactionReceipt, index: number): GasCost => {
    const wei = gasCostOf([receipt])
    return { hash: receipt.transactionHash, usdMicros: index === 0 ? reservedUsdMicros : 0n, wei }
  }
  return gasCosts(receipts, priced) ?? receipts.map(asReserved)
}

/** What gas cost, in wei, with what roll-ups charge for their parent chain where receipts say it. */
export function gasCostOf(receipts: readonly TransactionReceipt[]): bigint {
  return receipts.reduce((sum, receipt) => sum + receipt.gasUsed * receipt.effectiveGasPrice + parentFeeOf(receipt), 0n)
}

/** OP-stack chains name their data fee in receipts; viem leaves members it does not know as they came. */
export function parentFeeOf(receipt: TransactionReceipt): bigint {
  const fee: unknown = 'l1Fee' in receipt ? receipt.l1Fee : undefined
  return typeof fee === 'bigint' ? fee : typeof fee === 'string' && /^0x[0-9a-f]+$/i.test(fee) ? BigInt(fee) : 0n
}

/**
 * Refuses transactions whose gas alone could cost more than one transaction may spend: a token that burns gas, or an
 * endpoint that names absurd fees, must not spend what the limits protect. What brings funds home may cost what a day's gas
 * may, where that is more. Where native currency has no price
 * that limits may count with, a strict policy refuses, and a lenient one allows a small fixed sum; so do both for what brings
 * funds home.
 */
export function checkGasCap(
  policy: Policy,
  gasUsed: readonly bigint[],
  fees: Fees,
  priced: PricedTokens,
  isExit: boolean,
): readonly Refusal[] {
  return checkCost(policy, worstGasCost(gasUsed, fees), priced, isExit)
}

/** The same of a sum in wei, whoever pays it. */
export function checkCost(policy: Policy, worstWei: bigint, priced: PricedTokens, isExit: boolean): readonly Refusal[] {
  const { usdMicros, unpriced } = valueOf(new Map([[zeroAddress, worstWei]]), priced)
  if (unpriced.length > 0) return unpricedGas(isExit ? 'lenient' : policy.allowlist.mode, worstWei, unpriced)
  const { perTransaction, dailyGas } = limitsOf(policy)
  const cap = isExit && dailyGas > perTransaction ? dailyGas : perTransaction
  if (usdMicros <= cap) return []
  const [capUsd, askedUsd] = [usdText(cap), usdText(usdMicros)]
  const message = `Gas could cost ${askedUsd} USD, above the most of one transaction, ${capUsd} USD.`
  return [{ code: 'SPENDING_LIMIT_EXCEEDED', message, details: [{ message: 'limit', limit: 'gas', capUsd, askedUsd }] }]
}

/**
 * A receipt with no more gas at no higher price than what was signed allows: the chain cannot take more, so an endpoint
 * that names more is wrong. The fee of a roll-up for its parent chain, in wei, is in no signature: it is taken on chains
 * that charge one, up to twenty times what the signed gas may cost, or a fiftieth of a coin where that is more.
 */
function clampReceipt(
  receipt: TransactionReceipt,
  rawTransaction: Hex,
  { l1DataFee = false }: Pick<Chain, 'l1DataFee'>,
): TransactionReceipt {
  const { gas, maxFeePerGas } = parseTransaction(rawTransaction)
  const gasUsed = least(receipt.gasUsed, gas)
  const effectiveGasPrice = least(receipt.effectiveGasPrice, maxFeePerGas)
  const fee = l1DataFee ? parentFeeOf(receipt) : 0n
  const twentyfold = 20n * (gas ?? gasUsed) * (maxFeePerGas ?? effectiveGasPrice)
  const most = twentyfold > unpricedGasCapWei ? twentyfold : unpricedGasCapWei
  const bounded = { ...receipt, gasUsed, effectiveGasPrice }
  return 'l1Fee' in receipt || fee > 0n ? Object.assign(bounded, { l1Fee: least(fee, most) }) : bounded
}

/**
 * The receipt of what the journal holds, clamped. Of a user operation, the logs of its own call and its own gas, which its paymaster
 * paid: the wallet owes nothing for the transaction of a bundler.
 */
export function receiptOf(
  { rawTransaction, userOperation }: Pick<JournalEntry, 'rawTransaction' | 'userOperation'>,
  receipt: TransactionReceipt,
  chain: Pick<Chain, 'l1DataFee'>,
): TransactionReceipt {
  if (userOperation === undefined) return clampReceipt(receipt, rawTransaction, chain)
  const own = operationInReceipt(userOperation, receipt)
  const logs = receipt.logs.filter((log) => own?.logs.includes(log) === true)
  const sponsored = { ...receipt, logs, gasUsed: own?.gasUsed ?? 0n, effectiveGasPrice: 0n }
  return 'l1Fee' in receipt ? Object.assign(sponsored, { l1Fee: 0n }) : sponsored
}

/**
 * Whether the native balance pays for what is sent and for gas, and leaves the gas of a way home whatever the call burns: all of it counts
 * at its worst, what takes allowances back included. Only a way home that sends none may use that, and has to pay for each transaction as it
 * is signed; so need not leave it what sends none and is paid for by somebody else. What a close brings at least pays for the calls after it.
 * What came with the newest blocks may be gone with them: it keeps nothing where the call would be carried out without it, too.
 */
export function checkBalance(
  { steps, simulation: { gasUsed, revokeGasUsed, inspected }, snapshotTaken, priced, callBounds, settledWei }: Funded,
  isWayHome: boolean,
): readonly Refusal[] {
  const { fees, ownFeePerGas, balanceWei } = snapshotTaken
  const isFree = sentWei(steps) === 0n && (isWayHome || fees.maxFeePerGas === 0n)
  const kept = isFree ? 0n : gasHome * ownFeePerGas
  const gas = isFree ? signedInTurn(gasUsed, fees) : worstGasCost([...gasUsed, ...revokeGasUsed], fees)
  const sent = neededWei(steps, callBounds, inspected)
  const needed = sent + gas + kept
  const isSureToPay = settledWei !== null && settledWei >= sent + signedInTurn(gasUsed, fees)
  const holds = kept > 0n && isSureToPay ? smaller(balanceWei, settledWei) : balanceWei
  // Native currency is looked up with every call.
  const native = priced.get(zeroAddress)?.token
  if (holds >= needed || native === undefined) return []
  const short = shortOf([{ token: native, holds, needs: needed }], 'the call with its gas')
  if (kept === 0n) return [short]
  const why = 'kept so that the owner can leave: only what brings funds home may use it.'
  const late =
    holds < balanceWei ? ` The ${formatEther(balanceWei - holds)} that came last count a few blocks later.` : ''
  return [{ ...short, message: `${short.message} Of that ${formatEther(kept)} is the gas of a removal, ${why}${late}` }]
}

/** The most that has to be there when one of the transactions is signed: those before it as expected, itself at its worst. */
function signedInTurn(gasUsed: readonly bigint[], fees: Fees): bigint {
  const needs = gasUsed.map((gas, at) => expectedGasCost(gasUsed.slice(0, at), fees) + worstGasCost([gas], fees))
  return needs.reduce((most, cost) => (cost > most ? cost : most), 0n)
}

type Funded = {
  readonly steps: readonly Step[]
  readonly simulation: Pick<Simulation, 'gasUsed' | 'revokeGasUsed' | 'inspected'>
  readonly snapshotTaken: Pick<ChainSnapshot, 'fees' | 'ownFeePerGas' | 'balanceWei'>
  readonly priced: PricedTokens
  /** In the order of the calls among the steps. */
  readonly callBounds: readonly CallBounds[]
  /** What it had of it before the newest blocks. */
  readonly settledWei: bigint | null
}

/** The most that the steps have sent at any time beyond what those before had brought at least. A batch is one step, which sends all of it. */
function neededWei(steps: readonly Step[], callBounds: readonly CallBounds[], inspected: Inspected): bigint {
  const calls = steps.filter(({ kind }) => kind === 'call')
  if (calls.length !== callBounds.length) return sentWei(steps)
  let [out, most] = [0n, 0n]
  for (const [index, bounds] of callBounds.entries()) {
    out += sentWei(calls.slice(index, index + 1))
    if (out > most) most = out
    out -= closedWei(bounds, inspected)
  }
  return most
}

/** The native currency that a call which only takes liquidity out brings at least: of v4, where it is the first of a pool. */
function closedWei({ removals, deposits, trades }: CallBounds, { positions }: Inspected): bigint {
  if (deposits.length > 0 || trades.length > 0) return 0n
  return removals.reduce((sum, { contract, positionId, least: { amount0 } }) => {
    const own = positions.find(({ contract: at, id }) => id === positionId && isAddressEqual(at, contract))
    return own !== undefined && !own.isHooked && own.pool.token0 === zeroAddress ? sum + amount0 : sum
  }, 0n)
}

/** A removal, and more: what is kept of native currency, so that no call takes the way home's gas. */
export const gasHome = 600_000n

function unpricedGas(
  mode: Policy['allowlist']['mode'],
  worstWei: bigint,
  unpriced: readonly Unpriced[],
): readonly Refusal[] {
  if (mode === 'strict') {
    const message = 'Native currency has no price to count with, so what gas could cost cannot be held to a limit.'
    const details = [{ message: 'limit', limit: 'gas', token: zeroAddress }]
    return [{ code: 'PRICE_UNAVAILABLE', message, details, retryable: unpriced.every(({ doubt }) => mayPass(doubt)) }]
  }
  if (worstWei <= unpricedGasCapWei) return []
  const [cap, asked] = [formatEther(unpricedGasCapWei), formatEther(worstWei)]
  const message = `Gas could cost ${asked} of native currency, which has no price now; ${cap} is allowed without one.`
  return [{ code: 'SPENDING_LIMIT_EXCEEDED', message, details: [{ message: 'limit', limit: 'gas', cap, asked }] }]
}

function least(value: bigint, bound: bigint | undefined): bigint {
  return bound !== undefined && value > bound ? bound : value
}

/**
 * Net change in native currency, in wei, which leaves no logs: what the balance grew by in the blocks of some transactions of the wallet,
 * their gas added back. Of all of them in those blocks, or the gas of the others seems to have left. Throws `RPC_*`.
 */
export async function nativeChangeIn(
  client: PublicClient,
  wallet: Address,
  receipts: readonly TransactionReceipt[],
): Promise<bigint> {
  const blocks = [...new Set(receipts.map(({ blockNumber }) => blockNumber))]
  const balanceAt = (blockNumber: bigint) => client.getBalance({ address: wallet, blockNumber })
  const grown = await Promise.all(
    blocks.map(async (at) => {
      const [before, after] = await Promise.all([balanceAt(at - 1n), balanceAt(at)])
      return after - before
    }),
  )
  return grown.reduce((sum, wei) => sum + wei, gasCostOf(receipts))
}
