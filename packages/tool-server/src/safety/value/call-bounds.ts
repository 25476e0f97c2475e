import type { Chain } from '@svc/wallet/core'
import { type Address, getAddress, type Hex, slice, size, zeroAddress } from 'viem'
import { v2PairAddress } from '../../adapters/liquidity/v2/pair-address.ts'
import { v3PoolAddress } from '../../adapters/liquidity/v3/pool-address.ts'
import { poolIdOf } from '../../adapters/liquidity/v4/pool-key.ts'
import type { IntentCall } from '../../intent.ts'
import type { KnownContracts } from '../known-contracts.ts'
import { isUpstreamSurface, type Part, readParts } from '../upstream/read-parts.ts'

/**
 * What the calldata of an intent permits at worst, apart from what a simulation shows: the least each trade may bring, the
 * bounds of each deposit, the pools they go through. Calls to contracts that are not of the AMM hold nothing of it.
 * Throws `UNSAFE_TRANSACTION` for calldata of the AMM that is not canonical or not known.
 */
export function callBounds(calls: readonly IntentCall[], { chain, known }: BoundsContext): CallBounds {
  const read = calls.map((call) => boundsOfCall(call, { chain, known }))
  return {
    trades: read.flatMap(({ trades }) => trades),
    deposits: read.flatMap(({ deposits }) => deposits),
  }
}

export type BoundsContext = { readonly chain: Chain; readonly known: KnownContracts }

export type CallBounds = { readonly trades: readonly TradeBounds[]; readonly deposits: readonly DepositBounds[] }

/** A trade along one route. Tokens in lower case, native currency as the zero address. */
export type TradeBounds = {
  readonly tokenIn: string
  readonly tokenOut: string
  /** The least that arrives, by the trade itself or by what pays its proceeds out. */
  readonly minOut: bigint
  /** Sum of the pools' own fees along the route; 0 for a fee that a hook decides. */
  readonly feeBps: number
  readonly pools: readonly Hex[]
}

export type DepositBounds = {
  readonly version: 'v2' | 'v3' | 'v4'
  readonly contract: Address
  /** `null` for a new position, and in v2. */
  readonly positionId: bigint | null
  /** `null` where the calldata names the position alone. */
  readonly pool: PoolIdentity | null
  /** `null` in v2, and where the calldata names the position alone. */
  readonly ticks: Ticks | null
  /** What v4 fixes; `null` where it follows from the amounts. */
  readonly liquidity: bigint | null
  /** In the pool's order. */
  readonly most: Pair
  readonly least: Pair
}

export type PoolIdentity = { readonly id: Hex; readonly token0: string; readonly token1: string }

export type Ticks = { readonly tickLower: number; readonly tickUpper: number }

export type Pair = { readonly amount0: bigint; readonly amount1: bigint }

function boundsOfCall(call: IntentCall, { chain, known }: BoundsContext): CallBounds {
  const surface = known.surfaces.get(call.to.toLowerCase())
  if (surface === undefined || surface === 'listed' || !isUpstreamSurface(surface)) return { trades: [], deposits: [] }
  const parts = readParts(surface, chain.amm.universalRouter?.version ?? '2.0', call.data)
  const place: Place = { chain, contract: call.to, valueWei: call.valueWei }
  const trades = parts.flatMap((part, index): readonly TradeBounds[] => {
    const trade = tradeOf(part, place)
    return trade === null ? [] : [withPayouts(trade, parts.slice(index + 1), chain)]
  })
  return { trades, deposits: parts.flatMap((part) => depositOf(part, place) ?? []) }
}

type Place = {
  readonly chain: Chain
  readonly contract: Address
  readonly valueWei: bigint
}

/** A later payout of the same currency may promise more than the trade does. */
function withPayouts(trade: TradeBounds, later: readonly Part[], chain: Chain): TradeBounds {
  const wrapped = chain.wrappedNative.address.toLowerCase()
  const promised = later.flatMap(({ name, args }) => {
    if (name === 'unwrapWETH9') return trade.tokenOut === wrapped ? [uint(args['amountMinimum'])] : []
    if (name === 'UNWRAP_WETH') return trade.tokenOut === wrapped ? [uint(args['least'])] : []
    if (name === 'sweepToken') return text(args['token']) === trade.tokenOut ? [uint(args['amountMinimum'])] : []
    if (name === 'SWEEP' || name === 'v4.takeAll') {
      return text(args['token']) === trade.tokenOut ? [uint(args['least'])] : []
    }
    return []
  })
  return { ...trade, minOut: [trade.minOut, ...promised].reduce((most, one) => (one > most ? one : most)) }
}

