import { type Address, size, slice, zeroAddress } from 'viem'
import type { PoolFacts } from '@svc/amm'
import type { Part } from './read-parts.ts'
import { upstreamRefusal } from '@svc/amm/upstream'

/** What one part of a transaction does, as far as it can be held against what was asked. */
export type PartFacts = {
  /** Tokens it names at either end; those that a route only passes through are left out. */
  readonly tokens: readonly Address[]
  /** What it takes from the caller at most. */
  readonly takes: readonly Sum[]
  /** What it makes sure of by itself; see {@link sureLeasts}. */
  readonly leasts: readonly Least<Address>[]
  readonly recipients: readonly Address[]
  /** Tokens that go to its recipients. */
  readonly pays: readonly Address[]
  /** What it may not need all of in the contract. */
  readonly leaves: readonly Address[]
  readonly deadlines: readonly bigint[]
  readonly positionIds: readonly bigint[]
  /** Liquidity it takes out of the position. */
  readonly removes: readonly bigint[]
  readonly pools: readonly PoolFacts[]
}

export type Sum = { readonly token: Address; readonly amount: bigint }

export type FactsContext = {
  readonly wrapped: Address
  readonly valueWei: bigint
  /** Tokens of the position that was asked for; `null` when none was. */
  readonly position: readonly [Address, Address] | null
}

/** Reads the facts of a part. `null` for a name that is not known: the caller refuses it. */
export function partFacts({ name, args }: Part, context: FactsContext): PartFacts | null {
  const read = readers[name]
  if (read === undefined) return null
  const arg = argumentsOf(args)
  const deadlines = 'deadline' in args ? [arg.uint('deadline')] : []
  const recipient = 'recipient' in args ? [arg.address('recipient')] : 'to' in args ? [arg.address('to')] : []
  const facts = { ...nothing, deadlines, recipients: recipient, ...read(arg, context) }
  const sums = [...facts.takes, ...facts.leasts].map(({ token }) => token)
  return { ...facts, tokens: [...facts.tokens, ...sums, ...facts.pays] }
}

/**
 * What parts make sure of for the caller. What one pays into the contract (`stations`, in lower case) is still to be used there, or taken by
 * whoever gets to run on the way: of such a token only a payout out of the contract is sure, and a payout into it is none. `same` gives
 * one key for a token in all its forms.
 */
export function sureLeasts<Token extends string>(
  all: readonly MadeSureOf<Token>[],
  stations: ReadonlySet<string | null>,
  same: (token: string) => string,
): readonly Least<Token>[] {
  const staysThere = ({ recipients }: MadeSureOf<Token>) =>
    recipients.some((recipient) => stations.has(recipient.toLowerCase()))
  const held = new Set(all.filter(staysThere).flatMap(({ pays }) => pays.map(same)))
  return all.flatMap((facts) =>
    facts.leasts.filter(({ by, token }) => (by === 'trade' ? !held.has(same(token)) : !staysThere(facts))),
  )
}

type MadeSureOf<Token extends string> = {
  readonly leasts: readonly Least<Token>[]
  readonly recipients: readonly string[]
  readonly pays: readonly string[]
}

/** Of a trade or a withdrawal, or of a payout of what the contract holds. */
type Least<Token extends string> = { readonly token: Token; readonly amount: bigint; readonly by: 'trade' | 'payout' }

type Arguments = {
  readonly address: (name: string) => Address
  readonly uint: (name: string) => bigint
  readonly number: (name: string) => number
  readonly flag: (name: string) => boolean
  readonly inner: (name: string) => Arguments
  readonly addresses: (name: string) => readonly Address[]
  readonly list: (name: string) => readonly Arguments[]
  /** First and last token of a v2 path or a v3 path (20 bytes of token, 3 of fee, and so on). */
  readonly ends: (name: string) => readonly [Address, Address]
}
type Reader = (arg: Arguments, context: FactsContext) => Partial<PartFacts>

