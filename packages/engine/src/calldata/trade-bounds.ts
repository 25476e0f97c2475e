import { larger } from '@svc/lp-math'
import { type Hex, zeroAddress, getAddress, size, slice } from 'viem'
import { poolIdOf } from '@svc/amm/liquidity'
import { routerNames } from './call-recipients.ts'
import { sureLeasts } from './part-facts.ts'
import type { Part } from './read-parts.ts'
import type { Place } from './deposit-bounds.ts'
import { textIn, uintIn, keyIn, poolIdentity, recordsIn, sortedTokens } from './pool-identity.ts'

/** What the trades of one call permit. Lower-case tokens; native currency goes as the wrapped token. */
export type TradesBounds = {
  readonly trades: readonly TradeBounds[]
  /** The most that they take out of the wallet, native currency that is sent along in full. */
  readonly pays: ReadonlyMap<string, bigint>
  /** The least that they bring, by themselves or by what pays their proceeds out. */
  readonly brings: ReadonlyMap<string, bigint>
  /** Sum of the pools' own fees along the cheapest of its routes: a costly one beside it excuses nothing. */
  readonly feeBps: number
}

export function tradesOf(parts: readonly Part[], place: Place): TradesBounds {
  const traded = parts.map((part) => ({ part, leg: legOf(part, place) }))
  const legs = traded.flatMap(({ leg }) => leg ?? [])
  if (legs.length === 0) return { trades: [], pays: new Map(), brings: new Map(), feeBps: 0 }
  const pays = paysOf(legs, parts, place)
  return { trades: legs, pays, brings: bringsOf(legs, traded, place), feeBps: feeOf(legs, pays) }
}

function paysOf(legs: readonly Leg[], parts: readonly Part[], place: Place): ReadonlyMap<string, bigint> {
  const pays = new Map<string, bigint>()
  const wrapped = place.chain.wrappedNative.address.toLowerCase()
  const taken = legs.map(({ tokenIn, takes }) => [tokenIn, takes] as const)
  const settled = parts.map((part) => settlementOf(part, legs))
  for (const [token, amount] of [...taken, ...settled]) if (amount > 0n) raise(pays, token, amount)
  if (place.valueWei > 0n) {
    // The older router pays wrapped currency out of what was sent along; to the universal one that is something else.
    const own = pays.get(wrapped) ?? 0n
    const isSame = parts.every(({ name }) => name !== 'execute')
    pays.set(wrapped, isSame ? larger(own, place.valueWei) : own + place.valueWei)
  }
  return pays
}

/**
 * What a part of v4 pays out of the wallet for swaps, or the router draws in for them; native currency is paid out of what was sent along.
 */
function settlementOf({ name, args }: Part, legs: readonly Leg[]): readonly [string, bigint] {
  if (name === 'PERMIT2_TRANSFER_FROM') return [textIn(args['token']), uintIn(args['amount'])]
  const isOfWallet = name === 'v4.settleAll' || (name === 'v4.settle' && args['payerIsUser'] === true)
  if (!isOfWallet) return [zeroAddress, 0n]
  const token = textIn(args['token'])
  if (token === zeroAddress) return [zeroAddress, 0n]
  const swaps = legs.flatMap(({ tokenIn, v4AmountIn }) =>
    tokenIn === token && v4AmountIn !== null ? [v4AmountIn] : [],
  )
  const asked = swaps.reduce((sum, amount) => sum + amount, 0n)
  const isOpen = swaps.some((amount) => amount === 0n)
  const named = uintIn(args[name === 'v4.settle' ? 'amount' : 'most'])
  if (name === 'v4.settle') return [token, named === 0n ? asked : named]
  return [token, isOpen || named < asked ? named : asked]
}

