import { ToolError } from '@svc/amm'
import type { Principal, Scope } from '@svc/engine'
import { type Store, taskBounds } from '@svc/store'
import { expect, it } from 'vitest'
import type { TaskWork } from './task.ts'
import {
  aborted,
  ann,
  begin,
  inTime,
  never,
  principal,
  status,
  untilAborted,
  useTasks,
} from './task-service.fixture.ts'

const tasks = useTasks()

it('begins again what a process left behind, and not what was cancelled there', async () => {
  const first = tasks.open()
  const [left, cancelled] = [await begin(first, untilAborted), await begin(first, untilAborted)]
  await tasks.store.tasks.askCancel(cancelled)
  await first.stop()
  expect([await status(first, left), await status(first, cancelled)]).toEqual(['working', 'working'])
  await tasks.reopen()
  const second = tasks.open({ next: async () => ({ work: async () => ({ result: { content: ['again'] } }) }) })
  await second.resume()
  expect(await status(second, cancelled)).toBe('cancelled')
  await second.look()
  await expect.poll(() => status(second, left)).toBe('completed')
  expect(await second.get(ann, left)).toMatchObject({ result: { content: ['again'] } })
})

it('records the answer of work that came to its end while the server closed', async () => {
  const service = tasks.open()
  const id = await begin(service, async ({ signal }) => {
    await aborted(signal)
    return { result: { content: ['whole'] } }
  })
  await service.stop()
  expect(await service.get(ann, id)).toMatchObject({ status: 'completed', result: { content: ['whole'] } })
  expect(await service.begin({ principal: ann, tool: 'slow', arguments: {} }, never)).toBeNull()
})

it('shows a task to whoever has the rights of its call, and to nobody with less', async () => {
  const service = tasks.open()
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
  // A stream begins with what its caller may see.
  expect(await Promise.all(callers.map(async (caller) => (await service.getAll(caller, [id])).length))).toEqual([
    1, 0, 0, 0,
  ])
  const lesser = callers.slice(1)
  expect(await Promise.all(lesser.map((caller) => service.cancel(caller, id)))).toEqual([false, false, false])
  expect(await Promise.all(lesser.map((caller) => service.answer(caller, id, {})))).toEqual([false, false, false])
  expect(await status(service, id)).toBeUndefined()
  await service.stop()
})

it('wallets that anybody makes take no room from whom the operator knows, however many they are', async () => {
  const service = tasks.open()
  const wallet = (name: string, ...more: Scope[]) => ({
    ...principal(`siwe:${name}`, 'read:market', 'read:portfolio', ...more),
    stage: 'siwe' as const,
  })
  const begun = (caller: Principal) => service.begin({ principal: caller, tool: 'slow', arguments: {} }, untilAborted)
  const mostTogether = taskBounds.ofPassing.open
  for (let one = 0; one < mostTogether; one += 1) await begin(service, untilAborted, wallet(`stranger ${one}`))
  expect(await begun(wallet('one more'))).toBeNull()
  for (const known of [ann, wallet('granted', 'write:trade')]) expect(await begun(known)).not.toBeNull()
  await service.stop()
})

it('says what the work says of itself, and of a failure its code, or nothing of ours', async () => {
  const service = tasks.open()
  const failed = await begin(service, () =>
    Promise.reject(Object.assign(new Error('no'), { code: -32_602, data: { a: 1 } })),
  )
  await expect.poll(() => status(service, failed)).toBe('failed')
  expect(await service.get(ann, failed)).toMatchObject({ error: { code: -32_602, message: 'no', data: { a: 1 } } })
  const broken = await begin(service, () => Promise.reject(new Error('postgres://user:hunter2@db')))
  await expect.poll(() => status(service, broken)).toBe('failed')
  expect(JSON.stringify(await service.get(ann, broken))).not.toContain('hunter2')
  expect(tasks.logged).toHaveLength(1)
  const large = await begin(service, async () => ({ result: { content: 'x'.repeat(taskBounds.outcomeBytes) } }))
  await expect.poll(() => status(service, large)).toBe('failed')
  const going = await begin(service, async ({ report, signal }) => {
    report(3, 10)
    await aborted(signal)
    return { isCancelled: true }
  })
  await expect.poll(async () => (await service.get(ann, going))?.statusMessage).toBe('3 of 10')
  await service.stop()
})