const nothing: PartFacts = {
  tokens: [],
  takes: [],
  leasts: [],
  recipients: [],
  pays: [],
  leaves: [],
  deadlines: [],
  positionIds: [],
  removes: [],
  pools: [],
}

const swap = (ends: readonly [Address, Address], amountIn: bigint, least: bigint): Partial<PartFacts> => ({
  takes: [{ token: ends[0], amount: amountIn }],
  leasts: [{ token: ends[1], amount: least, by: 'trade' }],
  pays: [ends[1]],
})

const pair = (tokens: readonly [Address, Address], amounts: readonly [bigint, bigint]): readonly [Sum, Sum] => [
  { token: tokens[0], amount: amounts[0] },
  { token: tokens[1], amount: amounts[1] },
]

const trades = (sums: readonly Sum[]) => sums.map((sum) => ({ ...sum, by: 'trade' as const }))

const routerSwap: Reader = (arg) => {
  const [ends, amountIn] = [arg.ends('path'), arg.uint('amountIn')]
  const traded = swap(ends, amountIn, arg.uint('least'))
  // The router's own balance was put there by a part before this one.
  return arg.flag('payerIsUser') ? traded : { ...traded, takes: [], tokens: [ends[0]] }
}
/** The router lets no less than an exact output of v3 pass. */
const routerSwapOut: Reader = (arg) => outputOf(arg, [arg.ends('path')[1], arg.ends('path')[0]], arg.uint('amountOut'))
/** Of v2 it looks at no outcome, and sells what arrives at a pair: of a token that keeps a part of its transfers that brings less. */
const routerSwapOutOfPairs: Reader = (arg) => outputOf(arg, arg.ends('path'), 0n)
function outputOf(arg: Arguments, ends: readonly [Address, Address], least: bigint): Partial<PartFacts> {
  const traded = swap(ends, arg.uint('most'), least)
  return arg.flag('payerIsUser') ? traded : { ...traded, takes: [], tokens: [ends[0]], leaves: [ends[0]] }
}
const v2Swap: Reader = (arg) => swap(arg.ends('path'), arg.uint('amountIn'), arg.uint('amountOutMin'))
const v2NativeIn: Reader = (arg, { valueWei }) => swap(arg.ends('path'), valueWei, arg.uint('amountOutMin'))
const v2Remove: Reader = (arg) => {
  const tokens = [arg.address('tokenA'), arg.address('tokenB')] as const
  return {
    removes: [arg.uint('liquidity')],
    leasts: trades(pair(tokens, [arg.uint('amountAMin'), arg.uint('amountBMin')])),
    pays: tokens,
  }
}
const v2RemoveNative: Reader = (arg) => {
  const tokens = [arg.address('token'), zeroAddress] as const
  return {
    removes: [arg.uint('liquidity')],
    leasts: trades(pair(tokens, [arg.uint('amountTokenMin'), arg.uint('amountETHMin')])),
    pays: tokens,
  }
}
const changed: Reader = (arg, { position }) => ({ positionIds: [arg.uint('tokenId')], tokens: position ?? [] })
const lessened =
  (names: readonly [string, string]): Reader =>
  (arg, context) => ({
    ...changed(arg, context),
    removes: [arg.uint('liquidity')],
    leasts: context.position === null ? [] : trades(pair(context.position, [arg.uint(names[0]), arg.uint(names[1])])),
  })

