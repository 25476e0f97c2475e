import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { type Hash, parseUnits, toHex } from 'viem'
import { afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { createChainActor, v3PathOf } from '../../../../amm/src/liquidity/chain-actor.fixture.ts'
import { type ApprovalQuestion, type ApprovalReply, type Principal, readPlanned } from '@svc/engine'
import type { ErrorEnvelope } from '@svc/amm'
import { repeatOf } from '../answer.fixture.ts'
import { openWorld, owner, type World, type WorldOptions } from '../chain-world.fixture.ts'

const devnet = useDevnet()
const worlds: World[] = []

afterEach(async () => {
  await Promise.all(worlds.splice(0).map((world) => world.close()))
})

async function open(options: WorldOptions = {}): Promise<World> {
  const world = await openWorld(devnet(), options)
  worlds.push(world)
  return world
}

const swap = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '300' }
const lenient = { allowlist: { mode: 'lenient' as const } }
const unlimited = {
  approvalThresholdUsd: null,
  limitsUsd: { perTransaction: '99000000', perSession: '99000000', daily: '99000000' },
}
const small = { ...lenient, approvalThresholdUsd: '250' }

async function planOf(world: World, args: Readonly<Record<string, unknown>> = swap): Promise<string> {
  return (await world.call('execute_swap', { ...args, dryRun: true })).text('plan.planId')
}

/** What the wallet has spent of USDC since it was funded. */
async function spent(world: World): Promise<bigint> {
  return 100_000_000_000n - (await world.balance('USDC'))
}

/** Somebody else buys WETH until the same swap brings a hundredth less. */
async function moveThePrice(world: World): Promise<void> {
  const before = Number(await quoteText(world))
  const mover = await open({ funds: { USDC: '9000000' }, policy: { ...lenient, ...unlimited, ...mayLoseAll } })
  for (let round = 0; round < 40 && Number(await quoteText(world)) > before * 0.99; round += 1) {
    await mover.call('execute_swap', { ...swap, amount: '200000', slippageBps: 500 })
  }
}

/** Somebody else buys WETH in one pool. */
async function moveOnePool(world: World): Promise<void> {
  const mover = await createChainActor(devnet(), devnet().accounts[9]!.address)
  await devnet().fund(mover.address, { USDC: '100000' })
  await mover.swapV3(v3PathOf(world.address('USDC'), 500, world.address('WETH')), parseUnits('100000', 6))
}

/** Whoever moves a market pays for it. */
const mayLoseAll = {
  maxDailyLossUsd: '1000000000',
  valueRules: { tools: { execute_swap: { maxLossBps: 10_000, maxPriceImpactBps: 10_000 } } },
}

async function quoteText(world: World): Promise<string> {
  return (await world.call('get_quote', swap)).text('amountOut')
}

async function waiting(world: World): Promise<string> {
  const { code, details } = await world.refuse('execute_swap', swap)
  expect(code).toBe('APPROVAL_REQUIRED')
  return operationIn(details)
}

function operationIn(details: ErrorEnvelope['details']): string {
  return z.string().parse(details[0]?.['operationId'])
}

async function decide(world: World, id: string, approved = true): Promise<void> {
  const { planHash } = (await world.store.operations.byId(id))!
  await world.store.operations.decide(id, { approved, by: 'operator:cli', planHash })
}

