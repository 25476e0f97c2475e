import { ToolError } from '@svc/amm'
import { StoreError } from '@svc/store'
import { describe, expect, it } from 'vitest'
import { move, openTestServer, slow } from '../test-server.fixture.ts'
import { openAskingPipeline } from './asking.fixture.ts'
import { ask, begin, call, get, long, opened, openWrites, resultOf, until, withForms } from './tasks.fixture.ts'

describe('a write that is left to somebody else', () => {
  it('is a task until the operator has approved, and is carried out then, once', async () => {
    const server = await openWrites({ channels: ['operator'] })
    const taskId = await begin(server, 'move_funds', { amount: '9000' })
    expect(await get(server, taskId)).toMatchObject({ status: 'working', pollIntervalMs: 5_000 })
    const [operation] = await server.operations.list({ principalId: null, limit: 10 })
    expect((await get(server, taskId))['statusMessage']).toContain(operation!.id)
    expect(server.effects).toEqual([])
    await server.write.operations.decide(operation!, { approved: true, by: 'operator', planHash: operation!.planHash })
    await until(server, taskId, 'completed')
    expect((await get(server, taskId))['result']).toMatchObject({
      structuredContent: { status: 'success', amount: '9000' },
    })
    expect(server.effects).toEqual(['9000'])
  })

  it('ends with what was decided: denied, or cancelled by its caller', async () => {
    const server = await openWrites({ channels: ['operator'] })
    const denied = await begin(server, 'move_funds', { amount: '9000' })
    const [operation] = await server.operations.list({ principalId: null, limit: 1 })
    await server.write.operations.decide(operation!, { approved: false, by: 'operator', planHash: operation!.planHash })
    await until(server, denied, 'completed')
    expect((await get(server, denied))['result']).toMatchObject({ _meta: { 'svc/error': { code: 'APPROVAL_DENIED' } } })
    const cancelled = await begin(server, 'move_funds', { amount: '9001' })
    await ask(server, 'tasks/cancel', { taskId: cancelled })
    await until(server, cancelled, 'cancelled')
    const states = await server.operations.list({ principalId: null, limit: 10 })
    expect(states.map(({ state }) => state).toSorted()).toEqual(['cancelled', 'denied'])
    expect(server.effects).toEqual([])
  })

  it('is a question first where the person at the client may answer it', async () => {
    const server = await openWrites()
    const asked = await call(server, 'move_funds', { amount: '9000' }, { can: withForms })
    expect(asked).toMatchObject({ resultType: 'input_required' })
    expect(asked).not.toHaveProperty('taskId')
    expect(await call(server, 'move_funds', { amount: '1' }, { can: withForms })).toMatchObject({
      resultType: 'complete',
    })
  })

  it('asks by its task where it runs long, and goes on with the answer', async () => {
    const server = await openWrites({ isLong: true })
    const taskId = await begin(server, 'move_funds', { amount: '9000' }, { can: withForms })
    await until(server, taskId, 'input_required')
    const [[key, question] = []] = Object.entries((await get(server, taskId))['inputRequests'] ?? {})
    expect(question).toMatchObject({ method: 'elicitation/create', params: { mode: 'form' } })
    const answer = (inputResponses: object) => ask(server, 'tasks/update', { taskId, inputResponses })
    await answer({ 'another key': { action: 'accept', content: { approve: true } } })
    expect(await get(server, taskId)).toMatchObject({ status: 'input_required' })
    await answer({ [key!]: { action: 'accept', content: { approve: true } } })
    await until(server, taskId, 'completed')
    expect(server.effects).toEqual(['9000'])
    expect(await get(server, taskId)).not.toHaveProperty('inputRequests')
  })

  it('takes its question back when it is cancelled, and cancels the operation that it asked about', async () => {
    const server = await openWrites({ isLong: true })
    const taskId = await begin(server, 'move_funds', { amount: '9000' }, { can: withForms })
    await until(server, taskId, 'input_required')
    await ask(server, 'tasks/cancel', { taskId })
    await until(server, taskId, 'cancelled')
    expect(await get(server, taskId)).not.toHaveProperty('inputRequests')
    expect(await server.operations.list({ principalId: null, limit: 9 })).toMatchObject([{ state: 'cancelled' }])
    expect(server.effects).toEqual([])
  })

  it.each([
    ['approved', true, ['9000']],
    ['denied', false, []],
  ])('takes its question back where the operator has %s, and goes on with that', async (_word, approved, effects) => {
    const server = await openWrites({ isLong: true })
    const taskId = await begin(server, 'move_funds', { amount: '9000' }, { can: withForms })
    await until(server, taskId, 'input_required')
    const [operation] = await server.operations.list({ principalId: null, limit: 1 })
    await server.write.operations.decide(operation!, { approved, by: 'operator', planHash: operation!.planHash })
    await until(server, taskId, 'completed')
    expect(server.effects).toEqual(effects)
    const { result } = await get(server, taskId)
    expect(result).toMatchObject(
      approved ? { structuredContent: { amount: '9000' } } : { _meta: { 'svc/error': { code: 'APPROVAL_DENIED' } } },
    )
  })

  it('asks no longer than its operation waits, and ends as that does', async () => {
    const server = await openWrites({ isLong: true, expirySeconds: 1 })
    const taskId = await begin(server, 'move_funds', { amount: '9000' }, { can: withForms })
    await until(server, taskId, 'completed')
    expect(await get(server, taskId)).toMatchObject({
      result: { isError: true, _meta: { 'svc/error': { code: 'OPERATION_EXPIRED' } } },
    })
    expect(server.effects).toEqual([])
  })

  it('is no second one where the call answers the question of a call without tasks', async () => {
    const server = await openWrites({ isLong: true })
    const asked = await call(server, 'move_funds', { amount: '9000' }, { can: { elicitation: { form: {} } } })
    const [[key] = []] = Object.entries(asked['inputRequests'] ?? {})
    const answer = { inputResponses: { [key!]: { action: 'accept', content: { approve: true } } } }
    const params = { name: 'move_funds', arguments: { amount: '9000' }, requestState: asked['requestState'], ...answer }
    const answered = await ask(server, 'tools/call', params, { can: withForms })
    expect(resultOf(answered)).toMatchObject({ structuredContent: { status: 'success', amount: '9000' } })
    expect([server.effects, await server.operations.list({ principalId: null, limit: 9 })]).toMatchObject([
      ['9000'],
      [{}],
    ])
  })
})

