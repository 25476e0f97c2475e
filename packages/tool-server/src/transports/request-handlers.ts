import {
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type ServerEventBus,
  ResourceNotFoundError,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { CallResult } from '../dispatch/call-result.ts'
import type { CallRequest } from '../dispatch/call-stages.ts'
import type { CallTasks, Confirming } from '../dispatch/call-tasks.ts'
import type { TaskService } from '../tasks/task-service.ts'
import type { TaskView } from '../tasks/task.ts'
import { approvalForm, readReply, callAlone, type AskingAlone, leftToAnswer } from './ask-client.ts'
import { tasksExtension, capabilitiesOfEnvelope, takesForms, takesTasks } from './protocol-facts.ts'
import type { CallerOf } from './exchange.ts'
import { randomUUID } from 'node:crypto'
import { type Principal, refusedByStore } from '@svc/engine'
import { isRecord } from '@svc/runtime'
import { errorTable, ToolError } from '@svc/amm'
import { appViews } from '../apps/app-views.ts'
import type { Dispatch } from '../dispatch/dispatch.ts'

/** Has a protocol object of revision 2026-07-28 answer what the extension adds: each task for its own caller alone. */
export function handleTasks(server: Server, { tasks, caller }: TaskHandling): void {
  server.setRequestHandler('tasks/get', { params: ofTask }, async ({ taskId }, context) => {
    requireTasks(context)
    const task = await tasks.get(caller(context), taskId)
    if (task === null) throw notFound()
    return { ...task }
  })
  server.setRequestHandler('tasks/update', { params: ofTask }, async ({ taskId }, context) => {
    requireTasks(context)
    // The library takes the answers out of the parameters, as it does with those to a call.
    const { inputResponses = {} } = context.mcpReq
    if (!(await inOurWords(() => tasks.answer(caller(context), taskId, inputResponses)))) throw notFound()
    return {}
  })
  server.setRequestHandler('tasks/cancel', { params: ofTask }, async ({ taskId }, context) => {
    requireTasks(context)
    if (!(await inOurWords(() => tasks.cancel(caller(context), taskId)))) throw notFound()
    return {}
  })
}

export type TaskHandling = { readonly tasks: TaskService; readonly caller: CallerOf }

/**
 * Carries a call of a client out that takes tasks. One that runs long is a task from the start, and asks its person by the task; any other is
 * answered as ever, its person asked by the answer, and becomes a task where it is left to somebody else or to a later time.
 */
export async function callAsTask(
  request: CallRequest,
  asking: AskingAlone & { readonly tasks: CallTasks | null },
): Promise<CallResult | InputRequiredResult> {
  const { tasks, dispatch, context, now } = asking
  // What answers a question goes on with the call that asked it.
  if (tasks === null || context.mcpReq.requestState() !== undefined) return callAlone(request, asking)
  const forms = takesForms(capabilitiesOfEnvelope(context.mcpReq.envelope))
  const begun = await tasks.begin(request, forms ? confirmingBy(now) : undefined)
  if (begun !== null) return asCreated(begun)
  // Where the answer may be a question, the call that answers it has to have the same arguments.
  const keyed = forms && dispatch.asksClient(request.name) ? request : tasks.withKey(request)
  const result = await callAlone(keyed, asking)
  const followed = isCallResult(result) ? await tasks.follow(keyed, result) : null
  return followed === null ? result : asCreated(followed)
}

function isCallResult(result: CallResult | InputRequiredResult): result is CallResult {
  return 'content' in result
}

/** The library adds an empty `content` to what it takes for the result of a call. */
function asCreated(task: TaskView): CallResult {
  return { resultType: 'task', content: [], ...task }
}

function confirmingBy(now: () => number): Confirming {
  return (ask, isDecided) => async (question, term) => {
    const request = { method: 'elicitation/create', params: approvalForm(question, now()) }
    const isOver = () => isDecided(question.operationId)
    return readReply(await ask(request, { withinMs: leftToAnswer(question, now()), isOver, term }))
  }
}

/** Throws for a client that does not say it takes tasks. */
function requireTasks(context: ServerContext): void {
  if (takesTasks(capabilitiesOfEnvelope(context.mcpReq.envelope))) return
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } })
}

