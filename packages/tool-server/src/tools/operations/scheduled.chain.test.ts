import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { createDueRun } from '../../dispatch/carry-out.ts'
import { endInterrupted } from '../../../../engine/src/operations/may-be-mined.ts'
import { openWorld, type World, type WorldOptions } from '../chain-world.fixture.ts'

const devnet = useDevnet()
const worlds = new Set<World>()

afterEach(async () => {
  await Promise.all([...worlds].map((world) => world.close()))
  worlds.clear()
})

async function open(options: WorldOptions = {}): Promise<World> {
  const world = await openWorld(devnet(), { policy: delayed, ...options })
  worlds.add(world)
  return world
}

/** The same wallet on the same state in another process. */
async function restart(world: World, options: WorldOptions = {}): Promise<World> {
  worlds.delete(world)
  await world.close()
  return open({ ...options, again: { ...world.again, offsetMs: world.clock.offsetMs } })
}

const lenient = { allowlist: { mode: 'lenient' as const } }
/** Swaps are of the tier `routine`, which waits here. */
const delayed = { ...lenient, approvalThresholdUsd: null, proxyDelay: true, delaySeconds: { routine: 600 } }
const swap = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '300' }

async function schedule(world: World, args: Readonly<Record<string, unknown>> = swap): Promise<string> {
  const answer = await world.call('execute_swap', args)
  expect(answer.text('status')).toBe('scheduled')
  expect(Date.parse(answer.text('executeAfter'))).toBeGreaterThan(Date.now() + world.clock.offsetMs + 590_000)
  return answer.text('operationId')
}

function due(world: World): () => Promise<void> {
  const now = () => Date.now() + world.clock.offsetMs
  const log = { info: () => {}, warn: () => {} }
  return createDueRun({
    operations: world.operations,
    carryOut: (operation) => world.dispatch.carryOutDue(operation),
    now,
    log,
  })
}

async function stateOf(world: World, operationId: string): Promise<unknown> {
  return (await world.call('get_operation', { operationId })).at('state')
}

/** What the wallet has spent of USDC since it was funded. */
async function spent(world: World): Promise<bigint> {
  return 100_000_000_000n - (await world.balance('USDC'))
}

