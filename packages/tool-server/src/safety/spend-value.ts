import { usdMicrosFromAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import { type Address, getAddress, zeroAddress } from 'viem'
import type { Intent } from '../intent.ts'
import type { PriceSource, Token, TokenDirectory } from '../ports.ts'
import { sumByToken } from './assert-declared.ts'
import { pairShares } from './pair-shares.ts'

/**
 * Looks up every token an intent names and its price in US dollars; `price` is `null` where none can be trusted. Native
 * currency is always among them, for gas. Shares of a v2 pair whose tokens the intent names carry their tokens' value.
 */
export async function priceTokens(
  tokens: readonly Address[],
  { directory, prices, chain }: { directory: Pick<TokenDirectory, 'byAddress'>; prices: PriceSource; chain: Chain },
): Promise<PricedTokens> {
  const pairs = pairShares(chain, tokens)
  const wanted = [...new Set([zeroAddress, ...tokens.map((token) => token.toLowerCase())])]
  const priced = await Promise.all(
    wanted.map(async (key): Promise<readonly [string, PricedToken]> => {
      if (pairs.has(key))
        return [key, { token: pairShare(key as Address), usd: null, trustedUsd: null, isPairShare: true }]
      const token = await directory.byAddress(chain, key as Address)
      const price = await prices.usd(chain, token)
      const usd = price?.usd ?? null
      return [key, { token, usd, trustedUsd: price?.method === 'pool_spot' ? null : usd, isPairShare: false }]
    }),
  )
  return new Map(priced)
}

/** Shares of a pair as its code names them (v2-core UniswapV2ERC20); asked of no chain, for the pair may not stand yet. */
function pairShare(address: Address): Token {
  const text = { symbol: 'UNI-V2', name: 'Uniswap V2' }
  return { address: getAddress(address), ...text, decimals: 18, isNative: false, listed: false, usdPegged: false }
}

/** By lower-case address. */
export type PricedTokens = ReadonlyMap<string, PricedToken>

export type PricedToken = {
  readonly token: Token
  /** US dollars for one whole token, for reports. */
  readonly usd: number | null
  /** The same where limits may count with it: a price of the moment, which one trade can move, is none. */
  readonly trustedUsd: number | null
  readonly isPairShare: boolean
}

/**
 * What an intent spends, per token: the largest of what it declares, what leaves in the simulation and what is approved.
 * Without a simulation (settling what was mined) `deltas` alone counts.
 */
export function spentAmounts(intent: Intent, deltas: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  const spent = outflowsOf(deltas)
  for (const sums of [sumByToken(intent.spends), sumByToken(intent.approvals)]) {
    for (const [token, amount] of sums) if (amount > (spent.get(token) ?? 0n)) spent.set(token, amount)
  }
  return spent
}

/** What left on balance, per token. */
export function outflowsOf(deltas: ReadonlyMap<string, bigint>): Map<string, bigint> {
  return new Map([...deltas].filter(([, delta]) => delta < 0n).map(([token, delta]) => [token, -delta]))
}

/**
 * Worth of amounts in millionths of a US dollar, each rounded up. Shares of a v2 pair count as nothing: their value comes
 * back as the pair's tokens, and only calls that pay the wallet pass the policy. Tokens without a price are named.
 */
export function valueOf(
  amounts: ReadonlyMap<string, bigint>,
  priced: PricedTokens,
): { readonly usdMicros: bigint; readonly unpriced: readonly Address[] } {
  let usdMicros = 0n
  const unpriced: Address[] = []
  for (const [key, amount] of amounts) {
    const entry = priced.get(key)
    if (amount === 0n || entry?.isPairShare === true) continue
    const usd = entry?.trustedUsd ?? null
    if (entry === undefined || usd === null || !(usd > 0)) unpriced.push(key as Address)
    else usdMicros += usdMicrosFromAmount(amount, entry.token.decimals, usd)
  }
  return { usdMicros, unpriced }
}

/** Worth of an amount as a plain number of dollars, for reports; `null` without a price. Negative for negative amounts. */
export function usdOf(token: string, amount: bigint, priced: PricedTokens): number | null {
  const entry = priced.get(token.toLowerCase())
  if (entry === undefined || entry.usd === null || !(entry.usd > 0)) return null
  const magnitude = Number(usdMicrosFromAmount(amount < 0n ? -amount : amount, entry.token.decimals, entry.usd)) / 1e6
  return amount < 0n ? -magnitude : magnitude
}