/** Of another caller's task as of none. */
function notFound(): ProtocolError {
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    'Task not found: none of this caller has this id, or its time is over.',
  )
}

const ofTask = z.looseObject({ taskId: z.string().max(64) })

/**
 * Notifications of tasks on the streams of revision 2026-07-28, whose library knows of tools, prompts and resources alone: to it a task is a
 * resource that changes, under an address that is translated on the way in and on the way out.
 */
export function createTaskStreams(tasks: TaskService, bus: Pick<ServerEventBus, 'publish'>): TaskStreams {
  // Nobody outside knows it, so that nobody subscribes to a task but by the translation, which knows whose it is.
  const scheme = `svc-task:${randomUUID()}:`
  const addressOf = (taskId: string) => `${scheme}${taskId}`
  const publish = (task: TaskView) =>
    bus.publish({ kind: 'resource_updated', uri: addressOf(task.taskId), params: { task } })
  tasks.listen((_owner, task) => publish(task))
  return Object.freeze({
    async translate(message: Listening, caller: Principal) {
      const { taskIds, ...rest } = message.params.notifications
      const own = await tasks.getAll(caller, taskIds.slice(0, mostIds))
      const uris = [...(Array.isArray(rest['resourceSubscriptions']) ? rest['resourceSubscriptions'] : [])]
      const resourceSubscriptions = [...uris, ...own.map(({ taskId }) => addressOf(taskId))]
      const notifications = { ...rest, ...(resourceSubscriptions.length > 0 && { resourceSubscriptions }) }
      return {
        message: { ...message, params: { ...message.params, notifications } },
        // What changed before the stream was there would never be heard of.
        begin: () => own.forEach(publish),
      }
    },
    restore: (answer: Response) =>
      answer.body === null || answer.headers.get('content-type')?.startsWith('text/event-stream') !== true
        ? answer
        : new Response(answer.body.pipeThrough(restoring(scheme)), { status: answer.status, headers: answer.headers }),
  })
}

export type TaskStreams = {
  /** The request as the library takes it, with those of the tasks that are this caller's. */
  translate(message: Listening, caller: Principal): Promise<{ readonly message: unknown; begin(): void }>
  /** The stream as clients take it. */
  restore(answer: Response): Response
}

/** A request to hear of tasks. */
export type Listening = {
  readonly id?: unknown
  readonly params: Readonly<Record<string, unknown>> & {
    readonly notifications: Readonly<Record<string, unknown>> & { readonly taskIds: readonly string[] }
  }
}

export function isTaskListening(message: unknown): message is Listening {
  if (!isRecord(message) || message['method'] !== 'subscriptions/listen' || !isRecord(message['params'])) return false
  const { notifications } = message['params']
  if (!isRecord(notifications) || !Array.isArray(notifications['taskIds'])) return false
  return notifications['taskIds'].every((id) => typeof id === 'string')
}

/** As many as a caller keeps. */
const mostIds = 100

/** The library writes one event a chunk. */
function restoring(scheme: string): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()]
  return new TransformStream({
    transform(chunk, controller) {
      const text = decoder.decode(chunk, { stream: true })
      const data = /^event: message\ndata: (.*)\n\n$/s.exec(text)?.[1]
      const restored = data === undefined ? null : restoredMessage(JSON.parse(data) as unknown, scheme)
      const frame = restored === null ? text : `event: message\ndata: ${JSON.stringify(restored)}\n\n`
      controller.enqueue(encoder.encode(frame))
    },
  })
}

