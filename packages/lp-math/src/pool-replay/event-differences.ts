import { getAmountsForLiquidity } from '../liquidity/liquidity.ts'
import { LpMathError } from '../lp-math-error.ts'
import { getSqrtPriceAtTick } from '../ticks/ticks.ts'
import { planV4Swap, poolSideOf } from './apply-v4-pool-event.ts'
import { possibleOrders, type TimedSwap, planSwap, swapFields, type SwapOrder, type SwapPlan } from './plan-swap.ts'
import type { PoolEvent, SwapFields } from './pool-event.ts'
import type { PoolState } from './pool-state.ts'
import type { V4PoolEvent, V4PoolState } from './v4-pool-state.ts'

/**
 * In which fields an event that a v3 pool refused (`applyPoolEvent`) is not what the pool would have written: of a swap by the kind of order that
 * comes nearest to it. Empty where a rule was broken that no field tells. The state is as `applyPoolEvent` left it.
 */
export function eventDifferences(state: PoolState, event: PoolEvent): readonly FieldDifference[] {
  const { eventName, timestamp } = event
  if (eventName === 'Swap') {
    return nearestOf(state, { event: event.args, timestamp }, (order) => planSwap(state, order))
  }
  if (eventName !== 'Mint' && eventName !== 'Burn') return []
  const { tickLower, tickUpper, amount } = event.args
  return orNone(() => {
    const bounds = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)] as const
    const worth = getAmountsForLiquidity(state.sqrtPriceX96, ...bounds, amount, eventName === 'Mint')
    return differences(event.args, worth, ['amount0', 'amount1'])
  })
}

/** The same of a v4 pool and `applyV4PoolEvent`; amounts of a swap are the trader's, as in the event. */
export function v4EventDifferences(state: V4PoolState, event: V4PoolEvent): readonly FieldDifference[] {
  if (event.eventName !== 'Swap') return []
  const { fee } = event.args
  const found = nearestOf(state, poolSideOf(event), (order) => planV4Swap(state, order, fee))
  return found.map((one) =>
    one.field.startsWith('amount') ? { field: one.field, logged: -one.logged, replayed: -one.replayed } : one,
  )
}

/** What an event says of a field, and what the pool as it stood would have said. */
export type FieldDifference = { readonly field: string; readonly logged: bigint; readonly replayed: bigint }

function nearestOf(
  state: { readonly sqrtPriceX96: bigint },
  seen: TimedSwap,
  plan: (order: SwapOrder) => SwapPlan,
): readonly FieldDifference[] {
  return orNone(() => {
    const all = possibleOrders(state, seen).map((order) =>
      orNone(() => differences(seen.event, swapFields(plan(order)), fieldsOfSwap)),
    )
    const told = all.filter((one) => one.length > 0)
    return told.toSorted((one, other) => one.length - other.length)[0] ?? []
  })
}

const fieldsOfSwap = ['amount0', 'amount1', 'sqrtPriceX96', 'liquidity', 'tick'] as const satisfies (keyof SwapFields)[]

function differences<Name extends string>(
  logged: Readonly<Record<Name, bigint | number>>,
  replayed: Readonly<Record<Name, bigint | number>>,
  fields: readonly Name[],
): readonly FieldDifference[] {
  return fields.flatMap((field) =>
    logged[field] === replayed[field]
      ? []
      : [{ field, logged: BigInt(logged[field]), replayed: BigInt(replayed[field]) }],
  )
}

/** Numbers that no pool holds differ in no field that could be named. */
function orNone(find: () => readonly FieldDifference[]): readonly FieldDifference[] {
  try {
    return find()
  } catch (error) {
    if (error instanceof LpMathError) return []
    throw error
  }
}
