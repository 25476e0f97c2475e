import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createTwamm } from '@svc/amm/twamm'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, type Hash, http, parseTransaction, parseUnits } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { createCircuitBreaker } from '../switches/circuit-breaker.ts'
import { mintIntent, removeIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import { mineAgain, mineNothing } from '../fixtures/mining.fixture.ts'
import { beforeSending, rewriting } from '../fixtures/network.fixture.ts'
import type { Pipeline, PipelineOptions } from '../fixtures/open-pipeline.fixture.ts'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'
import { expectGasCounted, testClient, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

afterEach(async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
  await node.mine({ blocks: 1 })
})

describe('G3: a write whose fees the chain has left behind', () => {
  it('is signed again by the sweep, within what a transaction may spend, and the wallet is free again', async () => {
    const { pipeline, hash } = await stuckPipeline()
    const worst = (await pipeline.store.ledger.open())[0]!.gasUsdMicros
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'WALLET_BUSY' })
    await sweepAndMine(pipeline)
    // Higher fees are in the reservation before they are signed.
    expect((await pipeline.store.ledger.open())[0]!.gasUsdMicros).toBeGreaterThan(worst)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19700', 6))
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    await expect(pipeline.executor.reconcile()).resolves.toMatchObject({ chains: [{ pending: [], settled: [{}] }] })
    expect(await used(pipeline)).toBe(parseUnits('300', 6))
    await expectGasCounted(pipeline)
    expect(await pipeline.store.ledger.open()).toEqual([])
    const [first, ...later] = await attemptsOf(pipeline, hash)
    expect(first).toMatchObject({ hash, state: 'replaced' })
    expect(later.at(-1)).toMatchObject({ state: 'final', reservationId: first!.reservationId })
    const lines = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.intent')
    expect(lines).toContainEqual(
      expect.objectContaining({
        requestId: first!.requestId,
        transaction: expect.objectContaining({ kind: 'raise', nonce: first!.nonce, attempt: 1, replaces: hash }),
      }),
    )
    await pipeline.run(swapIntent(pipeline, '1'))
  })

  it('is raised while its caller still waits, who hears the hash that was mined', async () => {
    const pipeline = await open({ engine: { stuckAfterMs: 0 } })
    const node = testClient(pipeline)
    beforeSending(pipeline, 2, () => node.setAutomine(false))
    const running = pipeline.run(swapIntent(pipeline, '300'))
    running.catch(() => {})
    await expect.poll(() => openOn(pipeline)).toMatchObject([{ nonce: 1, attempt: 0, state: 'broadcast' }])
    await raiseBaseFee(pipeline, (await openOn(pipeline))[0]!.hash)
    await expect.poll(async () => (await openOn(pipeline)).length).toBeGreaterThan(1)
    const [first] = await openOn(pipeline)
    await node.setAutomine(true)
    await node.mine({ blocks: 1 })
    const settled = await running
    const mined = (await attemptsOf(pipeline, first!.hash)).find(({ state }) => state === 'final')
    expect(settled).toMatchObject({ main: { hash: mined!.hash } })
    expect(mined!.hash).not.toBe(first!.hash)
    expect(await used(pipeline)).toBe(parseUnits('300', 6))
    await expectGasCounted(pipeline)
  })

  it('is not signed again while the operator has paused, but its bytes are sent on', async () => {
    const { pipeline, hash } = await stuckPipeline()
    await writeFile(join(pipeline.dataDir, 'paused'), '')
    await testClient(pipeline).dropTransaction({ hash })
    pipeline.network.requests.length = 0
    await pipeline.executor.reconcile()
    expect(await attemptsOf(pipeline, hash)).toHaveLength(1)
    expect(pipeline.network.requests.join()).toContain((await attemptsOf(pipeline, hash))[0]!.rawTransaction)
    expect(heldLines(pipeline)).toContainEqual(expect.objectContaining({ hash, why: 'not-allowed' }))
    await rm(join(pipeline.dataDir, 'paused'))
    await sweepAndMine(pipeline)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19700', 6))
  })

  it.each([
    ['raised where it brings funds home', true],
    ['ended by a no-op where it does not, so that ways home go on behind it', false],
  ])('G9: is, under a breaker that lets ways home pass, %s', async (_what, isWayHome) => {
    const { pipeline, hash } = await stuckPipeline({}, isWayHome)
    await createCircuitBreaker({
      dataDir: pipeline.dataDir,
      limits: () => parsePolicy({}, { production: false }).breaker,
      now: Date.now,
    }).trip('a drill', 'balance')
    await pipeline.executor.reconcile()
    const [first, ...later] = await attemptsOf(pipeline, hash)
    expect(later.length).toBeGreaterThan(0)
    expect(later.every(({ requestId }) => requestId === first?.requestId)).toBe(isWayHome)
    await sweepAndMine(pipeline)
    await pipeline.executor.reconcile()
    expect(await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)).toEqual([])
  })

  it.each([
    ['a day may burn', { maxDailyGasUsd: '20' }, 100n],
    ['the wallet holds beside the gas of a removal', { maxDailyGasUsd: '50000' }, 60_000n],
  ])('G13: gives its place to a no-op where higher fees are more than %s, so that the owner leaves', async (...row) => {
    const [, gas, baseFeeGwei] = row
    const { pipeline, hash } = await stuckPipeline({ policy: { ...devnetPolicy(), ...gas } })
    const node = testClient(pipeline)
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeeGwei * 10n ** 9n })
    await node.mine({ blocks: 1 })
    // The first goes as far as it may, and leaves the gas of a removal.
    await pipeline.executor.reconcile()
    const raised = parseTransaction((await attemptsOf(pipeline, hash)).at(-1)!.rawTransaction)
    const held = await pipeline.rpc.client(pipeline.chain).getBalance({ address: pipeline.wallet })
    expect(raised.maxFeePerGas! * (raised.gas! + 600_000n)).toBeLessThanOrEqual(held)
    await pipeline.executor.reconcile()
    const attempts = await attemptsOf(pipeline, hash)
    expect(attempts.map(({ requestId }) => requestId === attempts[0]?.requestId)).toEqual([true, true, false])
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
    await sweepAndMine(pipeline)
    await pipeline.executor.reconcile()
    await pipeline.executor.reconcile()
    expect(await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)).toEqual([])
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
  })

  it('G13: keeps its place where it is a removal that the wallet cannot pay more for, and is mined once gas is cheaper', async () => {
    const { pipeline, hash } = await stuckPipeline({}, true)
    const node = testClient(pipeline)
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 60_000n * 10n ** 9n })
    await node.mine({ blocks: 1 })
    for (let look = 0; look < 3; look += 1) await pipeline.executor.reconcile()
    expect(heldLines(pipeline).at(-1)).toMatchObject({ why: 'capped' })
    const [first, ...later] = await attemptsOf(pipeline, hash)
    expect(later.map(({ requestId }) => requestId)).toEqual([first?.requestId])
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
    await sweepAndMine(pipeline)
    await pipeline.executor.reconcile()
    expect((await attemptsOf(pipeline, hash)).map(({ state }) => state)).toEqual(['replaced', 'final'])
  })

  it('keeps its fees where more could cost more than a transaction may spend, and that is logged', async () => {
    const usd: Record<string, number | null> = {}
    const { pipeline, hash } = await stuckPipeline({ usd })
    usd['ETH'] = 1e12
    await pipeline.executor.reconcile()
    expect(await attemptsOf(pipeline, hash)).toHaveLength(1)
    expect(heldLines(pipeline)).toContainEqual(expect.objectContaining({ hash, why: 'capped' }))
    delete usd['ETH']
    await sweepAndMine(pipeline)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19700', 6))
  })
})