/** `null` where nothing in it is of tasks. */
function restoredMessage(message: unknown, scheme: string): unknown {
  if (!isRecord(message) || !isRecord(message['params'])) return null
  const { params } = message
  if (message['method'] === 'notifications/resources/updated' && isRecord(params['task'])) {
    return { ...message, method: 'notifications/tasks', params: { ...params['task'], _meta: params['_meta'] } }
  }
  const { notifications } = params
  if (!isRecord(notifications) || !Array.isArray(notifications['resourceSubscriptions'])) return null
  const { resourceSubscriptions, ...rest } = notifications
  const uris = (resourceSubscriptions as readonly unknown[]).map(String)
  const taskIds = uris.filter((uri) => uri.startsWith(scheme)).map((uri) => uri.slice(scheme.length))
  const others = uris.filter((uri) => !uri.startsWith(scheme))
  const honoured = { ...rest, ...(others.length > 0 && { resourceSubscriptions: others }), taskIds }
  return { ...message, params: { ...params, notifications: honoured } }
}

/** Has a protocol object answer for prompts, completions and resources, as far as one principal may see them. */
export function handleGuides(server: Server, { dispatch, caller, signalOf, showsViews }: GuideHandling): void {
  server.setRequestHandler('prompts/list', async (request, context) => {
    requireFirstPage(request)
    const { prompts } = await dispatch.guides()
    return { prompts: prompts.list(caller(context)) }
  })
  server.setRequestHandler('prompts/get', async ({ params }, context) => {
    const { prompts } = await dispatch.guides()
    return inOurWords(async () => prompts.get(caller(context), params.name, params.arguments))
  })
  server.setRequestHandler('completion/complete', async ({ params: { ref, argument, context } }, asked) => {
    const { complete } = await dispatch.guides()
    const request = {
      ref,
      argument,
      chosen: context?.arguments ?? {},
      principal: caller(asked),
      signal: signalOf(asked),
    }
    return { completion: await inOurWords(() => complete(request)) }
  })
  server.setRequestHandler('resources/list', async (request, context) => {
    requireFirstPage(request)
    const { resources } = await dispatch.guides()
    const principal = caller(context)
    const pictures = dispatch.pictures.list(principal.id).map(({ type: _type, ...resource }) => resource)
    const views = showsViews(context) ? appViews.list() : []
    return {
      resources: [...views, ...resources.list(principal), ...pictures, ...(await dispatch.watches.list(principal))],
    }
  })
  server.setRequestHandler('resources/templates/list', async (request, context) => {
    requireFirstPage(request)
    const { resources } = await dispatch.guides()
    return { resourceTemplates: resources.templates(caller(context)) }
  })
  server.setRequestHandler('resources/read', async ({ params: { uri } }, context) => {
    const signal = signalOf(context)
    const principal = caller(context)
    const read =
      appViews.read(uri) ??
      (await dispatch.watches.read(principal, uri)) ??
      (await inOurWords(async () => (await dispatch.guides()).resources.read({ uri, principal, signal }))) ??
      (await inOurWords(() => dispatch.pictures.read(principal.id, uri, signal)))
    if (read === null) throw new ResourceNotFoundError(uri)
    return { contents: [read] }
  })
}

type GuideHandling = {
  readonly dispatch: Dispatch
  readonly caller: CallerOf
  /** Aborted when the caller leaves. */
  readonly signalOf: (context: ServerContext) => AbortSignal
  readonly showsViews: (context: ServerContext) => boolean
}

/** A list here has one page. */
export function requireFirstPage({
  params,
}: {
  readonly params?: { readonly cursor?: string | undefined } | undefined
}): void {
  if (params?.cursor === undefined) return
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'A list here has one page and knows no cursor.')
}

/** An error of ours travels with its code, as that of a tool does. */
async function inOurWords<Value>(work: () => Promise<Value>): Promise<Value> {
  return work().catch((cause: unknown) => {
    const error = refusedByStore(cause) ?? cause
    if (!(error instanceof ToolError)) throw error
    const isOurs = errorTable[error.code].httpStatus >= 500
    const code = isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams
    throw new ProtocolError(code, error.message, { 'svc/error': error.toJSON() })
  })
}
