import { type AtomicRouteName, type Deferred, type Intent, type ResultReads, type Settled, ToolError } from '@svc/amm'
import { onStorage, type Weighed } from './call/refusal.ts'
import { readAtomicRoute, routeQuestion } from './batch/atomic-route.ts'
import type { Engine, ExecutionContext, UnfollowedContext, PipelinePorts } from './context/engine.ts'
import { isWayHome, mayBringHome } from './value/way-home.ts'
import { requireNoOrder, signOrder, submitSigned, recordCrossChain } from './stages/sign-order.ts'
import { requireRunning } from './switches/signing-state.ts'
import { type ValueWeighed, weighValue, reserveSpend } from './stages/reserve-spend.ts'
import type { Chain } from '@svc/wallet/core'
import type { StoredOrder } from '@svc/store'
import type { Hash } from 'viem'
import type { Principal, Call, OpenExecute } from './call/call.ts'
import { createBalanceWatch } from './switches/balance-watch.ts'
import { createCircuitBreaker } from './switches/circuit-breaker.ts'
import { createDailyAlert } from './spending/daily-alert.ts'
import { followPolicy, type PolicyFollower } from './verdict/follow-policy.ts'
import { keepBounds, keepPlan } from './stages/keep-plan.ts'
import { createOperatorRequests } from './operations/operator-requests.ts'
import { type Policy, policyHash } from './policy/policy.ts'
import type { PolicySource } from './policy/policy-source.ts'
import { checkPolicy, simulatePlan } from './stages/prepare.ts'
import { clearTheWay, reconcile, type ReconcileReport } from './recovery/reconcile.ts'
import { noteRefusal } from './audit/call-outcomes.ts'
import { viewCrossChain } from './cross-chain/follow-cross-chain.ts'
import type { ViewedCrossChain } from './cross-chain/open-cross-chain.ts'
import { viewOrder } from './orders/follow-orders.ts'
import type { ViewedOrder } from './orders/settle-order.ts'
import { recover } from './recovery/recover.ts'
import { beginProgress, confirmSent, mayFollow, revalidate } from './stages/revalidate.ts'
import { safetyReport, type SafetyReport } from './verdict/safety-report.ts'
import { createSimulatorMemory } from './simulation/simulate-with-trace.ts'
import { createSerialQueue } from './recovery/serial-queue.ts'
import { settle } from './stages/settle.ts'
import { afterSigning, signNext, signPermit } from './stages/sign-next.ts'
import { broadcastSigned } from './stages/operate.ts'
import { createNativePrices } from './value/spend-value.ts'
import { requireApproval, storePlan, waitForDelay } from './stages/store-operation.ts'
import { createSwitchRecorder } from './switches/switch-recorder.ts'
import { stepsOf, executionContextOf, newNumbers, type Numbers, serverContext } from './context/execution-context.ts'

/**
 * Makes the transaction pipeline: the only way from an intent to a signature. `open` binds it to one call; the writes
 * of the wallet on one chain then run one after the other, so that no simulation is overtaken by a sibling. `reconcile`
 * ends what an earlier process left open; run it before the server takes writes.
 */
