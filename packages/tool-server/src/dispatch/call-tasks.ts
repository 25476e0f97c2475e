import { randomUUID } from 'node:crypto'
import { ToolError } from '@svc/amm'
import { type Principal, readPrincipal, refusedByStore } from '@svc/engine'
import { isRecord, type Log } from '@svc/runtime'
import type { Operation, StoredTask, Tasks } from '@svc/store'
import { requireAccess, type OfferedTools, wholeTool } from './offered-tools.ts'
import type { RunningTask, TaskOutcome, TaskView } from '../tasks/task.ts'
import { createTaskService, type NextOfTask, type TaskService } from '../tasks/task-service.ts'
import type { Confirm } from './ask-approval.ts'
import { type CallResult, errorResult, successResult } from './call-result.ts'
import type { CallRequest } from './call-stages.ts'
import { type CarryOutDeps, storedAnswer } from './carry-out.ts'
import { parseInput } from './parse-input.ts'

/**
 * Calls as tasks, for clients that take such: of tools that run long from the start, of other writes when they are left to a person or to a
 * later time. A task is its call, made again where it was cut off: under one idempotency key, so that what it did is not done twice, and for no
 * longer than the key is kept. Once an operation decides, the task goes on with that by its id.
 */
export function createCallTasks(options: CallTasksOptions): CallTasks {
  const { tools } = options
  const service = createTaskService({
    store: options.store,
    next: (task) => nextWork(task, options),
    isInForce: options.isInForce,
    requireLead: options.requireLead,
    cancelOperation: (task, caller) => cancelOperation(task, caller, options),
    log: options.log,
  })
  return Object.freeze({
    service,
    mayBecome(name: string) {
      const tool = tools.get(name)
      return tool !== null && (tool.runsLong || tool.access === 'write')
    },
    async begin(request: CallRequest, confirming?: Confirming) {
      if (!options.mayKeep() || !(await isWhole(request, tools))) return null
      const keyed = withKey(request, tools)
      const { principal, name: tool, arguments: input, views } = keyed
      const more = { ...(views !== undefined && { views }), ...(confirming !== undefined && { confirming }) }
      try {
        return await service.begin({ principal, tool, arguments: input }, (running) =>
          work(keyed, running, options, more),
        )
      } catch (error) {
        // Another server took the lead before the task was kept: nothing was, and the call is answered as by one that follows.
        if (refusedByStore(error)?.code === 'NOT_LEADER') return null
        throw error
      }
    },
    withKey: (request: CallRequest) => withKey(request, tools),
    async follow({ principal, name: tool, arguments: input }: CallRequest, result: CallResult) {
      const operationId = waitedFor(result)
      if (operationId === null) return null
      try {
        return await service.follow({ principal, tool, arguments: input }, operationId)
      } catch (error) {
        // The result is true without a task, and names the operation: whoever heard of neither would make the call a second time.
        options.log.warn('task.not-kept', { operationId, error })
        return null
      }
    },
  })
}

export type CallTasks = {
  readonly service: TaskService
  /** Whether a call of this tool may become a task. */
  mayBecome(name: string): boolean
  /**
   * Begins a call of a tool that runs long, whose person is asked by `confirming`; `null` for a call that is to be answered at once: of
   * another tool, without the right to it, with arguments that are refused, where there is no room for one more task, or the lead was lost.
   */
  begin(request: CallRequest, confirming?: Confirming): Promise<TaskView | null>
  /** A write under a key, one of its own where its caller gave none: what it stores is found by it. */
  withKey(request: CallRequest): CallRequest
  /** A task for a call that left an operation waiting; `null` for every other result, and where no task could be kept. */
  follow(request: CallRequest, result: CallResult): Promise<TaskView | null>
}

/** Has the person at the client asked by what the task shows, until the operation is decided, by whomever. */
export type Confirming = (ask: RunningTask['ask'], isDecided: (operationId: string) => Promise<boolean>) => Confirm

export type CallTasksOptions = {
  readonly store: Tasks
  readonly tools: OfferedTools
  readonly call: (request: CallRequest) => Promise<CallResult>
  /** `null` where there is no wallet, and nothing waits. */
  readonly deps: CarryOutDeps | null
  readonly isInForce: (principal: Principal) => boolean
  /** Whether this server may keep tasks: one that follows another answers at once. */
  readonly mayKeep: () => boolean
  /** Throws `NOT_LEADER` of such a one: nothing of a task is asked or decided there. */
  readonly requireLead: () => Promise<void>
  /** Unix milliseconds. */
  readonly now: () => number
  readonly log: Pick<Log, 'warn' | 'error'>
}

async function work(
  request: Omit<CallRequest, 'signal'>,
  running: RunningTask,
  { call, deps }: Pick<CallTasksOptions, 'call' | 'deps'>,
  { views, confirming }: { readonly views?: boolean; readonly confirming?: Confirming } = {},
): Promise<TaskOutcome> {
  const result = await call({
    ...request,
    signal: running.signal,
    onProgress: (done, of) => running.report(done, of),
    ...(views !== undefined && { views }),
    ...(confirming !== undefined && {
      confirm: confirming(running.ask, (operationId) => isDecided(operationId, request.principal, deps)),
    }),
  })
  if (running.signal.aborted && codeOf(result) === 'CANCELLED') return { isCancelled: true }
  if (codeOf(result) === 'NOT_LEADER') return { isCutOff: true }
  // An operation that somebody else takes meanwhile decides all the same.
  const waitsFor = codeOf(result) === 'OPERATION_STATE' ? (request.operationId ?? null) : waitedFor(result)
  return waitsFor === null ? { result } : { waitsFor }
}