function tradeOf({ name, args }: Part, place: Place): TradeBounds | null {
  if (name === 'exactInputSingle') {
    const [tokenIn, tokenOut] = [text(args['tokenIn']), text(args['tokenOut'])]
    return trade(place, [{ tokenIn, tokenOut, fee: Number(args['fee']) }], uint(args['amountOutMinimum']))
  }
  if (name === 'exactInput') return trade(place, hopsOfPath(args['path']), uint(args['amountOutMinimum']))
  if (name === 'V3_SWAP_EXACT_IN') return trade(place, hopsOfPath(args['path']), uint(args['least']))
  if (name === 'V2_SWAP_EXACT_IN') return trade(place, hopsOfPairs(args['path']), uint(args['least']))
  if (name.startsWith('swapExact')) return trade(place, hopsOfPairs(args['path']), uint(args['amountOutMin']))
  if (name === 'v4.swapSingle') return v4Single(args)
  if (name === 'v4.swapPath') return v4Path(args)
  return null
}

type Hop = { readonly tokenIn: string; readonly tokenOut: string; /** `null` in v2. */ readonly fee: number | null }

function trade({ chain }: Place, hops: readonly Hop[], minOut: bigint): TradeBounds {
  const feeBps = hops.reduce((sum, { fee }) => sum + (fee ?? v2Fee) / 100, 0)
  const pools = hops.map(({ tokenIn, tokenOut, fee }) => poolIdentity(chain, tokenIn, tokenOut, fee).id)
  return { ...endsOf(hops), minOut, feeBps, pools }
}

function endsOf(hops: readonly Hop[]): Pick<TradeBounds, 'tokenIn' | 'tokenOut'> {
  return { tokenIn: hops[0]?.tokenIn ?? zeroAddress, tokenOut: hops.at(-1)?.tokenOut ?? zeroAddress }
}

function v4Single(args: Part['args']): TradeBounds {
  const key = keyOf(args['key'])
  const [tokenIn, tokenOut] =
    args['zeroForOne'] === true ? [key.currency0, key.currency1] : [key.currency1, key.currency0]
  return {
    tokenIn: tokenIn.toLowerCase(),
    tokenOut: tokenOut.toLowerCase(),
    minOut: uint(args['least']),
    feeBps: staticFeeBps(key.fee),
    pools: [poolIdOf(key)],
  }
}

function v4Path(args: Part['args']): TradeBounds {
  let currency = text(args['currencyIn'])
  const tokenIn = currency
  let feeBps = 0
  const pools: Hex[] = []
  for (const hop of recordsOf(args['path'])) {
    const next = text(hop['intermediateCurrency'])
    const [currency0, currency1] = sorted(currency, next)
    const fee = Number(hop['fee'])
    feeBps += staticFeeBps(fee)
    pools.push(poolIdOf(keyOf({ ...hop, currency0, currency1, fee })))
    currency = next
  }
  return { tokenIn, tokenOut: currency, minOut: uint(args['least']), feeBps, pools }
}

function depositOf({ name, args }: Part, place: Place): DepositBounds | null {
  const { chain, contract, valueWei } = place
  const own = { contract, positionId: null, liquidity: null, ticks: null, pool: null }
  if (name === 'mint') {
    const [token0, token1] = [text(args['token0']), text(args['token1'])]
    const pool = poolIdentity(chain, token0, token1, Number(args['fee']))
    return { ...own, version: 'v3', pool, ticks: ticksOf(args), ...v3Amounts(args) }
  }
  if (name === 'increaseLiquidity') {
    return { ...own, version: 'v3', positionId: uint(args['tokenId']), ...v3Amounts(args) }
  }
  if (name === 'v4.mint' || name === 'v4.increase') {
    const key = name === 'v4.mint' ? keyOf(args['key']) : null
    const most = { amount0: uint(args['bound0']), amount1: uint(args['bound1']) }
    return {
      ...own,
      version: 'v4',
      positionId: key === null ? uint(args['tokenId']) : null,
      pool: key === null ? null : identityOfKey(key),
      ticks: key === null ? null : ticksOf(args),
      liquidity: uint(args['liquidity']),
      most,
      least: { amount0: 0n, amount1: 0n },
    }
  }
  if (name === 'addLiquidity') {
    const tokens = [text(args['tokenA']), text(args['tokenB'])] as const
    const most = [uint(args['amountADesired']), uint(args['amountBDesired'])] as const
    const least = [uint(args['amountAMin']), uint(args['amountBMin'])] as const
    return { ...own, version: 'v2', ...pairDeposit(chain, tokens, most, least) }
  }
  if (name === 'addLiquidityETH') {
    const tokens = [text(args['token']), chain.wrappedNative.address.toLowerCase()] as const
    const most = [uint(args['amountTokenDesired']), valueWei] as const
    const least = [uint(args['amountTokenMin']), uint(args['amountETHMin'])] as const
    return { ...own, version: 'v2', ...pairDeposit(chain, tokens, most, least) }
  }
  return null
}

