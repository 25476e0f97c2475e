import {
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import * as z from 'zod'
import type { CallResult } from '../dispatch/call-result.ts'
import type { CallRequest } from '../dispatch/call-stages.ts'
import type { CallTasks, Confirming } from '../dispatch/call-tasks.ts'
import type { TaskService } from '../tasks/task-service.ts'
import type { TaskView } from '../tasks/task-view.ts'
import { approvalForm, readReply } from './approval-form.ts'
import { callAlone, type AskingAlone, leftToAnswer } from './ask-client.ts'
import { inOurWords } from './guide-handlers.ts'
import { tasksExtension } from './protocol-facts.ts'
import type { CallerOf } from './carried-principals.ts'
import { capabilitiesOfEnvelope, takesForms, takesTasks } from './client-capabilities.ts'

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
