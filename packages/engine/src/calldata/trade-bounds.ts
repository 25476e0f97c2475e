import { larger } from '@svc/lp-math'
import { decodeFunctionData, getAbiItem, type Hex, toFunctionSelector, zeroAddress } from 'viem'
import type { PoolKey } from '@svc/amm/liquidity'
import { twammOrderAbi } from '@svc/amm/abis'
import { routerNames } from './call-recipients.ts'
import { sureLeasts } from './part-facts.ts'
import type { Part } from './read-parts.ts'
import type { Place } from './deposit-bounds.ts'
import { identityOfKey, type PoolIdentity, textIn, uintIn } from './pool-identity.ts'
import { type Leg, legOf, staticFeeBps, type TradeBounds } from './trade-legs.ts'

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

/** An order as its calldata has it. Lower-case tokens. */
export type OrderBounds = {
  readonly key: PoolKey
  readonly pool: PoolIdentity
  readonly zeroForOne: boolean
  readonly tokenIn: string
  readonly tokenOut: string
  /** Unix seconds until which it is sold. */
  readonly expiration: bigint
  /** All that it may take. */
  readonly amountIn: bigint
  /** What the pool takes of a trade; 0 for a fee that a hook decides. */
  readonly feeBps: number
}

/** Whether calldata places an order, by its function. */
export function isSubmitOrder(data: Hex): boolean {
  return data.startsWith(submitOrderSelector)
}

const submitOrderSelector = toFunctionSelector(getAbiItem({ abi: twammOrderAbi, name: 'submitOrder' }))

/** `null` for what settles, ends or pays out an order. Throws for what is no call of an owner of orders. */
export function orderOf(data: Hex): OrderBounds | null {
  const call = decodeFunctionData({ abi: twammOrderAbi, data })
  if (call.functionName !== 'submitOrder') return null
  const [key, { zeroForOne, expiration }, amountIn] = call.args
  const pool = identityOfKey(key)
  const [tokenIn, tokenOut] = zeroForOne ? [pool.token0, pool.token1] : [pool.token1, pool.token0]
  return { key, pool, zeroForOne, tokenIn, tokenOut, expiration, amountIn, feeBps: staticFeeBps(key.fee) }
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
