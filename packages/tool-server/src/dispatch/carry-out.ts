import type { Idempotency, Memory, Operation, Tasks, Watches } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { requireAccess, wholeTool } from './offered-tools.ts'
import type { Call, Doubt, LatestAudit, OpenExecute, OperationsPipeline, Principal, Sent } from '@svc/engine'
import { type EarlierTransaction, type ErrorCode, type ErrorEnvelope, ToolError } from '@svc/amm'
import type { Tool, ToolFacts } from '../tool.ts'
import type { WriteContext } from '../tool-context.ts'
import type { Leads } from './once.ts'
import { parseInput } from './parse-input.ts'

/**
 * Carries a stored write out: rights and arguments are looked at before it is taken, then its own tool's handler runs
 * again under the pipeline, which holds what comes of it against the plan. Its end is recorded with the answer. Gives the
 * answer, or the failure with whether the operation waits again.
 */
export async function carryOut(operation: Operation, caller: Caller, deps: CarryOutDeps): Promise<CarriedOut> {
  const prepared = await prepare(operation, caller.principal, deps)
  const taken = await deps.operations.take(operation, caller.requestId)
  return run(taken, caller, deps, async () => prepared)
}

/**
 * Goes on with one that stopped on its way, under the plan it had and as the request that it was taken for: nothing that it did
 * is done twice. Where it fails for what passes (an endpoint that is down), it stands as it had stopped, and can be gone on with again.
 */
export async function carryOn(operation: Operation, caller: Caller, deps: CarryOutDeps): Promise<CarriedOut> {
  const prepared = await prepare(operation, caller.principal, deps)
  const taken = await deps.operations.take(operation, caller.requestId, true)
  const { requestId } = taken
  if (requestId === null) throw new TypeError(`Operation ${operation.id} was taken for no request`)
  const going = { requestId, signal: caller.signal, attempt: caller.requestId }
  return run(taken, going, deps, async () => prepared, storedFailure(operation))
}

/** Whether an operation of a tool that goes on stopped after it had begun. */
export function hasStopped(operation: Operation, deps: { tool(name: string): Pick<Tool, 'goesOn'> }): boolean {
  if (operation.state !== 'failed' || !deps.tool(operation.tool).goesOn) return false
  const { code } = storedOf(operation) as ErrorEnvelope
  return stopped.has(code)
}

const stopped: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'HARVEST_PARTIAL_FAILURE',
  'CONSOLIDATION_SWAP_FAILED',
  'OPERATION_INCOMPLETE',
  'WALLET_BUSY',
])

/**
 * The same for one whose time has come, under the rights of who asked for it: what those rights do not cover any more
 * ends it, as does a key or token that was taken from the server since. Rejects only when it could not be taken.
 */
export async function carryOutDue(
  operation: Operation,
  caller: Omit<Caller, 'principal'>,
  deps: CarryOutDeps,
): Promise<CarriedOut> {
  const taken = await deps.operations.take(operation, caller.requestId)
  return run(taken, caller, deps, () => prepare(taken, inForce(taken, deps), deps))
}

function inForce(operation: Operation, deps: CarryOutDeps): Principal {
  const principal = deps.operations.principalOf(operation)
  if (deps.isInForce(principal)) return principal
  throw new ToolError('PRINCIPAL_REVOKED', 'The key or token that asked for this is not in force any more.')
}

type Prepared = {
  readonly tool: Tool
  readonly principal: Principal
  readonly input: Readonly<Record<string, unknown>>
}

async function prepare(operation: Operation, principal: Principal, deps: CarryOutDeps): Promise<Prepared> {
  const offered = deps.tool(operation.tool)
  requireAccess(offered, principal)
  const tool = await wholeTool(offered)
  return { tool, principal, input: parseInput(tool, readStored(operation.input, `arguments of ${operation.id}`)) }
}

