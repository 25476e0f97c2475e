import type { Simulated } from './prepare.ts'
import { dearGas } from './dear-gas.ts'
import { limitSpend, type SpendDecision } from './spend-limit.ts'
import { valueOfSpend } from './spend-value.ts'
import { onStorage } from './storage.ts'

/**
 * Takes what the intent spends out of the limits, in one serialised commit; a dry run asks only. Gas does not count against
 * the limits, but a call whose gas alone could cost more than one transaction may spend is refused.
 */
export async function reserveSpend(simulated: Simulated): Promise<Reserved> {
  const { engine, call, chain, intent, simulation, priced, reservationId } = simulated
  const { requestId, principal, dryRun } = call
  const gas = dearGas(
    engine.policy,
    [...simulation.gasUsed, ...simulation.revokeGasUsed],
    simulated.surveyed.fees,
    priced,
  )
  const value = valueOfSpend(intent, simulation.deltas, priced)
  const spend = await onStorage('the spend ledger cannot be written', () =>
    limitSpend({
      ...engine,
      principal: principal.id,
      chainId: chain.id,
      requestId,
      reservationId,
      value,
      dryRun: dryRun || gas.length > 0,
    }),
  )
  if (spend.reserved && spend.used !== null) {
    const sumUsdMicros = spend.used.daily + spend.amountUsdMicros
    await engine.dailyAlert.look({ sumUsdMicros, policy: engine.policy, requestId })
  }
  return { ...simulated, spend, refusals: [...spend.refusals, ...gas] }
}

export type Reserved = Simulated & { readonly spend: SpendDecision }
