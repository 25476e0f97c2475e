/**
 * The fees of another attempt at a nonce: both members an eighth above every attempt before it, rounded up, and at least
 * what the chain asks now, as far as `mostPerGas` lets them. Nodes want a tenth more before they let go of what they hold
 * (the price bump of go-ethereum's pool), and some want an eighth. `null` when an eighth more is above `mostPerGas`.
 */
export function raisedFees(before: readonly Fees[], asked: Fees, mostPerGas: bigint): Fees | null {
  const least = {
    maxFeePerGas: before.reduce((most, fees) => larger(most, anEighthAbove(fees.maxFeePerGas)), 1n),
    maxPriorityFeePerGas: before.reduce((most, fees) => larger(most, anEighthAbove(fees.maxPriorityFeePerGas)), 0n),
  }
  if (least.maxFeePerGas > mostPerGas) return null
  const wanted = larger(least.maxFeePerGas, asked.maxFeePerGas)
  const maxFeePerGas = wanted < mostPerGas ? wanted : mostPerGas
  const tip = larger(least.maxPriorityFeePerGas, asked.maxPriorityFeePerGas)
  return { maxFeePerGas, maxPriorityFeePerGas: tip < maxFeePerGas ? tip : maxFeePerGas }
}

/** In wei per unit of gas. */
export type Fees = { readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }

/** Rounded up, and never the same again: nodes want both members to rise. */
function anEighthAbove(fee: bigint): bigint {
  return larger((fee * 9n + 7n) / 8n, fee + 1n)
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
