import { requireNoNewApproval } from './approval.ts'
import { checkGasCap } from '../spending/gas-cap.ts'
import { requireNoNewDelay } from './delay.ts'
import type { PolicyFollower } from '../policy/follow-policy.ts'
import { grantRefusals } from '../policy/grant-refusals.ts'
import { mayBringHome } from './may-bring-home.ts'
import { policyVerdict } from '../policy/policy-verdict.ts'
import { checkMeasured } from './prepare.ts'
import { throwFirst } from '../context/refusal.ts'
import { requireRunning } from './require-running.ts'
import type { Reserved } from './reserve-spend.ts'
import type { Progress } from '../context/progress.ts'
import { budgetsOf } from '../spending/spend-budgets.ts'
import { holdSpend } from '../spending/spend-limit.ts'
import { onStorage } from '../audit/storage.ts'
import { valueOfCall } from './weigh-value.ts'

/**
 * Before each signature, however fresh the simulation is: still running, and what is planned fits the policy in force now,
 * under which the pipeline goes on. Asks no endpoint. Where the policy is another than before, what it says of amounts (limits,
 * the threshold for a person, gas) is held against what is reserved already, and a delay that it asks for now refuses.
 * Throws the first refusal, `POLICY_INVALID` where the file cannot be read.
 */
export async function recheckPolicy(before: Reserved, progress: Progress, policies: PolicyFollower): Promise<Reserved> {
  const isWayHome = progress.reserved.isExit && mayBringHome(before)
  throwFirst((await requireRunning(before.engine, isWayHome)).refusals)
  const context = await policies.forExecution(before)
  const { engine, call, chain, wallet, intent, known } = context
  const { policy } = engine
  throwFirst(grantRefusals(call.tool, call.principal.id, policy))
  const { snapshotTaken, simulation, firstStep } = progress.valid
  throwFirst(policyVerdict(intent, { chain, policy, known, wallet, nowSeconds: snapshotTaken.atSeconds }).refusals)
  if (engine.policyHash === before.engine.policyHash) return context
  throwFirst(checkMeasured(simulation, policy))
  throwFirst(
    checkGasCap(
      policy,
      [...simulation.gasUsed, ...simulation.revokeGasUsed],
      snapshotTaken.fees,
      progress.priced,
      before.value.isExit,
    ),
  )
  const { reserved, priced } = progress
  const value = valueOfCall(context, simulation, priced, firstStep)
  throwFirst(value.refusals)
  const { reservationId, spend } = context
  const budgets = budgetsOf(value, { policy, chainId: chain.id, priced, spendUsdMicros: reserved.amountUsdMicros })
  const held = { ...engine, reservationId, reserved, budgets, isReserved: spend.reserved }
  throwFirst(await onStorage('the spend ledger cannot be read', () => holdSpend(held)))
  requireNoNewApproval(reserved, policy, call)
  requireNoNewDelay(intent.riskTier, policy, call, engine.now())
  return context
}
