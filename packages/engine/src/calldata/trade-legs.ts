import { getAddress, type Hex, size, slice, zeroAddress } from 'viem'
import { poolIdOf } from '@svc/amm/liquidity'
import type { Part } from './read-parts.ts'
import type { Place } from './deposit-bounds.ts'
import { keyIn, poolIdentity, recordsIn, sortedTokens, textIn, uintIn } from './pool-identity.ts'

/** A trade along one route, or along a part of one. */
export type TradeBounds = { readonly tokenIn: string; readonly tokenOut: string; readonly pools: readonly Hex[] }

export type Leg = TradeBounds & {
  readonly minOut: bigint
  /** Out of the wallet itself: not what an earlier part left in the contract. What v4 takes, its settlements say. */
  readonly takes: bigint
  /** 0 for a fee that a hook decides. */
  readonly feeBps: number
  readonly v4AmountIn: bigint | null
}

/** `null` for a part that trades nothing. */
export function legOf({ name, args }: Part, place: Place): Leg | null {
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