describe('a call whose task the store does not keep', () => {
  /** Whose server loses the lead with the commit of the task, unless the store fails otherwise. */
  async function openForgetful({
    isLong = false,
    code = 'NOT_LEADER',
  }: {
    isLong?: boolean
    code?: StoreError['code']
  }) {
    const { write, tasks, ...pipeline } = await openAskingPipeline({ channels: ['operator'] })
    let leads = true
    const server = await openTestServer({
      env: { SVC_MCP_PROFILE: 'full' },
      tools: [isLong ? long(move) : move, long(slow)],
      write: {
        ...write,
        async requireLeader() {
          if (!leads) throw new ToolError('NOT_LEADER', 'Another server writes with this wallet.')
        },
      },
      tasks: {
        ...tasks,
        async add() {
          leads = code !== 'NOT_LEADER'
          throw new StoreError(code, 'Nothing was written here.')
        },
      },
    })
    opened.push(server.server)
    return { ...server, ...pipeline }
  }

  it('is answered as by one that follows where the lead was lost: a write NOT_LEADER, a read at once', async () => {
    const server = await openForgetful({ isLong: true })
    expect(await call(server, 'move_funds', { amount: '1' })).toMatchObject({
      resultType: 'complete',
      isError: true,
      _meta: { 'svc/error': { code: 'NOT_LEADER' } },
    })
    expect(server.effects).toEqual([])
    expect(await call(server, 'get_slow', { ms: 1 })).toMatchObject({
      resultType: 'complete',
      structuredContent: { waitedMs: 1 },
    })
  })

  it.each(['NOT_LEADER', 'STORE_BUSY', 'STORE_IN_DOUBT'] as const)(
    'is told which operation it left waiting, where it had come as far as that: %s',
    async (code) => {
      const server = await openForgetful({ code })
      const answer = await call(server, 'move_funds', { amount: '9000' })
      const [operation] = await server.operations.list({ principalId: null, limit: 1 })
      expect(answer).toMatchObject({
        resultType: 'complete',
        _meta: { 'svc/error': { code: 'APPROVAL_REQUIRED', details: [{ operationId: operation!.id }] } },
      })
      await expect.poll(() => server.lines.join('')).toContain('task.not-kept')
    },
  )

  it('fails where there is no operation yet, and has done nothing', async () => {
    const server = await openForgetful({ isLong: true, code: 'STORE_UNAVAILABLE' })
    const answer = await ask(server, 'tools/call', { name: 'move_funds', arguments: { amount: '1' } })
    expect(answer.json).toHaveProperty('error')
    expect(server.effects).toEqual([])
  })
})