describe('an order over time, whose calldata has no deadline', () => {
  it('is out for deadlineSeconds.cap from its first signature on: higher fees begin no new time', async () => {
    const { pipeline, hash } = await stuckOrder()
    const { cap } = parsePolicy(devnetPolicy(), { production: false }).deadlineSeconds
    const before = await pipeline.balance('WETH')
    const endings = async () =>
      (await pipeline.auditLines()).filter(
        ({ why }) => why === 'end what was not mined in time and would not end by itself',
      )
    pipeline.clock.offsetMs = (cap - 100) * 1_000
    await pipeline.executor.reconcile()
    const raised = await attemptsOf(pipeline, hash)
    expect(raised.map(({ attempt, requestId }) => [attempt, requestId === raised[0]?.requestId])).toEqual([
      [0, true],
      [1, true],
    ])
    expect(await endings()).toEqual([])
    // The first is overdue, the one with higher fees was signed a moment ago.
    pipeline.clock.offsetMs = (cap + 10) * 1_000
    await pipeline.executor.reconcile()
    const [, , ending] = await attemptsOf(pipeline, hash)
    expect(parseTransaction(ending!.rawTransaction)).toMatchObject({ to: pipeline.wallet.toLowerCase() })
    expect(await endings()).toMatchObject([{ transaction: { kind: 'no-op', replaces: raised[1]?.hash } }])
    await mineAgain(pipeline)
    await pipeline.executor.reconcile()
    expect((await attemptsOf(pipeline, hash)).map(({ state }) => state)).toEqual(['replaced', 'replaced', 'final'])
    expect(await pipeline.balance('WETH')).toBe(before)
    expect(await pipeline.store.ledger.open()).toEqual([])
  })
})