/** Proceeds that a later part trades on are none. A payout may promise more than the trades before it do, once for all of them. */
function bringsOf(legs: readonly Leg[], traded: readonly Traded[], place: Place): ReadonlyMap<string, bigint> {
  const wrapped = place.chain.wrappedNative.address.toLowerCase()
  const same = (token: string) => (token === zeroAddress ? wrapped : token)
  const ends = legs.filter(({ tokenOut }, at) => !legs.slice(at + 1).some(({ tokenIn }) => tokenIn === tokenOut))
  const trades = ends.map(({ tokenOut: token, minOut: amount }) => ({
    recipients: [],
    pays: [],
    leasts: [{ token, amount, by: 'trade' as const }],
  }))
  const payouts = traded.map(({ part, leg }) => ({
    recipients: [textIn(part.args['recipient'] ?? part.args['to'] ?? '')],
    pays: paidBy(part, leg),
    leasts: payoutsOf(part).map(([token, amount]) => ({ token, amount, by: 'payout' as const })),
  }))
  const stations = new Set([routerNames.itself, place.contract.toLowerCase()])
  const brings = new Map(ends.map(({ tokenOut }) => [tokenOut, 0n]))
  for (const { token, amount, by } of sureLeasts<string>([...trades, ...payouts], stations, same)) {
    const own = brings.get(same(token))
    if (own !== undefined) brings.set(same(token), by === 'trade' ? own + amount : larger(own, amount))
  }
  return brings
}

/** What a trade, or a part of v4, pays its recipient. */
function paidBy({ name, args }: Part, leg: Leg | null): readonly string[] {
  if (name === 'v4.take') return [textIn(args['token'])]
  if (name === 'v4.takePair') return [textIn(args['token']), textIn(args['otherToken'])]
  return leg === null ? [] : [leg.tokenOut]
}

/** A part, and the trade that it is. */
type Traded = { readonly part: Part; readonly leg: Leg | null }

/** What a part pays out of what the contract holds, at least. */
function payoutsOf({ name, args }: Part): readonly (readonly [token: string, amount: bigint])[] {
  if (name === 'unwrapWETH9') return [[zeroAddress, uintIn(args['amountMinimum'])]]
  if (name === 'UNWRAP_WETH') return [[zeroAddress, uintIn(args['least'])]]
  // So much, or the call fails; 0 stands for whatever there is.
  if (name === 'v4.take') return [[textIn(args['token']), uintIn(args['amount'])]]
  const isSweep = name === 'SWEEP' || name === 'v4.takeAll'
  if (!isSweep && name !== 'sweepToken') return []
  return [[textIn(args['token']), uintIn(args[isSweep ? 'least' : 'amountMinimum'])]]
}

/** A leg that the wallet pays nothing for goes on with what an earlier one brought. */
function feeOf(legs: readonly Leg[], pays: ReadonlyMap<string, bigint>): number {
  const routes: { end: string; feeBps: number }[] = []
  for (const { tokenIn, tokenOut, feeBps } of legs) {
    const before = (pays.get(tokenIn) ?? 0n) > 0n ? undefined : routes.findLast(({ end }) => end === tokenIn)
    if (before === undefined) routes.push({ end: tokenOut, feeBps })
    else Object.assign(before, { end: tokenOut, feeBps: before.feeBps + feeBps })
  }
  return routes.reduce((least, { feeBps }) => Math.min(least, feeBps), Infinity)
}

function raise(sums: Map<string, bigint>, token: string, amount: bigint): void {
  sums.set(token, (sums.get(token) ?? 0n) + amount)
}

/** A trade along one route, or along a part of one. */
type TradeBounds = { readonly tokenIn: string; readonly tokenOut: string; readonly pools: readonly Hex[] }

type Leg = TradeBounds & {
  readonly minOut: bigint
  /** Out of the wallet itself: not what an earlier part left in the contract. What v4 takes, its settlements say. */
  readonly takes: bigint
  /** 0 for a fee that a hook decides. */
  readonly feeBps: number
  readonly v4AmountIn: bigint | null
}

