import type { Idempotency, Operation } from '@svc/store'
import { requireAccess } from './auth/may.ts'
import type { ApprovalAnswer, Call, Doubt, OpenExecute, OperationsPipeline, Principal, Sent } from '@svc/engine'
import { goOnWith, withAnswer, withApproval, type Confirm } from './dispatch/ask-approval.ts'
import { carryOutDue, type CarriedOut, type Answered, type CarryOutDeps } from './dispatch/carry-out.ts'
import { checkOutput } from './dispatch/check-output.ts'
import { type CallResult, errorResult, internalError, successResult } from './dispatch/call-result.ts'
import { createChartCollector } from './dispatch/chart-collector.ts'
import { handle } from './dispatch/handle.ts'
import type { ToolList } from './dispatch/list-tools.ts'
import { createOfferedTools, type OfferedTools, type Profile } from './dispatch/offered-tools.ts'
import { createOnce, type KeyedWork } from './dispatch/once.ts'
import { parseInput } from './dispatch/parse-input.ts'
import { readPicture } from './dispatch/read-picture.ts'
import { roundFigures } from './dispatch/round-figures.ts'
import type { Log } from '@svc/runtime'
import type { ChartSpec } from './charts/chart-spec.ts'
import { createChartStore, type ChartStore, type ReadPicture } from './charts/chart-store.ts'
import type { Ports } from './ports.ts'
import { type EarlierTransaction, ToolError } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import type { StatusReport, Tool, WriteContext } from './tool.ts'

/** The pipeline of a call, the same for every transport. Knows nothing of protocols. */
export type Dispatch = {
  /** What a principal may call, as `tools/list` shows it; with the views of answers where the client shows such. */
  list(principal: Principal, views?: boolean): ToolList
  has(name: string): boolean
  /** What was drawn of answers, each for the principal that was given it. */
  readonly pictures: Pick<ChartStore, 'list'> & {
    /** Rejects with a `ToolError`; `CANCELLED` as soon as the caller leaves. */
    read(principalId: string, uri: string, signal: AbortSignal): Promise<ReadPicture | null>
  }
  /** Whether a person at the client may be asked in the middle of a call of this tool. */
  asksClient(name: string): boolean
  /** Answers one call. Never rejects: a failure is a result with `isError`. */
  call(request: CallRequest): Promise<CallResult>
  /**
   * Carries out a stored write whose time has come, under the rights of who asked for it. Rejects when it could not be
   * taken, which changes nothing about it.
   */
  carryOutDue(operation: Operation): Promise<CarriedOut>
}

export type CallRequest = {
  readonly name: string
  readonly arguments: unknown
  readonly principal: Principal
  /** Aborted when the caller leaves: reads stop, writes go on to a safe end. */
  readonly signal: AbortSignal
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
}

export type DispatchOptions = {
  readonly tools: readonly Tool[]
  readonly profile: Profile
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
  /** How long an answer waits for the figures beside what it is for; as long as its tool says when absent. */
  readonly figuresWithinMs?: number
}

export type WritePipeline = {
  readonly openExecute: OpenExecute
  readonly wallet: WriteContext['wallet']
  readonly defaults: WriteContext['defaults']
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
  /** What a request sent, named to a caller who asks again for one that was cut off. */
  readonly sentBy?: (requestId: string) => Promise<Sent>
  /** The request that signed a transaction. */
  readonly requestOf?: (txHash: string) => Promise<string | null>
  /** What earlier attempts at a request had mined on a chain, for a tool that goes on. */
  readonly earlier?: (requestId: string, chain: Chain) => Promise<readonly EarlierTransaction[]>
  /** Does work that closing must wait for. Throws `SERVER_BUSY` once the server is closing. */
  during<Value>(work: () => Promise<Value>): Promise<Value>
}