async function run(
  taken: Operation,
  { requestId, signal, attempt }: Omit<Caller, 'principal'> & Pick<Call, 'attempt'>,
  deps: CarryOutDeps,
  prepared: () => Promise<Prepared>,
  stoppedBy: ToolError | null = null,
): Promise<CarriedOut> {
  try {
    const { tool, principal, input } = await prepared()
    const going = attempt === undefined ? {} : { attempt }
    const own = { dryRun: false, idempotencyKey: null, carriesOut: taken, ...going }
    const result = await deps.handle(tool, { requestId, tool: tool.name, principal, input, signal, ...own })
    await deps.operations.finish(taken, result)
    return { ok: true, result }
  } catch (thrown) {
    const error = ofSpentPlan(thrown, taken)
    const passes = error instanceof ToolError && error.retryable
    return { ok: false, error, waitsAgain: await deps.operations.fail(taken, passes ? (stoppedBy ?? error) : error) }
  }
}

/**
 * A plan that the chain has moved away from is not carried out a second time: only its tool makes another. Its arguments were right
 * when it was made, so where they are refused now, whoever named a plan and no arguments has none to correct.
 */
function ofSpentPlan(error: unknown, { tool }: Operation): unknown {
  if (!(error instanceof ToolError) || !ofThePlan.has(error.code)) return error
  const { code, details, cause } = error
  const isDrift = code === 'SIMULATION_DRIFT'
  const message = isDrift
    ? error.message
    : `The plan no longer holds, for the chain has changed since. ${error.message}`
  const suggestion = isDrift
    ? `Call ${tool} again with dryRun: this plan is spent.`
    : `Call ${tool} again with dryRun for a new plan; details name its arguments, execute_plan has none of them.`
  return new ToolError(code, message, { details, cause, suggestion, retryable: false })
}

const ofThePlan: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SIMULATION_DRIFT',
  'VALIDATION_FAILED',
  'NOTHING_TO_COLLECT',
])

export type Caller = Pick<Call, 'requestId' | 'signal'> & { readonly principal: Principal }

export type CarryOutDeps = {
  readonly operations: OperationsPipeline
  /** Aborted when this server does not lead any more; `null` where none could take its place. */
  readonly term?: (() => AbortSignal | null) | undefined
  /** Whether the server would still take the credentials of whoever asked for a stored write. */
  isInForce(principal: Principal): boolean
  /** Throws `TOOL_NOT_FOUND`. */
  tool(name: string): ToolFacts
  /** Runs a handler and checks its result. */
  handle(tool: Tool, call: Call): Promise<Answered>
}

export type Answered = Readonly<Record<string, unknown>>

export type CarriedOut =
  | { readonly ok: true; readonly result: Answered }
  | { readonly ok: false; readonly error: unknown; readonly waitsAgain: boolean }

/** The answer, or the failure thrown. */
export function answerOf(outcome: CarriedOut): Answered {
  if (outcome.ok) return outcome.result
  throw outcome.error
}

/** What one that has ended came to, or the failure thrown. */
export function storedAnswer(operation: Operation): Answered {
  if (operation.state !== 'done') throw storedFailure(operation)
  return storedOf(operation) as Answered
}

function storedFailure(operation: Operation): ToolError {
  const { code, message, ...reported } = storedOf(operation) as ErrorEnvelope
  return new ToolError(code, message, reported)
}

function storedOf({ id, answer }: Operation): unknown {
  return readStored(answer ?? '', `answer of ${id}`)
}

function readStored(json: string, what: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new ToolError('INTERNAL', `The stored ${what} cannot be read.`, { cause })
  }
}

/**
 * Makes one look at the stored writes whose time has come: carries them out one after the other, at each turn one of every
 * principal, and looks again after a turn, so that what has become due meanwhile waits for no more than one of each other
 * principal. What fails for a reason that passes waits longer each time, up to five minutes, and is tried again; how often
 * it failed is forgotten with the process, the operation is not. Never rejects but with what the store says.
 */
