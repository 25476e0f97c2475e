import type { Chain, JournalEntry } from '@svc/wallet/core'
import { type Intent, type ResultReads, ToolError } from '@svc/amm'
import type { Hash, TransactionReceipt } from 'viem'
import type { Call } from '../call/call.ts'
import type { Engine, ExecutionContext, UnfollowedContext } from './engine.ts'
import { knownContracts } from '../calldata/known-contracts.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { HeldSpend } from '../spending/spend-limit.ts'
import type { PricedTokens } from '../value/spend-value.ts'
import type { Step } from '../call/step.ts'
import type { ChainSnapshot, HoldingsAt } from '../call/chain-snapshot.ts'
import { type Refusal, throwFirst, type Weighed } from '../call/refusal.ts'

/** Sets an intent on its way; which contracts are known follows with the policy. Throws `CHAIN_NOT_SUPPORTED`. */
export function executionContextOf(engine: Engine, call: Call, intent: Intent, numbers: Numbers): UnfollowedContext {
  const chain = engine.chains.get(`${intent.chainId}`)
  const sender = engine.senders(chain)
  return {
    engine,
    call,
    intent,
    chain,
    client: engine.rpc.client(chain),
    sender,
    wallet: sender.address,
    reservationId: [
      call.requestId,
      ...(call.carriesOut === null ? [] : [call.carriesOut.id]),
      ...(call.attempt === undefined ? [] : [call.attempt]),
      numbers.intent(),
    ].join('/'),
    nextStep: numbers.step,
    before: [...numbers.tried],
  }
}

/** A run of the server's own, on which nothing is spent: it ends what others left. */
export function serverContext(engine: Engine, chain: Chain): ExecutionContext {
  const call: Call = {
    requestId: engine.newRequestId(),
    tool: 'server',
    principal: { id: 'server', stage: 'local', tier: null, scopes: new Set(), expiresAt: null },
    dryRun: false,
    idempotencyKey: null,
    input: {},
    carriesOut: null,
    signal: new AbortController().signal,
  }
  const known = knownContracts(chain, engine.policy)
  return { ...executionContextOf(engine, call, nothing(chain.id), newNumbers()), known }
}

/** What numbers the intents and the transactions of one call, and the intents it has tried so far. */
export type Numbers = { readonly intent: () => number; readonly step: () => number; readonly tried: Intent[] }

export function newNumbers(firstStep = 0): Numbers {
  return { intent: counter(0), step: counter(firstStep), tried: [] }
}

/** How far a run of the pipeline has come. Filled as it goes. */
export type Progress = {
  readonly signed: { readonly step: Step; readonly hash: Hash }[]
  /** Broadcast, and not yet waited for. */
  readonly sent: { readonly step: Step; readonly entry: JournalEntry }[]
  readonly mined: { readonly step: Step; readonly receipt: TransactionReceipt }[]
  /** What the ledger holds for the pipeline now: rises when prices and fees do. */
  reserved: HeldSpend
  /** Of what is signed, with what a person is shown of it; `null` until the first step is signed. */
  planHash: string | null
  /** What is read for the result of the call meanwhile. */
  readonly reads?: ResultReads | undefined
  /** The newest prices looked up, at which it is settled. */
  priced: PricedTokens
  /** What was read of the wallet beside the last receipt; `null` where nothing was. */
  after: HoldingsAt | null
  /** Whether the block of that simulation was still on the chain when the last receipt came. */
  isBaseStanding: boolean
  /** The simulation in force and the step it starts with. */
  valid: { readonly snapshotTaken: ChainSnapshot; readonly simulation: Simulation; readonly firstStep: number }
}

/** How many transactions of the wallet are mined by now, by the snapshot of the simulation in force. */
export function minedCount({ valid, mined }: Progress): number {
  return valid.snapshotTaken.transactionCount + mined.length - valid.firstStep
}

function counter(first: number): () => number {
  let next = first
  return () => next++
}

function nothing(chainId: number): Intent {
  return {
    chainId,
    calls: [],
    atomicity: 'single',
    spends: [],
    receives: [],
    approvals: [],
    riskTier: 'routine',
    slippageBps: null,
    deadline: null,
    recipients: [],
    why: 'clear up',
  }
}

/**
 * Runs the steps of a run of the pipeline by name: logs how long each took, has whoever observes it run it, stops before a step when the caller
 * has left and nothing is signed, and weighs what the policy has against the intent. A refusal ends a real call; a dry run collects it, once.
 */
export function stepsOf({ engine, call, chain }: ExecutionContext): {
  readonly refusals: readonly Refusal[]
  readonly step: <Value>(name: string, work: () => Value | Promise<Value>) => Promise<Value>
} {
  const refusals: Refusal[] = []
  let signing = false
  const { tool, requestId, dryRun } = call
  return {
    refusals,
    async step(name, work) {
      signing ||= name === 'sign'
      if (call.signal.aborted && !signing)
        throw new ToolError('CANCELLED', 'The caller left before anything was signed.')
      const { observer, log } = engine
      const run = async () => {
        const startedAt = performance.now()
        const value = await work()
        log.debug('road.step', { requestId, step: name, ms: performance.now() - startedAt })
        if (!isWeighed(value)) return value
        if (!dryRun) throwFirst(value.refusals)
        refusals.push(...value.refusals.filter(({ message }) => refusals.every((one) => one.message !== message)))
        return value
      }
      if (observer?.stage === undefined) return run()
      return observer.stage({ stage: name, tool, requestId, chainId: chain.id, dryRun }, run)
    },
  }
}

function isWeighed(value: unknown): value is Weighed {
  return typeof value === 'object' && value !== null && 'refusals' in value && Array.isArray(value.refusals)
}