/** Builds the pipeline once; schemas and lists are made once as well, with the first list that is asked for. */
export function createDispatch(options: DispatchOptions): Dispatch {
  const tools = createOfferedTools(options.tools, options.profile)
  const once = options.write === null ? null : openOnce(options.write, options.log)
  const pictures = createChartStore({
    newId: options.newRequestId,
    now: options.now,
    draw: (request, principalId) => options.ports.workers.run('draw', request, { principalId }),
  })
  const context: DispatchContext = { options, tools, once, deps: depsOf(options, tools), pictures }
  return Object.freeze({
    list: (principal: Principal, views?: boolean) => tools.list(principal, views),
    has: (name: string) => tools.get(name) !== null,
    pictures: {
      list: (principalId: string) => pictures.list(principalId),
      read: (principalId: string, uri: string, signal: AbortSignal) =>
        readPicture({ principalId, uri, signal }, { ...options, pictures }),
    },
    asksClient: (name: string) => {
      const { write } = options
      return write !== null && write.operations.asksClient() && tools.get(name)?.access === 'write'
    },
    call: (request: CallRequest) => logged(request, context),
    carryOutDue: (operation: Operation) => whenDue(operation, context),
  })
}

function openOnce(write: WritePipeline, log: Log): ReturnType<typeof createOnce> {
  return createOnce({
    store: write.idempotency,
    hasSigned: (requestId) => write.hasSigned(requestId),
    doubt: write.doubt,
    sentBy: write.sentBy,
    requestOf: write.requestOf,
    onUnrecorded: (error, requestId) => log.error('idempotency.unrecorded', { requestId, error }),
  })
}

type DispatchContext = {
  readonly options: DispatchOptions
  readonly tools: OfferedTools
  readonly once: ReturnType<typeof createOnce> | null
  /** What carries stored writes out; `null` where there is no wallet. */
  readonly deps: CarryOutDeps | null
  readonly pictures: ChartStore
}

function depsOf(options: DispatchOptions, tools: OfferedTools): CarryOutDeps | null {
  if (options.write === null) return null
  const deps: CarryOutDeps = {
    operations: options.write.operations,
    isInForce: options.isInForce,
    tool: (name) => tools.require(name),
    handle: async (tool, call) => checked(tool, await handle(tool, call, options, deps), call, options.log),
  }
  return deps
}

async function whenDue(operation: Operation, { options, deps }: DispatchContext): Promise<CarriedOut> {
  if (deps === null || options.write === null) throw internalError(operation.id)
  const caller = { requestId: options.newRequestId(), signal: new AbortController().signal }
  return options.write.during(() => carryOutDue(operation, caller, deps))
}

async function handleCall(request: CallRequest, requestId: string, context: DispatchContext): Promise<CallResult> {
  const tool = context.tools.require(request.name)
  requireAccess(tool, request.principal)
  const input = parseInput(tool, request.arguments)
  const charts = createChartCollector((error) =>
    context.options.log.error('picture.undrawn', { tool: tool.name, requestId, error }),
  )
  const call = {
    ...describeCall(tool, input, request, requestId),
    onChart: (drawing: () => ChartSpec) => charts.draw(drawing),
  }
  const { write } = context.options
  const ended = tool.access === 'write' && !call.dryRun ? write?.auditCall?.(call) : undefined
  const reported = reportFailure(ended)
  const attempt = async (work: () => Promise<Answered>) => {
    const data = await reported(work())
    const keep = (drawing: ChartSpec) =>
      context.pictures.put({ principalId: request.principal.id, tool: tool.name, drawing })
    const result = successResult(data, charts.keepWith(keep))
    const drawing = request.views === true ? charts.first() : undefined
    return drawing === undefined ? result : { ...result, _meta: { 'svc/drawing': drawing } }
  }
  const run = () =>
    atMostOnce(tool, call, context, {
      run: () => attempt(() => answered(tool, call, request, context)),
      again: (first) => {
        const own = { ...call, requestId: first, attempt: requestId }
        return attempt(() => answered(tool, own, request, context))
      },
      goOn: (operationId) => attempt(() => goneOnWith(operationId, call, request, context)),
    })
  const result = await reported(tool.access === 'write' && write !== null ? write.during(run) : run())
  ended?.(null)
  return result
}