/** `null` for a part that trades nothing. */
function legOf({ name, args }: Part, place: Place): Leg | null {
  const leg = (hops: readonly Hop[], least: string, takes: bigint) => legAlong(place, hops, uintIn(args[least]), takes)
  if (name === 'exactInputSingle') {
    const hop = { tokenIn: textIn(args['tokenIn']), tokenOut: textIn(args['tokenOut']), fee: Number(args['fee']) }
    return leg([hop], 'amountOutMinimum', uintIn(args['amountIn']))
  }
  if (name === 'exactInput') return leg(hopsOfPath(args['path']), 'amountOutMinimum', uintIn(args['amountIn']))
  if (name === 'V3_SWAP_EXACT_IN' || name === 'V2_SWAP_EXACT_IN') {
    const hops = name === 'V3_SWAP_EXACT_IN' ? hopsOfPath(args['path']) : hopsOfPairs(args['path'])
    return leg(hops, 'least', args['payerIsUser'] === false ? 0n : uintIn(args['amountIn']))
  }
  // What is sent along to the functions for native currency is counted as such.
  if (name.startsWith('swapExact')) {
    return leg(hopsOfPairs(args['path']), 'amountOutMin', 'amountIn' in args ? uintIn(args['amountIn']) : 0n)
  }
  if (name === 'v4.swapSingle' || name === 'v4.swapSingleOut') return v4Single(args, place)
  if (name === 'v4.swapPath') return v4Path(args, place)
  return name === 'v4.swapPathOut' ? v4PathOut(args, place) : legToOutput({ name, args }, place)
}

/** A trade for an exact output: its router lets no less pass, whatever a token keeps of it then, but for v2 in the universal router. */
function legToOutput({ name, args }: Part, place: Place): Leg | null {
  const leg = (hops: readonly Hop[], takes: bigint, minOut = uintIn(args['amountOut'])) =>
    legAlong(place, hops, minOut, takes)
  if (name === 'exactOutputSingle') {
    const hop = { tokenIn: textIn(args['tokenIn']), tokenOut: textIn(args['tokenOut']), fee: Number(args['fee']) }
    // At a price limit of its own it is content with less.
    const isWhole = uintIn(args['sqrtPriceLimitX96']) === 0n
    return leg([hop], uintIn(args['amountInMaximum']), isWhole ? uintIn(args['amountOut']) : 0n)
  }
  if (name === 'exactOutput') return leg(hopsBack(args['path']), uintIn(args['amountInMaximum']))
  if (name === 'V3_SWAP_EXACT_OUT' || name === 'V2_SWAP_EXACT_OUT') {
    const hops = name === 'V3_SWAP_EXACT_OUT' ? hopsBack(args['path']) : hopsOfPairs(args['path'])
    // That looks at no outcome of v2, and sells what arrives at a pair: of a token that keeps a part of its transfers for less.
    const minOut = name === 'V3_SWAP_EXACT_OUT' ? uintIn(args['amountOut']) : 0n
    return leg(hops, args['payerIsUser'] === false ? 0n : uintIn(args['most']), minOut)
  }
  if (!/^swap(?:ETH|Tokens)ForExact/.test(name)) return null
  return leg(hopsOfPairs(args['path']), 'amountInMax' in args ? uintIn(args['amountInMax']) : 0n)
}

type Hop = { readonly tokenIn: string; readonly tokenOut: string; /** `null` in v2. */ readonly fee: number | null }

function legAlong({ chain }: Place, hops: readonly Hop[], minOut: bigint, takes: bigint): Leg {
  const feeBps = hops.reduce((sum, { fee }) => sum + (fee ?? v2Fee) / 100, 0)
  const pools = hops.map(({ tokenIn, tokenOut, fee }) => poolIdentity(chain, tokenIn, tokenOut, fee).id)
  const [tokenIn, tokenOut] = [hops[0]?.tokenIn ?? zeroAddress, hops.at(-1)?.tokenOut ?? zeroAddress]
  return { tokenIn, tokenOut, minOut, takes, feeBps, pools, v4AmountIn: null }
}

function v4Single(args: Part['args'], place: Place): Leg {
  const key = keyIn(args['key'])
  const currencies = [key.currency0, key.currency1].map((currency) => currency.toLowerCase())
  const [tokenIn = zeroAddress, tokenOut = zeroAddress] =
    args['zeroForOne'] === true ? currencies : currencies.reverse()
  return v4Leg(place, tokenIn, tokenOut, args, { feeBps: staticFeeBps(key.fee), pools: [poolIdOf(key)] })
}

