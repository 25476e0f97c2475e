import type { Chain } from '@svc/wallet/core'
import { type Hex, zeroAddress, type Address, decodeFunctionData, getAbiItem, toFunctionSelector } from 'viem'
import { type Intent, type IntentCall, type IntentOrder, ToolError } from '@svc/amm'
import { readOpenCalldata } from '@svc/amm/cross-chain'
import { assetKey } from '../call/amounts.ts'
import type { KnownContracts } from './known-contracts.ts'
import { isUpstreamSurface, type Part, readParts } from './read-parts.ts'
import {
  type DepositBounds,
  depositOf,
  type PayoutBounds,
  payoutOf,
  type RemovalBounds,
  removalOf,
} from './deposit-bounds.ts'
import { staticFeeBps, type TradesBounds, tradesOf } from './trade-bounds.ts'
import { identityOfKey, type PoolIdentity } from './pool-identity.ts'
import type { PoolKey } from '@svc/amm/liquidity'
import type { Refusal } from '../call/refusal.ts'
import { twammOrderAbi, vaultCallAbi } from '@svc/amm/abis'

/**
 * What the calldata of each call permits at worst, whatever a simulation shows: the most that its trades take and the least that
 * they bring, the bounds of each deposit, and the pools they use. Calls to contracts outside the AMM have none of these. Throws
 * `UNSAFE_TRANSACTION` for AMM calldata that is not canonical or not known.
 */
export function callBounds(calls: readonly BoundCall[], context: BoundsContext): readonly CallBounds[] {
  return calls.map((call) => boundsOfCall(call, context))
}

type BoundCall = Pick<IntentCall, 'to' | 'data' | 'valueWei'>

export type BoundsContext = { readonly chain: Chain; readonly known: KnownContracts }

export type CallBounds = TradesBounds &
  VaultBounds & {
    readonly deposits: readonly DepositBounds[]
    readonly removals: readonly RemovalBounds[]
    readonly payouts: readonly PayoutBounds[]
    /** What is given to a TWAMM hook to be sold over time. */
    readonly orders: readonly OrderBounds[]
    /** Native currency that is sent along with deposits and not asked back: whoever comes next may take what is not used. */
    readonly unreturnedWei: bigint
    /** Whether a part of it has to bring at least something, so that the call fails where it does not. */
    readonly hasLeast: boolean
  }

export const noBounds: CallBounds = {
  trades: [],
  pays: new Map(),
  brings: new Map(),
  feeBps: 0,
  deposits: [],
  removals: [],
  payouts: [],
  orders: [],
  vaultDeposits: [],
  leaves: [],
  rebalances: [],
  unreturnedWei: 0n,
  hasLeast: false,
}

/** Calldata of the AMM that is not known to its last byte may permit anything. */
export function readBounds(
  { calls, order }: Intent,
  chain: Chain,
  known: KnownContracts,
): { readonly bounds: readonly CallBounds[]; readonly refusals: readonly Refusal[] } {
  try {
    const ordered = order === undefined ? [] : [signedOrderBounds(order)]
    return { bounds: [...callBounds(calls, { chain, known }), ...ordered], refusals: [] }
  } catch (error) {
    const details = error instanceof ToolError ? error.details : []
    const message = 'The calldata cannot be read to its last byte, so what it permits at worst is not known.'
    return { bounds: calls.map(() => noBounds), refusals: [{ code: 'UNSAFE_TRANSACTION', message, details }] }
  }
}

/** A signed order is a trade by somebody else, which pays as little as it falls to. It comes after all calls, of which it is none. */
function signedOrderBounds({ tokenIn, amountIn, tokenOut, endAmountOut }: IntentOrder): CallBounds {
  const [sold, bought] = [tokenIn.toLowerCase(), tokenOut.toLowerCase()]
  return {
    ...noBounds,
    trades: [{ tokenIn: sold, tokenOut: bought, pools: [] }],
    pays: new Map([[sold, amountIn]]),
    brings: new Map([[bought, endAmountOut]]),
    hasLeast: true,
  }
}

function boundsOfCall({ to, data, valueWei }: BoundCall, { chain, known }: BoundsContext): CallBounds {
  const surface = known.surfaces.get(to.toLowerCase())
  if (surface === 'twammHook') return orderBounds(data)
  if (surface === 'crossChainSettler') return openingBounds(data)
  if (surface === 'vault') return { ...noBounds, ...vaultBoundsOf(to, data) }
  if (surface === undefined || surface === 'listed' || !isUpstreamSurface(surface)) return noBounds
  const parts = readParts(surface, chain.amm.universalRouter?.version ?? '2.0', data)
  const place = { chain, contract: to, valueWei }
  const deposits = parts.flatMap((part) => depositOf(part, place) ?? [])
  const unreturnedWei = deposits.length === 0 || parts.some(returnsNative) ? 0n : valueWei
  const removals = parts.flatMap((part) => removalOf(part, place) ?? [])
  const payouts = parts.flatMap((part) => payoutOf(part, place) ?? [])
  const hasLeast = parts.some(asksForLeast)
  return { ...noBounds, ...tradesOf(parts, place), deposits, removals, payouts, unreturnedWei, hasLeast }
}

