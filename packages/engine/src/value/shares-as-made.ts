import { v2PairAbi } from '@svc/amm/abis'
import { isAddressEqual, getAddress, type Log, parseEventLogs, zeroAddress } from 'viem'
import { type PairShares, type TrustedPrices, valueAt } from './trusted-value.ts'

/**
 * Changes of the wallet in which the shares that a deposit made count as many as would have been worth the same in the pair that was
 * simulated. Who gives to a pair between simulation and block leaves fewer shares of a larger pair, which is no loss. Only where both
 * tokens went in whole, as the pair says itself: what a token kept on the way is lost, however large its pair has become. Shares so
 * few that rounding tells stay as they are.
 */
export function sharesAsMade(
  deltas: ReadonlyMap<string, bigint>,
  { simulated, logs, wrappedNative, prices }: MadeShares,
): ReadonlyMap<string, bigint> {
  const counted = new Map(deltas)
  for (const share of simulated) {
    const came = deltas.get(share.pair) ?? 0n
    if (came === share.amount || came < leastShares) continue
    const made = madeOf(share, logs)
    if (made === null) continue
    const paid = (token: string) => {
      const own = deltas.get(token) ?? 0n
      return -(own === 0n && token === wrappedNative ? (deltas.get(zeroAddress) ?? 0n) : own)
    }
    if (made.amount0 < paid(share.token0) || made.amount1 < paid(share.token1)) continue
    const [worth, simulatedWorth] = [made.share, { ...share, amount: came }].map((one) =>
      valueAt({ tokens: new Map(), positions: [], shares: [one] }, prices, 'mid'),
    ) as [bigint, bigint]
    if (simulatedWorth > 0n) counted.set(share.pair, (came * worth) / simulatedWorth)
  }
  return counted
}

type MadeShares = {
  /** Those that arrive in the simulation, in its pairs. */
  readonly simulated: readonly PairShares[]
  /** Of the transactions that were mined. */
  readonly logs: readonly Log[]
  /** Lower case. */
  readonly wrappedNative: string
  readonly prices: TrustedPrices
}

/** What one mint of a pair put in, and the part of the pair that this is; `null` without exactly one, told as a pair tells it. */
function madeOf(share: PairShares, logs: readonly Log[]) {
  const pair = getAddress(share.pair)
  const own = logs.filter(({ address }) => isAddressEqual(address, pair))
  const events = parseEventLogs({ abi: v2PairAbi, eventName: ['Mint', 'Sync'], logs: [...own] })
  const at = events.findIndex(({ eventName }) => eventName === 'Mint')
  const [mint, sync] = [events[at], events[at - 1]]
  if (mint?.eventName !== 'Mint' || sync?.eventName !== 'Sync') return null
  if (events.filter(({ eventName }) => eventName === 'Mint').length !== 1) return null
  const { amount0, amount1 } = mint.args
  const { reserve0, reserve1 } = sync.args
  const isFirstLess = amount0 * reserve1 <= amount1 * reserve0
  const [amount, burnSupply] = isFirstLess ? [amount0, reserve0] : [amount1, reserve1]
  return { amount0, amount1, share: { ...share, amount, burnSupply, reserve0, reserve1 } }
}

/** Fewer are rounded by more than a millionth. */
const leastShares = 1_000_000n