/** Tells of a failure at once, before it becomes an answer that is kept; called again, it says nothing more. */
function reportFailure(ended: ((failure: unknown) => void) | undefined) {
  return <Value>(work: Promise<Value>): Promise<Value> =>
    work.catch((failure: unknown) => {
      ended?.(failure)
      throw failure
    })
}

/** Runs the handler; a write that waits for a person may be asked about, or answered. */
async function answered(tool: Tool, call: Call, request: CallRequest, context: DispatchContext): Promise<Answered> {
  const { options, deps } = context
  const run = async () => checked(tool, await handle(tool, call, options, deps), call, options.log)
  if (tool.access !== 'write' || call.dryRun || deps === null) return run()
  if (request.answer !== undefined) return withAnswer(call, deps, request.answer)
  return withApproval(call, { deps, confirm: request.confirm }, run)
}

/** A repeat under the key of a call that stored an operation. */
async function goneOnWith(
  operationId: string,
  call: Call,
  { confirm, answer }: CallRequest,
  { deps }: DispatchContext,
): Promise<Answered> {
  if (deps === null) throw internalError(call.requestId)
  return goOnWith(operationId, call, { deps, confirm, answer })
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

/** Dry runs change nothing, so they neither claim a key nor get a stored answer. */
function atMostOnce(
  tool: Tool,
  call: Call,
  context: DispatchContext,
  { run, again, goOn }: KeyedWork,
): Promise<CallResult> {
  const { idempotencyKey: key, requestId, input } = call
  if (tool.access !== 'write' || key === null || call.dryRun || context.once === null) return run()
  const failed = (error: unknown) => failure(error, tool.name, requestId, context.options.log)
  return context.once(
    { principalId: call.principal.id, key, tool: tool.name, input, requestId, goesOn: tool.goesOn },
    {
      run: () => run().catch(failed),
      again: (first) => again(first).catch(failed),
      goOn: (operationId) => goOn(operationId).catch(failed),
    },
  )
}

function checked(tool: Tool, result: unknown, call: Call, log: Log): Answered {
  const output = checkOutput(tool, result)
  if (output.ok) return roundFigures(output.data)
  log.error('tool.output_malformed', { tool: tool.name, requestId: call.requestId, problem: output.problem })
  if (output.salvaged !== null) return roundFigures(output.salvaged)
  throw internalError(call.requestId)
}

/** One line per invocation: name, parameters without secrets, duration, outcome. */
async function logged(request: CallRequest, context: DispatchContext): Promise<CallResult> {
  const { log, now, newRequestId } = context.options
  const requestId = newRequestId()
  const startedAt = now()
  const answered = await handleCall(request, requestId, context).catch((error: unknown) =>
    failure(error, request.name, requestId, log),
  )
  const result = answered.isError === true ? withoutSecrets(answered, context.options) : answered
  if (log.writesInfo) {
    log.info('tool.call', {
      tool: request.name.slice(0, 64),
      requestId,
      principal: request.principal.id,
      parameters: request.arguments,
      durationMs: now() - startedAt,
      outcome: result._meta?.['svc/error']?.code ?? 'success',
    })
  }
  return result
}

/** An error may quote what the caller sent, and a caller may send a secret of ours that it should not know. */
function withoutSecrets(result: CallResult, { scrub }: DispatchOptions): CallResult {
  return scrub === undefined ? result : (scrub(result) as CallResult)
}

/** Our own errors travel as they are. Anything else is logged in full and answered with a correlation id alone. */
function failure(error: unknown, tool: string, requestId: string, log: Log): CallResult {
  if (error instanceof ToolError) {
    if (error.cause !== undefined)
      log.warn('tool.error_cause', { tool, requestId, code: error.code, cause: error.cause })
    return errorResult(error)
  }
  log.error('tool.unexpected_error', { tool, requestId, error })
  return errorResult(internalError(requestId))
}
