import { usdMicrosFromAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet'
import { type Address, getAddress, zeroAddress } from 'viem'
import type { Intent } from '../intent.ts'
import type { PriceDoubt, PriceSource, Token, TokenDirectory, UsdPrice } from '../ports.ts'
import { sumByToken } from './assert-declared.ts'
import { pairShares } from './pair-shares.ts'

/**
 * Looks up every token an intent names and its price in US dollars; `price` is `null` where none can be trusted. Native
 * currency is always among them, for gas. Shares of a v2 pair whose tokens the intent names carry their tokens' value.
 */
export async function priceTokens(tokens: readonly Address[], context: PricingContext): Promise<PricedTokens> {
  const { directory, prices, chain } = context
  const pairs = pairShares(chain, tokens)
  const wanted = [...new Set([zeroAddress, ...tokens.map((token) => token.toLowerCase())])]
  const priced = await Promise.all(
    wanted.map(async (key): Promise<readonly [string, PricedToken]> => {
      if (pairs.has(key))
        return [key, { token: pairShare(key as Address), usd: null, usdE18: null, doubt: null, isPairShare: true }]
      const token = await directory.byAddress(chain, key as Address)
      const price = await prices.usd(chain, token)
      return [key, { token, usd: price?.usd ?? null, ...trustedOf(price, context), isPairShare: false }]
    }),
  )
  return new Map(priced)
}

export type PricingContext = {
  readonly directory: Pick<TokenDirectory, 'byAddress'>
  readonly prices: PriceSource
  readonly chain: Chain
  /** Unix milliseconds. */
  readonly now: () => number
}

/** A price older than this is none, whoever vouches for it. */
const oldestPriceSeconds = 300

/** What limits may count with. Age is that of the block read; a chain whose blocks come on demand has none. */
function trustedOf(price: UsdPrice | null, { chain, now }: PricingContext): Pick<PricedToken, 'usdE18' | 'doubt'> {
  if (price === null) return { usdE18: null, doubt: 'missing' }
  if (price.exact === null || price.exact.usdE18 <= 0n) return { usdE18: null, doubt: price.doubt ?? 'absurd' }
  const isOld = chain.maxHeadAgeSeconds !== null && Math.floor(now() / 1000) - price.readAt > oldestPriceSeconds
  return isOld ? { usdE18: null, doubt: 'stale' } : { usdE18: price.exact.usdE18, doubt: null }
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
  /** The same times 1e18, rounded up, where limits may count with it; else `null`, and `doubt` says why. */
  readonly usdE18: bigint | null
  readonly doubt: PriceDoubt | null
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
export function valueOf(amounts: ReadonlyMap<string, bigint>, priced: PricedTokens): Valued {
  let usdMicros = 0n
  const unpriced: Unpriced[] = []
  for (const [key, amount] of amounts) {
    const entry = priced.get(key)
    if (amount === 0n || entry?.isPairShare === true) continue
    if (entry === undefined || entry.usdE18 === null || entry.usdE18 <= 0n) {
      unpriced.push({ token: key as Address, doubt: entry?.doubt ?? 'missing' })
    } else usdMicros += usdMicrosOf(amount, entry.token.decimals, entry.usdE18)
  }
  return { usdMicros, unpriced }
}

export type Valued = { readonly usdMicros: bigint; readonly unpriced: readonly Unpriced[] }

export type Unpriced = { readonly token: Address; readonly doubt: PriceDoubt }

/** What a call spends, and what else bounds the worth of tokens without a price: the priced ones that would arrive. */
export function valueOfSpend(intent: Intent, deltas: ReadonlyMap<string, bigint>, priced: PricedTokens): SpendValue {
  const arriving = new Map([...deltas].filter(([, delta]) => delta > 0n))
  return {
    ...valueOf(spentAmounts(intent, deltas), priced),
    arrivingUsdMicros: valueOf(arriving, priced).usdMicros,
  }
}

export type SpendValue = Valued & { readonly arrivingUsdMicros: bigint }

/** Millionths of a dollar, rounded up, in integers throughout. */
function usdMicrosOf(amount: bigint, decimals: number, usdE18: bigint): bigint {
  const unit = 10n ** BigInt(decimals + 12)
  return (amount * usdE18 + unit - 1n) / unit
}

/** Worth of an amount as a plain number of dollars, for reports; `null` without a price. Negative for negative amounts. */
export function usdOf(token: string, amount: bigint, priced: PricedTokens): number | null {
  const entry = priced.get(token.toLowerCase())
  if (entry === undefined || entry.usd === null || !(entry.usd > 0)) return null
  const magnitude = Number(usdMicrosFromAmount(amount < 0n ? -amount : amount, entry.token.decimals, entry.usd)) / 1e6
  return amount < 0n ? -magnitude : magnitude
}
