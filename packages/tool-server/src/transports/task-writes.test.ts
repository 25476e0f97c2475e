import { describe, expect, it } from 'vitest'
import { ask, begin, call, get, openWrites, resultOf, until, withForms } from './tasks.fixture.ts'

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