/** Of a deposit in v4 the same names stand for the most that it takes. */
function asksForLeast({ name, args }: Part): boolean {
  // v4 makes sure of an exact output by what is taken out of the pool.
  if (name === 'v4.take') return args['amount'] !== 0n
  if (!name.startsWith('v4.') && typeof args['amountOut'] === 'bigint') return args['amountOut'] > 0n
  return ['amount0Min', 'amount1Min', 'bound0', 'bound1', 'least', 'amountMinimum'].some((name) => {
    const amount = args[name]
    return typeof amount === 'bigint' && amount > 0n
  })
}

/** What is opened for another chain is a trade by somebody else, whose other end arrives there, under a key of its own. */
function openingBounds(data: Hex): CallBounds {
  const { inputToken, inputAmount, destinationChainId, outputToken, outputAmount } = openingOf(data)
  const [sold, bought] = [inputToken.toLowerCase(), assetKey(destinationChainId, outputToken)]
  return {
    ...noBounds,
    trades: [{ tokenIn: sold, tokenOut: bought, pools: [] }],
    pays: new Map([[sold, inputAmount]]),
    brings: new Map([[bought, outputAmount]]),
    hasLeast: true,
  }
}

function openingOf(data: Hex) {
  try {
    return readOpenCalldata(data)
  } catch (cause) {
    throw new ToolError('UNSAFE_TRANSACTION', 'A call to the settler opens something else than an order.', { cause })
  }
}

function orderBounds(data: Hex): CallBounds {
  const order = orderOf(data)
  return order === null ? noBounds : { ...noBounds, orders: [order], feeBps: order.feeBps }
}

/** The v2 router gives back by itself what it does not use. */
function returnsNative({ name, args }: Part): boolean {
  return name === 'refundETH' || name === 'addLiquidityETH' || (name === 'v4.sweep' && args['token'] === zeroAddress)
}

/** Whether a call gives something up: it trades, deposits or orders. */
export function isSpending({ trades, deposits, orders, vaultDeposits }: Spending): boolean {
  return trades.length + deposits.length + orders.length + vaultDeposits.length > 0
}

export type Spending = Pick<CallBounds, 'trades' | 'deposits' | 'orders' | 'vaultDeposits'>

/** Whether a call trades, and does nothing else. */
export function isTradeAlone(bounds: CallBounds): boolean {
  return bounds.trades.length > 0 && isOfTrades(bounds)
}

/** Whether a call deposits, takes out, pays out and orders nothing. */
export function isOfTrades(bounds: CallBounds): boolean {
  const { deposits, removals, payouts, orders, vaultDeposits, leaves, rebalances } = bounds
  return [deposits, removals, payouts, orders, vaultDeposits, leaves, rebalances].every(({ length }) => length === 0)
}

/** What a call to a vault does. Throws for what is no call of those that are made here. */
function vaultBoundsOf(vault: Address, data: Hex): VaultBounds {
  const call = decodeFunctionData({ abi: vaultCallAbi, data })
  const key = vault.toLowerCase()
  if (call.functionName === 'mint') return { ...none, vaultDeposits: [{ vault: key, shares: call.args[0] }] }
  if (call.functionName === 'redeem') return { ...none, leaves: [{ vault: key, shares: call.args[0] }] }
  const [shares, leastAssets] = call.args
  return { ...none, rebalances: [{ vault: key, shares, leastAssets }] }
}

const none: VaultBounds = { vaultDeposits: [], leaves: [], rebalances: [] }

/** Whether calldata gives shares back to a vault, or makes some, by its function: of a call to a vault that the policy names. */
export function isVaultExit(data: Hex): boolean {
  return data.startsWith(exitSelector)
}

export function isVaultMint(data: Hex): boolean {
  return data.startsWith(mintSelector)
}

const mintSelector = toFunctionSelector(getAbiItem({ abi: vaultCallAbi, name: 'mint' }))
const exitSelector = toFunctionSelector(getAbiItem({ abi: vaultCallAbi, name: 'redeem' }))

type VaultBounds = {
  readonly vaultDeposits: readonly VaultDepositBounds[]
  readonly leaves: readonly VaultExitBounds[]
  readonly rebalances: readonly VaultRebalanceBounds[]
}

/** Shares that are given back to their vault, exactly. How much comes for them, nothing in the calldata says. */
export type VaultExitBounds = {
  /** Lower case. */
  readonly vault: string
  readonly shares: bigint
}

/** What so many shares of a vault have to be worth once its manager has moved what it holds, or the call fails. */
export type VaultRebalanceBounds = {
  /** Lower case. */
  readonly vault: string
  readonly shares: bigint
  readonly leastAssets: bigint
}

/** Shares that a deposit into a vault makes, exactly. What it may take of the asset, its allowance says alone. */
export type VaultDepositBounds = {
  /** Lower case. */
  readonly vault: string
  readonly shares: bigint
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