describe('execute_plan', () => {
  test('carries out what a dry run planned, with the answer of its tool, once', async () => {
    const world = await open()
    const planned = await world.call('execute_swap', { ...swap, dryRun: true })
    expect(planned.at('plan.policy')).toMatchObject({ allowed: true, refusals: [], conditions: [] })
    expect(planned.at('plan.bounds.spendsAtMost')).toMatchObject([{ symbol: 'USDC', amount: '300' }])
    expect(planned.at('plan.bounds.receivesAtLeast')).toMatchObject([{ symbol: 'WETH' }])
    const planId = planned.text('plan.planId')
    const answer = await world.call('execute_plan', { planId, planHash: planned.text('plan.planHash') })
    expect(answer.data).toMatchObject({ status: 'success', amountIn: '300', tokenOut: { symbol: 'WETH' } })
    expect(await spent(world)).toBe(300_000_000n)
    expect((await world.refuse('execute_plan', { planId })).code).toBe('OPERATION_STATE')
    expect((await world.call('get_operation', { operationId: planId })).data).toMatchObject({
      state: 'done',
      tool: 'execute_swap',
      result: { txHash: answer.text('txHash') },
    })
    expect(await spent(world)).toBe(300_000_000n)
  })

  test('says what the plan of a swap showed where less came of it, within what the plan permits', async () => {
    const world = await open({ policy: { ...lenient, ...unlimited, ...mayLoseAll } })
    const sale = { ...swap, tokenIn: 'USDC', version: 'v3', slippageBps: 300 }
    const planned = await world.call('execute_swap', { ...sale, dryRun: true })
    const bought = planned.at('plan.deltas') as { symbol: string; amount: string }[]
    const shown = bought.find(({ symbol }) => symbol === 'WETH')!.amount
    await moveThePrice(world)
    const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(Number(answer.text('amountOut'))).toBeLessThan(Number(shown))
    expect(answer.at('notes')).toContainEqual(expect.stringContaining(`The plan showed ${shown} WETH, and at least 0.`))
    const another = await world.call('execute_swap', sale)
    expect((another.at('notes') as string[]).join(' ')).not.toContain('The plan showed')
  })

  test('says of a plan that the chain has overtaken that it no longer holds, and which tool makes another', async () => {
    const world = await open()
    const added = await world.call('add_liquidity', {
      token0: 'WETH',
      token1: 'USDC',
      fee: 500,
      amount0: '0.1',
      rangeStrategy: 'wide',
    })
    const positionId = added.text('positionId')
    const operations = [{ type: 'remove', positionId, params: {} }]
    const planned = await world.call('batch_lp_operations', { operations, dryRun: true })
    await world.call('remove_liquidity', { positionId })
    const refused = await world.refuse('execute_plan', { planId: planned.text('plan.planId') })
    expect(refused).toMatchObject({
      code: 'VALIDATION_FAILED',
      retryable: false,
      message: expect.stringMatching(/^The plan no longer holds, .*operations\[0\].*closed/),
      suggestion: expect.stringMatching(/^Call batch_lp_operations again with dryRun for a new plan/),
    })
  })

  test('called twenty times at once, with and without a key, has one effect', async () => {
    const world = await open()
    const planId = await planOf(world)
    const key = { idempotencyKey: 'once' }
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        world.dispatch.call({
          name: 'execute_plan',
          arguments: { planId, ...(index % 2 === 0 ? key : {}) },
          principal: owner,
          signal: new AbortController().signal,
        }),
      ),
    )
    expect(await spent(world)).toBe(300_000_000n)
    const hashes = outcomes.flatMap(({ structuredContent }) => structuredContent?.['txHash'] ?? [])
    expect(new Set(hashes).size).toBe(1)
    const refused = outcomes.flatMap(({ _meta }) => _meta?.['svc/error']?.code ?? [])
    expect(new Set(refused)).toEqual(new Set(['OPERATION_STATE']))
  })

  test('answers another principal as if there were no such plan', async () => {
    const world = await open()
    const planId = await planOf(world)
    const stranger: Principal = { ...owner, id: 'key:stranger' }
    for (const [name, args] of [
      ['execute_plan', { planId }],
      ['get_operation', { operationId: planId }],
      ['cancel_operation', { operationId: planId }],
    ] as const) {
      expect(await world.refuse(name, args, { principal: stranger })).toEqual(
        await world.refuse(name, Object.fromEntries(Object.keys(args).map((key) => [key, unknownId]))),
      )
    }
    expect((await world.call('list_operations', {}, { principal: stranger })).list('operations')).toEqual([])
    expect((await world.call('execute_plan', { planId })).text('status')).toBe('success')
  })

  test('asks a scoped token for the scope of what it executes or cancels', async () => {
    const world = await open()
    const planId = await planOf(world)
    const scoped = (scope: 'write:liquidity' | 'write:trade'): Principal => ({
      ...owner,
      tier: null,
      scopes: new Set([scope]),
    })
    const wrong = { principal: scoped('write:liquidity') }
    expect((await world.refuse('execute_plan', { planId }, wrong)).code).toBe('INSUFFICIENT_KEY_TIER')
    expect((await world.refuse('cancel_operation', { operationId: planId }, wrong)).code).toBe('INSUFFICIENT_KEY_TIER')
    const answer = await world.call('execute_plan', { planId }, { principal: scoped('write:trade') })
    expect(answer.text('status')).toBe('success')
  })

  test('refuses another plan hash and an expired plan, and signs nothing', async () => {
    const world = await open()
    const planId = await planOf(world)
    const planHash = `0x${'1'.repeat(64)}`
    expect((await world.refuse('execute_plan', { planId, planHash })).code).toBe('OPERATION_CHANGED')
    world.clock.offsetMs = 601_000
    expect((await world.refuse('execute_plan', { planId })).code).toBe('OPERATION_EXPIRED')
    expect(await spent(world)).toBe(0n)
  })

  test('refuses the plan of a dry run that said it would', async () => {
    const limitsUsd = { perTransaction: '100', perSession: '100', daily: '100' }
    const world = await open({ policy: { ...lenient, limitsUsd } })
    const planned = await world.call('execute_swap', { ...swap, dryRun: true })
    expect(planned.at('plan.policy.allowed')).toBe(false)
    expect(planned.text('plan.policy.verdict')).toMatch(
      /^execute_plan would refuse this plan .* limit of one transaction/,
    )
    const { code } = await world.refuse('execute_plan', { planId: planned.text('plan.planId') })
    expect([code, await spent(world)]).toEqual(['SPENDING_LIMIT_EXCEEDED', 0n])
  })

  test('takes a plan again that failed for a reason which passes', async () => {
    const world = await open()
    const planId = await planOf(world)
    await writeFile(join(world.again.dataDir, 'paused'), '')
    expect((await world.refuse('execute_plan', { planId })).code).toBe('SERVER_PAUSED')
    await rm(join(world.again.dataDir, 'paused'))
    expect((await world.call('execute_plan', { planId })).text('status')).toBe('success')
  })

  test('refuses with what differs when the market brings less than planned, and the plan is used up', async () => {
    const world = await open()
    const planId = await planOf(world, { ...swap, slippageBps: 10, version: 'v3' })
    await moveThePrice(world)
    const refusal = await world.refuse('execute_plan', { planId })
    expect(refusal).toMatchObject({
      code: 'SIMULATION_DRIFT',
      retryable: false,
      suggestion: 'Call execute_swap again with dryRun: this plan is spent.',
    })
    expect(refusal.details).toContainEqual(
      expect.objectContaining({ message: 'Less would arrive than the plan says.', token: expect.any(String) }),
    )
    expect(await spent(world)).toBe(0n)
    expect((await world.call('get_operation', { operationId: planId })).at('error.code')).toBe('SIMULATION_DRIFT')
    expect(await world.store.ledger.open()).toEqual([])
  })
})

