import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Principal, type Scope, storePrincipal } from '@svc/engine'
import { openStore, type Store, type StoredTask, taskBounds } from '@svc/store'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createTaskService, type TaskService, type TaskWork } from './task-service.ts'

let path: string
let store: Store
let now = 1_000
const logged: unknown[] = []

beforeEach(async () => {
  now = 1_000
  inForce = true
  path = join(mkdtempSync(join(tmpdir(), 'tasks-')), 'state.db')
  store = await openStore({ path, now: () => now })
  logged.length = 0
  cancelled.length = 0
})
afterEach(() => store.close())

const log = { warn: () => {}, error: (event: string, facts?: unknown) => void logged.push([event, facts]) }
const open = (again: TaskWork | number = never) =>
  createTaskService({
    store: store.tasks,
    next: async () => (typeof again === 'number' ? { waitsUntil: again } : { work: again }),
    ...others,
  })
let inForce = true
const cancelled: (string | null)[] = []
const others = {
  isInForce: () => inForce,
  cancelOperation: async ({ operationId }: StoredTask) => void cancelled.push(operationId),
  log,
}
const never: TaskWork = () => Promise.reject(new Error('begun again'))
const untilAborted: TaskWork = ({ signal }) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ isCancelled: true })))

const principal = (id: string, ...scopes: Scope[]): Principal => ({
  id,
  stage: 'oauth',
  tier: null,
  scopes: new Set(scopes),
  expiresAt: null,
})
const ann = principal('ann', 'read:market')

async function begin(service: TaskService, work: TaskWork, caller = ann): Promise<string> {
  const task = await service.begin({ principal: caller, tool: 'slow', arguments: { a: 1 } }, work)
  if (task === null) throw new Error('there is no room')
  return task.taskId
}

const stored = { principal: storePrincipal(ann), tool: 'slow', arguments: '{}', ttlMs: 1_000 }
/** How a task stands, and what it asks. */
const heard = async (service: TaskService, id: string) => {
  const task = await service.get(ann, id)
  return [task?.status, task?.inputRequests]
}

const status = async (service: TaskService, id: string) => (await service.get(ann, id))?.status

it('begins again what a process left behind, and not what was cancelled there', async () => {
  const first = open()
  const [left, cancelled] = [await begin(first, untilAborted), await begin(first, untilAborted)]
  await store.tasks.askCancel(cancelled)
  await first.stop()
  expect([await status(first, left), await status(first, cancelled)]).toEqual(['working', 'working'])
  await store.close()
  store = await openStore({ path, now: () => now })
  const second = open(async () => ({ result: { content: ['again'] } }))
  await second.resume()
  expect(await status(second, cancelled)).toBe('cancelled')
  await second.look()
  await expect.poll(() => status(second, left)).toBe('completed')
  expect(await second.get(ann, left)).toMatchObject({ result: { content: ['again'] } })
})

it('records the answer of work that came to its end while the server closed', async () => {
  const service = open()
  const id = await begin(service, async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { result: { content: ['whole'] } }
  })
  await service.stop()
  expect(await service.get(ann, id)).toMatchObject({ status: 'completed', result: { content: ['whole'] } })
  expect(await service.begin({ principal: ann, tool: 'slow', arguments: {} }, never)).toBeNull()
})

it('shows a task to whoever has the rights of its call, and to nobody with less', async () => {
  const service = open()
  const id = await begin(service, untilAborted, principal('ann', 'read:market', 'admin:wallet'))
  const callers = [
    principal('ann', 'read:market', 'admin:wallet', 'write:trade'),
    ann,
    principal('bob', 'read:market', 'admin:wallet'),
    { ...principal('ann', 'read:market', 'admin:wallet'), tier: 'write' as const },
  ]
  expect(await Promise.all(callers.map(async (caller) => (await service.get(caller, id)) !== null))).toEqual([
    true,
    false,
    false,
    false,
  ])
  expect(await Promise.all(callers.slice(1).map((caller) => service.cancel(caller, id)))).toEqual([false, false, false])
  expect(await status(service, id)).toBeUndefined()
  await service.stop()
})

