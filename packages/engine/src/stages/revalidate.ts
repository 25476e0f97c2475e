import { type ResultReads, ToolError } from '@svc/amm'
import { requireNoNewApproval } from '../operations/needed-approval.ts'
import { assertDeclared } from '../verdict/assert-declared.ts'
import { atWhoseGas } from '../batch/atomic-route.ts'
import { checkGasCap, gasCostOf, gasWorth, worstGasCost } from '../spending/gas.ts'
import { keepDeposits } from './keep-plan.ts'
import type { PolicyFollower } from '../verdict/follow-policy.ts'
import { isWayHome, mayBringHome } from '../value/way-home.ts'
import { checkMeasured, declaredContext, play, refuseUngranted } from './prepare.ts'
import { tokensGivenUp, tokensToPrice } from '../verdict/call-tokens.ts'
import { policyVerdict } from '../verdict/policy-verdict.ts'
import { throwFirst, onStorage } from '../call/refusal.ts'
import type { Progress } from '../context/execution-context.ts'
import { requireRunning } from '../switches/signing-state.ts'
import type { Reserved } from './reserve-spend.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { budgetsOf } from '../spending/spend-budgets.ts'
import { holdSpend, raiseSpend } from '../spending/spend-limit.ts'
import { withDestinationPrice } from '../value/destination-price.ts'
import { priceTokens, valueOfSpend } from '../value/spend-value.ts'
import type { Step } from '../call/step.ts'
import { type ChainSnapshot, readHoldings, receiptOrNull, snapshot } from '../call/chain-snapshot.ts'
import { addDeltas, doneDeltas, isAmidOwnMove, sureDeltas } from './done-deltas.ts'
import { confirmSigned } from './operate.ts'
import { boughtIn } from '../value/moved.ts'
import { ownMoveOfIntent, valueOfCall } from '../value/call-value.ts'
import { requireNoNewDelay } from './store-operation.ts'

/**
 * Just before a transaction is signed: still running, allowed by the policy in force now, and the simulation still fresh.
 * When the chain has moved by more than one block of others since it was simulated, has another block at its place, or time has passed, the remaining steps
 * are simulated again on the newest block (whose chain id is checked once more), policy and limits asked again at its time
 * and at new prices; what no longer fits the declared bounds is `SIMULATION_DRIFT`. Answers the pipeline under that policy.
 */
export async function revalidate(before: Reserved, progress: Progress, policies: PolicyFollower): Promise<Reserved> {
  const context = await recheckPolicy(before, progress, policies)
  const { engine, client, chain, wallet, intent, allowances, known } = context
  if (isUnmoved(context, progress)) return context
  const [taken] = await Promise.all([
    snapshot({ ...engine, client, chain, wallet, allowances }),
    requireMined(context, progress),
  ])
  const snapshotTaken = atWhoseGas(context.route, taken)
  const nowSeconds = snapshotTaken.atSeconds
  throwFirst(policyVerdict(intent, { chain, policy: engine.policy, known, wallet, nowSeconds }).refusals)
  const rest = context.steps.slice(progress.mined.length)
  const simulation = await simulateRest(context, rest, snapshotTaken)
  throwFirst(checkMeasured(simulation, engine.policy))
  const done = doneDeltas(context, progress, snapshotTaken)
  const whole = { ...simulation, deltas: addDeltas(done, simulation.deltas) }
  const [drift] = assertDeclared(intent, whole, declaredContext(context))
  if (drift !== undefined) {
    throw new ToolError('SIMULATION_DRIFT', `The chain moved since the plan was made. ${drift.message}`, {
      details: drift.details ?? [],
    })
  }
  keepDeposits(context, simulation)
  await requirePrice(
    context,
    progress,
    { whole, rest: simulation, done: sureDeltas(context, progress, done) },
    snapshotTaken,
  )
  progress.valid = { snapshotTaken, simulation, firstStep: progress.mined.length }
  progress.isBaseStanding = true
  return context
}

/**
 * What was mined counts only while its block stands: another block may undo the call whose proceeds the next steps put in, and these
 * would then be paid by the wallet. A call that another block holds now counts as it came out there.
 */
