import type { Fees } from '../call/chain-snapshot.ts'

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
