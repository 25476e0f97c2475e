import { taskBounds } from '@svc/store'
import { describe, expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'
import { tasksExtension } from './protocol-facts.ts'
import { ask, asTasks, begin, call, get, listen, opened, openReads, prefix, resultOf, until } from './tasks.fixture.ts'

describe('a call that runs long', () => {
  it('is a task for a client that takes tasks, with the answer that others get at once', async () => {
    const server = await openReads()
    const created = await call(server, 'get_slow', { ms: 0 })
    expect(created).toMatchObject({ resultType: 'task', status: 'working', ttlMs: 172_800_000, pollIntervalMs: 1_000 })
    expect(Object.keys(created)).not.toEqual(expect.arrayContaining(['result', 'task', 'ttl']))
    const taskId = String(created['taskId'])
    await until(server, taskId, 'completed')
    const { result, ...task } = await get(server, taskId)
    expect(task).toMatchObject({ resultType: 'complete', taskId, createdAt: created['createdAt'] })
    const { resultType: _type, _meta, ...direct } = await call(server, 'get_slow', { ms: 0 }, { can: {} })
    expect(result).toEqual(direct)
    expect(await call(server, 'get_echo', { text: 'x' })).toMatchObject({ resultType: 'complete' })
  })

  it('ends as completed where the tool fails, and names the failure', async () => {
    const server = await openReads()
    const taskId = await begin(server, 'get_failure', { how: 'own' })
    await until(server, taskId, 'completed')
    expect((await get(server, taskId))['result']).toMatchObject({
      isError: true,
      _meta: { 'svc/error': { code: 'POOL_NOT_FOUND' } },
    })
  })

  it('is answered at once where it is refused', async () => {
    const server = await openReads()
    const refused = [await call(server, 'get_slow', { ms: 'long' }), await call(server, 'get_failure', {})]
    for (const answer of refused)
      expect(answer).toMatchObject({ resultType: 'complete', _meta: { 'svc/error': { code: 'VALIDATION_FAILED' } } })
    expect(await server.store.tasks.open()).toEqual([])
  })

  it('is answered at once where a caller has too many tasks that have not ended', async () => {
    const server = await openReads()
    for (let task = 0; task < taskBounds.ofOwner.open; task += 1) await begin(server, 'get_slow', { ms: 60_000 })
    expect(await call(server, 'get_slow', { ms: 0 })).toMatchObject({ resultType: 'complete' })
    await begin(server, 'get_slow', { ms: 0 }, { token: server.keys.read })
  })

  it('stops when it is cancelled; an end stays as it is', async () => {
    const server = await openReads()
    const running = await begin(server, 'get_slow', { ms: 60_000 })
    const ended = await begin(server, 'get_slow', { ms: 0 })
    await until(server, ended, 'completed')
    for (const taskId of [running, ended]) {
      const { _meta, ...answer } = resultOf(await ask(server, 'tasks/cancel', { taskId }))
      expect(answer).toEqual({ resultType: 'complete' })
    }
    await until(server, running, 'cancelled')
    expect(await get(server, ended)).toMatchObject({ status: 'completed' })
  })
})

describe('tasks', () => {
  it('are announced where they are kept, and taken by clients alone that say they take them', async () => {
    const server = await openReads()
    const discovered = resultOf(await ask(server, 'server/discover'))
    expect(discovered['capabilities']).toMatchObject({ extensions: { [tasksExtension]: {} } })
    expect(discovered['capabilities']).not.toHaveProperty('tasks')
    const without = await openTestServer()
    opened.push(without.server)
    expect(resultOf(await ask(without, 'server/discover'))['capabilities']).not.toMatchObject({
      extensions: asTasks.extensions,
    })
    const taskId = await begin(server, 'get_slow', { ms: 0 })
    for (const [method, more] of [
      ['tasks/get', {}],
      ['tasks/update', { inputResponses: {} }],
      ['tasks/cancel', {}],
    ] as const) {
      const { status, json } = await ask(server, method, { taskId, ...more }, { can: {} })
      expect([status, json]).toMatchObject([400, { error: { code: -32021, data: { requiredCapabilities: asTasks } } }])
    }
    const listening = await ask(server, 'subscriptions/listen', { notifications: { taskIds: [taskId] } }, { can: {} })
    expect([listening.status, listening.json]).toMatchObject([400, { error: { code: -32021 } }])
  })

  it('are those of their caller: of another key they are as unknown as none', async () => {
    const server = await openReads()
    const taskId = await begin(server, 'get_slow', { ms: 60_000 })
    const unknown = '00000000-0000-4000-8000-000000000000'
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const more = method === 'tasks/update' ? { inputResponses: {} } : {}
      const asked = (id: string, token: string) => ask(server, method, { taskId: id, ...more }, { token })
      const foreign = await asked(taskId, server.keys.read)
      expect(foreign.json).toMatchObject({ error: { code: -32602 } })
      const none = await asked(unknown, server.keys.write)
      expect([foreign.status, foreign.json]).toEqual([none.status, none.json])
    }
    expect(await get(server, taskId)).toMatchObject({ status: 'working' })
  })

  it('are routed by their id in a header, and know no lists and no method for a result', async () => {
    const server = await openReads()
    const taskId = await begin(server, 'get_slow', { ms: 0 })
    const wrong = await ask(server, 'tasks/get', { taskId }, { headers: { 'mcp-name': 'another' } })
    expect([wrong.status, wrong.json]).toMatchObject([400, { error: { code: -32020 } }])
    for (const method of ['tasks/list', 'tasks/result']) {
      const gone = await ask(server, method, { taskId })
      expect([gone.status, gone.json]).toMatchObject([404, { error: { code: -32601 } }])
    }
  })

  it('tell of their changes on a stream of their caller, from what they are when it begins', async () => {
    const server = await openReads()
    const taskId = await begin(server, 'get_slow', { ms: 60_000 })
    const foreign = await begin(server, 'get_slow', { ms: 60_000 }, { token: server.keys.read })
    const heard = await listen(server, [taskId, foreign])
    await expect.poll(() => heard.map(({ method }) => method)).toHaveLength(2)
    await ask(server, 'tasks/cancel', { taskId: foreign }, { token: server.keys.read })
    await ask(server, 'tasks/cancel', { taskId })
    await expect.poll(() => heard).toHaveLength(3)
    expect(heard).toMatchObject([
      { method: 'notifications/subscriptions/acknowledged', params: { notifications: { taskIds: [taskId] } } },
      { method: 'notifications/tasks', params: { taskId, status: 'working' } },
      { method: 'notifications/tasks', params: { taskId, status: 'cancelled', ttlMs: 172_800_000 } },
    ])
    expect(heard[2]?.params['_meta']).toEqual({ [`${prefix}subscriptionId`]: 'own' })
    expect(JSON.stringify(heard)).not.toContain('svc-task:')
  })
})
