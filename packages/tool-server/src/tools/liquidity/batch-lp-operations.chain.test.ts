import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi } from '@svc/amm/abis'
import type { Address } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, ownPolicy, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const pair = { token0: 'WETH', token1: 'USDC', fee: 500 }

async function open(version: string, amount0 = '2'): Promise<Answer> {
  return world.call('add_liquidity', { ...pair, amount0, rangeStrategy: 'medium', version })
}

async function earn(...opened: readonly Answer[]): Promise<void> {
  const pools = [...new Set(opened.map((one) => one.text('pool.poolAddress') as `0x${string}`))]
  await devnet().trade(12, 3, pools)
}

function liquidityOf(positionId: string, version: string): Promise<bigint> {
  return world.call('get_position', { positionId, version }).then((answer) => BigInt(answer.text('liquidityRaw')))
}

describe('batch_lp_operations', () => {
  test('does everything in one transaction, as the chain shows it', async () => {
    const [collected, compounded, removed, moved] = [
      await open('v3'),
      await open('v4'),
      await open('v3'),
      await open('v4'),
    ]
    await earn(collected, compounded)
    const ids = [collected, compounded, removed, moved].map((one) => one.text('positionId'))
    const before = await Promise.all([liquidityOf(ids[1]!, 'v4'), liquidityOf(ids[2]!, 'v3')])
    const operations = [
      { type: 'collect', positionId: ids[0], params: {} },
      { type: 'compound', positionId: ids[1], params: { version: 'v4' } },
      { type: 'remove', positionId: ids[2], params: { percentage: 50 } },
      { type: 'add', params: { ...pair, amount0: '0.5', rangeStrategy: 'wide' } },
      { type: 'rebalance', positionId: ids[3], params: { version: 'v4', rangeStrategy: 'wide' } },
    ]
    const answer = await world.call('batch_lp_operations', { operations })
    expect(answer.at('transactions')).toHaveLength(1)
    expect(answer.text('atomicity')).toBe('batch-7702')
    expect(answer.at('operationsExecuted')).toBe(5)
    expect(answer.data).toMatchObject({ status: 'success', explorerUrl: null })
    const receipt = await world.client.getTransactionReceipt({ hash: answer.text('txHash') as `0x${string}` })
    expect(receipt).toMatchObject({ status: 'success', to: world.wallet.toLowerCase() })
    expect(answer.number('totalGasCostUsd')).toBe(answer.number('gasCostUsd'))
    const results = answer.at('results') as readonly Record<string, unknown>[]
    expect(results.map(({ type }) => type)).toEqual(operations.map(({ type }) => type))
    expect(results.map((result) => Object.keys(result).at(-1))).toEqual([
      'feesUsd',
      'feesUsd',
      'receivedUsd',
      'depositedUsd',
      'depositedUsd',
    ])
    for (const result of results) expect(Number(Object.values(result).at(-1))).toBeGreaterThan(0)
    expect(results.slice(0, 3).map(({ positionId }) => positionId)).toEqual(ids.slice(0, 3))
    expect(results.map(({ closedPositionId }) => closedPositionId)).toEqual([...Array(4), ids[3]])
    for (const result of results) {
      expect(new Set([result['token0Symbol'], result['token1Symbol']])).toEqual(new Set(['USDC', 'WETH']))
      expect(Number(result['amount0']) + Number(result['amount1'])).toBeGreaterThan(0)
    }
    expect(answer.at('notes')).toContainEqual(
      expect.stringMatching(/^By all operations together the wallet has [\d.]+ \w+ (more|less)/),
    )
    // What was opened exists under the id that is named, what was moved is empty, what was halved is half.
    expect(await liquidityOf(String(results[3]!['positionId']), 'v3')).toBeGreaterThan(0n)
    expect(await liquidityOf(String(results[4]!['positionId']), 'v4')).toBeGreaterThan(0n)
    expect(await liquidityOf(ids[3]!, 'v4')).toBe(0n)
    expect(await liquidityOf(ids[1]!, 'v4')).toBeGreaterThan(before[0])
    expect(await liquidityOf(ids[2]!, 'v3')).toBe(before[1] - before[1] / 2n)
    const fees = await world.call('get_position', { positionId: ids[0]!, version: 'v3' })
    expect([fees.text('feesOwed0'), fees.text('feesOwed1')]).toEqual(['0', '0'])
    expect(answer.text('gasSavedVsSeparate')).toMatch(/^[1-9]\d* gas$/)
    await expectNoAllowance()
  })

  test('lets what one operation brings pay for another', async () => {
    const opened = await open('v3', '5')
    const weth = await world.balance(world.address('WETH'))
    const operations = [
      { type: 'remove', positionId: opened.text('positionId'), params: {} },
      { type: 'add', params: { ...pair, amount0: '4', rangeStrategy: 'wide' } },
    ]
    const answer = await world.call('batch_lp_operations', { operations })
    expect(answer.at('operationsExecuted')).toBe(2)
    expect(await world.balance(world.address('WETH'))).toBeGreaterThan(weth)
  })

  test('is planned, shown call by call, and carried out once', async () => {
    const opened = await open('v3')
    await earn(opened)
    const operations = [
      { type: 'collect', positionId: opened.text('positionId') },
      { type: 'add', params: { ...pair, amount0: '0.1', rangeStrategy: 'medium', version: 'v4' } },
    ]
    const planned = await world.call('batch_lp_operations', { operations, dryRun: true })
    expect(planned.text('plan.atomicity')).toBe('batch-7702')
    const labels = (planned.at('plan.steps') as readonly { label: string }[]).map(({ label }) => label)
    expect(labels.filter((label) => label.startsWith('operation '))).toEqual([
      'operation 0: collect fees',
      expect.stringMatching(/^operation 1: /),
    ])
    expect(planned.at('plan.warnings')).toContainEqual(
      expect.stringMatching(/^All figures are of the operations together.* a token may stand in both bounds/),
    )
    expect(planned.at('plan.warnings')).toContainEqual(
      expect.stringMatching(/^v4 fixes the liquidity: .* takes up to [\d.]+ % more \w+ than given/),
    )
    const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(answer.at('operationsExecuted')).toBe(2)
    expect((await world.refuse('execute_plan', { planId: planned.text('plan.planId') })).code).not.toBe('INTERNAL')
  })

  test('says that a rebalance in it counts whole where it trades in its own pool, and by itself its swap', async () => {
    const opened = await open('v3')
    const [positionId, params] = [opened.text('positionId'), { rangeStrategy: 'wide' }]
    await world.call('execute_swap', {
      tokenIn: 'WETH',
      tokenOut: 'USDC',
      amount: '5',
      version: 'v3',
    })
    const operations = [{ type: 'rebalance', positionId, params }]
    const batch = await world.call('batch_lp_operations', { operations, dryRun: true })
    const alone = await world.call('rebalance_position', { positionId, ...params, dryRun: true })
    expect(Number(batch.text('plan.spendUsd'))).toBeGreaterThan(2 * Number(alone.text('plan.spendUsd')))
    const removal = await world.call('remove_liquidity', { positionId, percentage: 100, dryRun: true })
    expect(removal.at('plan.warnings')).toContainEqual(expect.stringMatching(/^receivesAtLeast bounds each token/))
    expect(batch.at('plan.warnings')).toContainEqual(
      expect.stringMatching('counts whole .* the batch trades in its own pool'),
    )
  })

  test('brings at worst what all its parts bring, not only the one that deposits', async () => {
    const opened = await open('v3')
    const remove = { type: 'remove', positionId: opened.text('positionId'), params: { percentage: 50 } }
    const add = { type: 'add', params: { ...pair, amount0: '0.01', rangeStrategy: 'wide' } }
    const planned = await world.call('batch_lp_operations', { operations: [remove, add], dryRun: true })
    const [all, atWorst] = [planned.text('plan.values.arrivesUsd'), planned.text('plan.values.arrivesAtWorstUsd')]
    expect(Number(atWorst) / Number(all)).toBeGreaterThan(0.98)
  })

  test('keeps the slippage of each deposit, also of a plan that is carried out', async () => {
    const add = (slippageBps: number) => {
      return { type: 'add', params: { ...pair, amount0: '0.1', rangeStrategy: 'wide', slippageBps } }
    }
    const operations = [add(30), add(100)]
    expect((await world.call('batch_lp_operations', { operations })).at('operationsExecuted')).toBe(2)
    const planned = await world.call('batch_lp_operations', { operations: operations.toReversed(), dryRun: true })
    const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(answer.at('operationsExecuted')).toBe(2)
  })

  test('names the operation that fails, and does nothing of the others', async () => {
    const opened = await open('v3')
    await earn(opened)
    const collect = { type: 'collect', positionId: opened.text('positionId') }
    const idle = { type: 'collect', positionId: (await open('v3')).text('positionId') }
    const nonce = await world.client.getTransactionCount({ address: world.wallet })
    const missing = { type: 'remove', positionId: '999999' }
    expect(await world.refuse('batch_lp_operations', { operations: [collect, missing] })).toMatchObject({
      code: 'POSITION_NOT_FOUND',
      details: [{ path: 'operations.1.positionId' }],
    })
    const unknown = { type: 'add', params: { ...pair, token1: 'NOSUCH', amount0: '1', rangeStrategy: 'wide' } }
    expect(await world.refuse('batch_lp_operations', { operations: [collect, unknown] })).toMatchObject({
      code: 'TOKEN_NOT_FOUND',
      details: [{ path: 'operations.1.params.token1' }],
    })
    expect(await world.refuse('batch_lp_operations', { operations: [collect, idle] })).toMatchObject({
      code: 'NOTHING_TO_COLLECT',
      suggestion: 'Call again without operations[1]; nothing was done.',
    })
    const dear = { type: 'add', params: { ...pair, amount0: '9999', rangeStrategy: 'wide' } }
    const short = await world.refuse('batch_lp_operations', { operations: [collect, dear] })
    expect(short.details.map(({ path }) => path)).toContain('operations.1')
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(nonce)
  })

  test('of v3 positions alone needs nothing but their own contract', async () => {
    await world.close()
    world = await openWorld(devnet(), { policy: { ...ownPolicy(devnet()), batchDelegate: {} } })
    const [collected, compounded, removed, moved] = [
      await open('v3'),
      await open('v3'),
      await open('v3'),
      await open('v3'),
    ]
    await earn(collected)
    const ids = [collected, compounded, removed, moved].map((one) => one.text('positionId'))
    const before = await Promise.all(ids.map((id) => liquidityOf(id, 'v3')))
    const operations = [
      { type: 'collect', positionId: ids[0] },
      { type: 'compound', positionId: ids[1], params: { swapToRatio: false } },
      { type: 'remove', positionId: ids[2], params: { percentage: 25 } },
      { type: 'add', params: { ...pair, amount0: '0.5', rangeStrategy: 'wide' } },
      { type: 'rebalance', positionId: ids[3], params: { rangeStrategy: 'narrow', swapToRatio: false } },
    ]
    const answer = await world.call('batch_lp_operations', { operations })
    expect(answer.text('atomicity')).toBe('multicall')
    expect(await world.client.getCode({ address: world.wallet })).toBeUndefined()
    const results = answer.at('results') as readonly Record<string, unknown>[]
    expect(results.map(({ type }) => type)).toEqual(operations.map(({ type }) => type))
    // Each sees its own: two positions of one range that earned alike, one that lost a quarter, two that are new.
    expect(Number(results[0]!['feesUsd'])).toBeGreaterThan(0)
    expect(Number(results[0]!['feesUsd']) / Number(results[1]!['feesUsd'])).toBeCloseTo(1, 2)
    expect(await liquidityOf(ids[1]!, 'v3')).toBeGreaterThan(before[1]!)
    expect(await liquidityOf(ids[2]!, 'v3')).toBe(before[2]! - before[2]! / 4n)
    expect(await liquidityOf(String(results[3]!['positionId']), 'v3')).toBeGreaterThan(0n)
    expect(await liquidityOf(String(results[4]!['positionId']), 'v3')).toBeGreaterThan(0n)
    expect(await liquidityOf(ids[3]!, 'v3')).toBe(0n)
    expect(answer.text('gasSavedVsSeparate')).toMatch(/^[1-9]\d* gas$/)
    await expectNoAllowance()
  })

  test('without an atomic route is refused, unless it is one call', async () => {
    await world.close()
    world = await openWorld(devnet(), { policy: { ...ownPolicy(devnet()), batchDelegate: {} } })
    const opened = await open('v3')
    await earn(opened)
    const collect = { type: 'collect', positionId: opened.text('positionId') }
    const add = { type: 'add', params: { ...pair, amount0: '0.1', rangeStrategy: 'wide', version: 'v4' } }
    expect(await world.refuse('batch_lp_operations', { operations: [collect, add] })).toMatchObject({
      code: 'ATOMIC_EXECUTION_UNAVAILABLE',
      suggestion: expect.stringMatching(/batchDelegate/),
    })
    const answer = await world.call('batch_lp_operations', { operations: [collect] })
    expect(answer.at('operationsExecuted')).toBe(1)
    expect(answer.text('gasSavedVsSeparate')).toBe('0 gas')
  })
})

async function expectNoAllowance(): Promise<void> {
  const { amm, permit2 } = devnet().chain
  const spenders: readonly Address[] = [amm.v3!.positionManager, amm.v3!.swapRouter02, amm.v2!.router, permit2]
  for (const symbol of ['WETH', 'USDC']) {
    for (const spender of spenders) {
      const address = world.address(symbol)
      const read = { address, abi: erc20Abi, functionName: 'allowance', args: [world.wallet, spender] } as const
      expect(await world.client.readContract(read)).toBe(0n)
    }
  }
}
