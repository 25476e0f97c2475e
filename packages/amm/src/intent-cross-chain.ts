import * as z from 'zod'
import { address, amount, data, storeData } from './intent-values.ts'

export const intentCrossChain = z.strictObject({
  /** What the order is opened at, on the chain of the intent. */
  settler: address,
  /** By which both settlers know it; follows from the rest. */
  orderId: data,
  /** Of the wallet's own choosing, so that the order is known before it is opened; not zero. */
  nonce: amount,
  /** Unix seconds, of the destination's clock, after which nobody can fill it. */
  fillDeadline: z.int(),
  inputToken: address,
  inputAmount: amount,
  destinationChainId: z.int(),
  /** Where it is filled. */
  destinationSettler: address,
  outputToken: address,
  /** What whoever fills it pays, no more and no less. */
  outputAmount: amount,
  recipient: address,
})

/**
 * An order of ERC-7683 that the intent's one call opens on chain: `inputAmount` leaves at once, and whoever fills the order on the destination
 * chain pays `outputAmount` there and takes what lies at the settler. What nobody fills comes back.
 */
export type IntentCrossChain = Readonly<z.output<typeof intentCrossChain>>

/** A cross-chain order as JSON, its bigints as decimal text. */
export function storeCrossChain(order: IntentCrossChain): string {
  return storeData(order)
}

/** A cross-chain order from JSON. Throws where it is not one. */
export function readCrossChain(text: string): IntentCrossChain {
  return intentCrossChain.parse(JSON.parse(text))
}
