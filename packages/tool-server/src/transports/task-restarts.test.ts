import { afterEach, describe, expect, it, vi } from 'vitest'
import { move, openTestServer, slow } from '../test-server.fixture.ts'
import type { Tool } from '../tool.ts'
import { openAskingPipeline } from './asking.fixture.ts'
import { begin, get, long, opened, until } from './tasks.fixture.ts'

describe('after a restart', () => {
  it('a call that a closed server broke off is begun again by the next one', async () => {
    const { tasks, write } = await openAskingPipeline()
    const open = (tool: Tool) =>
      openTestServer({
        env: { SVC_MCP_PROFILE: 'full' },
        tools: [tool],
        tasks,
        write: { ...write, close: async () => {} },
      })
    const first = await open(long(slow))
    const bearer = { token: first.keys.bearer }
    const taskId = await begin(first, 'get_slow', { ms: 60_000 }, bearer)
    await first.server.close()
    const second = await open(long({ ...slow, handle: async () => ({ waitedMs: 1 }) }))
    opened.push(write, second.server)
    await expect.poll(() => get(second, taskId, bearer)).toMatchObject({ status: 'completed' })
    expect((await get(second, taskId, bearer))['result']).toMatchObject({ structuredContent: { waitedMs: 1 } })
  })

  it('a write that was done and not recorded as such is not done again', async () => {
    const { tasks, write, effects } = await openAskingPipeline()
    const open = (kept: typeof tasks) =>
      openTestServer({
        env: { SVC_MCP_PROFILE: 'full' },
        tools: [long(move)],
        tasks: kept,
        write: { ...write, close: async () => {} },
      })
    const first = await open({ ...tasks, end: async () => null })
    const bearer = { token: first.keys.bearer }
    const id = await begin(first, 'move_funds', { amount: '1' }, bearer)
    await expect.poll(() => effects).toEqual(['1'])
    await first.server.close()
    const second = await open(tasks)
    opened.push(write, second.server)
    await expect.poll(() => get(second, id, bearer)).toMatchObject({ status: 'completed' })
    expect((await get(second, id, bearer))['result']).toMatchObject({ structuredContent: { amount: '1' } })
    expect(effects).toEqual(['1'])
  })
})

describe('a day later, when no key is kept any more', () => {
  afterEach(() => void vi.useRealTimers())

  /** A server that leaves a write to the operator and closes; and the one after it, at another time. */
  async function openBothSides(tool = move) {
    vi.useFakeTimers({ toFake: ['Date'] })
    const pipeline = await openAskingPipeline({ channels: ['operator'] })
    const { tasks, write, operations } = pipeline
    const open = (kept: typeof tasks) =>
      openTestServer({
        env: { SVC_MCP_PROFILE: 'full' },
        tools: [tool],
        tasks: kept,
        write: { ...write, close: async () => {} },
      })
    const later = async (hours: number) => {
      vi.setSystemTime(Date.now() + hours * 3_600_000)
      const server = await open(tasks)
      opened.push(write, server.server)
      return server
    }
    return { ...pipeline, open, later, stored: () => operations.list({ principalId: null, limit: 10 }) }
  }

  it.each([
    ['denied', false, 'APPROVAL_DENIED'],
    ['expired', null, 'OPERATION_EXPIRED'],
    ['approved', true, 'OPERATION_EXPIRED'],
  ] as const)('what was %s is neither done nor asked for again', async (_name, word, code) => {
    const { tasks, write, open, later, stored, effects } = await openBothSides()
    const first = await open(tasks)
    const bearer = { token: first.keys.bearer }
    const id = await begin(first, 'move_funds', { amount: '9000' }, bearer)
    await first.server.close()
    const [operation] = await stored()
    if (word !== null)
      await write.operations.decide(operation!, { approved: word, by: 'operator', planHash: operation!.planHash })
    const second = await later(25)
    await until(second, id, 'completed', bearer)
    expect((await get(second, id, bearer))['result']).toMatchObject({ _meta: { 'svc/error': { code } } })
    expect([(await stored()).map(({ id }) => id), effects]).toEqual([[operation!.id], []])
  })

  it('a write of which nothing more is known is left in doubt', async () => {
    const { tasks, open, later, effects } = await openBothSides(long(move))
    const first = await open({ ...tasks, end: async () => null })
    const bearer = { token: first.keys.bearer }
    const id = await begin(first, 'move_funds', { amount: '1' }, bearer)
    await expect.poll(() => effects).toEqual(['1'])
    await first.server.close()
    const second = await later(24)
    await until(second, id, 'completed', bearer)
    expect((await get(second, id, bearer))['result']).toMatchObject({
      _meta: { 'svc/error': { code: 'OPERATION_IN_DOUBT' } },
    })
    expect(effects).toEqual(['1'])
  })
})
