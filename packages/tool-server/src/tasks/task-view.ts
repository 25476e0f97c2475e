import type { StoredTask } from '@svc/store'

/** A task as the extension `io.modelcontextprotocol/tasks` shows it. */
export type TaskView = {
  readonly taskId: string
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  readonly statusMessage?: string
  /** ISO 8601. */
  readonly createdAt: string
  readonly lastUpdatedAt: string
  readonly ttlMs: number
  readonly pollIntervalMs: number
  readonly inputRequests?: Readonly<Record<string, InputRequest>>
  readonly result?: unknown
  readonly error?: unknown
}

/** What a client asks its person. */
export type InputRequest = { readonly method: string; readonly params: Readonly<Record<string, unknown>> }

/** What is known of the work of a task in the process that does it. */
export type SeenWork = {
  readonly asked: ReadonlyMap<string, { readonly request: InputRequest }>
  /** How far it is. */
  readonly reported: string | null
}

/** @param live what runs for it in this process, if anything does */
export function showTask(task: StoredTask, live: SeenWork | undefined): TaskView {
  const asked =
    task.state === 'working' ? [...(live?.asked ?? [])].map(([key, { request }]) => [key, request] as const) : []
  const message = messageOf(task, live)
  return {
    taskId: task.id,
    status: asked.length > 0 ? 'input_required' : task.state,
    ...(message === null ? {} : { statusMessage: message }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.expiresAt - task.createdAt,
    pollIntervalMs: task.operationId === null ? pollMs : waitingPollMs,
    ...(asked.length > 0 && { inputRequests: Object.fromEntries(asked) }),
    ...(task.state === 'completed' && { result: read(task.outcome) }),
    ...(task.state === 'failed' && { error: read(task.outcome) }),
  }
}

const pollMs = 1_000
/** Of what waits for a person or for its time. */
const waitingPollMs = 5_000

function messageOf({ state, operationId, cancelAskedAt }: StoredTask, live: SeenWork | undefined): string | null {
  if (state !== 'working') return null
  if (cancelAskedAt !== null) return 'Comes to a safe end.'
  if (operationId !== null)
    return `Operation ${operationId} decides: it waits for a person or for its time (get_operation).`
  return live?.reported ?? null
}

function read(outcome: string | null): unknown {
  return JSON.parse(outcome ?? 'null')
}