it('asks as often as the work does, under keys of their own, and takes some of the answers alone', async () => {
  const service = tasks.open()
  const question = (name: string) => ({ method: 'elicitation/create', params: { message: name } })
  const id = await begin(service, async ({ ask }) => {
    const answers = await Promise.all([ask(question('first'), inTime), ask(question('second'), inTime)])
    return { result: { content: [...answers, await ask(question('third'), inTime)] } }
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

it('neither answers nor cancels a task where another server leads, and shows it all the same', async () => {
  let follows = false
  const requireLead = async () => {
    if (follows) throw new ToolError('NOT_LEADER', 'Another server leads.')
  }
  const service = tasks.open({ requireLead })
  const id = await begin(service, untilAborted)
  follows = true
  await expect(service.answer(ann, id, {})).rejects.toMatchObject({ code: 'NOT_LEADER' })
  await expect(service.cancel(ann, id)).rejects.toMatchObject({ code: 'NOT_LEADER' })
  expect(await status(service, id)).toBe('working')
  await service.stop()
})

it('leaves a task open whose work was cut off because another server leads, and takes it up when it leads again', async () => {
  const service = tasks.open({ next: async () => ({ work: async () => ({ result: { content: 'done' } }) }) })
  let runs = 0
  const id = await begin(service, async () => {
    runs += 1
    return { isCutOff: true }
  })
  await expect.poll(() => runs).toBe(1)
  expect(await status(service, id)).toBe('working')
  await service.resume()
  await service.look()
  await expect.poll(() => status(service, id)).toBe('completed')
  expect(runs).toBe(1)
  await service.stop()
})

it('begins no task again that runs here still, nor one that ended elsewhere while another server led', async () => {
  let again = 0
  const work: TaskWork = async () => ({ result: { content: `${(again += 1)}` } })
  const service = tasks.open({ next: async () => ({ work }) })
  const running = await begin(service, untilAborted)
  const cutOff = await begin(service, async () => ({ isCutOff: true }))
  await tasks.store.tasks.end(cutOff, { state: 'completed', outcome: '{"content":"elsewhere"}' })
  await service.resume()
  await service.look()
  expect([await status(service, running), again]).toEqual(['working', 0])
  await service.stop()
})

it('records an end with a later look where the store failed', async () => {
  let failures = 1
  const end: Store['tasks']['end'] = async (...ended) => {
    if (failures-- > 0) throw new Error('the disk is full')
    return tasks.store.tasks.end(...ended)
  }
  const work: TaskWork = async () => ({ result: { content: ['kept'] } })
  const service = tasks.open({ store: { ...tasks.store.tasks, end }, next: async () => ({ work }) })
  const id = await begin(service, work)
  await expect.poll(async () => (await service.look(), status(service, id))).toBe('completed')
})

it('gives several at once, each once, and those of their caller alone', async () => {
  const service = tasks.open()
  const own = [await begin(service, untilAborted), await begin(service, untilAborted)]
  const foreign = await begin(service, untilAborted, principal('bob', 'read:market'))
  const shown = await service.getAll(ann, [...own, ...own, foreign, 'unknown'])
  expect(shown.map(({ taskId }) => taskId)).toEqual(own)
  await service.stop()
})

it('keeps a task for as long after the time that it waits for', async () => {
  const service = tasks.open({ next: async () => ({ waitsUntil: tasks.now + 1_000_000_000 }) })
  const task = await service.follow({ principal: ann, tool: 'move', arguments: {} }, 'operation')
  expect(task?.ttlMs).toBe(172_800_000)
  await service.look()
  expect((await service.get(ann, task!.taskId))?.ttlMs).toBe(1_172_800_000)
  tasks.now += 1_172_799_999
  expect(await status(service, task!.taskId)).toBe('working')
})

it('goes on with the others where one cannot be looked after', async () => {
  const service = tasks.open({
    next: async ({ tool }) => {
      if (tool === 'broken') throw new Error('unread')
      return { work: async () => ({ result: { content: [] } }) }
    },
  })
  const follow = async (tool: string) => (await service.follow({ principal: ann, tool, arguments: {} }, 'o'))!.taskId
  const [broken, other] = [await follow('broken'), await follow('whole')]
  await service.look()
  await expect.poll(() => status(service, other)).toBe('completed')
  expect(await status(service, broken)).toBe('working')
})
