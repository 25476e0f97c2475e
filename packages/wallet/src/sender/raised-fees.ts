import { formatEther } from 'viem'
import type { Chain } from '../chain.ts'
import { WalletError } from '../wallet-error.ts'
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

/**
 * The tip an endpoint names, in wei per unit of gas, cut to what a chain can ask for: twice the base fee, or what the chain
 * takes as ordinary where that is more. A tip above is a mistake or a lie and goes to whoever makes the block.
 */
export function boundedTip(tip: bigint, baseFeePerGas: bigint, chain: Pick<Chain, 'ordinaryTipGwei'>): bigint {
  const ordinary = BigInt(chain.ordinaryTipGwei ?? 5) * 10n ** 9n
  const most = baseFeePerGas * 2n > ordinary ? baseFeePerGas * 2n : ordinary
  return tip > most ? most : tip
}

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
