import { formatEther, parseTransaction, type PublicClient } from 'viem'
import type { Chain } from '../chain.ts'
import { WalletError } from '../wallet-error.ts'
import type { JournalEntry } from '../journal.ts'

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

/** What the chain asks of a transaction now, a made-up tip cut. Rejects when the endpoint does not answer. */
export async function feesNow(client: PublicClient, chain: Pick<Chain, 'ordinaryTipGwei'>): Promise<FeesNow> {
  const [block, namedTip] = await Promise.all([
    client.getBlock({ blockTag: 'latest' }),
    client.estimateMaxPriorityFeePerGas(),
  ])
  const base = block.baseFeePerGas ?? 0n
  const tip = boundedTip(namedTip, base, chain)
  return {
    least: { maxFeePerGas: base + tip, maxPriorityFeePerGas: tip },
    // Twice the base fee outlasts six full blocks of it rising (EIP-1559: at most an eighth a block).
    lasting: { maxFeePerGas: base * 2n + tip, maxPriorityFeePerGas: tip },
  }
}

/** What a transaction has to offer at the moment. */
export type FeesNow = {
  /** Below either of these a transaction may wait for ever. */
  readonly least: Fees
  /** What a new transaction should offer. */
  readonly lasting: Fees
}

/** The fees a signed transaction offers. */
export function feesOf({ rawTransaction }: Pick<JournalEntry, 'rawTransaction'>): Fees {
  const { maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parseTransaction(rawTransaction)
  return { maxFeePerGas, maxPriorityFeePerGas }
}

/** Whether a transaction offers less than the chain asks. */
export function isBelow(entry: Pick<JournalEntry, 'rawTransaction'>, { least }: FeesNow): boolean {
  const { maxFeePerGas, maxPriorityFeePerGas } = feesOf(entry)
  return maxFeePerGas < least.maxFeePerGas || maxPriorityFeePerGas < least.maxPriorityFeePerGas
}