describe('a write whose risk tier has a delay', () => {
  test('reserves nothing, runs by itself when its time has come, once, and not before', async () => {
    const world = await open()
    const id = await schedule(world)
    const run = due(world)
    await run()
    expect([await spent(world), await world.store.ledger.open(), await stateOf(world, id)]).toEqual([
      0n,
      [],
      'scheduled',
    ])
    expect((await world.refuse('execute_plan', { planId: id })).code).toBe('OPERATION_STATE')
    world.clock.offsetMs = 601_000
    await Promise.all([run(), due(world)(), due(world)()])
    await run()
    expect([await spent(world), await stateOf(world, id)]).toEqual([300_000_000n, 'done'])
    expect((await world.call('get_operation', { operationId: id })).at('result.amountIn')).toBe('300')
  })

  test('runs after a restart, late when the server slept, and not early when the clock steps back', async () => {
    const world = await open()
    const id = await schedule(world)
    world.clock.offsetMs = 601_000
    const second = await restart(world)
    second.clock.offsetMs = -3_600_000
    await due(second)()
    expect(await spent(second)).toBe(0n)
    second.clock.offsetMs = 20 * 3_600_000
    await due(second)()
    expect([await spent(second), await stateOf(second, id)]).toEqual([300_000_000n, 'done'])
  })

  test('can be cancelled until it runs', async () => {
    const world = await open()
    const id = await schedule(world)
    expect((await world.call('cancel_operation', { operationId: id })).text('state')).toBe('cancelled')
    expect((await world.call('cancel_operation', { operationId: id })).text('state')).toBe('cancelled')
    world.clock.offsetMs = 601_000
    await due(world)()
    expect([await spent(world), await stateOf(world, id)]).toEqual([0n, 'cancelled'])
    const other = await schedule(world)
    world.clock.offsetMs = 2 * 601_000
    await due(world)()
    expect((await world.refuse('cancel_operation', { operationId: other })).code).toBe('OPERATION_STATE')
  })

  test('is not carried out once the key that asked for it is revoked', async () => {
    const world = await open()
    const id = await schedule(world)
    const second = await restart(world, { isInForce: () => false })
    second.clock.offsetMs = 601_000
    await due(second)()
    expect([await spent(second), await stateOf(second, id)]).toEqual([0n, 'failed'])
    expect((await second.call('get_operation', { operationId: id })).at('error.code')).toBe('PRINCIPAL_REVOKED')
  })

  test('keeps the answer of its idempotency key', async () => {
    const world = await open()
    const id = await schedule(world, { ...swap, idempotencyKey: 'later' })
    const again = await world.call('execute_swap', { ...swap, idempotencyKey: 'later' })
    expect(again.text('operationId')).toBe(id)
    expect((await world.call('list_operations', { state: 'scheduled' })).list('operations')).toHaveLength(1)
  })

  test('G1: keeps its idempotency key bound to it also where a person answered first', async () => {
    const world = await open({ policy: { ...delayed, approvalThresholdUsd: '250' } })
    const keyed = { ...swap, idempotencyKey: 'asked-then-later' }
    const { details } = await world.refuse('execute_swap', keyed)
    const operationId = String(details[0]?.['operationId'])
    const { planHash } = (await world.store.operations.byId(operationId))!
    const answer = { operationId, planHash, accepted: true }
    const scheduled = await world.call('execute_swap', keyed, { answer })
    expect(scheduled.data).toMatchObject({ status: 'scheduled', operationId })
    expect((await world.call('execute_swap', keyed)).data).toEqual(scheduled.data)
    world.clock.offsetMs = 601_000
    await due(world)()
    expect((await world.call('execute_swap', keyed)).text('amountIn')).toBe('300')
    expect(await spent(world)).toBe(300_000_000n)
  })

  test('above the threshold first waits for a person and then for its time', async () => {
    const world = await open({ policy: { ...delayed, approvalThresholdUsd: '250' } })
    const { details } = await world.refuse('execute_swap', swap)
    const id = String(details[0]?.['operationId'])
    world.clock.offsetMs = 601_000
    await due(world)()
    expect(await spent(world)).toBe(0n)
    const { planHash } = (await world.store.operations.byId(id))!
    const decided = await world.store.operations.decide(id, { approved: true, by: 'operator:cli', planHash })
    expect(decided.state).toBe('scheduled')
    await due(world)()
    expect([await spent(world), await stateOf(world, id)]).toEqual([300_000_000n, 'done'])
  })

  test('planned by a dry run is scheduled by execute_plan', async () => {
    const world = await open()
    const planned = await world.call('execute_swap', { ...swap, dryRun: true })
    expect(planned.at('plan.policy.conditions')).toMatchObject([{ code: 'DELAY_REQUIRED' }])
    const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(answer.text('status')).toBe('scheduled')
    world.clock.offsetMs = 601_000
    await due(world)()
    expect([await spent(world), await stateOf(world, answer.text('operationId'))]).toEqual([300_000_000n, 'done'])
  })
})

