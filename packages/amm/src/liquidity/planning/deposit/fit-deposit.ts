import {
  type Amounts,
  fullRangeTicks,
  getSqrtPriceAtTick,
  invertTicks,
  priceFromTick,
  type TickRange,
} from '@svc/lp-math'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import type { AddPreview, AddRequest, Pool, Liquidity, Position, Token, PlanPorts } from '../../../ports.ts'
import { callerFields, callerPrice, flip, type OrderedPair } from './opening-price.ts'
import { fitAmounts, type RangeBounds } from './fit-amounts.ts'
import { keptAmounts, keptLiquidity, requireKept } from '../slippage-limits.ts'
import { type PaidSide, sidesOf } from '../plan-payment.ts'
import type { ToolError } from '../../../tool-error.ts'
import { refuseField } from '../refusals.ts'
import { resolveRange } from './resolve-range.ts'
import type { Chain } from '@svc/wallet/core'
import type { IntentDeposit } from '../../../intent.ts'
import { poolKeyOf } from '../../v4/pool-key.ts'

/**
 * What a request to deposit into a v3 or v4 pool comes to at the pool's state: ticks, liquidity and amounts in the pool's
 * order, and the preview in the caller's. Where a plan is carried out, its ticks are taken again, whatever the range asked
 * for would be at the present price; of amounts no more than the plan's and, in v4, just its liquidity.
 *
 * @throws ToolError as `resolveRange`, `fitAmounts` and `requireKept` do.
 */
export function fitDeposit(
  request: AddRequest,
  pair: OrderedPair,
  target: { readonly pool: Pool; readonly createsPool: boolean },
): FittedDeposit {
  const { pool } = target
  const { inverted } = pair
  requireKept(request.kept, target)
  const ticks = keptTicks(request) ?? resolveTicks(request, pool, inverted)
  const bounds = {
    sqrtPriceX96: pool.sqrtPriceX96,
    sqrtPriceAX96: getSqrtPriceAtTick(ticks.tickLower),
    sqrtPriceBX96: getSqrtPriceAtTick(ticks.tickUpper),
  }
  const asked = keptAmounts(request.kept, flip<bigint | null>(inverted, request))
  const fitted =
    keptLiquidity(request.kept, bounds) ??
    refuseInverted({ range: request.range, price: callerPrice(pool, inverted) }, () =>
      fitAmounts({ ...bounds, ...asked, fields: callerFields(inverted) }),
    )
  return depositAt(target, pair, { ticks, bounds, fitted })
}

/** A deposit whose range and liquidity are known. */
export function depositAt(
  { pool, createsPool }: { readonly pool: Pool; readonly createsPool: boolean },
  { inverted, paid0, paid1 }: Pick<OrderedPair, 'inverted' | 'paid0' | 'paid1'>,
  { ticks, bounds, fitted }: Pick<FittedDeposit, 'ticks' | 'bounds' | 'fitted'>,
): FittedDeposit {
  const preview = previewAdd({ pool, createsPool, inverted, ticks, ...fitted })
  return { ticks, bounds, fitted, sides: sidesOf(paid0, paid1, fitted), preview }
}

export type FittedDeposit = {
  readonly ticks: TickRange
  /** The pool's price and the range's bounds, as lp-math's slippage functions take them. */
  readonly bounds: RangeBounds
  readonly fitted: Amounts & { liquidity: bigint }
  /** What the wallet pays, in the pool's order. */
  readonly sides: readonly [PaidSide, PaidSide]
  readonly preview: AddPreview
}

function resolveTicks(request: AddRequest, pool: Pool, inverted: boolean): TickRange {
  return resolveRange({
    range: request.range,
    tickSpacing: pool.tickSpacing ?? 1,
    inverted,
    currentPrice: callerPrice(pool, inverted),
    decimals0: request.token0.decimals,
    decimals1: request.token1.decimals,
  })
}

/**
 * Prices of one token1 in token0 were meant the other way round: where the amounts do not fit a range that the inverse of
 * the price lies in, and where the range is so far from the price that nobody means it, though amounts on one side fit.
 *
 * @throws ToolError `VALIDATION_FAILED` with the prices that were meant, or what `fit` throws.
 */
export function refuseInverted<Fitted>(asked: AskedRange, fit: () => Fitted): Fitted {
  const inverted = invertedPrices(asked)
  if (inverted !== null && inverted.timesOff > certainlyFar) throw inverted.refusal
  try {
    return fit()
  } catch (error) {
    throw inverted !== null && inverted.timesOff > far ? inverted.refusal : error
  }
}

/** Of tokens worth about the same a price and its inverse are both near. */
const far = 2
const certainlyFar = 20

/** A range, with the price in the same order of tokens. */
type AskedRange = {
  readonly range: AddRequest['range']
  readonly price: number
  /** The token that, named first, makes the prices those that were meant, where the request may leave out which is first. */
  readonly otherOrder?: Address
}

/** How many times off the range is, where the inverse of the price lies in it. */
function invertedPrices({ range, price, otherOrder }: AskedRange): { timesOff: number; refusal: ToolError } | null {
  if (range === null || typeof range === 'string' || 'pctEachSide' in range) return null
  const { priceLower, priceUpper } = range
  if (1 / price < priceLower || 1 / price > priceUpper) return null
  const bounds = [1 / priceUpper, 1 / priceLower].map((bound) => Number(bound.toPrecision(6)))
  const message = `One token0 is worth ${Number(price.toPrecision(6))} token1, and these prices are of one token1 in token0.`
  const instead = otherOrder === undefined ? '' : `; or these with token0 ${otherOrder}`
  const accepted = `token1 per token0, as priceLower ${bounds[0]} and priceUpper ${bounds[1]}${instead}`
  return {
    timesOff: Math.max(price / priceUpper, priceLower / price),
    refusal: refuseField('priceLower', message, accepted),
  }
}