describe('a write above the threshold', () => {
  test('waits for a person, then runs once, bound to what was shown', async () => {
    const world = await open({ policy: small })
    const id = await waiting(world)
    expect(await world.store.ledger.open()).toEqual([])
    expect((await world.refuse('execute_plan', { planId: id })).code).toBe('APPROVAL_REQUIRED')
    await decide(world, id)
    expect((await world.call('execute_plan', { planId: id })).text('amountIn')).toBe('300')
    expect((await world.refuse('execute_plan', { planId: id })).code).toBe('OPERATION_STATE')
    expect(await spent(world)).toBe(300_000_000n)
  })

  describe('G1: under an idempotencyKey', () => {
    const keyed = { ...swap, idempotencyKey: 'one-wish' }

    test('is carried out once, by a repeat of the call or by its id, and never asked for again', async () => {
      const world = await open({ policy: small })
      const id = operationIn((await world.refuse('execute_swap', keyed)).details)
      expect(operationIn((await world.refuse('execute_swap', keyed)).details)).toBe(id)
      const other = await world.refuse('execute_swap', { ...keyed, amount: '10' })
      expect(other.code).toBe('IDEMPOTENCY_CONFLICT')
      await decide(world, id)
      const answer = await world.call('execute_swap', keyed)
      expect(answer.text('amountIn')).toBe('300')
      expect((await world.call('execute_swap', keyed)).data).toEqual(repeatOf(answer.data))
      expect((await world.refuse('execute_plan', { planId: id })).code).toBe('OPERATION_STATE')
      expect(await spent(world)).toBe(300_000_000n)
      expect(await world.store.operations.list({ principalId: null, limit: 9 })).toHaveLength(1)
    })

    test('answers what execute_plan made of it', async () => {
      const world = await open({ policy: small })
      const id = operationIn((await world.refuse('execute_swap', keyed)).details)
      await decide(world, id)
      const answer = await world.call('execute_plan', { planId: id })
      expect((await world.call('execute_swap', keyed)).data).toEqual(repeatOf(answer.data))
      expect(await spent(world)).toBe(300_000_000n)
    })

    test('stays with a no, and with the failure of what was approved', async () => {
      const world = await open({ policy: small })
      await decide(world, operationIn((await world.refuse('execute_swap', keyed)).details), false)
      expect((await world.refuse('execute_swap', keyed)).code).toBe('APPROVAL_DENIED')
      const bound = { ...keyed, slippageBps: 10, version: 'v3', idempotencyKey: 'bound' }
      await decide(world, operationIn((await world.refuse('execute_swap', bound)).details))
      await moveThePrice(world)
      const drifted = await world.refuse('execute_swap', bound)
      expect(drifted.code).toBe('SIMULATION_DRIFT')
      expect(await world.refuse('execute_swap', bound)).toEqual(drifted)
      expect(await spent(world)).toBe(0n)
    })

    test('asks the person at the client again while it waits, and takes the answer of a later call', async () => {
      const world = await open({ policy: small })
      const id = operationIn((await world.refuse('execute_swap', keyed)).details)
      const asked: string[] = []
      const confirm = async ({ operationId }: ApprovalQuestion) => (asked.push(operationId), 'cancelled' as const)
      expect((await world.refuse('execute_swap', keyed, { confirm })).code).toBe('APPROVAL_REQUIRED')
      expect(asked).toEqual([id])
      const { planHash } = (await world.store.operations.byId(id))!
      const other = { operationId: `${id}0`, planHash, accepted: true }
      expect((await world.refuse('execute_swap', keyed, { answer: other })).code).toBe('OPERATION_CHANGED')
      const answer = { operationId: id, planHash, accepted: true }
      const done = await world.call('execute_swap', keyed, { answer })
      expect((await world.call('execute_swap', keyed, { answer })).data).toEqual(repeatOf(done.data))
      expect(await spent(world)).toBe(300_000_000n)
    })
  })

  test('is refused although approved when it no longer fits the policy', async () => {
    const world = await open({ policy: small })
    const id = await waiting(world)
    await decide(world, id)
    worlds.splice(worlds.indexOf(world), 1)
    await world.close()
    const limitsUsd = { perTransaction: '299', perSession: '299', daily: '299' }
    const tighter = await open({ policy: { ...small, limitsUsd }, again: world.again })
    expect((await tighter.refuse('execute_plan', { planId: id })).code).toBe('SPENDING_LIMIT_EXCEEDED')
    expect((await tighter.refuse('execute_plan', { planId: id })).code).toBe('OPERATION_STATE')
    expect([await spent(tighter), await tighter.store.ledger.open()]).toEqual([0n, []])
  })

  test('stays unsigned when a person says no', async () => {
    const world = await open({ policy: small })
    const id = await waiting(world)
    await decide(world, id, false)
    expect((await world.refuse('execute_plan', { planId: id })).code).toBe('APPROVAL_DENIED')
    expect(await spent(world)).toBe(0n)
  })

  test('planned by a dry run is not signed by execute_plan but asked for', async () => {
    const world = await open({ policy: small })
    const planned = await world.call('execute_swap', { ...swap, dryRun: true })
    expect(planned.at('plan.policy')).toMatchObject({ allowed: true, conditions: [{ code: 'APPROVAL_REQUIRED' }] })
    const { code, details } = await world.refuse('execute_plan', { planId: planned.text('plan.planId') })
    expect([code, await spent(world)]).toEqual(['APPROVAL_REQUIRED', 0n])
    const id = operationIn(details)
    const [request, plan] = (await world.call('list_operations', {})).list('operations')
    expect(request!.data).toMatchObject({ operationId: id, state: 'awaiting_approval', becameOperationId: null })
    expect(plan!.data).toMatchObject({ state: 'failed', becameOperationId: id })
    await decide(world, id)
    expect((await world.call('execute_plan', { planId: id })).text('status')).toBe('success')
  })

  test('is asked about at the client, and a yes carries it out in the same call under its key', async () => {
    const world = await open({ policy: small })
    const questions: ApprovalQuestion[] = []
    const asking = (reply: ApprovalReply) => ({
      confirm: async (question: ApprovalQuestion) => {
        questions.push(question)
        return reply
      },
    })
    await world.refuse('execute_swap', { ...swap, amount: '301' })
    expect((await world.refuse('execute_swap', swap, asking('cancelled'))).code).toBe('APPROVAL_REQUIRED')
    expect(questions).toMatchObject([{ othersWaiting: 1 }])
    expect((await world.refuse('execute_swap', swap, asking('declined'))).code).toBe('APPROVAL_DENIED')
    expect(await spent(world)).toBe(0n)
    const keyed = { ...swap, idempotencyKey: 'asked' }
    const answer = await world.call('execute_swap', keyed, asking('accepted'))
    expect(answer.text('amountIn')).toBe('300')
    const repeated = await world.call('execute_swap', keyed, asking('declined'))
    expect(repeated.data).toEqual(repeatOf(answer.data))
    expect(questions).toHaveLength(3)
    expect(questions[2]).toMatchObject({ tool: 'execute_swap', spendUsd: expect.any(String) })
    const done = await world.store.operations.byId(questions[2]!.operationId)
    expect(done).toMatchObject({ state: 'done', decidedBy: 'client:api-key:0000000000000e12' })
    expect(await spent(world)).toBe(300_000_000n)
  })

  test('takes the answer of a later call, of the same principal, tool and arguments alone', async () => {
    const world = await open({ policy: small })
    const operationId = await waiting(world)
    const { planHash } = (await world.store.operations.byId(operationId))!
    const answer = { operationId, planHash, accepted: true }
    const other = { ...swap, amount: '301' }
    expect((await world.refuse('execute_swap', other, { answer })).code).toBe('OPERATION_CHANGED')
    const stranger = { answer, principal: { ...owner, id: 'key:stranger' } }
    expect((await world.refuse('execute_swap', swap, stranger)).code).toBe('OPERATION_NOT_FOUND')
    expect((await world.call('execute_swap', swap, { answer })).text('amountIn')).toBe('300')
    expect((await world.refuse('execute_swap', swap, { answer })).code).toBe('OPERATION_STATE')
    expect(await spent(world)).toBe(300_000_000n)
  })

  test('is not decided at the client where the operator alone approves', async () => {
    const world = await open({ policy: { ...small, approvals: { channels: ['operator'] } } })
    const confirm = () => expect.unreachable('asked')
    expect((await world.refuse('execute_swap', swap, { confirm })).code).toBe('APPROVAL_REQUIRED')
    const [operation] = await world.store.operations.list({ principalId: null, limit: 1 })
    const answer = { operationId: operation!.id, planHash: operation!.planHash, accepted: true }
    expect((await world.refuse('execute_swap', swap, { answer })).code).toBe('APPROVAL_REQUIRED')
    expect((await world.store.operations.byId(operation!.id))?.state).toBe('awaiting_approval')
  })
})

