import { priceDrift } from '@svc/amm/liquidity'
import type { ErrorDetail, Intent, IntentDeposit } from '@svc/amm'
import type { Refusal } from '../context/refusal.ts'
import type { PositionFacts, SimulatedDeposit } from '../simulation/simulated-deposits.ts'

/**
 * Holds what a simulation shows of deposits against what the intent declares: a position that grows is of the declared pool
 * and range, a pool is created only where that is declared, at the declared price, and every other has a price within the
 * slippage of the one it was planned at.
 */
export function simulatedDepositRefusals(
  { slippageBps }: Pick<Intent, 'slippageBps'>,
  deposits: readonly SimulatedDeposit[],
): readonly Refusal[] {
  return deposits.flatMap((shown) => [
    ...positionRefusals(shown),
    ...(shown.declared.createsPool ? creationRefusals(shown) : priceRefusals(shown, slippageBps ?? 0)),
  ])
}

function positionRefusals({ declared, position }: SimulatedDeposit): readonly Refusal[] {
  if (declared.kind === 'mint') return []
  const details = position === null ? [{ message: 'There is no such position.' }] : differences(declared, position)
  if (details.length === 0) return []
  return [unsafe('The position is not of the pool and range that the call declares.', details)]
}

function differences(declared: IntentDeposit, position: PositionFacts): readonly ErrorDetail[] {
  const ticks = ({ tickLower, tickUpper }: PositionFacts) => `${tickLower}..${tickUpper}`
  const rows = [
    ['token0', declared.token0, position.token0],
    ['token1', declared.token1, position.token1],
    ['fee', `${declared.fee}`, `${position.fee}`],
    ['tick spacing', `${declared.tickSpacing}`, `${position.tickSpacing}`],
    ['hooks', `${declared.hooks}`, `${position.hooks}`],
    ['ticks', ticks(declared), ticks(position)],
  ] as const
  return rows
    .filter(([, one, other]) => one.toLowerCase() !== other.toLowerCase())
    .map(([what, one, other]) => ({ message: `Differs: ${what}.`, declared: one, chain: other }))
}

/** Somebody may create it first: then what is declared of its price does not hold, and another plan is needed. */
function creationRefusals({ declared, priceBefore, priceAfter }: SimulatedDeposit): readonly Refusal[] {
  const detailsOf = (now: bigint | null) => [
    {
      message: 'sqrt price, Q64.96',
      pool: declared.pool,
      planned: `${declared.sqrtPriceX96}`,
      now: `${now ?? 'none'}`,
    },
  ]
  if (priceBefore !== null) {
    return [drift('The pool that the call would create has been created meanwhile.', detailsOf(priceBefore))]
  }
  // What a pair has for a price once a token has taken its fee is not to the unit that of the amounts.
  if (declared.version === 'v2' || priceAfter === declared.sqrtPriceX96) return []
  return [unsafe('The pool would be created at another price than the call declares.', detailsOf(priceAfter))]
}

function priceRefusals(
  { declared, priceBefore, priceAfter }: SimulatedDeposit,
  slippageBps: number,
): readonly Refusal[] {
  if (priceBefore === null) {
    const details = [{ message: 'the pool', pool: declared.pool }]
    return [unsafe('The call would create a pool, which it does not declare.', details)]
  }
  // Rounding moves the price of a pair with each deposit.
  const prices = declared.version === 'v2' ? [priceBefore] : [priceBefore, priceAfter]
  const details = prices
    .map((price) => priceDrift(declared, price, slippageBps, null))
    .find((found) => found.length > 0)
  return details === undefined ? [] : [drift('The price of the pool is not the one that was planned with.', details)]
}

function unsafe(message: string, details: readonly ErrorDetail[]): Refusal {
  return { code: 'UNSAFE_TRANSACTION', message, details }
}

function drift(message: string, details: readonly ErrorDetail[]): Refusal {
  return { code: 'SIMULATION_DRIFT', message, details }
}
