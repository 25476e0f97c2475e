import type { GasCost } from '@svc/store'
import { type TransactionReceipt, zeroAddress } from 'viem'
import { countable } from './countable.ts'
import { type PricedTokens, valueOf } from './spend-value.ts'

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