it('says what the work says of itself, and of a failure its code, or nothing of ours', async () => {
  const service = open()
  const failed = await begin(service, () =>
    Promise.reject(Object.assign(new Error('no'), { code: -32_602, data: { a: 1 } })),
  )
  await expect.poll(() => status(service, failed)).toBe('failed')
  expect(await service.get(ann, failed)).toMatchObject({ error: { code: -32_602, message: 'no', data: { a: 1 } } })
  const broken = await begin(service, () => Promise.reject(new Error('postgres://user:hunter2@db')))
  await expect.poll(() => status(service, broken)).toBe('failed')
  expect(JSON.stringify(await service.get(ann, broken))).not.toContain('hunter2')
  expect(logged).toHaveLength(1)
  const large = await begin(service, async () => ({ result: { content: 'x'.repeat(taskBounds.outcomeBytes) } }))
  await expect.poll(() => status(service, large)).toBe('failed')
  const going = await begin(service, async ({ report, signal }) => {
    report(3, 10)
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { isCancelled: true }
  })
  await expect.poll(async () => (await service.get(ann, going))?.statusMessage).toBe('3 of 10')
  await service.stop()
})

it('asks as often as the work does, under keys of their own, and takes some of the answers alone', async () => {
  const service = open()
  const question = (name: string) => ({ method: 'elicitation/create', params: { message: name } })
  const id = await begin(service, async ({ ask }) => {
    const answers = await Promise.all([ask(question('first'), 60_000), ask(question('second'), 60_000)])
    return { result: { content: [...answers, await ask(question('third'), 60_000)] } }
  })
  const asked = async () => Object.entries((await service.get(ann, id))?.inputRequests ?? {})
  const keys = async () => (await asked()).map(([key]) => key)
  await expect.poll(async () => (await keys()).length).toBe(2)
  const [first = '', second = ''] = await keys()
  await service.answer(ann, id, { [first]: 1, unknown: 7 })
  expect(await keys()).toEqual([second])
  await service.answer(ann, id, { [second]: 2, [first]: 9 })
  await expect.poll(async () => (await asked()).map(([, { params }]) => params['message'])).toEqual(['third'])
  const [third = ''] = await keys()
  expect(new Set([first, second, third]).size).toBe(3)
  await service.answer(ann, id, { [third]: 3 })
  await expect.poll(() => status(service, id)).toBe('completed')
  expect(await service.get(ann, id)).toMatchObject({ result: { content: [1, 2, 3] } })
})

it('stops what runs for a task whose time is over', async () => {
  const service = open()
  const stopped: string[] = []
  const id = await begin(service, async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    stopped.push('stopped')
    return { isCancelled: true }
  })
  now += 172_800_000
  await service.look()
  await expect.poll(() => stopped).toEqual(['stopped'])
  expect(await service.get(ann, id)).toBeNull()
})

it('stops what runs for credentials that were taken away, whatever a look waits for', async () => {
  const hanging = createTaskService({ store: store.tasks, next: () => new Promise(() => {}), ...others })
  const id = await begin(hanging, untilAborted)
  await hanging.follow({ principal: ann, tool: 'move', arguments: {} }, 'operation')
  void hanging.look()
  hanging.stopRevoked()
  expect(await status(hanging, id)).toBe('working')
  inForce = false
  hanging.stopRevoked()
  await expect.poll(() => status(hanging, id)).toBe('cancelled')
})

it('cancels the operation that work leaves waiting after its task was cancelled', async () => {
  const service = open()
  const id = await begin(service, async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { waitsFor: 'late' }
  })
  expect(await service.cancel(ann, id)).toBe(true)
  await expect.poll(() => cancelled).toEqual(['late'])
  cancelled.length = 0
  const next = open(now)
  await next.resume()
  await next.look()
  expect(cancelled).toEqual(['late'])
})

