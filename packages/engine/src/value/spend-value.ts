import type { OwnMove } from './own-move.ts'
import { usdMicrosFromAmount } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Address, getAddress, zeroAddress } from 'viem'
import { withBareTokens } from '@svc/amm/tokens'
import {
  type BlockTime,
  type Intent,
  isUnnamed,
  type PriceBand,
  type PriceDoubt,
  type PriceSource,
  type RpcPool,
  type Token,
  type TokenDirectory,
  type UsdPrice,
} from '@svc/amm'
import { isVaultExit } from '../calldata/call-bounds.ts'
import { sumByToken } from '../call/amounts.ts'
import { listedKeys, pairShares, readPairs, type Sides, type StandingPair, withoutGivenBack } from './pair-worth.ts'

/**
 * Looks up every token an intent names and its price in US dollars; `price` is `null` where none can be trusted. Native
 * currency is always among them, for gas. A share of a v2 pair is worth its part of what the pair holds, but one that only lies in a pair.
 */
export async function priceTokens(tokens: readonly Address[], context: PricingContext): Promise<PricedTokens> {
  const { rpc, chain } = context
  const named = [...new Set([zeroAddress, ...tokens.map((token) => token.toLowerCase())])] as Address[]
  const { standing, within } = await readPairs(rpc, chain, named, context)
  const pairs = [...standing.values(), ...within.values()]
  const sides = pairs.flatMap((pair) => pair.sides.map(({ token }) => token.toLowerCase()))
  const listed = listedKeys(chain)
  // Their addresses are hashes: computed where something may be one.
  const possible = named.every((key) => listed.has(key)) ? [] : pairShares(chain, tokens).keys()
  const shares = new Set<string>([...possible, ...standing.keys()])
  const single = [...new Set([...named, ...sides])].filter((key): key is Address => !shares.has(key))
  const price = async (key: Address) => ({ ...(await priceOne(key, context)), pair: within.get(key) ?? null })
  const priced = new Map(await Promise.all(single.map(async (key) => [key, await price(key)] as const)))
  const ofShares = named
    .filter((key) => shares.has(key))
    .map((key) => [key, priceShare(key, standing, priced)] as const)
  return new Map<string, PricedToken>([...priced, ...ofShares])
}

async function priceOne(address: Address, context: PricingContext): Promise<PricedToken> {
  const token = await withBareTokens({ tokens: context.directory }).tokens.byAddress(context.chain, address)
  const price = await context.prices.usd(context.chain, token, context.at)
  const found =
    price === null
      ? { token, usd: null, band: null, usdE18: null, doubt: await doubtOf(token, context), pair: null }
      : { token, usd: price.usd, ...trustedOf(price, context), pair: null }
  return address === zeroAddress ? orLastGood(found, context) : found
}

async function doubtOf(token: Token, { prices, chain, at }: PricingContext): Promise<PriceDoubt> {
  return (await prices.doubt(chain, token, at)) ?? 'silent'
}

/**
 * Gas is paid whether native currency has a price or not. Where its sources differ by so much that nothing is spent, or say nothing, it
 * counts at no more than the last price at which they agreed, and a margin: who pushes a pool makes no way home too dear by that.
 */
function orLastGood(entry: PricedToken, { chain, nativePrices }: PricingContext): PricedToken {
  const { band, usdE18 } = entry
  if (band !== null && (band.highE18 - band.lowE18) * 10_000n <= band.midE18 * agreeingBps) {
    nativePrices.keep(chain.id, band.highE18)
    return entry
  }
  const last = nativePrices.last(chain.id)
  if (last === null) return entry
  const most = (last * lastGoodPct) / 100n
  return { ...entry, usdE18: usdE18 === null || usdE18 > most ? most : usdE18 }
}

/** What the default of `maxPriceBandBps` is. */
const agreeingBps = 1_000n

const lastGoodPct = 125n

/** A share at its part of both reserves, rounded up; whoever unbalances a pair makes that more, never less. */
function priceShare(
  key: Address,
  standing: ReadonlyMap<string, StandingPair>,
  priced: ReadonlyMap<string, PricedToken>,
): PricedToken {
  const pair = standing.get(key) ?? null
  const sides = (pair?.sides ?? []).map(({ token, reserve }) => ({ reserve, entry: priced.get(token.toLowerCase()) }))
  const token = pairShare(
    key,
    sides.some(({ entry }) => entry?.token.listed === true),
  )
  const doubtful = sides.find(({ entry }) => (entry?.usdE18 ?? null) === null)
  if (pair === null || doubtful !== undefined) {
    return { token, usd: null, band: null, usdE18: null, doubt: doubtful?.entry?.doubt ?? 'unnamed', pair }
  }
  const usdE18 = sides.reduce((sum, { reserve, entry }) => {
    const below = pair.burnSupply * 10n ** BigInt(entry?.token.decimals ?? 0)
    return sum + (reserve * (entry?.usdE18 ?? 0n) * 10n ** 18n + below - 1n) / below
  }, 0n)
  return { token, usd: null, band: null, usdE18, doubt: null, pair }
}