const readers: Readonly<Record<string, Reader>> = {
  multicall: () => ({}),
  execute: () => ({}),
  modifyLiquidities: () => ({}),
  refundETH: () => ({}),
  exactInputSingle: (arg) =>
    swap([arg.address('tokenIn'), arg.address('tokenOut')], arg.uint('amountIn'), arg.uint('amountOutMinimum')),
  exactInput: (arg) => swap(arg.ends('path'), arg.uint('amountIn'), arg.uint('amountOutMinimum')),
  sweepToken: (arg) => payout(arg.address('token'), arg.uint('amountMinimum')),
  unwrapWETH9: (arg) => payout(zeroAddress, arg.uint('amountMinimum')),
  swapExactTokensForTokens: v2Swap,
  swapExactTokensForTokensSupportingFeeOnTransferTokens: v2Swap,
  swapExactTokensForETH: v2Swap,
  swapExactTokensForETHSupportingFeeOnTransferTokens: v2Swap,
  swapExactETHForTokens: v2NativeIn,
  swapExactETHForTokensSupportingFeeOnTransferTokens: v2NativeIn,
  addLiquidity: (arg) => ({
    takes: pair(
      [arg.address('tokenA'), arg.address('tokenB')],
      [arg.uint('amountADesired'), arg.uint('amountBDesired')],
    ),
    ...bounded(arg, ['amountAMin', 'amountBMin']),
  }),
  addLiquidityETH: (arg, { valueWei }) => ({
    takes: pair([arg.address('token'), zeroAddress], [arg.uint('amountTokenDesired'), valueWei]),
    ...bounded(arg, ['amountTokenMin', 'amountETHMin']),
  }),
  removeLiquidity: v2Remove,
  removeLiquidityETH: v2RemoveNative,
  removeLiquidityETHSupportingFeeOnTransferTokens: v2RemoveNative,
  createAndInitializePoolIfNecessary: (arg) => ({
    tokens: [arg.address('token0'), arg.address('token1')],
    pools: [{ ...v3Pool(arg), sqrtPriceX96: arg.uint('sqrtPriceX96') }],
  }),
  mint: (arg) => ({
    takes: pair(
      [arg.address('token0'), arg.address('token1')],
      [arg.uint('amount0Desired'), arg.uint('amount1Desired')],
    ),
    pools: [v3Pool(arg)],
    ...bounded(arg, ['amount0Min', 'amount1Min']),
  }),
  increaseLiquidity: (arg, context) => ({
    ...changed(arg, context),
    takes:
      context.position === null ? [] : pair(context.position, [arg.uint('amount0Desired'), arg.uint('amount1Desired')]),
    ...bounded(arg, ['amount0Min', 'amount1Min']),
  }),
  decreaseLiquidity: lessened(['amount0Min', 'amount1Min']),
  collect: (arg, context) => ({ ...changed(arg, context), pays: context.position ?? [] }),
  burn: changed,
  initializePool: (arg) => ({ ...keyFacts(arg.inner('key'), arg.uint('sqrtPriceX96')) }),
  V3_SWAP_EXACT_IN: routerSwap,
  V2_SWAP_EXACT_IN: routerSwap,
  V3_SWAP_EXACT_OUT: routerSwapOut,
  V2_SWAP_EXACT_OUT: routerSwapOutOfPairs,
  SWEEP: (arg) => payout(arg.address('token'), arg.uint('least')),
  UNWRAP_WETH: (arg) => payout(zeroAddress, arg.uint('least')),
  WRAP_ETH: () => ({ tokens: [zeroAddress] }),
  'v4.swapSingle': (arg) => {
    const key = arg.inner('key')
    const [currency0, currency1] = [key.address('currency0'), key.address('currency1')]
    const ends = arg.flag('zeroForOne') ? ([currency0, currency1] as const) : ([currency1, currency0] as const)
    return { ...swap(ends, arg.uint('amountIn'), arg.uint('least')), pays: [] }
  },
  'v4.swapPath': (arg) => {
    const last = arg.list('path').at(-1)
    if (last === undefined) throw upstreamRefusal('it trades along no route')
    const ends = [arg.address('currencyIn'), last.address('intermediateCurrency')] as const
    return { ...swap(ends, arg.uint('amountIn'), arg.uint('least')), pays: [] }
  },
  'v4.increase': (arg, context) => ({
    ...changed(arg, context),
    takes: context.position === null ? [] : pair(context.position, [arg.uint('bound0'), arg.uint('bound1')]),
  }),
  'v4.decrease': lessened(['bound0', 'bound1']),
  'v4.mint': (arg) => {
    const key = arg.inner('key')
    const tokens = [key.address('currency0'), key.address('currency1')] as const
    return { ...keyFacts(key, null), takes: pair(tokens, [arg.uint('bound0'), arg.uint('bound1')]) }
  },
  'v4.settle': (arg) => ({ tokens: [arg.address('token')] }),
  'v4.settleAll': (arg) => ({ tokens: [arg.address('token')] }),
  'v4.settlePair': (arg) => ({ tokens: [arg.address('token'), arg.address('otherToken')] }),
  'v4.take': (arg) => ({ pays: [arg.address('token')] }),
  'v4.takeAll': (arg) => ({ leasts: [{ token: arg.address('token'), amount: arg.uint('least'), by: 'payout' }] }),
  'v4.takePair': (arg) => ({ pays: [arg.address('token'), arg.address('otherToken')] }),
  'v4.close': (arg) => ({ tokens: [arg.address('token')] }),
  'v4.unwrap': () => ({ tokens: [zeroAddress] }),
  'v4.sweep': (arg) => payout(arg.address('token'), 0n),
  // The distributor pays the users whose leaves they are.
  claim: (arg) => ({ recipients: arg.addresses('users'), pays: arg.addresses('tokens') }),
}

