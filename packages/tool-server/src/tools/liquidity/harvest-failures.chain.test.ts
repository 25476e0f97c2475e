import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { formatUnits, parseUnits } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createChainActor, v3PathOf } from '../../../../amm/src/liquidity/chain-actor.fixture.ts'
import { calls, isMined, keepsNineTenths, turnToken } from '../../../../engine/src/simulation/hostile-token.fixture.ts'
import { type Answer, answerOf, repeatOf } from '../answer.fixture.ts'
import { callApproved, openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

async function open(more: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
  const range = { fee: 500, rangeStrategy: 'medium', slippageBps: 300 }
  return world.call('add_liquidity', { token0: 'WETH', token1: 'USDC', amount0: '3', ...range, ...more })
}

async function earn(...opened: readonly Answer[]): Promise<void> {
  const pools = new Set(opened.map((one) => one.text('pool.poolAddress') as `0x${string}`))
  await devnet().trade(20, 3, [...pools])
}

/** Keeps quotes from the server until the function that it gives is called. */
function silenceQuoter(): () => void {
  const { fetch } = world.network
  const quoters = [world.chain.amm.v3!.quoterV2, world.chain.amm.v4!.quoter].map((one) => one.slice(2).toLowerCase())
  world.network.fetch = (input, init) => {
    const body = typeof init?.body === 'string' ? init.body.toLowerCase() : ''
    if (!quoters.some((quoter) => body.includes(quoter))) return fetch(input, init)
    return Promise.resolve(new Response('busy', { status: 503 }))
  }
  return () => void (world.network.fetch = fetch)
}

async function sentSince(nonce: number): Promise<number> {
  return (await world.client.getTransactionCount({ address: world.wallet })) - nonce
}

const nonce = () => world.client.getTransactionCount({ address: world.wallet })

/** What a refusal says was done. */
function doneOf(refusal: { readonly details: readonly Readonly<Record<string, unknown>>[] }): Answer {
  return answerOf(refusal.details.find(({ result }) => result !== undefined)?.['result'])
}

describe('a harvest that fails in part', () => {
  test('keeps its fees, names what failed, and goes on under the same key, also after a restart', async () => {
    const opened = [await open(), await open({ version: 'v4' })]
    await earn(...opened)
    const before = await Promise.all(['USDC', 'WETH'].map((token) => world.balance(token)))
    const args = { targetToken: 'USDC', idempotencyKey: 'harvest-1' }
    silenceQuoter()
    const first = await nonce()
    const refusal = await world.refuse('harvest_rewards', args)
    expect(refusal).toMatchObject({ code: 'CONSOLIDATION_SWAP_FAILED', retryable: true })
    expect(doneOf(refusal).list('feesCollected')).toHaveLength(2)
    expect(refusal.details.filter(({ txHash }) => txHash !== undefined)).toHaveLength(2)
    expect(await sentSince(first)).toBe(2)
    const { again } = world
    await world.close()
    world = await openWorld(devnet(), { again })
    // What was earned since is for the next harvest.
    await earn(...opened)
    const answer = await world.call('harvest_rewards', args)
    const collections = (of: Answer) =>
      of
        .list('feesCollected')
        .map((one) => [one.text('positionId'), one.text('txHash'), one.text('amount0'), one.text('amount1')])
    expect(collections(answer)).toEqual(collections(doneOf(refusal)))
    expect(answer.list('consolidationSwaps')).toHaveLength(1)
    // An approval and a swap more, and no collection.
    expect(await sentSince(first)).toBe(4)
    expect(answer.at('transactions')).toHaveLength(4)
    const after = await Promise.all(['USDC', 'WETH'].map((token) => world.balance(token)))
    expect(after[1]).toBe(before[1])
    expect(Number(answer.text('summary.consolidatedAmount')) * 1e6).toBeCloseTo(Number(after[0]! - before[0]!), 0)
    expect((await world.call('harvest_rewards', args)).data).toEqual(repeatOf(answer.data))
    expect(await sentSince(first)).toBe(4)
  })

  test('takes no second swap where the first was mined, whatever the key is used for afterwards', async () => {
    await earn(await open(), await open({ token0: 'DAI', token1: 'WETH', amount0: '3000', fee: 3_000 }))
    const args = { targetToken: 'USDC', idempotencyKey: 'harvest-2' }
    // DAI goes last: its pool is off the market then.
    const { fetch } = world.network
    const dai = world.address('DAI').slice(2).toLowerCase()
    let collected = 0
    world.network.fetch = (input, init) => {
      const body = typeof init?.body === 'string' ? init.body.toLowerCase() : ''
      collected += body.includes('eth_sendrawtransaction') ? 1 : 0
      const quotesDai =
        collected > 0 && body.includes(world.chain.amm.v3!.quoterV2.slice(2).toLowerCase()) && body.includes(dai)
      return quotesDai ? Promise.resolve(new Response('busy', { status: 503 })) : fetch(input, init)
    }
    const refusal = await world.refuse('harvest_rewards', args)
    world.network.fetch = fetch
    expect(refusal.code).toBe('CONSOLIDATION_SWAP_FAILED')
    const done = doneOf(refusal)
      .list('consolidationSwaps')
      .map((one) => one.text('txHash'))
    const answer = await world.call('harvest_rewards', args)
    const swaps = answer.list('consolidationSwaps')
    expect(new Set(swaps.map((one) => one.text('tokenIn')))).toEqual(new Set(['WETH', 'DAI']))
    expect(swaps).toHaveLength(2)
    expect(swaps.map((one) => one.text('txHash'))).toEqual(expect.arrayContaining(done))
  })

  test('a swap that needs a person is refused and waits for nobody', async () => {
    await world.close()
    world = await openWorld(devnet(), { policy: { ...devnetPolicy(), approvalThresholdUsd: '0.5' } })
    const { again } = world
    await world.close()
    world = await openWorld(devnet(), { again })
    await earn(await open())
    await world.close()
    world = await openWorld(devnet(), { again, policy: { ...devnetPolicy(), approvalThresholdUsd: '0.5' } })
    const refusal = await world.refuse('harvest_rewards', { targetToken: 'USDC' })
    expect(refusal).toMatchObject({ code: 'CONSOLIDATION_SWAP_FAILED', retryable: false })
    expect(refusal.details).toContainEqual(expect.objectContaining({ code: 'APPROVAL_REQUIRED' }))
    expect((await world.call('list_operations')).list('operations')).toEqual([])
  })
})

describe('a token that turns on its holders', () => {
  /** One position in the pool of HOSTILE and USDC beside one in a sound pool. */
  async function openBoth(): Promise<readonly [Answer, Answer]> {
    await world.close()
    const funds = { HOSTILE: '2000000' }
    // What has no price counts as the whole limit of a transaction.
    const limitsUsd = { perTransaction: '50000', perSession: '1000000', daily: '1000000' }
    const lenient = { ...devnetPolicy(), limitsUsd, unnamedSales: 'allow', speculativeUsd: '50000' } as const
    world = await openWorld(devnet(), { policy: lenient, funds })
    const pair = {
      token0: world.address('HOSTILE'),
      token1: 'USDC',
      fee: 10_000,
      rangeStrategy: 'full',
      amount0: '200000',
    }
    const opening = { slippageBps: 300, ...pair }
    const both = [await callApproved(world, 'add_liquidity', opening), await open()] as const
    await earn(both[1])
    const trader = await createChainActor(devnet(), devnet().accounts[9]!.address)
    await devnet().fund(trader.address, { USDC: '100', HOSTILE: '5000' })
    const usdc = world.address('USDC')
    await trader.swapV3(v3PathOf(usdc, pair.fee, pair.token0), parseUnits('100', 6))
    await trader.swapV3(v3PathOf(pair.token0, pair.fee, usdc), parseUnits('5000', 18))
    return both
  }
  const turn = (evil: string, condition = calls('transfer(address,uint256)')) =>
    turnToken({ devnet: devnet(), token: (symbol) => world.address(symbol) }, { condition, evil })

  test.each([
    { how: 'never', condition: calls('transfer(address,uint256)') },
    { how: 'in blocks alone', condition: `${calls('transfer(address,uint256)')}${isMined}16` },
  ])('and moves $how keeps no other position from being collected', async ({ condition }) => {
    const [bad, sound] = await openBoth()
    const restore = await turn('60006000fd', condition)
    try {
      const refusal = await world.refuse('harvest_rewards')
      expect(refusal.code).toBe('HARVEST_PARTIAL_FAILURE')
      expect(
        doneOf(refusal)
          .list('feesCollected')
          .map((one) => one.text('positionId')),
      ).toEqual([sound.text('positionId')])
      expect(refusal.details).toContainEqual(expect.objectContaining({ positions: [`v3 ${bad.text('positionId')}`] }))
      expect(JSON.stringify(refusal)).not.toMatch(/IGNORE ALL PREVIOUS/)
    } finally {
      await restore()
    }
  })

  test('and keeps nine tenths is collected and sold for what it leaves', async () => {
    const [bad] = await openBoth()
    const restore = await turn(keepsNineTenths(36))
    try {
      const before = await world.balance('HOSTILE')
      const answer = await world.call('harvest_rewards', { targetToken: 'USDC' })
      const paid = answer.list('feesCollected').find((one) => one.text('positionId') === bad.text('positionId'))!
      const side = paid.text('amount0Symbol') === 'USDC' ? '1' : '0'
      const swap = answer.list('consolidationSwaps').find((one) => one.text('tokenIn') === world.address('HOSTILE'))!
      expect(Number(swap.text('amountIn'))).toBeCloseTo(Number(paid.text(`amount${side}`)) / 10, 6)
      expect(await world.balance('HOSTILE')).toBe(before)
    } finally {
      await restore()
    }
  })
})

describe('the plan of a harvest that is carried out', () => {
  test('collects its positions alone, sells no more than it says, and says what is left and where', async () => {
    const [planned, late, later] = [await open(), await open({ fee: 3_000 }), await open({ version: 'v4' })]
    await earn(planned)
    const preview = await world.call('harvest_rewards', { targetToken: 'USDC', dryRun: true })
    await earn(planned, late, later)
    const weth = await world.balance('WETH')
    const answer = await world.call('execute_plan', { planId: preview.text('plan.planId') })
    const ids = (of: Answer) => of.list('feesCollected').map((one) => one.text('positionId'))
    expect(ids(answer)).toEqual([planned.text('positionId')])
    const names = [`v3 ${late.text('positionId')}`, `v4 ${later.text('positionId')}`]
    const notes = answer.at('notes') as readonly string[]
    const left = notes.find((note) => note.startsWith('Not in the plan, and left out: '))
    for (const name of names) expect(left).toContain(name)
    const stays = formatUnits((await world.balance('WETH')) - weth, 18)
    expect(notes).toContain(
      `${stays} WETH more came than the plan sells: it stays in the wallet, execute_swap sells it.`,
    )
    expect(ids(await world.call('harvest_rewards')).toSorted()).toEqual(
      [late, later].map((one) => one.text('positionId')).toSorted(),
    )
  })

  test('and stops on its way goes on when it is named again, with its key or without', async () => {
    await earn(await open())
    const preview = await world.call('harvest_rewards', { targetToken: 'USDC', dryRun: true })
    const args = { planId: preview.text('plan.planId'), idempotencyKey: 'plan-1' }
    const restore = silenceQuoter()
    for (const again of [args, args, { planId: args.planId }]) {
      expect(await world.refuse('execute_plan', again)).toMatchObject({ code: 'CONSOLIDATION_SWAP_FAILED' })
    }
    // Nor does an endpoint that is down for a while end it.
    world.network.fetch = () => Promise.resolve(new Response('busy', { status: 503 }))
    expect(await world.refuse('execute_plan', args)).toMatchObject({ code: 'RPC_UNAVAILABLE' })
    restore()
    // Of two at once, one goes on: what is left, an approval and a swap, is signed once.
    const stoppedAt = await nonce()
    const twoKeys = [args, { ...args, idempotencyKey: 'plan-2' }] as const
    const both = await Promise.allSettled(twoKeys.map((one) => world.call('execute_plan', one)))
    const won = both[0]?.status === 'fulfilled' ? 0 : 1
    expect(both[1 - won]).toMatchObject({ reason: { message: expect.stringContaining('"OPERATION_STATE"') } })
    expect(await sentSince(stoppedAt)).toBe(2)
    const answer = (both[won] as PromiseFulfilledResult<Answer>).value
    expect(answer.list('feesCollected')).toHaveLength(1)
    expect(answer.list('consolidationSwaps')).toHaveLength(1)
    const first = await nonce()
    expect((await world.call('execute_plan', twoKeys[won])).data).toEqual(repeatOf(answer.data))
    expect((await world.refuse('execute_plan', { planId: args.planId })).code).toBe('OPERATION_STATE')
    expect(await sentSince(first)).toBe(0)
  })
})

describe('a harvest that waits for its time', () => {
  const policy = { ...devnetPolicy(), proxyDelay: true, delaySeconds: { routine: 0, standard: 600 } }
  const args = { targetToken: 'USDC', idempotencyKey: 'harvest-3' }

  beforeEach(async () => {
    await world.close()
    world = await openWorld(devnet(), { policy })
    await earn(await open(), await open({ version: 'v4', token0: 'ETH' }))
  })

  const carryOut = async () => {
    world.clock.offsetMs += 601_000
    const [due] = await world.operations.due(5)
    return world.dispatch.carryOutDue(due!)
  }

  test('signs nothing first, runs whole when it is due, and get_operation and the key tell its result', async () => {
    const first = await nonce()
    const scheduled = await world.call('harvest_rewards', args)
    expect(scheduled.text('status')).toBe('scheduled')
    expect(scheduled.list('consolidationSwaps')).toHaveLength(2)
    expect((await world.call('harvest_rewards', args)).text('operationId')).toBe(scheduled.text('operationId'))
    expect(await sentSince(first)).toBe(0)
    expect(await carryOut()).toMatchObject({ ok: true })
    const shown = await world.call('get_operation', { operationId: scheduled.text('operationId') })
    expect(shown.text('state')).toBe('done')
    expect(shown.list('result.consolidationSwaps')).toHaveLength(2)
    expect(shown.number('result.summary.positionsHarvested')).toBe(2)
    const told = await world.call('harvest_rewards', args)
    expect(told.data).toEqual(repeatOf(shown.at('result')))
  })

  test('and fails on its way goes on under its key and its plan', async () => {
    const scheduled = await world.call('harvest_rewards', args)
    const restore = silenceQuoter()
    expect(await carryOut()).toMatchObject({ ok: false, waitsAgain: false })
    expect(await world.refuse('harvest_rewards', args)).toMatchObject({ code: 'CONSOLIDATION_SWAP_FAILED' })
    restore()
    const operationId = scheduled.text('operationId')
    const failed = await world.call('get_operation', { operationId })
    expect(failed.at('error')).toMatchObject({ code: 'CONSOLIDATION_SWAP_FAILED' })
    const first = await nonce()
    const answer = await world.call('harvest_rewards', args)
    expect(answer.list('feesCollected')).toHaveLength(2)
    expect(answer.list('consolidationSwaps')).toHaveLength(2)
    // One approval and two swaps: native currency needs none.
    expect(await sentSince(first)).toBe(3)
    expect((await world.call('get_operation', { operationId })).text('state')).toBe('done')
  })
})
