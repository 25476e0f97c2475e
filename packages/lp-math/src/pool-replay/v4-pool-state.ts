import { LpMathError, requirePoolFeePips } from '../lp-math-error.ts'
import { requireTickSpacing } from '../ticks/ticks.ts'
import type { PositionRange, EventAmounts, NamedEvent } from './pool-event.ts'
import type { TickRecord } from './pool-state.ts'

/**
 * What the manager of v4 stores of a pool, as plain data that `applyV4PoolEvent` changes in place: `structuredClone` keeps a moment.
 * The numbers are the contract's own: prices Q64.96, growth Q128.128 modulo 2^256, amounts in smallest units.
 */
export type V4PoolState = {
  /** The providers' fee in millionths of the input; `null` where it is dynamic, and each swap tells its own. */
  readonly feePips: number | null
  readonly tickSpacing: number
  /** 0 before the pool is initialised. */
  sqrtPriceX96: bigint
  tick: number
  liquidity: bigint
  feeGrowthGlobal0X128: bigint
  feeGrowthGlobal1X128: bigint
  /** The protocol's part of the input, packed as slot0 packs it: `unpackProtocolFee`. */
  protocolFee: number
  /** Time of the newest event, in unix seconds. */
  timestamp: number
  /** The initialised ticks alone, in rising order. */
  ticks: TickRecord[]
  /** By `v4PositionKey`; a position stays, with a liquidity of 0, when all of it has been withdrawn. */
  positions: Map<string, V4PositionState>
}

/** The record of a position in a v4 pool, and what it was paid each time that it was changed. */
export type V4PositionState = {
  readonly liquidity: bigint
  readonly feeGrowthInside0LastX128: bigint
  readonly feeGrowthInside1LastX128: bigint
  readonly feesPaid0: bigint
  readonly feesPaid1: bigint
}

/**
 * A v4 pool before its Initialize event, by its key: `feePips` in millionths, 0x800000 for a dynamic fee; `hooks` is the hook's address.
 * @throws LpMathError `HOOK_CHANGES_AMOUNTS` for a hook that may change what swaps or positions get: events do not tell what it does;
 * `FEE_OUT_OF_RANGE`, `TICK_SPACING_OUT_OF_RANGE`.
 */
export function createV4PoolState(key: V4PoolTerms): V4PoolState {
  const { feePips, tickSpacing, hooks } = key
  requireHookOfNoAmounts(hooks)
  const isDynamic = feePips === dynamicFee
  if (!isDynamic) requirePoolFeePips(feePips)
  requireTickSpacing(tickSpacing)
  return {
    feePips: isDynamic ? null : feePips,
    tickSpacing,
    sqrtPriceX96: 0n,
    tick: 0,
    liquidity: 0n,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    protocolFee: 0,
    timestamp: 0,
    ticks: [],
    positions: new Map(),
  }
}

/** What of the key of a v4 pool decides how it trades; no `hooks` is none. */
export type V4PoolTerms = { readonly feePips: number; readonly tickSpacing: number; readonly hooks?: string }

/** Where a position stands in the `positions` of a v4 pool; address and salt in any case of letters. */
export function v4PositionKey({ owner, tickLower, tickUpper, salt }: V4PositionRange): string {
  return `${owner.toLowerCase()}:${tickLower}:${tickUpper}:${salt.toLowerCase()}`
}

/** `owner` is whoever called the manager, mostly a position manager, which tells its positions apart by `salt`. */
export type V4PositionRange = PositionRange & { readonly salt: string }

/** Source: LPFeeLibrary of v4-core. */
const dynamicFee = 0x800000

/** Source: Hooks library of v4-core, the lowest bits of the address. */
const amountFlags = [
  [8n, 'beforeSwapReturnsDelta'],
  [4n, 'afterSwapReturnsDelta'],
  [2n, 'afterAddLiquidityReturnsDelta'],
  [1n, 'afterRemoveLiquidityReturnsDelta'],
] as const

function requireHookOfNoAmounts(hooks: string | undefined): void {
  if (hooks === undefined) return
  if (!/^0x[0-9a-fA-F]{40}$/.test(hooks)) throw new LpMathError('HOOK_MALFORMED', 'hooks is an address of 20 bytes.')
  const may = amountFlags.filter(([flag]) => (BigInt(hooks) & flag) !== 0n).map(([, name]) => name)
  if (may.length === 0) return
  throw new LpMathError(
    'HOOK_CHANGES_AMOUNTS',
    `The hook ${hooks} may change what is paid (${may.join(', ')}): the events of its pool do not tell what anybody got.`,
  )
}

/**
 * An event of a v4 pool under the manager's own names, as viem decodes it, with the time of its block in unix seconds. Amounts of a swap
 * are the trader's, as the manager writes them: what was paid in is negative.
 */
export type V4PoolEvent = { readonly timestamp: number } & (
  | NamedEvent<'Initialize', { readonly sqrtPriceX96: bigint; readonly tick: number }>
  | NamedEvent<'ModifyLiquidity', V4PositionChange>
  | NamedEvent<'Swap', V4SwapFields>
  | NamedEvent<'Donate', EventAmounts>
  | NamedEvent<'ProtocolFeeUpdated', { readonly protocolFee: number }>
)

/** What was added to a position, or taken out of it where negative; 0 has its fees paid. */
export type V4PositionChange = {
  readonly sender: string
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidityDelta: bigint
  readonly salt: string
}

/** `fee` is the whole fee of the swap in millionths of the input, the protocol's part included. */
export type V4SwapFields = EventAmounts & {
  readonly sqrtPriceX96: bigint
  readonly liquidity: bigint
  readonly tick: number
  readonly fee: number
}

/**
 * Reads v4's packed PositionInfo: bits 0 to 7 the subscriber flag, 8 to 31 tickLower, 32 to 55 tickUpper (both signed 24 bits);
 * the 200 bits above hold the truncated pool id. Source: PositionInfoLibrary of v4-periphery.
 */
export function unpackPositionInfo(info: bigint): PositionInfo {
  return {
    tickLower: Number(BigInt.asIntN(24, info >> 8n)),
    tickUpper: Number(BigInt.asIntN(24, info >> 32n)),
    hasSubscriber: BigInt.asUintN(8, info) !== 0n,
  }
}

/** What v4's position manager packs of a position. */
export type PositionInfo = { tickLower: number; tickUpper: number; hasSubscriber: boolean }