async function isDecided(operationId: string, principal: Principal, deps: CarryOutDeps | null): Promise<boolean> {
  const operation = await deps?.operations.find(operationId, principal).catch(refusal)
  return operation instanceof ToolError || operation?.state !== 'awaiting_approval'
}

/** What is to be done about a task that nothing runs for. */
async function nextWork(task: StoredTask, options: CallTasksOptions): Promise<NextOfTask> {
  const principal = readPrincipal(task.principal)
  if (!options.isInForce(principal)) return ending(revoked())
  const request = { name: task.tool, arguments: JSON.parse(task.arguments) as unknown, principal }
  const { operationId } = task
  if (operationId === null)
    return isForgotten(task, request, options)
      ? ending(inDoubt())
      : { work: (running) => work(request, running, options) }
  if (options.deps === null) return { waitsUntil: null }
  const operation = await options.deps.operations.find(operationId, principal).catch(refusal)
  if (operation instanceof ToolError) return ending(errorResult(operation))
  if (stillWaits.has(operation.state)) return { waitsUntil: operation.executeAfter }
  if (operation.state === 'cancelled') return { work: async () => ({ isCancelled: true }) }
  if (ended.has(operation.state)) return ending(answerOf(operation))
  return { work: (running) => work({ ...request, operationId }, running, options) }
}

/** Whether the key of a write may be gone, so that its call would be another one. */
function isForgotten(
  { keyKeptUntil }: StoredTask,
  { name, arguments: input }: Pick<CallRequest, 'name' | 'arguments'>,
  { tools, now }: Pick<CallTasksOptions, 'tools' | 'now'>,
): boolean {
  const isWrite = tools.get(name)?.access === 'write' && !(isRecord(input) && input['dryRun'] === true)
  return isWrite && now() >= keyKeptUntil
}

function inDoubt(): CallResult {
  const message =
    'The call was cut off, and the key that it was made under is not kept any more: what it did is not known, and it is not made again.'
  const suggestion = 'Look at the positions and balances that it was to change before anything is done again.'
  return errorResult(new ToolError('OPERATION_IN_DOUBT', message, { suggestion }))
}

/** Of what is not there any more; what passes is thrown again. */
function refusal(error: unknown): ToolError {
  if (error instanceof ToolError && !error.retryable) return error
  throw error
}

const stillWaits: ReadonlySet<Operation['state']> = new Set(['awaiting_approval', 'scheduled', 'running'])
/** Of the others, going on says what is to be said, as of a denied one, or does what is to be done, as of an approved one. */
const ended: ReadonlySet<Operation['state']> = new Set(['done', 'failed'])

function ending(result: CallResult): NextOfTask {
  return { work: async () => ({ result }) }
}

function answerOf(operation: Operation): CallResult {
  try {
    return successResult(storedAnswer(operation))
  } catch (error) {
    if (error instanceof ToolError) return errorResult(error)
    throw error
  }
}

function revoked(): CallResult {
  return errorResult(
    new ToolError('PRINCIPAL_REVOKED', 'The key or token that asked for this is not in force any more.'),
  )
}

const isOpen: ReadonlySet<Operation['state']> = new Set(['awaiting_approval', 'approved', 'scheduled'])

/** What cannot be cancelled any more goes on to its end, which the task then shows. */
async function cancelOperation(task: StoredTask, caller: Principal, { deps, log }: CallTasksOptions): Promise<void> {
  if (deps === null || task.operationId === null) return
  try {
    const operation = await deps.operations.find(task.operationId, caller)
    if (!isOpen.has(operation.state)) return
    requireAccess(deps.tool(operation.tool), caller)
    await deps.operations.cancel(operation, `agent:${caller.id}`)
  } catch (error) {
    log.warn('task.not-cancelled', { taskId: task.id, operationId: task.operationId, error })
  }
}

/** Whether a call of a tool that runs long would get as far as its handler. */
async function isWhole({ name, principal, arguments: input }: CallRequest, tools: OfferedTools): Promise<boolean> {
  const tool = tools.get(name)
  if (tool === null || !tool.runsLong || !tools.isOpenTo(principal, name)) return false
  try {
    parseInput(await wholeTool(tool), input)
    return true
  } catch {
    return false
  }
}

function withKey(request: CallRequest, tools: OfferedTools): CallRequest {
  const { name, arguments: input = {} } = request
  if (tools.get(name)?.access !== 'write' || !isRecord(input)) return request
  if (input['idempotencyKey'] !== undefined || input['dryRun'] === true) return request
  return { ...request, arguments: { ...input, idempotencyKey: `task-${randomUUID()}` } }
}

/** The operation that a result says is left to a person or to a later time. */
function waitedFor({ structuredContent, _meta }: CallResult): string | null {
  if (structuredContent?.['status'] === 'scheduled') return textOrNull(structuredContent['operationId'])
  if (_meta?.['svc/error']?.code !== 'APPROVAL_REQUIRED') return null
  const details = _meta['svc/error'].details ?? []
  return textOrNull(details.find(({ operationId }) => typeof operationId === 'string')?.['operationId'])
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function codeOf({ _meta }: CallResult): string | null {
  return _meta?.['svc/error']?.code ?? null
}