it('cancels the operation of work that came to it while its task was being cancelled', async () => {
  const askCancel: Store['tasks']['askCancel'] = async (id) => {
    const asked = await store.tasks.askCancel(id)
    await store.tasks.follow(id, 'meanwhile')
    return asked
  }
  const service = createTaskService({
    store: { ...store.tasks, askCancel },
    next: () => new Promise(() => {}),
    ...others,
  })
  const { id } = (await store.tasks.add({ ...stored, owner: 'ann' }))!
  expect(await service.cancel(ann, id)).toBe(true)
  expect(cancelled).toEqual(['meanwhile'])
})

it('ends a question that nobody answers in time, and shows it no more', async () => {
  const service = open()
  const id = await begin(service, async ({ ask, signal }) => {
    const request = { method: 'elicitation/create', params: {} }
    const answers = [await ask(request, 1), await ask(request, 0)]
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return { result: { content: answers } }
  })
  await expect.poll(() => heard(service, id)).toEqual(['working', undefined])
  await service.stop()
  expect(await service.get(ann, id)).toMatchObject({ status: 'completed', result: { content: [null, null] } })
})

it('records an end with a later look where the store failed', async () => {
  let failures = 1
  const end: Store['tasks']['end'] = async (...ended) => {
    if (failures-- > 0) throw new Error('the disk is full')
    return store.tasks.end(...ended)
  }
  const work: TaskWork = async () => ({ result: { content: ['kept'] } })
  const service = createTaskService({ store: { ...store.tasks, end }, next: async () => ({ work }), ...others })
  const id = await begin(service, work)
  await expect.poll(async () => (await service.look(), status(service, id))).toBe('completed')
})

it('begins nothing once it was stopped', async () => {
  const begun: string[] = []
  const work: TaskWork = async () => (begun.push('begun'), { result: { content: [] } })
  let stopping: Promise<void> | undefined
  const add: Store['tasks']['add'] = async (task) => {
    const added = await store.tasks.add(task)
    stopping = service.stop()
    return added
  }
  const service: TaskService = createTaskService({
    store: { ...store.tasks, add },
    next: async () => ({ work }),
    ...others,
  })
  await begin(service, work)
  const looking: TaskService = createTaskService({
    store: store.tasks,
    next: async () => (await looking.stop(), { work }),
    ...others,
  })
  await looking.resume()
  await looking.look()
  await stopping
  expect(begun).toEqual([])
})

it('gives several at once, each once, and those of their caller alone', async () => {
  const service = open()
  const own = [await begin(service, untilAborted), await begin(service, untilAborted)]
  const foreign = await begin(service, untilAborted, principal('bob', 'read:market'))
  const shown = await service.getAll(ann, [...own, ...own, foreign, 'unknown'])
  expect(shown.map(({ taskId }) => taskId)).toEqual(own)
  await service.stop()
})

it('keeps a task for as long after the time that it waits for', async () => {
  const service = open(now + 1_000_000_000)
  const task = await service.follow({ principal: ann, tool: 'move', arguments: {} }, 'operation')
  expect(task?.ttlMs).toBe(172_800_000)
  await service.look()
  expect((await service.get(ann, task!.taskId))?.ttlMs).toBe(1_172_800_000)
  now += 1_172_799_999
  expect(await status(service, task!.taskId)).toBe('working')
})

it('goes on with the others where one cannot be looked after', async () => {
  const service = createTaskService({
    store: store.tasks,
    next: async ({ tool }) => {
      if (tool === 'broken') throw new Error('unread')
      return { work: async () => ({ result: { content: [] } }) }
    },
    ...others,
  })
  const follow = async (tool: string) => (await service.follow({ principal: ann, tool, arguments: {} }, 'o'))!.taskId
  const [broken, other] = [await follow('broken'), await follow('whole')]
  await service.look()
  await expect.poll(() => status(service, other)).toBe('completed')
  expect(await status(service, broken)).toBe('working')
})