describe('when its time comes', () => {
  test('waits on while the server is paused or the endpoint is down, and is given up a day later', async () => {
    const world = await open()
    const [id, other] = [await schedule(world), await schedule(world, { ...swap, amount: '301' })]
    world.clock.offsetMs = 601_000
    await writeFile(join(world.again.dataDir, 'paused'), '')
    await due(world)()
    expect(await stateOf(world, id)).toBe('scheduled')
    const second = await restart(world)
    const asked = globalThis.fetch
    second.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
    await due(second)()
    second.network.fetch = asked
    expect([await stateOf(second, id), await spent(second)]).toEqual(['scheduled', 0n])
    second.clock.offsetMs = 26 * 3_600_000
    await due(second)()
    expect((await second.call('get_operation', { operationId: other })).at('error.code')).toBe('SERVER_PAUSED')
    expect(await spent(second)).toBe(0n)
  })

  test('is refused under a policy that has become stricter meanwhile', async () => {
    const world = await open()
    const ids = [await schedule(world), await schedule(world, { ...swap, amount: '100' })]
    const longer = await restart(world, { policy: { ...delayed, delaySeconds: { routine: 7200 } } })
    longer.clock.offsetMs = 601_000
    await due(longer)()
    for (const operationId of ids) {
      expect((await longer.call('get_operation', { operationId })).at('error.code')).toBe('DELAY_REQUIRED')
    }
    const capped = await restart(await scheduledAgain(longer), {
      policy: { ...delayed, limitsUsd: { perTransaction: '50', perSession: '50', daily: '50' } },
    })
    capped.clock.offsetMs += 601_000
    await due(capped)()
    const failed = (await capped.call('list_operations', { state: 'failed' })).list('operations')
    expect(failed).toHaveLength(3)
    const error = await capped.call('get_operation', { operationId: failed[0]!.text('operationId') })
    expect(error.at('error.code')).toBe('SPENDING_LIMIT_EXCEEDED')
    expect(await spent(capped)).toBe(0n)
  })

  test('is refused, and not asked for, when a person would have to approve it now', async () => {
    const world = await open()
    const id = await schedule(world)
    const lowered = await restart(world, { policy: { ...delayed, approvalThresholdUsd: '250' } })
    lowered.clock.offsetMs = 601_000
    await due(lowered)()
    expect((await lowered.call('get_operation', { operationId: id })).at('error.code')).toBe('APPROVAL_REQUIRED')
    expect((await lowered.call('list_operations', { state: 'awaiting_approval' })).list('operations')).toEqual([])
    expect(await spent(lowered)).toBe(0n)
  })

  test('is refused to a caller the policy no longer grants the tool', async () => {
    const world = await open()
    const id = await schedule(world)
    const narrowed = await restart(world, {
      policy: { ...delayed, principals: { 'api-key:0000000000000e12': { tools: ['add_liquidity'] } } },
    })
    narrowed.clock.offsetMs = 601_000
    await due(narrowed)()
    expect(await spent(narrowed)).toBe(0n)
    expect((await narrowed.call('get_operation', { operationId: id })).at('error.code')).toBe('PRINCIPAL_NOT_GRANTED')
  })
})

describe('a server that died while it carried one out', () => {
  test('takes it again where nothing was signed, and never where something was', async () => {
    const world = await open()
    const ids = [await schedule(world), await schedule(world, { ...swap, amount: '100' })]
    world.clock.offsetMs = 601_000
    const [unsigned, signed] = ids as [string, string]
    await world.store.operations.claim(unsigned, { requestId: 'died-early' })
    // The second signs and is then cut off before its end is recorded.
    const rows = world.store.operations
    const finish = rows.finish.bind(rows)
    rows.finish = () => Promise.reject(new Error('killed'))
    await world.dispatch.carryOutDue((await rows.byId(signed))!)
    rows.finish = finish
    expect(await spent(world)).toBe(100_000_000n)
    const second = await restart(world)
    const log = { warn: () => {} }
    const { operations, transactions } = second.store
    expect(await endInterrupted({ operations, transactions, log })).toEqual({ givenBack: [unsigned], ended: [signed] })
    await due(second)()
    await due(second)()
    expect(await spent(second)).toBe(400_000_000n)
    expect(await stateOf(second, unsigned)).toBe('done')
    const ended = await second.call('get_operation', { operationId: signed })
    expect(ended.at('error.code')).toBe('OPERATION_INCOMPLETE')
    expect(ended.list('error.details').every((detail) => /^0x[0-9a-f]{64}$/.test(detail.text('txHash')))).toBe(true)
  })
})

/** One more operation scheduled under the policy of the first test of this kind. */
async function scheduledAgain(world: World): Promise<World> {
  const again = await restart(world, { policy: delayed })
  await schedule(again)
  return again
}
