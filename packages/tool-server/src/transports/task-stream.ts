import { randomUUID } from 'node:crypto'
import type { ServerEventBus } from '@modelcontextprotocol/server'
import type { Principal } from '@svc/engine'
import { isRecord } from '@svc/runtime'
import type { TaskService } from '../tasks/task-service.ts'
import type { TaskView } from '../tasks/task-view.ts'

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