describe('an endpoint that tells a wrong count twice', () => {
  it('blocks nothing: the gap is used up, also while signing is paused', async () => {
    const pipeline = await open()
    let lies = true
    const lying = rewriting('eth_getTransactionCount', (answer) => {
      return { ...answer, result: `0x${(Number(answer.result) + 2).toString(16)}` }
    })
    pipeline.network.fetch = (input, init) => (lies ? lying : fetch)(input, init)
    pipeline.patience.isShort = true
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    lies = false
    await writeFile(join(pipeline.dataDir, 'paused'), '')
    await expect
      .poll(async () => {
        await pipeline.executor.reconcile()
        return openOn(pipeline)
      })
      .toEqual([])
    await rm(join(pipeline.dataDir, 'paused'))
    pipeline.patience.isShort = false
    await pipeline.run(swapIntent(pipeline, '100'))
    expect(await used(pipeline)).toBe(parseUnits('100', 6))
    await expectGasCounted(pipeline)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19900', 6))
  })
})

/** A pipeline whose swap, or whose removal of a position, is out with fees that no block takes any more, with nothing mined unless the test says so. */
async function stuckPipeline(
  options: PipelineOptions = {},
  isRemoval = false,
): Promise<{ readonly pipeline: Pipeline; readonly hash: Hash }> {
  const pipeline = await open({ ...options, engine: { stuckAfterMs: 0 } })
  if (isRemoval) await pipeline.run(await mintIntent(pipeline))
  const intent = isRemoval ? await removeIntent(pipeline) : swapIntent(pipeline, '300')
  beforeSending(pipeline, isRemoval ? 1 : 2, () => mineNothing(pipeline))
  const failure: unknown = await pipeline.run(intent).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'TRANSACTION_PENDING', details: [{ step: intent.calls[0]!.label }] })
  pipeline.network.fetch = fetch
  const { hash } = (await openOn(pipeline))[0]!
  await raiseBaseFee(pipeline, hash)
  return { pipeline, hash }
}

/** The same of an order that sells WETH over a day. */
async function stuckOrder(): Promise<{ readonly pipeline: Pipeline; readonly hash: Hash }> {
  const { twamm, chain } = devnet()
  const twammHooks = { [chain.id]: [{ hook: twamm.hook, pools: [twamm.pool.id] }] }
  const pipeline = await open({ policy: devnetPolicy({ twammHooks }), engine: { stuckAfterMs: 0 } })
  const orders = createTwamm({ ...pipeline, named: () => twammHooks[chain.id] ?? [] })
  const [tokenIn, tokenOut] = await Promise.all(
    ['WETH', 'USDC'].map((symbol) => pipeline.tokens.byAddress(pipeline.chain, pipeline.token(symbol))),
  )
  const sale = { tokenIn: tokenIn!, tokenOut: tokenOut!, amountIn: parseUnits('1', 18), durationSeconds: 86_400 }
  const pool = await orders.pool(pipeline.chain, twamm.pool.id)
  const { intent } = await orders.planSubmit(pipeline.chain, pool, { ...sale, owner: pipeline.wallet, kept: null })
  beforeSending(pipeline, 2, () => mineNothing(pipeline))
  await expect(pipeline.run(intent, { tool: 'submit_twamm_order' })).rejects.toMatchObject({
    code: 'TRANSACTION_PENDING',
    details: [{ step: 'submit order' }],
  })
  pipeline.network.fetch = fetch
  const { hash } = (await openOn(pipeline))[0]!
  await raiseBaseFee(pipeline, hash)
  return { pipeline, hash }
}

/** Mines a block whose base fee is above what a transaction offers. */
async function raiseBaseFee(pipeline: Pipeline, hash: Hash): Promise<void> {
  const entry = await pipeline.store.journal.byHash(hash)
  const { maxFeePerGas } = parseTransaction(entry!.rawTransaction)
  await testClient(pipeline).setNextBlockBaseFeePerGas({ baseFeePerGas: maxFeePerGas! * 2n })
  await testClient(pipeline).mine({ blocks: 1 })
}

async function sweepAndMine(pipeline: Pipeline): Promise<void> {
  await pipeline.executor.reconcile()
  await mineAgain(pipeline)
}

function openOn(pipeline: Pipeline) {
  return pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)
}

async function attemptsOf(pipeline: Pipeline, hash: Hash) {
  const entry = await pipeline.store.journal.byHash(hash)
  return pipeline.store.journal.byNonce(pipeline.chain.id, pipeline.wallet, entry!.nonce)
}

function heldLines(pipeline: Pipeline) {
  return pipeline.lines.filter(({ event }) => event === 'tx.held').map(({ facts }) => facts)
}
