import type { Store } from '@svc/store'
import { expect, it } from 'vitest'
import type { TaskWork } from './task.ts'
import { aborted, ann, begin, inTime, status, stored, untilAborted, useTasks } from './task-service.fixture.ts'
import type { TaskService } from './task-service.ts'

const tasks = useTasks()

/** How a task stands, and what it asks. */
const heard = async (service: TaskService, id: string) => {
  const task = await service.get(ann, id)
  return [task?.status, task?.inputRequests]
}

it('stops what runs for a task whose time is over', async () => {
  const service = tasks.open()
  const stopped: string[] = []
  const id = await begin(service, async ({ signal }) => {
    await aborted(signal)
    stopped.push('stopped')
    return { isCancelled: true }
  })
  tasks.now += 172_800_000
  await service.look()
  await expect.poll(() => stopped).toEqual(['stopped'])
  expect(await service.get(ann, id)).toBeNull()
})

it('stops what runs for credentials that were taken away, whatever a look waits for', async () => {
  const hanging = tasks.open({ next: () => new Promise(() => {}) })
  const id = await begin(hanging, untilAborted)
  await hanging.follow({ principal: ann, tool: 'move', arguments: {} }, 'operation')
  void hanging.look()
  hanging.stopRevoked()
  expect(await status(hanging, id)).toBe('working')
  tasks.isInForce = false
  hanging.stopRevoked()
  await expect.poll(() => status(hanging, id)).toBe('cancelled')
})

it('cancels the operation that work leaves waiting after its task was cancelled', async () => {
  const service = tasks.open()
  const id = await begin(service, async ({ signal }) => {
    await aborted(signal)
    return { waitsFor: 'late' }
  })
  expect(await service.cancel(ann, id)).toBe(true)
  await expect.poll(() => tasks.cancelled).toEqual(['late'])
  tasks.cancelled.length = 0
  const next = tasks.open({ next: async () => ({ waitsUntil: tasks.now }) })
  await next.resume()
  await next.look()
  expect(tasks.cancelled).toEqual(['late'])
})

it('cancels the operation of work that came to it while its task was being cancelled', async () => {
  const askCancel: Store['tasks']['askCancel'] = async (id) => {
    const asked = await tasks.store.tasks.askCancel(id)
    await tasks.store.tasks.follow(id, 'meanwhile')
    return asked
  }
  const service = tasks.open({ store: { ...tasks.store.tasks, askCancel }, next: () => new Promise(() => {}) })
  const { id } = (await tasks.store.tasks.add(stored))!
  expect(await service.cancel(ann, id)).toBe(true)
  expect(tasks.cancelled).toEqual(['meanwhile'])
})

it('ends a question that nobody answers in time, and shows it no more, nor one that comes too late', async () => {
  const service = tasks.open()
  const shown: string[] = []
  service.listen((_owner, { status }) => void shown.push(status))
  const id = await begin(service, async ({ ask, signal }) => {
    const request = { method: 'elicitation/create', params: {} }
    const answers = [await ask(request, { ...inTime, withinMs: 1 }), await ask(request, { ...inTime, withinMs: 0 })]
    await aborted(signal)
    return { result: { content: answers } }
  })
  await expect.poll(() => heard(service, id)).toEqual(['working', undefined])
  await service.stop()
  expect(await service.get(ann, id)).toMatchObject({ status: 'completed', result: { content: [null, null] } })
  // What there is no time to answer is not asked.
  expect(shown.filter((one) => one === 'input_required')).toHaveLength(1)
})

it('begins nothing once it was stopped', async () => {
  const begun: string[] = []
  const work: TaskWork = async () => (begun.push('begun'), { result: { content: [] } })
  let stopping: Promise<void> | undefined
  const add: Store['tasks']['add'] = async (task) => {
    const added = await tasks.store.tasks.add(task)
    stopping = service.stop()
    return added
  }
  const service: TaskService = tasks.open({ store: { ...tasks.store.tasks, add }, next: async () => ({ work }) })
  await begin(service, work)
  const looking: TaskService = tasks.open({ next: async () => (await looking.stop(), { work }) })
  await looking.resume()
  await looking.look()
  await stopping
  expect(begun).toEqual([])
})