async function requireMined({ client }: Reserved, { mined }: Progress): Promise<void> {
  await Promise.all(
    mined.map(async ({ step, receipt: { transactionHash: hash, blockHash } }, index) => {
      if (step.kind !== 'call') return
      const receipt = await receiptOrNull(client, hash)
      if (receipt?.status !== 'success') {
        throw new ToolError('SIMULATION_DRIFT', `The chain took back what it had mined: ${step.label}.`)
      }
      if (receipt.blockHash !== blockHash) mined[index] = { step, receipt }
    }),
  )
}

/**
 * Whether a step may be signed while what was sent before it is still out. Approvals may, one after the other: none rests on what another
 * does, the chain mines them in the order of their nonces, and each is signed on the same simulation a moment later. A call is signed
 * only once everything before it is mined, and so is an approval for which the plan would have to be simulated again.
 */
export function mayFollow(context: Reserved, progress: Progress, next: Step): boolean {
  const { sent } = progress
  if (sent.length === 0) return true
  return [...sent.map(({ step }) => step), next].every(({ kind }) => kind === 'approve') && isUnmoved(context, progress)
}

/**
 * Waits for everything that is out, at once. What is mined is noted also where another fails; throws the first failure then, as
 * `confirm` does.
 */
export async function confirmSent(context: Reserved, progress: Progress): Promise<void> {
  const sent = progress.sent.splice(0)
  const outcomes = await Promise.allSettled(
    sent.map(({ step, entry }, index) => {
      const isLast = index === sent.length - 1
      return confirmSigned(context, step, entry, isLast ? besideReceipt(context, progress) : undefined)
    }),
  )
  for (const [index, { step }] of sent.entries()) {
    const outcome = outcomes[index]
    if (outcome?.status === 'fulfilled') progress.mined.push({ step, receipt: outcome.value })
  }
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Whether what is signed next may rest on the simulation in force, as far as is known without asking the chain. */
function isUnmoved(context: Reserved, progress: Progress): boolean {
  return progress.isBaseStanding && isFresh(context.engine.now(), progress) && !isAmidOwnMove(context, progress)
}

export function beginProgress({ snapshotTaken, simulation, spend, priced }: Reserved, reads?: ResultReads): Progress {
  const { reserved: _isReserved, used: _used, refusals: _refusals, ...reserved } = spend
  const valid = { snapshotTaken, simulation, firstStep: 0 }
  return {
    signed: [],
    sent: [],
    mined: [],
    reserved,
    priced,
    isBaseStanding: true,
    valid,
    after: null,
    planHash: null,
    reads,
  }
}

/**
 * What is looked at beside the receipt of a transaction, and travels with it. Where others follow: whether the block of the simulation
 * still stands, for a reorg leaves its number as it was; one that cannot be read counts as gone. After the last: what the wallet holds and
 * what stands of its allowances, which counts where it is of the block that the receipt names.
 */
function besideReceipt(context: Reserved, progress: Progress): (() => Promise<void>) | undefined {
  const { client, chain, steps, wallet, allowances } = context
  if (progress.signed.length < steps.length) {
    const { number: blockNumber, hash } = progress.valid.snapshotTaken.block
    return async () => {
      const standing = await client.getBlock({ blockNumber }).catch(() => null)
      progress.isBaseStanding = standing?.hash === hash
    }
  }
  // Where more confirmations are waited for, the newest block is another than the receipt's by then.
  if (chain.confirmations > 1 || !progress.valid.snapshotTaken.namesBlock) return undefined
  return async () => {
    const beside = progress.reads?.beside?.().catch(() => undefined)
    progress.after = await readHoldings({ client, chain, wallet, allowances })
    await beside
  }
}

/** A plan older than this is simulated again, whatever the chain did. */
const freshForMs = 15_000

function isFresh(now: number, { mined, valid }: Progress): boolean {
  if (now - valid.snapshotTaken.takenAt > freshForMs) return false
  const newest = mined.at(-1)?.receipt.blockNumber ?? valid.simulation.blockNumber
  const ownBlocks = new Set(mined.slice(valid.firstStep).map(({ receipt }) => receipt.blockNumber)).size
  return newest - valid.simulation.blockNumber - BigInt(ownBlocks) <= 1n
}

/**
 * Looks prices up again: the reservation is raised to what the call spends now and to what gas has cost and could cost
 * from here on, which must still fit the limits together. What now needs a person's word is refused.
 */
async function requirePrice(
  context: Reserved,
  progress: Progress,
  { whole, rest, done }: { readonly whole: Simulation; readonly rest: Simulation; readonly done: Simulation['deltas'] },
  snapshotTaken: ChainSnapshot,
): Promise<void> {
  const { engine, call, chain, intent, reservationId } = context
  const own = priceTokens([...tokensToPrice(context), ...tokensGivenUp(context.simulation, context.chain)], {
    ...engine,
    directory: engine.tokens,
    chain,
    at: snapshotTaken.block,
    bought: boughtIn(context.callBounds),
  })
  const priced = await withDestinationPrice(own, context)
  // What is signed already is mined, and was weighed before: what is left must be worth it by itself.
  const value = valueOfCall(context, rest, priced, progress.mined.length)
  const isExit = isWayHome(value, whole, snapshotTaken.standing)
  const isStillHome = () => isExit && progress.reserved.isExit && mayBringHome(context)
  throwFirst((await requireRunning(engine, isStillHome)).refusals)
  throwFirst(value.refusals)
  const gasUsed = [...whole.gasUsed, ...whole.revokeGasUsed]
  throwFirst(checkGasCap(engine.policy, gasUsed, snapshotTaken.fees, priced, value.isExit))
  const spent = valueOfSpend(intent, whole.deltas, priced, {
    ...value,
    ownMove: ownMoveOfIntent(context, { rest, done, firstStep: progress.mined.length }, priced),
  })
  const burnt = gasCostOf(progress.mined.map(({ receipt }) => receipt))
  const gasWei = burnt + worstGasCost(gasUsed, snapshotTaken.fees)
  const { homeUsdMicros, isSureHome } = value
  const gas = { gasWei, gasUsdMicros: gasWorth(gasWei, priced), isExit, homeUsdMicros, isSureHome }
  const budgets = budgetsOf(value, { ...engine, chainId: chain.id, priced, spendUsdMicros: spent.usdMicros })
  const asked = { principal: call.principal.id, chainId: chain.id, requestId: call.requestId, reservationId, budgets }
  const { refusals, ...reserved } = await onStorage('the spend ledger cannot be written', () =>
    raiseSpend({ ...engine, ...asked, ...gas, value: spent, dryRun: !context.spend.reserved }, progress.reserved),
  )
  throwFirst(refusals)
  progress.reserved = reserved
  progress.priced = priced
  requireNoNewApproval(progress.reserved, engine.policy, call)
}

async function simulateRest(
  context: Reserved,
  rest: readonly Step[],
  snapshotTaken: ChainSnapshot,
): Promise<Simulation> {
  try {
    return await play(context, rest, snapshotTaken)
  } catch (error) {
    if (!(error instanceof ToolError) || error.code !== 'SIMULATION_FAILED') throw error
    throw new ToolError('SIMULATION_DRIFT', 'The chain moved since the plan was made; it would fail now.', {
      details: error.details,
      cause: error,
    })
  }
}

/**
 * Before each signature, however fresh the simulation is: still running, and what is planned fits the policy in force now,
 * under which the pipeline goes on. Asks no endpoint. Where the policy is another than before, what it says of amounts (limits,
 * the threshold for a person, gas) is held against what is reserved already, and a delay that it asks for now refuses.
 * Throws the first refusal, `POLICY_INVALID` where the file cannot be read.
 */
async function recheckPolicy(before: Reserved, progress: Progress, policies: PolicyFollower): Promise<Reserved> {
  const isWayHome = () => progress.reserved.isExit && mayBringHome(before)
  throwFirst((await requireRunning(before.engine, isWayHome)).refusals)
  const context = await policies.forExecution(before)
  const { engine, call, chain, wallet, intent, known } = context
  const { policy } = engine
  throwFirst(refuseUngranted(context))
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
