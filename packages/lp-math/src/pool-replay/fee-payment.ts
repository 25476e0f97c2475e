/**
 * A fee on its way to the providers of a pool: of a step of a swap, a flash loan or a donation. `fee` in smallest units of `token`, the
 * protocol's part taken out. Price (Q64.96), tick and active liquidity are those before the step, `sqrtPriceAfterX96` the price at its end.
 */
export type FeePayment = {
  readonly token: 0 | 1
  readonly fee: bigint
  readonly liquidity: bigint
  readonly tick: number
  readonly sqrtPriceX96: bigint
  readonly sqrtPriceAfterX96: bigint
  /** Of the block, in unix seconds. */
  readonly timestamp: number
}

/** Hears of each payment of an event once the event has been applied. */
export type FeeListener = (payment: FeePayment) => void

/** What was given to all active liquidity at one price. */
export function paymentsAt(
  { sqrtPriceX96, tick, liquidity }: Pick<FeePayment, 'sqrtPriceX96' | 'tick' | 'liquidity'>,
  [fee0, fee1]: readonly [bigint, bigint],
  timestamp: number,
): readonly FeePayment[] {
  const at = { sqrtPriceX96, sqrtPriceAfterX96: sqrtPriceX96, tick, liquidity, timestamp }
  return [
    { token: 0, fee: fee0, ...at },
    { token: 1, fee: fee1, ...at },
  ]
}