export type PricingContext = {
  readonly directory: Pick<TokenDirectory, 'byAddress'>
  readonly prices: PriceSource
  readonly rpc: Pick<RpcPool, 'client' | 'head'>
  readonly chain: Chain
  readonly nativePrices: NativePrices
  /** The block to read at, where it is known: then nothing is asked before the prices. */
  readonly at?: BlockTime
  /** Tokens that trades are to bring, lower-case. */
  readonly bought?: ReadonlySet<string>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** The last trusted price of each chain's native currency in this process. */
export type NativePrices = {
  keep(chainId: number, usdE18: bigint): void
  /** US dollars for one coin times 1e18; `null` before the first. */
  last(chainId: number): bigint | null
}

export function createNativePrices(): NativePrices {
  const kept = new Map<number, bigint>()
  return Object.freeze({
    keep: (chainId: number, usdE18: bigint) => void kept.set(chainId, usdE18),
    last: (chainId: number) => kept.get(chainId) ?? null,
  })
}

/** A price that is older counts as none. */
const oldestPriceSeconds = 300

/**
 * What limits count with: the high edge of the band, or for a token without a named source the highest price of any pool. The
 * age of a price is that of its block; on a chain whose blocks come on demand prices have no age.
 */
function trustedOf(price: UsdPrice, { chain, now }: PricingContext): Pick<PricedToken, 'band' | 'usdE18' | 'doubt'> {
  const isOld = chain.maxHeadAgeSeconds !== null && Math.floor(now() / 1000) - price.readAt > oldestPriceSeconds
  const { band, mostE18, doubt } = price
  if (band !== null && band.lowE18 <= 0n) return { band: null, usdE18: null, doubt: 'absurd' }
  if (isOld) return { band: null, usdE18: null, doubt: isUnnamed(doubt) ? doubt : 'stale' }
  return { band, usdE18: band?.highE18 ?? mostE18, doubt: band === null ? (doubt ?? 'silent') : null }
}

/** Shares of a pair as its code names them (v2-core UniswapV2ERC20); listed when one of its tokens is. */
function pairShare(address: Address, listed: boolean): Token {
  const text = { symbol: 'UNI-V2', name: 'Uniswap V2' }
  return { address: getAddress(address), ...text, decimals: 18, isNative: false, listed, usdPegged: false }
}

/** By lower-case address. */
export type PricedTokens = ReadonlyMap<string, PricedToken>

export type PricedToken = {
  readonly token: Token
  /** US dollars for one whole token, for reports. */
  readonly usd: number | null
  /** What its named sources say; `null` where they say nothing, or nobody named one, and `doubt` says which. */
  readonly band: PriceBand | null
  /** What limits count with, US dollars for one whole token times 1e18; `null` where nothing says anything at all. */
  readonly usdE18: bigint | null
  readonly doubt: PriceDoubt | null
  /** What it is a share of; `null` for everything but a v2 pair that stands. */
  readonly pair: StandingPair | null
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

/** Worth of amounts in millionths of a US dollar, each rounded up. Tokens without a price are named. */
export function valueOf(amounts: ReadonlyMap<string, bigint>, priced: PricedTokens): Valued {
  let usdMicros = 0n
  const unpriced: Unpriced[] = []
  for (const [key, amount] of amounts) {
    const entry = priced.get(key)
    if (amount === 0n) continue
    if (entry === undefined || entry.usdE18 === null || entry.usdE18 <= 0n) {
      unpriced.push({ token: key as Address, doubt: entry?.doubt ?? 'unnamed', listed: entry?.token.listed ?? false })
    } else usdMicros += usdMicrosOf(amount, entry.token.decimals, entry.usdE18)
  }
  return { usdMicros, unpriced }
}

export type Valued = { readonly usdMicros: bigint; readonly unpriced: readonly Unpriced[] }

export type Unpriced = { readonly token: Address; readonly doubt: PriceDoubt; readonly listed: boolean }

/**
 * Amounts without shares of a pair for which the intent brings both of the pair's tokens to the wallet, and without those that it gives
 * back to their own vault: what comes is what they are worth, and no vault keeps its owner from leaving by what it says of itself.
 */
export function notGivenBack(
  spent: ReadonlyMap<string, bigint>,
  intent: Intent,
  deltas: ReadonlyMap<string, bigint>,
  priced: PricedTokens,
  sides: Sides = 'both',
): ReadonlyMap<string, bigint> {
  const vaults = new Set(intent.calls.flatMap(({ to, data }) => (isVaultExit(data) ? [to.toLowerCase()] : [])))
  const kept = new Map([...spent].filter(([token]) => !vaults.has(token)))
  return withoutGivenBack(kept, intent, deltas, (token) => priced.get(token)?.pair ?? null, sides)
}

/**
 * What a call spends: what leaves, at the high edge of its price, or what arrives for it where that is more, so that nothing
 * expensive is sold as if it were cheap. What only brings funds home counts as nothing.
 */
export function valueOfSpend(
  intent: Intent,
  deltas: ReadonlyMap<string, bigint>,
  priced: PricedTokens,
  positions: MovedPositions,
): SpendValue {
  if (positions.isExit) return { usdMicros: 0n, unpriced: [], arrivingUsdMicros: 0n }
  if (positions.ownMove !== null) return valueOfMove(positions.ownMove, priced)
  const spent = valueOf(notGivenBack(spentAmounts(intent, deltas), intent, deltas, priced), priced)
  const ownDeltas = [...deltas].filter(([token]) => priced.get(token)?.pair == null)
  const withoutShares = new Map(ownDeltas.map(([token, delta]) => [token, delta - (positions.lent?.get(token) ?? 0n)]))
  const arrivingUsdMicros = arrivingWorth(withoutShares, priced) + positions.arrivingUsdMicros
  const isTrade = positions.leavingUsdMicros > 0n || hasLeft(deltas)
  const leaves = spent.usdMicros + positions.leavingUsdMicros
  const usdMicros = isTrade && arrivingUsdMicros > leaves ? arrivingUsdMicros : leaves
  return { usdMicros, unpriced: spent.unpriced, arrivingUsdMicros }
}

/** What own liquidity that is moved within its pool counts as: what is traded on the way, and what the wallet adds. */
export function valueOfMove({ pays, brings, adds }: OwnMove, priced: PricedTokens): SpendValue {
  const [paid, brought, added] = [pays, brings, adds].map((amounts) => valueOf(amounts, priced))
  if (paid === undefined || brought === undefined || added === undefined) throw new TypeError('three sums are valued')
  const traded = paid.usdMicros > brought.usdMicros ? paid.usdMicros : brought.usdMicros
  return { usdMicros: traded + added.usdMicros, unpriced: [...paid.unpriced, ...added.unpriced], arrivingUsdMicros: 0n }
}

/** What was mined counts as a trade does, too: the larger of what left and of what arrived for it. */
export function valueOfMined(leftUsdMicros: bigint, deltas: ReadonlyMap<string, bigint>, priced: PricedTokens): bigint {
  const arrived = hasLeft(deltas) ? arrivingWorth(deltas, priced) : 0n
  return arrived > leftUsdMicros ? arrived : leftUsdMicros
}

/** Counts only tokens with a trusted price. */
function arrivingWorth(deltas: ReadonlyMap<string, bigint>, priced: PricedTokens): bigint {
  const arriving = [...deltas].filter(([token, delta]) => delta > 0n && priced.get(token)?.doubt === null)
  return valueOf(new Map(arriving), priced).usdMicros
}

function hasLeft(deltas: ReadonlyMap<string, bigint>): boolean {
  return [...deltas.values()].some((delta) => delta < 0n)
}

export type SpendValue = Valued & { readonly arrivingUsdMicros: bigint }

/** Positions that a call takes apart or makes, and shares that it makes, at the high edge of the prices of their tokens. */
export type MovedPositions = {
  /** It trades and deposits nothing, and spends nothing. */
  readonly isExit: boolean
  readonly leavingUsdMicros: bigint
  readonly arrivingUsdMicros: bigint
  /** What arrives beyond what trades pay, per lower-case token. */
  readonly lent?: ReadonlyMap<string, bigint>
  /** `null` unless own liquidity is moved within its pool. */
  readonly ownMove: OwnMove | null
}

/** Whether a call that trades and deposits nothing spends nothing but what is given back at once. */
export function spendsNothing(intent: Intent, deltas: ReadonlyMap<string, bigint>, priced: PricedTokens): boolean {
  return isNothing(notGivenBack(spentAmounts(intent, deltas), intent, deltas, priced, 'either'))
}

function isNothing(spent: ReadonlyMap<string, bigint>): boolean {
  return [...spent.values()].every((amount) => amount === 0n)
}

/** Millionths of a dollar, rounded up, in integers throughout. */
function usdMicrosOf(amount: bigint, decimals: number, usdE18: bigint): bigint {
  const unit = 10n ** BigInt(decimals + 12)
  return (amount * usdE18 + unit - 1n) / unit
}

/** Worth at trusted prices alone, in millionths of a US dollar; `null` for a token that no named source prices now. */
export function trustedWorth(token: string, amount: bigint, priced: PricedTokens): bigint | null {
  const entry = priced.get(token)
  return entry?.band == null ? null : usdMicrosOf(amount, entry.token.decimals, entry.band.highE18)
}

/** Worth of an amount as a plain number of dollars, for reports; `null` without a price. Negative for negative amounts. */
export function usdOf(token: string, amount: bigint, priced: PricedTokens): number | null {
  const entry = priced.get(token.toLowerCase())
  if (entry === undefined || entry.usd === null || !(entry.usd > 0)) return null
  const magnitude = Number(usdMicrosFromAmount(amount < 0n ? -amount : amount, entry.token.decimals, entry.usd)) / 1e6
  return amount < 0n ? -magnitude : magnitude
}
