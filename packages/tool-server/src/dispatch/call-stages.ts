import type { Tasks } from '@svc/store'
import { type ApprovalAnswer, type Call, type Principal, refusedByStore } from '@svc/engine'
import { ToolError } from '@svc/amm'
import type { Log, LogFacts } from '@svc/runtime'
import type { ChartSpec } from '../charts/chart-spec.ts'
import type { ChartStore } from '../charts/chart-store.ts'
import type { Tool } from '../tool.ts'
import type { StatusReport } from '../tool-context.ts'
import type { CallOrigin, Observer } from '../observer.ts'
import type { Ports } from '../ports.ts'
import type { OfferedToolsets } from '../config/toolsets.ts'
import { goOnWith, withAnswer, withApproval, type Confirm } from './ask-approval.ts'
import type { Answered, CarryOutDeps, WritePipeline } from './carry-out.ts'
import {
  type CallResult,
  errorResult,
  internalError,
  successResult,
  roundFigures,
  createChartCollector,
  type DrawingBoard,
} from './call-result.ts'
import { checkOutput } from './parse-input.ts'
import type { HandlerDeps, ToolCall, KeptAnswers } from './handle.ts'
import type { createOnce, KeyedWork } from './once.ts'
import type { OfferedTools, Profile } from './offered-tools.ts'

/** What a call knows of itself once its arguments are read; collects its charts, and has a write audited before anything is done. */
export function openCall(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  { request, requestId }: Arrived,
  { log, write }: Pick<DispatchOptions, 'log' | 'write'>,
): OpenCall {
  const charts = createChartCollector((error) => log.error('picture.undrawn', { tool: tool.name, requestId, error }))
  const call: ToolCall = {
    ...describeCall(tool, input, request, requestId),
    onChart: (drawing: () => ChartSpec) => charts.draw(drawing),
  }
  const ended = tool.access === 'write' && !call.dryRun ? write?.auditCall?.(call) : undefined
  return { tool, call, request, charts, ended }
}

/** Has closing wait for a write; whatever ends the call is audited. */
export function trackWrite(
  { tool, ended }: OpenCall,
  write: WritePipeline | null,
  work: () => Promise<CallResult>,
): Promise<CallResult> {
  if (tool.access !== 'write') return work()
  return audited(ended, write === null ? work() : write.during(work)).then((result) => {
    ended?.(null)
    return result
  })
}

/** Dry runs change nothing, so they neither claim a key nor get a stored answer. */
export function atMostOnce(
  { tool, call, request }: OpenCall,
  { once, log }: Pick<CallContext, 'once'> & { readonly log: Log },
  { run, again, goOn }: KeyedWork,
): Promise<CallResult> {
  const { idempotencyKey: key, requestId, input } = call
  if (request.operationId !== undefined) return goOn(request.operationId)
  if (tool.access !== 'write' || key === null || call.dryRun || once === null) return run()
  const failed = (error: unknown) => failure(error, tool.name, requestId, log)
  return once(
    { principalId: call.principal.id, key, tool: tool.name, input, requestId, goesOn: tool.goesOn },
    {
      run: () => run().catch(failed),
      again: (first) => again(first).catch(failed),
      goOn: (operationId) => goOn(operationId).catch(failed),
    },
  )
}

/** Runs the handler; a write that waits for a person may be asked about, or answered. */
export function askPerson(
  { tool, call, request }: OpenCall,
  deps: CarryOutDeps | null,
  run: () => Promise<Answered>,
): Promise<Answered> {
  if (tool.access !== 'write' || call.dryRun || deps === null) return run()
  if (request.answer !== undefined) return withAnswer(call, deps, request.answer)
  return withApproval(call, { deps, confirm: request.confirm }, run)
}

/** A repeat under the key of a call that stored an operation. */
export async function repeatStored(
  operationId: string,
  { call, request: { confirm, answer } }: OpenCall,
  deps: CarryOutDeps | null,
): Promise<Answered> {
  if (deps === null) throw internalError(call.requestId)
  return goOnWith(operationId, call, { deps, confirm, answer })
}

/** Our own result against its own schema, its figures at six digits. Throws `INTERNAL` when nothing of it can be said. */
export function checkAnswer(tool: Tool, result: unknown, { requestId }: Call, log: Log): Answered {
  const output = checkOutput(tool, result)
  if (output.ok) return roundFigures(output.data)
  log.error('tool.output_malformed', { tool: tool.name, requestId, problem: output.problem })
  if (output.salvaged !== null) return roundFigures(output.salvaged)
  throw internalError(requestId)
}

/** The result of a call that succeeded, its charts kept beside it. A failure is audited before it becomes an answer that is kept. */
export async function envelope(
  { tool, call, request, charts, ended }: OpenCall,
  pictures: Pick<ChartStore, 'put'>,
  answered: Promise<Answered>,
): Promise<CallResult> {
  const data = await audited(ended, answered)
  const keep = (drawing: ChartSpec) => pictures.put({ principalId: call.principal.id, tool: tool.name, drawing })
  const result = successResult(data, charts.keepWith(keep))
  const drawing = request.views === true ? charts.first() : undefined
  return drawing === undefined ? result : { ...result, _meta: { 'svc/drawing': drawing } }
}

/** Our own errors travel as they are. Anything else is logged in full and answered with a correlation id alone. */
export function failure(error: unknown, tool: string, requestId: string, log: Log): CallResult {
  if (error instanceof ToolError) {
    if (error.cause !== undefined) logCause(error, { tool, requestId, code: error.code }, log)
    return errorResult(error)
  }
  const refused = refusedByStore(error)
  if (refused !== null) return errorResult(refused)
  log.error('tool.unexpected_error', { tool, requestId, error })
  return errorResult(internalError(requestId))
}

