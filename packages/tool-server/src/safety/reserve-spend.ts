import type { Simulated } from './prepare.ts'
import { dearGas } from './dear-gas.ts'
import { worstGasCost } from './gas.ts'
import { gasWorth } from './gas-worth.ts'
import { limitSpend, type SpendDecision } from './spend-limit.ts'
import { valueOfSpend } from './spend-value.ts'
import { onStorage } from './storage.ts'

/**
 * Takes what the intent spends out of the limits, and what its gas could cost at worst, that of taking allowances back
 * included, in one serialised commit; a dry run asks only.
 */
export async function reserveSpend(simulated: Simulated): Promise<Reserved> {
  const { engine, call, chain, intent, simulation, priced, reservationId } = simulated
  const { requestId, principal, dryRun } = call
  const { fees } = simulated.surveyed
  const gasUsed = [...simulation.gasUsed, ...simulation.revokeGasUsed]
  const gas = dearGas(engine.policy, gasUsed, fees, priced)
  const value = valueOfSpend(intent, simulation.deltas, priced)
  const spend = await onStorage('the spend ledger cannot be written', () =>
    limitSpend({
      ...engine,
      principal: principal.id,
      chainId: chain.id,
      requestId,
      reservationId,
      value,
      gasUsdMicros: gasWorth(worstGasCost(gasUsed, fees), priced),
      dryRun: dryRun || gas.length > 0,
    }),
  )
  if (spend.reserved && spend.used !== null) {
    const sumUsdMicros = spend.used.daily + spend.amountUsdMicros + spend.gasUsdMicros
    await engine.dailyAlert.look({ sumUsdMicros, policy: engine.policy, requestId })
  }
  return { ...simulated, spend, refusals: [...spend.refusals, ...gas] }
}

export type Reserved = Simulated & { readonly spend: SpendDecision }