describe('G13: a plan that is carried out', () => {
  test.each([
    ['of a trade', 'execute_swap', async () => ({ ...swap, version: 'v3', slippageBps: 150 }), moveThePrice],
    [
      'of a removal',
      'remove_liquidity',
      async (world: World) => {
        const pair = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'wide' }
        const added = await world.call('add_liquidity', { ...pair, amount0: '0.03' })
        return { positionId: added.text('positionId'), version: 'v3', percentage: 100, slippageBps: 150 }
      },
      moveOnePool,
    ],
  ] as const)('asks the block for the least that was shown, %s', async (_what, tool, argsFor, move) => {
    const world = await open({ policy: { ...lenient, approvalThresholdUsd: '5000' } })
    const planId = (await world.call(tool, { ...(await argsFor(world)), dryRun: true })).text('plan.planId')
    const { receives } = readPlanned((await world.store.operations.byId(planId))!)
    await move(world)
    const hash = (await world.call('execute_plan', { planId })).text('txHash') as Hash
    const { input } = await world.client.getTransaction({ hash })
    const shown = receives.filter(({ amount }) => input.includes(toHex(amount, { size: 32 }).slice(2)))
    expect(shown).toHaveLength(1)
  })
})

const unknownId = '00000000-0000-4000-8000-000000000000'