function pairDeposit(
  chain: Chain,
  [tokenA, tokenB]: readonly [string, string],
  [mostA, mostB]: readonly [bigint, bigint],
  [leastA, leastB]: readonly [bigint, bigint],
): Pick<DepositBounds, 'pool' | 'most' | 'least'> {
  const pool = poolIdentity(chain, tokenA, tokenB, null)
  const isInOrder = pool.token0 === tokenA
  const pair = (one: bigint, other: bigint): Pair =>
    isInOrder ? { amount0: one, amount1: other } : { amount0: other, amount1: one }
  return { pool, most: pair(mostA, mostB), least: pair(leastA, leastB) }
}

function v3Amounts(args: Part['args']): Pick<DepositBounds, 'most' | 'least'> {
  return {
    most: { amount0: uint(args['amount0Desired']), amount1: uint(args['amount1Desired']) },
    least: { amount0: uint(args['amount0Min']), amount1: uint(args['amount1Min']) },
  }
}

/** A pair where `fee` is `null`, else a v3 pool; where it stands follows from its tokens. */
export function poolIdentity(chain: Chain, tokenA: string, tokenB: string, fee: number | null): PoolIdentity {
  const [token0, token1] = sorted(tokenA, tokenB)
  const { v2, v3 } = chain.amm
  const addresses = [getAddress(token0), getAddress(token1)] as const
  const id =
    fee === null ? v2 && v2PairAddress(v2, ...addresses) : v3 && v3PoolAddress(v3, addresses[0], addresses[1], fee)
  if (id === undefined) throw new TypeError('calldata of a version that is not deployed')
  return { id, token0, token1 }
}

type Key = Parameters<typeof poolIdOf>[0]

export function identityOfKey(key: Key): PoolIdentity {
  return { id: poolIdOf(key), token0: key.currency0.toLowerCase(), token1: key.currency1.toLowerCase() }
}

function keyOf(value: unknown): Key {
  const record = recordOf(value)
  return {
    currency0: getAddress(text(record['currency0'])),
    currency1: getAddress(text(record['currency1'])),
    fee: Number(record['fee']),
    tickSpacing: Number(record['tickSpacing']),
    hooks: getAddress(text(record['hooks'])),
  }
}

/** Hundredths of a basis point; v2 pairs take 0.3 %. */
const v2Fee = 3_000

/** A fee above the most a static one may be is a flag: a hook decides it, and it excuses no loss. */
function staticFeeBps(fee: number): number {
  return fee > 1_000_000 ? 0 : fee / 100
}

/** token, fee, token, …: 20 and 3 bytes each (Path of v3-periphery). */
function hopsOfPath(value: unknown): readonly Hop[] {
  const path = text(value) as Hex
  const hops: Hop[] = []
  for (let at = 0; at + 43 <= size(path); at += 23) {
    const [tokenIn, tokenOut] = [slice(path, at, at + 20), slice(path, at + 23, at + 43)]
    hops.push({ tokenIn, tokenOut, fee: Number(slice(path, at + 20, at + 23)) })
  }
  return hops
}

function hopsOfPairs(value: unknown): readonly Hop[] {
  const path = Array.isArray(value) ? value.map(text) : []
  return path.slice(1).map((tokenOut, index) => ({ tokenIn: path[index] ?? tokenOut, tokenOut, fee: null }))
}

function sorted(one: string, other: string): readonly [string, string] {
  return BigInt(one) < BigInt(other) ? [one, other] : [other, one]
}

function ticksOf(args: Part['args']): Ticks {
  return { tickLower: Number(args['tickLower']), tickUpper: Number(args['tickUpper']) }
}

function uint(value: unknown): bigint {
  if (typeof value !== 'bigint') throw new TypeError('an amount of the calldata is no number')
  return value
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('a member of the calldata is no text')
  return value.toLowerCase()
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new TypeError('a member of the calldata is no tuple')
  return value as Readonly<Record<string, unknown>>
}

function recordsOf(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : []
}