export function createExecutor(options: ExecutorOptions): Executor {
  const engine = engineOf(options, () => policies.latest().policy)
  const policies = followPolicy(engine, options.policies)
  const inTurn = createSerialQueue(lineBounds)
  const inFlight = new Set<string>()
  const requests = createOperatorRequests()
  const reported = new Set<Hash>()

  async function runInTurn(context: UnfollowedContext, reads?: ResultReads): Promise<Settled | Deferred> {
    const inLine = async () => {
      inFlight.add(context.call.requestId)
      try {
        engine.requireOpen()
        await clearTheWay(await policies.newest(), context.chain, inFlight)
        await engine.balances.beforeWrite(context.chain)
        return await runPipeline(await policies.forExecution(context), policies, reads)
      } catch (failure) {
        await noteRefusal(context, failure)
        throw failure
      } finally {
        inFlight.delete(context.call.requestId)
      }
    }
    return inTurn(`${context.chain.id}`, context.call.signal, inLine, context.call.principal.id)
  }

  return Object.freeze({
    open: (call: Call) => {
      let numbers: Promise<Numbers> | undefined
      return async <Result>(intent: Intent, shape: Shape<Result>, reads?: ResultReads) => {
        numbers ??= numbersOf(engine, call)
        const counted = await numbers
        const context = executionContextOf(engine, call, intent, counted)
        counted.tried.push(intent)
        const outcome = await (call.dryRun
          ? policies.forExecution(context).then((followed) => runPipeline(followed, policies))
          : runInTurn(context, reads))
        return 'plan' in outcome ? outcome : shapeResult(context, outcome, shape)
      }
    },
    safetyReport: async (principal: Principal) => {
      const { engine: current, fault } = await policies.forReport(principal.id)
      return safetyReport(current, principal, fault)
    },
    orders: {
      view: async (stored) => {
        const context = serverContext(await policies.newest(), chainOf(engine, stored))
        return stored.kind === 'cross_chain' ? viewCrossChain(context, stored) : viewOrder(context, stored)
      },
    },
    atomicRoute: async (chain) => {
      const { policy } = await policies.now()
      const { address: wallet } = engine.senders(chain)
      const client = engine.rpc.client(chain)
      return (await readAtomicRoute(routeQuestion({ engine: { ...engine, policy }, client, chain, wallet }))).by
    },
    policy: () => policies.latest().policy,
    policyNow: async () => (await policies.now()).policy,
    reconcile: async () => reconcile(await policies.newest(), { inFlight, inTurn, reported }),
    watchBalances: async () => {
      await policies.newest()
      await engine.balances.sweep()
    },
    recordSwitches: () => engine.switches.look(),
    carryOutRequests: async () => requests.look(await policies.newest()),
  })
}

export type Executor = {
  readonly open: OpenExecute
  readonly orders: {
    /** A signed or a cross-chain order as the chain has it now; one that the chain has decided ends by that. Throws `RPC_*`, `STORAGE_UNAVAILABLE`. */
    view(stored: StoredOrder): Promise<ViewedOrder | ViewedCrossChain>
  }
  /** As it holds for this caller; where the file of the policy is broken, with the limits of the one before. Throws `STORAGE_UNAVAILABLE`. */
  safetyReport(principal: Principal): Promise<SafetyReport>
  /** How the wallet makes several calls one on a chain, `null` where it cannot. Throws `RPC_*`, `POLICY_INVALID`. */
  readonly atomicRoute: (chain: Chain) => Promise<AtomicRouteName | null>
  /** The common policy as last read. */
  policy(): Policy
  /** As it holds now; what the breaker and the raising of fees go by follows. Throws `STORAGE_UNAVAILABLE` or `POLICY_INVALID`. */
  policyNow(): Promise<Policy>
  /** Names chains it could not read; those are cleared up before their next write. Throws `STORAGE_UNAVAILABLE`. */
  reconcile(): Promise<ReconcileReport>
  /** Looks whether the wallet holds less than it should, on each chain whose turn it is. Never rejects. */
  watchBalances(): Promise<void>
  /** Writes into the audit log what an operator has done to kill switch, breaker and policy meanwhile. */
  recordSwitches(): Promise<void>
  /** Does what operators ask about transactions that are out, also while a write is on its way. Throws `STORAGE_UNAVAILABLE`. */
  carryOutRequests(): Promise<void>
}

type Shape<Result> = (settled: Settled) => Result | Promise<Result>

export type ExecutorOptions = PipelinePorts & {
  /** Where the policy comes from, to follow its changes; without it `policy` holds for good. */
  readonly policies?: PolicySource
  /** Two minutes by default. */
  readonly confirmTimeoutMs?: Engine['confirmTimeoutMs']
  readonly requireOpen?: Engine['requireOpen']
}

/**
 * The pipeline of a transaction, one line a stage. A dry run passes the same stages up to the first signature; what waits for a person
 * or for its time stops there too, and passes all of them again when it is carried out.
 */