function keptTicks({ kept }: AddRequest): TickRange | null {
  const { tickLower = null, tickUpper = null } = kept?.deposit ?? {}
  return tickLower === null || tickUpper === null ? null : { tickLower, tickUpper }
}

/** What a planned deposit into a range looks like from the caller's side; `amount0`, `amount1` and ticks in the pool's order. */
function previewAdd(facts: {
  readonly pool: Pool
  readonly createsPool: boolean
  readonly inverted: boolean
  readonly ticks: TickRange
  readonly liquidity: bigint
  readonly amount0: bigint
  readonly amount1: bigint
}): AddPreview {
  const { pool, inverted, ticks } = facts
  const [base, quote] = inverted ? [pool.token1, pool.token0] : [pool.token0, pool.token1]
  const seen = inverted ? invertTicks(ticks) : ticks
  const widest = fullRangeTicks(pool.tickSpacing ?? 1)
  const priceAt = (tick: number) => priceFromTick(tick, base.decimals, quote.decimals)
  return {
    pool,
    createsPool: facts.createsPool,
    ...ticks,
    priceLower: seen.tickLower <= widest.tickLower ? 0 : priceAt(seen.tickLower),
    priceUpper: seen.tickUpper >= widest.tickUpper ? Number.POSITIVE_INFINITY : priceAt(seen.tickUpper),
    currentPrice: callerPrice(pool, inverted),
    liquidity: facts.liquidity,
    ...flip(inverted, { amount0: facts.amount0, amount1: facts.amount1 }),
  }
}

/**
 * What adding amounts to a position comes to at the pool's state. With `payNative` the side that is
 * the wrapped native token is paid in the native currency; a v4 pool of the native currency is always paid in it.
 *
 * @throws ToolError as `fitAmounts` and `requireKept` do, and `VALIDATION_FAILED` when the pool has no side to pay natively.
 */
export function fitIncrease(
  ports: Pick<PlanPorts, 'tokens'>,
  chain: Chain,
  position: Position,
  request: IncreaseRequest,
): FittedIncrease {
  const { pool } = position
  const { kept } = request
  requireKept(kept, { pool, createsPool: false })
  const bounds = {
    sqrtPriceX96: pool.sqrtPriceX96,
    sqrtPriceAX96: getSqrtPriceAtTick(position.tickLower),
    sqrtPriceBX96: getSqrtPriceAtTick(position.tickUpper),
  }
  const { inverted = false } = request
  const asked = keptAmounts(kept, flip<bigint | null>(inverted, request))
  const fitted = keptLiquidity(kept, bounds) ?? fitAmounts({ ...bounds, ...asked, fields: callerFields(inverted) })
  return { bounds, fitted, sides: increasedSides(ports, chain, position, request, fitted) }
}

export type IncreaseRequest = Parameters<Liquidity['planIncrease']>[2]

export type FittedIncrease = {
  readonly bounds: RangeBounds
  readonly fitted: Amounts & { liquidity: bigint }
  readonly sides: readonly [PaidSide, PaidSide]
}

function increasedSides(
  ports: Pick<PlanPorts, 'tokens'>,
  chain: Chain,
  position: Position,
  request: IncreaseRequest,
  fitted: Amounts,
): [PaidSide, PaidSide] {
  const { token0, token1 } = position.pool
  const wrapped = ports.tokens.wrapped(chain).address
  const isPaidNatively = (token: Token) =>
    request.payNative && position.version === 'v3' && isAddressEqual(token.address, wrapped)
  const paid = (token: Token) => (isPaidNatively(token) ? nativeToken(chain) : token)
  const sides: [PaidSide, PaidSide] = [
    { token: paid(token0), amount: fitted.amount0 },
    { token: paid(token1), amount: fitted.amount1 },
  ]
  if (request.payNative && !sides.some(({ token }) => token.isNative)) {
    throw refuseField('payNative', 'This pool has no side that takes the native currency.', 'false')
  }
  return sides
}

function nativeToken(chain: Chain): Token {
  const { name, symbol, decimals } = chain.nativeCurrency
  return { address: zeroAddress, name, symbol, decimals, isNative: true, listed: true, usdPegged: false }
}

/** What a planned deposit is, as its intent declares it; amounts and ticks in the pool's order. */
export function depositOf(pool: Pool, facts: DepositFacts): IntentDeposit {
  return {
    kind: 'mint',
    version: pool.version,
    pool: pool.id,
    token0: pool.token0.address,
    token1: pool.token1.address,
    fee: pool.version === 'v4' ? poolKeyOf(pool).fee : pool.fee,
    tickSpacing: pool.tickSpacing,
    hooks: pool.hooks,
    tickLower: null,
    tickUpper: null,
    positionId: null,
    sqrtPriceX96: pool.sqrtPriceX96,
    createsPool: false,
    isInverted: false,
    ...facts,
  }
}

/** The same for liquidity that is added to a position. */
export function increaseOf(
  position: Position,
  facts: Omit<DepositFacts, 'recipient' | 'tickLower' | 'tickUpper'>,
): IntentDeposit {
  const { owner: recipient, positionId, tickLower, tickUpper, liquidity } = position
  const state = liquidity === 0n ? ({ reopens: true } as const) : {}
  return depositOf(position.pool, { kind: 'increase', positionId, recipient, tickLower, tickUpper, ...state, ...facts })
}

export type DepositFacts = Amounts &
  Partial<TickRange> & {
    readonly recipient: Address
    readonly liquidity: bigint
    readonly minLiquidity: bigint
  } & Partial<Pick<IntentDeposit, 'kind' | 'positionId' | 'createsPool' | 'isInverted' | 'reopens'>>