function v4Path(args: Part['args'], place: Place): Leg {
  const tokenIn = textIn(args['currencyIn'])
  let currency = tokenIn
  let feeBps = 0
  const pools: Hex[] = []
  for (const hop of recordsIn(args['path'])) {
    const { pool, next } = v4Hop(hop, currency)
    feeBps += staticFeeBps(Number(hop['fee']))
    pools.push(pool)
    currency = next
  }
  return v4Leg(place, tokenIn, currency, args, { feeBps, pools })
}

/** Each hop of an exact output names what goes into it. */
function v4PathOut(args: Part['args'], place: Place): Leg {
  const tokenOut = textIn(args['currencyOut'])
  let currency = tokenOut
  let feeBps = 0
  const pools: Hex[] = []
  for (const hop of recordsIn(args['path']).toReversed()) {
    const { pool, next } = v4Hop(hop, currency)
    feeBps += staticFeeBps(Number(hop['fee']))
    pools.unshift(pool)
    currency = next
  }
  return v4Leg(place, currency, tokenOut, args, { feeBps, pools })
}

/** The pool between a currency and the one that a hop names. */
function v4Hop(
  hop: Readonly<Record<string, unknown>>,
  currency: string,
): { readonly pool: Hex; readonly next: string } {
  const next = textIn(hop['intermediateCurrency'])
  const [currency0, currency1] = sortedTokens(currency, next)
  const key = { ...hop, currency0: getAddress(currency0), currency1: getAddress(currency1), fee: Number(hop['fee']) }
  return { pool: poolIdOf(keyIn(key)), next }
}

function v4Leg(
  { chain }: Place,
  tokenIn: string,
  tokenOut: string,
  args: Part['args'],
  rest: Pick<Leg, 'feeBps' | 'pools'>,
): Leg {
  const wrapped = (token: string) => (token === zeroAddress ? chain.wrappedNative.address.toLowerCase() : token)
  // A pool that runs empty gives less than an exact output without a word: what is taken out of it makes sure of that.
  const amounts =
    'amountOut' in args
      ? { minOut: 0n, takes: 0n, v4AmountIn: uintIn(args['most']) }
      : { minOut: uintIn(args['least']), takes: 0n, v4AmountIn: uintIn(args['amountIn']) }
  return { tokenIn: wrapped(tokenIn), tokenOut: wrapped(tokenOut), ...amounts, ...rest }
}

/** Hundredths of a basis point; v2 pairs take 0.3 %. */
const v2Fee = 3_000

/** 0 for a fee above the most that a static one may be, which is a flag: a hook decides it, and it excuses no loss. */
export function staticFeeBps(fee: number): number {
  return fee > 1_000_000 ? 0 : fee / 100
}

/** token, fee, token, …: 20 and 3 bytes each (Path of v3-periphery). */
function hopsOfPath(value: unknown): readonly Hop[] {
  const path = textIn(value) as Hex
  const hops: Hop[] = []
  for (let at = 0; at + 43 <= size(path); at += 23) {
    const [tokenIn, tokenOut] = [slice(path, at, at + 20), slice(path, at + 23, at + 43)]
    hops.push({ tokenIn, tokenOut, fee: Number(slice(path, at + 20, at + 23)) })
  }
  return hops
}

/** Of an exact output, whose path begins with what is bought. */
function hopsBack(value: unknown): readonly Hop[] {
  const back = hopsOfPath(value).map(({ tokenIn, tokenOut, fee }) => ({ tokenIn: tokenOut, tokenOut: tokenIn, fee }))
  return back.toReversed()
}

function hopsOfPairs(value: unknown): readonly Hop[] {
  const path = Array.isArray(value) ? value.map(textIn) : []
  return path.slice(1).map((tokenOut, index) => ({ tokenIn: path[index] ?? tokenOut, tokenOut, fee: null }))
}