async function runPipeline(
  context: ExecutionContext,
  policies: PolicyFollower,
  reads?: ResultReads,
): Promise<Settled | Deferred> {
  const { engine, call } = context
  const { step, refusals } = stepsOf(context)
  await step('requireRunning', () => requireRunning(engine, () => mayBringHome(context)))
  await step('keepPlan', () => keepPlan(context))
  const checked = await step('checkPolicy', () => checkPolicy(context))
  await step('requireNoOrder', () => requireNoOrder(checked))
  const simulated = await step('simulate', () => simulatePlan(checked))
  const kept = await step('keepBounds', () => keepBounds(simulated))
  const weighed = await step('weighValue', () => weighValue(kept))
  await step('requireWayHome', () => requireWayHome(weighed))
  const reserved = await step('reserveSpend', () => reserveSpend(weighed))
  let current = reserved
  const progress = beginProgress(reserved, reads)
  let order: StoredOrder | null = null
  try {
    await step('requireApproval', () => requireApproval(reserved))
    const scheduled = await step('waitForDelay', () => waitForDelay(reserved))
    if (scheduled !== null) return scheduled
    if (call.dryRun) return await storePlan(reserved, refusals)
    for (const next of reserved.steps) {
      if (!mayFollow(current, progress, next)) await step('confirm', () => confirmSent(current, progress))
      current = await step('revalidate', () => revalidate(current, progress, policies))
      await step('recordOrder', () => recordCrossChain(current, progress, next))
      const ready = await step('signPermit', () => signPermit(current, progress, next))
      const signed = await step('sign', () => signNext(current, progress, ready))
      const sent = await step('broadcast', () => broadcastSigned(current, ready, signed))
      progress.sent.push({ step: ready, entry: sent })
    }
    await step('confirm', () => confirmSent(current, progress))
    if (reserved.intent.order !== undefined) {
      current = await step('revalidate', () => revalidate(current, progress, policies))
      order = await step('signOrder', () => signOrder(current, progress))
    }
  } catch (failure) {
    await confirmSent(current, progress).catch(() => undefined)
    const revoked = await recover(current, progress, failure)
    throw afterSigning(progress, failure, revoked)
  }
  if (order !== null) return await submitSigned(current, progress, order)
  return step('settle', () => settle(current, progress)).catch((failure: unknown) => {
    throw afterSigning(progress, failure)
  })
}

function chainOf({ chains }: Pick<Engine, 'chains'>, { chainId }: StoredOrder): Chain {
  return chains.get(`${chainId}`)
}

/** A call that goes on numbers its transactions after those that the attempts before it have signed. */
async function numbersOf({ journal }: Pick<Engine, 'journal'>, call: Call): Promise<Numbers> {
  if (call.attempt === undefined) return newNumbers()
  const signed = await onStorage('the journal cannot be read', () => journal.byRequest(call.requestId))
  return newNumbers(signed.reduce((next, { step }) => Math.max(next, step + 1), 0))
}

/** So many writes are in line on one chain; callers take turns, and none can fill the line alone. */
const lineBounds = { inLine: 200, perCaller: 60 }

function engineOf(options: ExecutorOptions, latestPolicy: () => Policy): Engine {
  const { dataDir, sharedSwitches, now, policy, confirmTimeoutMs = 120_000, requireOpen = () => {} } = options
  const breaker = createCircuitBreaker({ dataDir, sharedSwitches, limits: () => latestPolicy().breaker, now })
  const switches = createSwitchRecorder({ ...options, breaker })
  const nativePrices = createNativePrices()
  const balances = createBalanceWatch({ ...options, policy: latestPolicy, breaker, switches, nativePrices })
  const simulators = createSimulatorMemory(now)
  return {
    ...options,
    policyHash: policyHash(policy),
    confirmTimeoutMs,
    requireOpen,
    breaker,
    switches,
    balances,
    dailyAlert: createDailyAlert(options),
    simulators,
    nativePrices,
    unread: new Map(),
  }
}

/** Where the breaker lets ways home pass, only now that a call is simulated and weighed is it known whether it is one. */
function requireWayHome(weighed: ValueWeighed): Promise<Weighed> {
  const { engine, value, simulation, snapshotTaken } = weighed
  const { standing } = snapshotTaken
  return requireRunning(engine, () => isWayHome(value, simulation, standing) && mayBringHome(weighed))
}

/**
 * Lets a tool shape its result. The transactions are mined by now, so a failure here must not read as "nothing happened":
 * it names the hashes and says not to call again.
 */
async function shapeResult<Result>(
  { engine, call }: UnfollowedContext,
  settled: Settled,
  shape: Shape<Result>,
): Promise<Result> {
  try {
    return await shape(settled)
  } catch (cause) {
    engine.log.error('result.unshaped', { requestId: call.requestId, error: cause })
    throw new ToolError('RESULT_UNREADABLE', 'The transactions were mined; what they did could not be read in full.', {
      details: settled.transactions.map(({ label, hash }) => ({ message: label, txHash: hash })),
      cause,
    })
  }
}
