import { ToolError } from '../tool-error.ts'
import { requireNoNewApproval } from './approval.ts'
import { assertDeclared } from './assert-declared.ts'
import { assetChanges } from './asset-changes.ts'
import { dearGas } from './dear-gas.ts'
import { worstGasCost } from './gas.ts'
import { gasCostOf, gasWorth } from './gas-worth.ts'
import { keepDeposits } from './keep-plan.ts'
import type { PolicyFollower } from './follow-policy.ts'
import { checkMeasured, declaredContext, play } from './prepare.ts'
import { policyVerdict, tokensOf } from './policy-verdict.ts'
import { throwFirst } from './refusal.ts'
import type { Progress } from './progress.ts'
import type { Reserved } from './reserve-spend.ts'
import type { Simulation } from './simulation.ts'
import { raiseSpend } from './spend-limit.ts'
import { priceTokens, valueOfSpend } from './spend-value.ts'
import type { Step } from './step.ts'
import { stillAllowed } from './still-allowed.ts'
import { onStorage } from './storage.ts'
import { survey, type Survey } from './survey.ts'

/**
 * Just before a transaction is signed: still running, allowed by the policy in force now, and the simulation still fresh.
 * When the chain has moved by more than one block of others since it was played, or time has passed, the remaining steps
 * are played again on the newest block (whose chain id is checked once more), policy and limits asked again at its time
 * and at new prices; what no longer fits the declared bounds is `SIMULATION_DRIFT`. Answers the road under that policy.
 */
export async function revalidate(before: Reserved, progress: Progress, policies: PolicyFollower): Promise<Reserved> {
  const road = await stillAllowed(before, progress, policies)
  const { engine, client, chain, wallet, intent, allowances, known } = road
  if (isFresh(engine.now(), progress)) return road
  const surveyed = await survey({ ...engine, client, chain, wallet, allowances })
  const nowSeconds = surveyed.atSeconds
  throwFirst(policyVerdict(intent, { chain, policy: engine.policy, known, wallet, nowSeconds }).refusals)
  const rest = road.steps.slice(progress.mined.length)
  const simulation = await playRest(road, rest, surveyed)
  throwFirst(checkMeasured(simulation, engine.policy))
  const done = assetChanges(
    progress.mined.map(({ receipt }) => receipt.logs),
    { wallet, wrappedNative: chain.wrappedNative.address },
  )
  const whole = { ...simulation, deltas: addDeltas(done.deltas, simulation.deltas) }
  const [drift] = assertDeclared(intent, whole, declaredContext(road))
  if (drift !== undefined) {
    throw new ToolError('SIMULATION_DRIFT', `The chain moved since the plan was made. ${drift.message}`, {
      details: drift.details ?? [],
    })
  }
  keepDeposits(road, simulation)
  await requirePrice(road, progress, whole, surveyed)
  progress.valid = { surveyed, simulation, firstStep: progress.mined.length }
  return road
}

export function begin({ surveyed, simulation, spend, priced }: Reserved): Progress {
  const { amountUsdMicros, gasUsdMicros, isGuess } = spend
  const reserved = { amountUsdMicros, gasUsdMicros, isGuess }
  return { signed: [], mined: [], reserved, priced, valid: { surveyed, simulation, firstStep: 0 } }
}

/** A plan older than this is played again, whatever the chain did. */
const freshForMs = 15_000

function isFresh(now: number, { mined, valid }: Progress): boolean {
  if (now - valid.surveyed.takenAt > freshForMs) return false
  const newest = mined.at(-1)?.receipt.blockNumber ?? valid.simulation.blockNumber
  const ownBlocks = new Set(mined.slice(valid.firstStep).map(({ receipt }) => receipt.blockNumber)).size
  return newest - valid.simulation.blockNumber - BigInt(ownBlocks) <= 1n
}

/**
 * Looks prices up again: the reservation is raised to what the call spends now and to what gas has cost and could cost
 * from here on, which must still fit the limits together. What now needs a person's word is refused.
 */
async function requirePrice(road: Reserved, progress: Progress, whole: Simulation, surveyed: Survey): Promise<void> {
  const { engine, call, chain, intent, reservationId } = road
  const priced = await priceTokens(tokensOf(intent), { ...engine, directory: engine.tokens, chain })
  const gasUsed = [...whole.gasUsed, ...whole.revokeGasUsed]
  throwFirst(dearGas(engine.policy, gasUsed, surveyed.fees, priced))
  const value = valueOfSpend(intent, whole.deltas, priced)
  const burnt = gasCostOf(progress.mined.map(({ receipt }) => receipt))
  const gasUsdMicros = gasWorth(burnt + worstGasCost(gasUsed, surveyed.fees), priced)
  const asked = { principal: call.principal.id, chainId: chain.id, requestId: call.requestId, reservationId }
  const raise = await onStorage('the spend ledger cannot be written', () =>
    raiseSpend({ ...engine, ...asked, value, gasUsdMicros, dryRun: !road.spend.reserved }, progress.reserved),
  )
  throwFirst(raise.refusals)
  const { amountUsdMicros, gasUsdMicros: heldGasUsdMicros, isGuess } = raise
  progress.reserved = { amountUsdMicros, gasUsdMicros: heldGasUsdMicros, isGuess }
  progress.priced = priced
  requireNoNewApproval(progress.reserved, engine.policy, call)
}

async function playRest(road: Reserved, rest: readonly Step[], surveyed: Survey): Promise<Simulation> {
  try {
    return await play(road, rest, surveyed)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'SIMULATION_FAILED') throw error
    throw new ToolError('SIMULATION_DRIFT', 'The chain moved since the plan was made; it would fail now.', {
      details: error.details,
      cause: error,
    })
  }
}

function addDeltas(one: ReadonlyMap<string, bigint>, other: ReadonlyMap<string, bigint>): ReadonlyMap<string, bigint> {
  const sums = new Map(one)
  for (const [token, delta] of other) sums.set(token, (sums.get(token) ?? 0n) + delta)
  return sums
}