function payout(token: Address, amount: bigint): Partial<PartFacts> {
  return { leasts: [{ token, amount, by: 'payout' }], pays: [token] }
}

/** A deposit whose amounts may all shrink to nothing can be made at any price. */
function bounded(arg: Arguments, names: readonly [string, string]): Partial<PartFacts> {
  if (names.every((name) => arg.uint(name) === 0n)) throw upstreamRefusal('it deposits without a least amount')
  return {}
}

function v3Pool(arg: Arguments): PoolFacts {
  return { fee: arg.number('fee'), tickSpacing: null, hooks: null, sqrtPriceX96: null }
}

function keyFacts(key: Arguments, sqrtPriceX96: bigint | null): Partial<PartFacts> {
  const facts = { fee: key.number('fee'), tickSpacing: key.number('tickSpacing'), hooks: key.address('hooks') }
  return { tokens: [key.address('currency0'), key.address('currency1')], pools: [{ ...facts, sqrtPriceX96 }] }
}

function argumentsOf(args: Readonly<Record<string, unknown>>): Arguments {
  const wrong = (name: string) => new TypeError(`the argument ${name} has another type`)
  const address = (name: string): Address => {
    const value = args[name]
    if (typeof value !== 'string') throw wrong(name)
    return value as Address
  }
  return {
    address,
    uint: (name: string): bigint => {
      const value = args[name]
      if (typeof value !== 'bigint') throw wrong(name)
      return value
    },
    number: (name: string): number => Number(args[name]),
    flag: (name: string): boolean => args[name] === true,
    inner: (name: string): Arguments => argumentsOf(args[name] as Readonly<Record<string, unknown>>),
    addresses: (name: string): readonly Address[] => args[name] as readonly Address[],
    list: (name: string): readonly Arguments[] =>
      (args[name] as readonly Readonly<Record<string, unknown>>[]).map(argumentsOf),
    ends: (name: string): readonly [Address, Address] => {
      const value = args[name]
      if (Array.isArray(value)) {
        const [first, last]: readonly unknown[] = [value[0], value.at(-1)]
        if (typeof first !== 'string' || typeof last !== 'string') throw upstreamRefusal('it trades along no route')
        return [first as Address, last as Address]
      }
      const path = address(name)
      if (size(path) < 43 || (size(path) - 20) % 23 !== 0) throw upstreamRefusal('it trades along no route')
      return [slice(path, 0, 20), slice(path, -20)]
    },
  }
}
