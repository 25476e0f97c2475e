import type { Chain, ChainToken, PriceSources, ReferencePool } from '@svc/wallet/core'
import { type Address, type Hex, isAddressEqual, zeroAddress } from 'viem'
import type { Token } from '../ports.ts'
import { v2PairAddress, v3PoolAddress } from '../liquidity/pools/pool-address.ts'
import { poolIdOf } from '../liquidity/v4/pool-key.ts'
import type { PoolReading } from './band/pool-reading.ts'
import type { PriceRange } from './band/price-range.ts'
import { unknownVersion } from '../ports/pools.ts'

/** A token with named sources, or whose target price is a dollar. */
export type NamedToken = {
  /** Its address in lower case. */
  readonly key: string
  readonly usdPegged: boolean
  readonly feed: PriceSources['feed']
  /** Between which prices a person expects it; `null` where none did. */
  readonly expected: PriceRange | null
  readonly pools: readonly PoolPlace[]
}

/** A pool, and what its readings mean for the token that is priced. */
export type PoolPlace = Pick<PoolReading, 'row' | 'quoteKey' | 'side' | 'fault'> & {
  /** As the contracts know them; the zero address for native currency. */
  readonly token: Address
  readonly quote: Address
}

/**
 * Sources that a person confirmed for a token; they stand in place of those of the chain's row. A row that names neither a feed nor a
 * pool, and says between which prices the token is expected, leaves those of the chain.
 */
export type ConfirmedSources = (
  chainId: number,
  token: Address,
) => (PriceSources & { readonly expected?: PriceRange }) | undefined

/** What a price needs to know of a token. */
export type PricedToken = Pick<Token, 'address' | 'decimals'>

/** What is asked for the price of a token. Where a pool stands is worked out once for each row. */
export function createNamedTokens(confirmed: ConfirmedSources): NamedTokens {
  const places = new WeakMap<ReferencePool, PoolPlace>()
  const placed = (chain: Chain, token: PricedToken, row: ReferencePool): PoolPlace => {
    const known = places.get(row)
    if (known !== undefined) return known
    const place = placeOf(chain, token, row)
    places.set(row, place)
    return place
  }
  return (chain, token) => namedTokens(chain, token, { confirmed, placed })
}

/**
 * The token and the tokens its pools are against, as far as prices lead through them: those that have named sources, the
 * token itself first. Empty where nobody named a source for it. Native currency is asked for by its wrapped token.
 */
export type NamedTokens = (chain: Chain, token: PricedToken) => readonly NamedToken[]

type Sources = {
  readonly confirmed: ConfirmedSources
  readonly placed: (chain: Chain, token: PricedToken, row: ReferencePool) => PoolPlace
}

function namedTokens(chain: Chain, token: PricedToken, sources: Sources): readonly NamedToken[] {
  const found = new Map<string, NamedToken>()
  let wave: readonly PricedToken[] = [token]
  while (wave.length > 0) {
    const named = wave.flatMap((one) => namedToken(chain, one, sources) ?? [])
    for (const one of named) found.set(one.key, one)
    const keys = new Set(named.flatMap(({ pools }) => pools.map(({ quoteKey }) => quoteKey)))
    wave = [...keys].filter((key) => !found.has(key)).flatMap((key) => rowOf(chain, key) ?? [])
  }
  return [...found.values()]
}

function namedToken(chain: Chain, token: PricedToken, { confirmed, placed }: Sources): NamedToken | null {
  const row = rowOf(chain, token.address)
  const inPolicy = confirmed(chain.id, token.address)
  const sources = inPolicy === undefined || saysExpectedAlone(inPolicy) ? row?.priceSources : inPolicy
  const usdPegged = row?.usdPegged === true
  if (sources === undefined && !usdPegged) return null
  const pools = (sources?.pools ?? []).map((pool) => placed(chain, token, pool))
  return {
    key: token.address.toLowerCase(),
    usdPegged,
    feed: sources?.feed,
    expected: inPolicy?.expected ?? null,
    pools,
  }
}

function saysExpectedAlone({ feed, pools = [], expected }: NonNullable<ReturnType<ConfirmedSources>>): boolean {
  return expected !== undefined && feed === undefined && pools.length === 0
}

/**
 * Whether the price of the first of some named tokens comes from a price of another: through its pools, and the tokens these
 * are against, as far as no feed stands between.
 */
export function restsOn(named: readonly NamedToken[], key: string): boolean {
  const byKey = new Map(named.map((token) => [token.key, token]))
  const seen = new Set<string>()
  let wave = named.slice(0, 1)
  while (wave.length > 0) {
    const quotes = wave.flatMap(({ feed, pools }) => (feed === undefined ? pools.map(({ quoteKey }) => quoteKey) : []))
    if (quotes.includes(key)) return true
    wave = [...new Set(quotes)].filter((one) => !seen.has(one)).flatMap((one) => byKey.get(one) ?? [])
    for (const one of wave) seen.add(one.key)
  }
  return false
}

/** The chain's own row of a token, one with sources first where the wrapped token stands twice. */
function rowOf(chain: Chain, address: string): ChainToken | undefined {
  const rows = [chain.wrappedNative, ...chain.tokens].filter(
    (row) => row.address.toLowerCase() === address.toLowerCase(),
  )
  return rows.find(({ priceSources }) => priceSources !== undefined) ?? rows[0]
}

function placeOf(chain: Chain, { address, decimals }: PricedToken, row: ReferencePool): PoolPlace {
  const token = row.native === true ? zeroAddress : address
  const quoteRow = row.quote === zeroAddress ? chain.wrappedNative : rowOf(chain, row.quote)
  const tokenIs0 = BigInt(token) < BigInt(row.quote)
  const side = { tokenIs0, tokenDecimals: decimals, quoteDecimals: quoteRow?.decimals ?? 0 }
  const place = { row, quoteKey: (quoteRow?.address ?? row.quote).toLowerCase(), side, token, quote: row.quote }
  return { ...place, fault: faultOf(chain, place, quoteRow !== undefined) }
}

/** A row that says one pool and means another is believed in neither. */
function faultOf(
  chain: Chain,
  place: Omit<PoolPlace, 'fault'> & { row: ReferencePool },
  isListed: boolean,
): string | null {
  const { row, token, quote, side } = place
  if (!isListed) return 'its other token is not listed'
  const isNative = token === zeroAddress || quote === zeroAddress
  const isTwice = isAddressEqual(token, quote)
  if (isTwice || (isNative && row.version !== 'v4')) return 'its row names no pair of tokens'
  const [token0, token1] = side.tokenIs0 ? [token, quote] : [quote, token]
  const id = idOf(chain, row, token0, token1)
  if (id === null) return `${row.version} is not deployed here`
  return id.toLowerCase() === row.id.toLowerCase() ? null : 'its id does not follow from its tokens and fee'
}

function idOf({ amm: { v2, v3, v4 } }: Chain, row: ReferencePool, token0: Address, token1: Address): Hex | null {
  if (row.version === 'v2') return v2 === undefined ? null : v2PairAddress(v2, token0, token1)
  if (row.version === 'v3') return v3 === undefined ? null : v3PoolAddress(v3, token0, token1, row.fee)
  if (row.version !== 'v4') throw unknownVersion(row.version)
  if (v4 === undefined || row.tickSpacing === undefined) return null
  const { fee, tickSpacing } = row
  return poolIdOf({ currency0: token0, currency1: token1, fee, tickSpacing, hooks: zeroAddress })
}
