import type { JournalEntry } from '@svc/wallet/core'
import type { Address, Hash } from 'viem'
import { requireRoute } from '../batch/atomic-route.ts'
import { callFacts } from '../audit/call-facts.ts'
import { mayBringHome } from './may-bring-home.ts'
import { declaredTokens, routeQuestion } from './prepare.ts'
import type { Reserved } from './reserve-spend.ts'
import type { Progress } from '../context/progress.ts'
import { usdText } from '../spending/usd-text.ts'
import { simulationHash } from '../simulation/simulation-hash.ts'
import type { Step } from '../context/step.ts'
import { oweAllowances } from '../allowances/revoke-allowances.ts'
import { sign } from './transact.ts'
import { shownPlanHash } from '../operations/plan-hash.ts'

/** Signs the next step of a run of the pipeline on the terms of the simulation in force; before the first, notes what will be owed. */
export async function signNext(context: Reserved, progress: Progress, next: Step): Promise<JournalEntry> {
  const { call, intent, reservationId, tokenAllowlistPassed } = context
  const { simulation, snapshotTaken, firstStep } = progress.valid
  context.engine.requireOpen()
  if (progress.signed.length === 0) await oweAllowances(context)
  noteSimulated(context, progress)
  const delegateTo = await delegationOf(context, next)
  const entry = await sign(context, next, {
    gasUsed: simulation.gasUsed[progress.mined.length - firstStep] ?? 0n,
    fees: snapshotTaken.fees,
    latestCount: snapshotTaken.transactionCount + progress.mined.length - firstStep,
    reservationId,
    ...(delegateTo === null ? {} : { delegateTo }),
    isWayHome: progress.reserved.isExit && mayBringHome(context),
    facts: {
      why: intent.why,
      planHash: call.carriesOut?.planHash ?? shownPlanHash(context),
      ...(call.carriesOut === null ? {} : { operationId: call.carriesOut.id }),
      spendUsd: usdText(progress.reserved.amountUsdMicros),
      gasAtMostUsd: usdText(progress.reserved.gasUsdMicros),
      tokenAllowlistPassed,
      simulatedBy: simulation.playedBy,
      simulatedAtBlock: simulation.blockNumber,
      simulationHash: hashOf(context, progress.valid),
      deltas: Object.fromEntries(simulation.deltas),
    },
  })
  progress.signed.push({ step: next, hash: entry.hash })
  return entry
}

/** What the wallet is delegated to with the transaction; `null` where it is not. The code is looked up again just before. */
async function delegationOf(context: Reserved, { batch }: Step): Promise<Address | null> {
  const { route } = context
  if (batch === undefined || route === null) return null
  await requireRoute(routeQuestion(context), route)
  return route.refusal === null && !route.isDelegated ? route.delegate : null
}

function hashOf({ chain, wallet, steps }: Reserved, { simulation, snapshotTaken, firstStep }: Progress['valid']): Hash {
  const { blockNumber: block, deltas } = simulation
  const { atSeconds } = snapshotTaken
  return simulationHash({ chainId: chain.id, wallet, block, atSeconds, steps: steps.slice(firstStep), deltas })
}

/** What is signed rests on it: everything it takes to play it again. Once for each simulation. */
function noteSimulated({ engine, call, chain, wallet, intent, steps }: Reserved, { valid, mined }: Progress): void {
  const { simulation, snapshotTaken, firstStep } = valid
  if (mined.length > firstStep) return
  engine.audit.note({
    event: 'tx.simulated',
    ...callFacts(call),
    chainId: chain.id,
    wallet,
    wrappedNative: chain.wrappedNative.address,
    block: simulation.blockNumber,
    atSeconds: snapshotTaken.atSeconds,
    tokens: declaredTokens(intent),
    steps: steps.slice(firstStep),
    simulation: { deltas: Object.fromEntries(simulation.deltas), gas: simulation.gasUsed, by: simulation.playedBy },
  })
}
