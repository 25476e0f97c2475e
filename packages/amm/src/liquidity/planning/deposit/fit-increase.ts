import { type Amounts, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { isAddressEqual, zeroAddress } from 'viem'
import type { Liquidity, Position, Token } from '../../../ports.ts'
import { fitAmounts, type RangeBounds } from './fit-amounts.ts'
import { callerFields, flip } from './opening-price.ts'
import { keptAmounts, keptLiquidity, requireKept } from './require-kept.ts'
import type { PaidSide } from '../plan-payment.ts'
import type { PlanPorts } from '../../liquidity-ports.ts'
import { refuseField } from '../refusals.ts'

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
  return { bounds, fitted, sides: sidesOf(ports, chain, position, request, fitted) }
}

export type IncreaseRequest = Parameters<Liquidity['planIncrease']>[2]

export type FittedIncrease = {
  readonly bounds: RangeBounds
  readonly fitted: Amounts & { liquidity: bigint }
  readonly sides: readonly [PaidSide, PaidSide]
}

function sidesOf(
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
