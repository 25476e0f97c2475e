import { checkGasCap, gasWorth } from '../spending/gas-cap.ts'
import { worstGasCost } from '../spending/gas.ts'
import { budgetsOf } from '../spending/spend-budgets.ts'
import { limitSpend, type SpendDecision } from '../spending/spend-limit.ts'
import { spentAmounts, valueOfSpend } from '../spending/spend-value.ts'
import { onStorage } from '../audit/storage.ts'
import type { CallValue, ValueWeighed } from './weigh-value.ts'
import type { Simulation } from '../simulation/simulation.ts'

/**
 * Takes what the intent spends out of the limits, what its gas could cost at worst, that of taking allowances back
 * included, and what it may lose out of the budgets of value, in one serialised commit; a dry run asks only.
 */
export async function reserveSpend(weighed: ValueWeighed): Promise<Reserved> {
  const { engine, call, chain, intent, simulation, priced, value, reservationId } = weighed
  const { requestId, principal, dryRun } = call
  const { fees, standing } = weighed.snapshotTaken
  const isExit = isWayHome(value, simulation, standing)
  const gasUsed = [...simulation.gasUsed, ...simulation.revokeGasUsed]
  const gasWei = worstGasCost(gasUsed, fees)
  const gas = checkGasCap(engine.policy, gasUsed, fees, priced, value.isExit)
  const spent = valueOfSpend(intent, simulation.deltas, priced, value)
  const leaving = spentAmounts(intent, simulation.deltas)
  const spend = await onStorage('the spend ledger cannot be written', () =>
    limitSpend({
      ...engine,
      principal: principal.id,
      chainId: chain.id,
      requestId,
      reservationId,
      value: spent,
      leaving,
      amounts: [...(value.simulated.leaves.positions.length > 0 ? [] : leaving)].flatMap(([key, amount]) => {
        const token = priced.get(key)?.token
        return token === undefined ? [] : [{ token, amount }]
      }),
      budgets: budgetsOf(value, { ...engine, chainId: chain.id, priced, spendUsdMicros: spent.usdMicros }),
      isExit,
      homeUsdMicros: value.homeUsdMicros,
      isSureHome: value.isSureHome,
      gasWei,
      gasUsdMicros: gasWorth(gasWei, priced),
      dryRun: dryRun || gas.length > 0,
    }),
  )
  if (spend.reserved && spend.used !== null) {
    const sumUsdMicros = spend.used.daily + spend.amountUsdMicros + spend.gasUsdMicros
    await engine.dailyAlert.look({ sumUsdMicros, policy: engine.policy, requestId })
  }
  return { ...weighed, spend, refusals: [...spend.refusals, ...gas] }
}

export type Reserved = ValueWeighed & { readonly spend: SpendDecision }

/**
 * Whether a call that spends nothing also does something for its owner: something arrives, or an allowance that stands is
 * revoked. Its gas is then held to the budget that is kept for leaving. Calls that do nothing have no part in that, so
 * that nobody uses it up with them.
 */
export function isWayHome(
  { isExit }: Pick<CallValue, 'isExit'>,
  { deltas }: Pick<Simulation, 'deltas'>,
  standing: readonly bigint[],
): boolean {
  return isExit && ([...deltas.values()].some((delta) => delta > 0n) || standing.some((amount) => amount > 0n))
}
