import type { Chain } from '../chain.ts'

/**
 * The tip an endpoint names, in wei per unit of gas, cut to what a chain can ask for: twice the base fee, or what the chain
 * takes as ordinary where that is more. A tip above is a mistake or a lie and goes to whoever makes the block.
 */
export function boundedTip(tip: bigint, baseFeePerGas: bigint, chain: Pick<Chain, 'ordinaryTipGwei'>): bigint {
  const ordinary = BigInt(chain.ordinaryTipGwei ?? 5) * 10n ** 9n
  const most = baseFeePerGas * 2n > ordinary ? baseFeePerGas * 2n : ordinary
  return tip > most ? most : tip
}
