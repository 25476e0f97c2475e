import type { Simulated } from './prepare.ts'
import type { Refusal } from './refusal.ts'
import { worstGasCost } from './gas.ts'
import { crossesDailyAlert, dailyAlertPct, limitSpend, limitsOf, type SpendDecision, usdText } from './spend-limit.ts'
import { spentAmounts, valueOf } from './spend-value.ts'
import { onStorage } from './storage.ts'
import { zeroAddress } from 'viem'

/**
 * Takes what the intent spends out of the limits, in one durable commit; a dry run asks only. Gas does not count against
 * the limits, but a call whose gas alone could cost more than one transaction may spend is refused.
 */
export async function reserveSpend(simulated: Simulated): Promise<Reserved> {
  const { engine, call, chain, intent, simulation, priced, reservationId } = simulated
  const { requestId, principal, dryRun } = call
  const gas = gasRefusals(simulated)
  const value = valueOf(spentAmounts(intent, simulation.deltas), priced)
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
  if (spend.reserved) await announceDailyAlert(simulated, spend)
  return { ...simulated, spend, refusals: [...spend.refusals, ...gas] }
}

export type Reserved = Simulated & { readonly spend: SpendDecision }

function gasRefusals({ engine, simulation, surveyed, priced }: Simulated): readonly Refusal[] {
  const worstWei = worstGasCost([...simulation.gasUsed, ...simulation.revokeGasUsed], surveyed.fees)
  const { usdMicros } = valueOf(new Map([[zeroAddress, worstWei]]), priced)
  const cap = limitsOf(engine.policy).perTransaction
  if (usdMicros <= cap) return []
  const [capUsd, askedUsd] = [usdText(cap), usdText(usdMicros)]
  const message = `Gas could cost ${askedUsd} USD, above the limit of one transaction, ${capUsd} USD.`
  return [{ code: 'SPENDING_LIMIT_EXCEEDED', message, details: [{ message: 'limit', limit: 'gas', capUsd, askedUsd }] }]
}

/** Once per crossing: the spend that lifts the sum over the mark says so, later ones do not. */
async function announceDailyAlert(
  { engine, call }: Simulated,
  { used, amountUsdMicros }: SpendDecision,
): Promise<void> {
  if (used === null || !crossesDailyAlert(used.daily, amountUsdMicros, engine.policy)) return
  const facts = {
    requestId: call.requestId,
    spentUsd: usdText(used.daily + amountUsdMicros),
    markPct: `${dailyAlertPct}`,
  }
  engine.log.warn('spend.alert', facts)
  await onStorage('the audit log cannot be written', () => engine.audit.append({ event: 'spend.alert', ...facts }))
}