/** Of a broken policy the log says once what is wrong (`policy.invalid`), and not again with each write that it refuses. */
function logCause({ code, cause }: ToolError, facts: LogFacts, log: Log): void {
  if (code !== 'POLICY_INVALID') return log.warn('tool.error_cause', { ...facts, cause })
  log.warn('tool.error_cause', facts)
  log.debug('tool.error_cause', { ...facts, cause })
}

/** An error may quote what the caller sent, and a caller may send a secret of ours that it should not know. */
export function withoutSecrets(result: CallResult, { scrub }: Pick<DispatchOptions, 'scrub'>): CallResult {
  return scrub === undefined || result.isError !== true ? result : (scrub(result) as CallResult)
}

/** One line per invocation: name, parameters without secrets, duration, outcome. */
export function logCall(
  { request, requestId, startedAt }: Arrived,
  result: CallResult,
  { log, now }: Pick<DispatchOptions, 'log' | 'now'>,
): void {
  if (!log.writesInfo) return
  log.info('tool.call', {
    tool: request.name.slice(0, 64),
    requestId,
    principal: request.principal.id,
    parameters: request.arguments,
    durationMs: now() - startedAt,
    outcome: result._meta?.['svc/error']?.code ?? 'success',
  })
}

/** A call as it came in. */
export type Arrived = {
  readonly request: CallRequest
  readonly requestId: string
  /** Unix milliseconds. */
  readonly startedAt: number
}

/** A call whose tool, rights and arguments are known to be good. */
export type OpenCall = {
  readonly tool: Tool
  readonly call: ToolCall
  readonly request: CallRequest
  readonly charts: DrawingBoard
  /** Hears how the call ended: the failure, `null` for none. */
  readonly ended: ((failure: unknown) => void) | undefined
}

export type CallRequest = {
  readonly name: string
  readonly arguments: unknown
  readonly principal: Principal
  /** Aborted when the caller leaves: reads stop, writes go on to a safe end. */
  readonly signal: AbortSignal
  /** What the request said of itself, for whoever traces calls. */
  readonly origin?: CallOrigin | undefined
  /** Whether the client shows views of answers: what one draws goes with the answer then. */
  readonly views?: boolean
  /** Hears how far the call is: done, and of how much. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
  /**
   * Asks the person at the client about a write that waits for one. Used where the policy lets that person approve, after
   * the write has left the wallet's queue; on a yes the write is carried out in this call.
   */
  readonly confirm?: Confirm
  /** What the person answered to an earlier question about this very call. */
  readonly answer?: ApprovalAnswer
  /** The operation that an earlier call stored, to be gone on with; whatever became of the key of that call. */
  readonly operationId?: string
}

/** What every call of a server shares. */
export type CallContext = {
  readonly options: DispatchOptions
  readonly tools: OfferedTools
  readonly once: ReturnType<typeof createOnce> | null
  /** What carries stored writes out; `null` where there is no wallet. */
  readonly deps: CarryOutDeps | null
  readonly pictures: ChartStore
  readonly kept: KeptAnswers
}

export type DispatchOptions = {
  readonly tools: readonly Tool[]
  readonly toolsElsewhere?: readonly string[]
  readonly profile: Profile
  /** All tools where it is absent. */
  readonly toolsets?: OfferedToolsets
  /** The same tools, listed already; they are listed anew when absent. */
  readonly offered?: OfferedTools
  /** Where pictures of answers are kept; in the memory of this dispatch when absent. */
  readonly pictures?: ChartStore
  readonly ports: Ports
  readonly status: StatusReport
  /** Everything only a write needs; `null` where no wallet is configured. */
  readonly write: WritePipeline | null
  readonly log: Log
  /** Whether the server would still take the credentials of whoever asked for a stored write. */
  readonly isInForce: (principal: Principal) => boolean
  /** Takes the process's secrets out of an answer. */
  readonly scrub?: (value: unknown) => unknown
  /** Unix milliseconds. */
  readonly now: () => number
  readonly newRequestId: () => string
  /** Runs a call for whoever counts or traces calls; nobody does unless given. */
  readonly observe?: Observer['call']
  /** How long an answer waits for the figures beside what it is for; as long as its tool says when absent. */
  readonly figuresWithinMs?: number
  /** Runs a read so that its answer is of one block. */
  readonly atOneBlock?: NonNullable<HandlerDeps['atOneBlock']>
  /** Whether all callers have one memory; each has its own when absent. */
  readonly sharesMemory?: boolean
  readonly watching?: NonNullable<HandlerDeps['watching']>
  /** Where calls that are answered later are kept; left out where nothing is. */
  readonly tasks?: Tasks | undefined
  readonly provide?: HandlerDeps['provide']
  readonly provisioned?: HandlerDeps['provisioned']
}

function describeCall(
  tool: Tool,
  input: Readonly<Record<string, unknown>>,
  request: CallRequest,
  requestId: string,
): Call {
  const key = input['idempotencyKey']
  return {
    requestId,
    tool: tool.name,
    principal: request.principal,
    dryRun: tool.access === 'write' && input['dryRun'] === true,
    idempotencyKey: typeof key === 'string' ? key : null,
    input,
    carriesOut: null,
    signal: request.signal,
    onProgress: request.onProgress,
  }
}

/** Reports a failure at once, before it becomes an answer that is kept; reported again, the audit says nothing more. */
function audited<Value>(ended: OpenCall['ended'], work: Promise<Value>): Promise<Value> {
  if (ended === undefined) return work
  return work.catch((cause: unknown) => {
    ended(cause)
    throw cause
  })
}