export function createDueRun(options: {
  readonly operations: Pick<OperationsPipeline, 'due'>
  readonly carryOut: (operation: Operation) => Promise<CarriedOut>
  /** Unix milliseconds. */
  readonly now: () => number
  readonly log: DueLog
}): () => Promise<void> {
  const { operations, carryOut, now, log } = options
  const waits = new Map<string, { readonly until: number; readonly failures: number }>()

  async function attempt(operation: Operation): Promise<void> {
    const { id, tool } = operation
    const outcome = await carryOut(operation).catch(
      (error: unknown) => ({ ok: false, error, waitsAgain: true }) as const,
    )
    if (outcome.ok) log.info('operation.done', { operationId: id, tool })
    else {
      const { error, waitsAgain: again } = outcome
      // A refusal says all there is in a sentence; only what nobody expected needs its stack.
      const why =
        error instanceof ToolError ? { code: error.code, message: error.message } : { code: 'INTERNAL', error }
      log.warn('operation.unfinished', { operationId: id, tool, ...why, again })
    }
    if (outcome.ok || !outcome.waitsAgain) {
      waits.delete(id)
      return
    }
    const failures = (waits.get(id)?.failures ?? 0) + 1
    waits.set(id, { failures, until: now() + Math.min(longestWaitMs, firstWaitMs * 2 ** (failures - 1)) })
  }

  function mayTry({ id }: Operation): boolean {
    const wait = waits.get(id)
    // A clock that was set back must not hold a try for longer than the longest wait.
    return wait === undefined || now() >= wait.until || wait.until - now() > longestWaitMs
  }

  /** The first of each principal that may be tried now; those that wait after a failure take no place from others. */
  async function nextTurn(): Promise<readonly Operation[]> {
    const most = mostAtOnce + waits.size
    const due = await operations.due(most)
    // One that a full answer leaves out may be due all the same.
    const isDue = due.length < most ? new Set(due.map(({ id }) => id)) : null
    for (const id of waits.keys()) if (isDue?.has(id) === false) waits.delete(id)
    return firstOfEach(due.filter(mayTry))
  }

  return async () => {
    for (let turns = 0; turns < mostTurns; turns += 1) {
      const turn = await nextTurn()
      if (turn.length === 0) return
      for (const operation of turn) await attempt(operation)
    }
  }
}

function firstOfEach(operations: readonly Operation[]): readonly Operation[] {
  const first = new Map<string, Operation>()
  for (const one of operations) if (!first.has(one.principalId)) first.set(one.principalId, one)
  return [...first.values()]
}

type DueLog = {
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
}

const mostAtOnce = 100
/** Then the caller looks whether it should go on; nothing that is due is forgotten. */
const mostTurns = 100
const firstWaitMs = 2_000
const longestWaitMs = 5 * 60_000

/** Everything only a write needs. */
export type WritePipeline = Leads & {
  readonly openExecute: OpenExecute
  readonly wallet: WriteContext['wallet']
  readonly defaults: WriteContext['defaults']
  readonly atomicRoute: WriteContext['atomicRoute']
  readonly idempotency: Idempotency
  /** What waits to be carried out. */
  readonly operations: OperationsPipeline
  hasSigned(requestId: string): Promise<boolean>
  /** What is known of a request whose bytes were declined. */
  readonly doubt?: Doubt
  /**
   * Leaves a line about a write that is asked for, before anything is done about it; what it gives back is called with how the
   * call ended: the failure, `null` for none.
   */
  readonly auditCall?: (call: Call) => (failure: unknown) => void
  /** The newest lines of the audit log about one principal's calls, or about everybody's. */
  readonly latestAudit?: (principalId: string | null) => Promise<LatestAudit>
  /** What a request sent, named to a caller who asks again for one that was cut off. */
  readonly sentBy?: (requestId: string) => Promise<Sent>
  /** The request that signed a transaction. */
  readonly requestOf?: (txHash: string) => Promise<string | null>
  /** What earlier attempts at a request had mined on a chain, for a tool that goes on. */
  readonly earlier?: (requestId: string, chain: Chain) => Promise<readonly EarlierTransaction[]>
  /** What is remembered of liquidity; left out where nothing is. */
  readonly memory?: Memory
  /** Positions that are watched, and what came of it; left out where nothing is. */
  readonly watches?: Watches
  /** Calls that are answered later. */
  readonly tasks?: Tasks
  /** Does work that closing must wait for. Throws `SERVER_BUSY` once the server is closing. */
  during<Value>(work: () => Promise<Value>): Promise<Value>
}
