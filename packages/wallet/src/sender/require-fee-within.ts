import { formatEther } from 'viem'
import type { Chain } from '../chain.ts'
import { WalletError } from '../wallet-error.ts'

/** The most wei that the gas of one transaction may cost: what the caller says, or else the row of the chain. */
export function mostFeeWei(chain: FeeChain, maxFeeWei?: bigint): bigint {
  return maxFeeWei ?? BigInt(chain.maxGasFeeGwei ?? usualMostGwei) * 10n ** 9n
}

/**
 * Refuses gas that may cost more than the caller agreed to: fees and gas are an endpoint's word, and one that lies would
 * spend what the wallet holds. Throws `GAS_ABOVE_LIMIT`, which names both figures.
 */
export function requireFeeWithin(worstWei: bigint, chain: FeeChain, maxFeeWei?: bigint): void {
  const most = mostFeeWei(chain, maxFeeWei)
  if (worstWei <= most) return
  const { symbol } = chain.nativeCurrency
  const figures = `${formatEther(worstWei)} ${symbol}, and at most ${formatEther(most)} ${symbol} is agreed to`
  throw new WalletError('GAS_ABOVE_LIMIT', `The gas may cost ${figures}; nothing was signed.`, {
    details: { worstWei: `${worstWei}`, maxFeeWei: `${most}`, currency: symbol },
  })
}

type FeeChain = Pick<Chain, 'nativeCurrency' | 'maxGasFeeGwei'>

/**
 * 0.005 of the native currency: a registration with its file in the URI takes some 1.2 million gas with room for change, so this holds up to a
 * base fee of two gwei, a hundred times what rollups ask.
 */
const usualMostGwei = 5_000_000
