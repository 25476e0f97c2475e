import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, type Hash, http, parseUnits } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { createCircuitBreaker } from '../switches/circuit-breaker.ts'
import { hasSigned } from './may-be-mined.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { mineNothing } from '../fixtures/mining.fixture.ts'
import { beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline, PipelineOptions } from '../fixtures/open-pipeline.fixture.ts'
import { parsePolicy } from '../policy/policy.ts'
import { testClient, used } from '../fixtures/pipeline-facts.fixture.ts'
import { storeEngines } from '../fixtures/store-engines.fixture.ts'
import { usePipelines, type UsePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const by = 'operator:ada'
const patience = { timeout: 30_000 }

afterEach(async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
})

describe.each(storeEngines)('an operator who cancels a transaction, on $engine', ({ usePlaces }) => {
  const { open } = usePipelines(devnet, usePlaces())

  it('ends it also while signing is paused and the breaker is open; its caller hears who did it', async () => {
    const pipeline = await open()
    beforeSending(pipeline, 2, () => testClient(pipeline).setAutomine(false))
    const running = pipeline.run(swapIntent(pipeline, '300'), { requestId: 'held' }).catch((error: unknown) => error)
    const { hash, nonce } = await swapOut(pipeline)
    await writeFile(join(pipeline.dataDir, 'paused'), '')
    await breakerOf(pipeline).trip('a drop')
    await pipeline.store.transactions.ask(hash, { what: 'cancel', by })
    await pipeline.executor.carryOutRequests()
    await pipeline.executor.carryOutRequests()
    const [, noOp, ...more] = await attemptsAt(pipeline, nonce)
    expect([noOp, more]).toMatchObject([{ requestId: expect.stringMatching(/^no-op:/), state: 'broadcast' }, []])
    await testClient(pipeline).mine({ blocks: 1 })
    await testClient(pipeline).setAutomine(true)
    expect(await running).toMatchObject({
      code: 'CANCELLED_BY_OPERATOR',
      details: [{ txHash: hash, nonce, minedInstead: noOp!.hash }, { message: 'approve the exact amount' }],
    })
    expect((await breakerOf(pipeline).status()).cause).toBe('a drop')
    expect(await hasSigned(pipeline.store.transactions, 'held')).toBe(true)
    await rm(join(pipeline.dataDir, 'paused'))
    await breakerOf(pipeline).rearm({ by, at: new Date().toISOString() })
    await expectEnded(pipeline, hash, 'cancelled')
    await expectUnspent(pipeline, nonce)
    const lines = await pipeline.auditLines()
    expect(lines).toContainEqual(
      expect.objectContaining({
        event: 'tx.intent',
        by,
        transaction: expect.objectContaining({ kind: 'no-op', nonce, replaces: hash }),
      }),
    )
    expect(lines.filter(({ event }) => event === 'tx.cancelled')).toMatchObject([
      {
        by,
        requestId: 'held',
        transaction: { hash, nonce, minedInstead: noOp!.hash },
        result: { status: 'cancelled' },
      },
    ])
  })

  it('is heard by the next start, and the wallet is free again', async () => {
    const { pipeline: first, hash, nonce } = await pendingPipeline(open)
    await first.store.transactions.ask(hash, { what: 'cancel', by })
    const pipeline = await open({ dataDir: first.dataDir, privateKey: first.privateKey })
    await pipeline.executor.carryOutRequests()
    expect(await attemptsAt(pipeline, nonce)).toMatchObject([{ hash }, { state: 'broadcast' }])
    await testClient(pipeline).mine({ blocks: 1 })
    await testClient(pipeline).setAutomine(true)
    await expectEnded(pipeline, hash, 'cancelled')
    await expectUnspent(pipeline, nonce)
  })

  it('comes too late when it was mined meanwhile: it is settled as ever', async () => {
    const { pipeline, hash, nonce } = await pendingPipeline(open)
    await pipeline.store.transactions.ask(hash, { what: 'cancel', by })
    await testClient(pipeline).mine({ blocks: 1 })
    await testClient(pipeline).setAutomine(true)
    await expectEnded(pipeline, hash, 'mined')
    await expectSpent(pipeline, nonce, [hash])
  })

  it('loses when the chain takes the original first, though the empty transfer was out', async () => {
    const { pipeline, hash, nonce } = await pendingPipeline(open)
    await pipeline.store.transactions.ask(hash, { what: 'cancel', by })
    await pipeline.executor.carryOutRequests()
    const [original, noOp] = await attemptsAt(pipeline, nonce)
    const node = testClient(pipeline)
    await node.dropTransaction({ hash: noOp!.hash })
    const client = pipeline.rpc.client(pipeline.chain)
    await client.request({ method: 'eth_sendRawTransaction', params: [original!.rawTransaction] })
    await node.mine({ blocks: 1 })
    await node.setAutomine(true)
    await expectEnded(pipeline, hash, 'mined')
    await expectSpent(pipeline, nonce, [hash, noOp!.hash])
    const line = (await pipeline.auditLines()).find(({ event }) => event === 'tx.not-cancelled')
    expect(line).toMatchObject({ by, transaction: { hash, minedInstead: null }, result: { status: 'mined' } })
  })

  it('is told when the server has no key for its wallet, and nothing is signed', async () => {
    const { pipeline: first, hash, nonce } = await pendingPipeline(open)
    await first.store.transactions.ask(hash, { what: 'cancel', by })
    const pipeline = await open({ dataDir: first.dataDir, privateKey: generatePrivateKey() })
    await pipeline.executor.carryOutRequests()
    expect(await outcomeOf(pipeline, hash)).toBe('other-wallet')
    expect(await first.store.transactions.byNonce(first.chain.id, first.wallet, nonce)).toHaveLength(1)
  })
})

it('an endpoint that is away keeps a cancellation waiting, and it is tried again', async () => {
  const { open } = pipelines
  const { pipeline, hash, nonce } = await pendingPipeline(open)
  await pipeline.store.transactions.ask(hash, { what: 'cancel', by })
  pipeline.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
  await pipeline.executor.carryOutRequests()
  expect([await outcomeOf(pipeline, hash), (await attemptsAt(pipeline, nonce)).length]).toEqual([null, 1])
  pipeline.network.fetch = fetch
  pipeline.clock.offsetMs += 60_000
  await pipeline.executor.carryOutRequests()
  expect(await attemptsAt(pipeline, nonce)).toHaveLength(2)
})

const pipelines = usePipelines(devnet)

/** A pipeline whose swap is out and not mined; whoever asked for it has gone. */
async function pendingPipeline(open: UsePipelines['open'], options: PipelineOptions = {}) {
  const pipeline = await open(options)
  beforeSending(pipeline, 2, () => mineNothing(pipeline))
  const failure: unknown = await pipeline.run(swapIntent(pipeline, '300')).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'TRANSACTION_PENDING', details: [{ step: 'swap' }] })
  pipeline.network.fetch = fetch
  pipeline.patience.isShort = false
  return { pipeline, ...(await swapOut(pipeline)) }
}

/** The transaction after the approval, once it is out. */
async function swapOut(pipeline: Pipeline): Promise<{ readonly hash: Hash; readonly nonce: number }> {
  await expect
    .poll(async () => (await attemptsAt(pipeline, 1)).map(({ state }) => state), patience)
    .toEqual(['broadcast'])
  const { hash, nonce } = (await attemptsAt(pipeline, 1))[0]!
  return { hash, nonce }
}

async function expectEnded(pipeline: Pipeline, hash: Hash, outcome: string): Promise<void> {
  await expect
    .poll(async () => {
      await pipeline.executor.reconcile()
      await pipeline.executor.carryOutRequests()
      return outcomeOf(pipeline, hash)
    }, patience)
    .toBe(outcome)
}

/** The nonce was used once and for nothing, nothing stays reserved or allowed, and the next write goes through. */
async function expectUnspent(pipeline: Pipeline, nonce: number): Promise<void> {
  expect((await attemptsAt(pipeline, nonce)).map(({ state }) => state)).toEqual(['replaced', 'final'])
  await untilNothingIsLeft(pipeline)
  expect([await used(pipeline), await pipeline.store.ledger.open()]).toEqual([0n, []])
  expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
  expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
  await pipeline.run(swapIntent(pipeline, '100'))
  expect(await pipeline.balance('USDC')).toBe(parseUnits('19900', 6))
}

async function expectSpent(pipeline: Pipeline, nonce: number, hashes: readonly Hash[]): Promise<void> {
  const attempts = await attemptsAt(pipeline, nonce)
  expect(attempts.map(({ hash, state }) => [hash, state])).toEqual(
    hashes.map((hash, index) => [hash, index === 0 ? 'final' : 'replaced']),
  )
  await untilNothingIsLeft(pipeline)
  expect([await used(pipeline), await pipeline.store.ledger.open()]).toEqual([parseUnits('300', 6), []])
  expect(await pipeline.balance('USDC')).toBe(parseUnits('19700', 6))
  await pipeline.run(swapIntent(pipeline, '100'))
}

/** A write is refused while anything of the wallet is out, a revocation as well. */
async function untilNothingIsLeft(pipeline: Pipeline): Promise<void> {
  await expect
    .poll(async () => {
      await pipeline.executor.reconcile()
      const [open, refused] = await Promise.all([
        pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet),
        pipeline.store.journal.refused(pipeline.chain.id, pipeline.wallet),
      ])
      return [...open, ...refused]
    }, patience)
    .toEqual([])
}

function attemptsAt(pipeline: Pipeline, nonce: number) {
  return pipeline.store.transactions.byNonce(pipeline.chain.id, pipeline.wallet, nonce)
}

async function outcomeOf(pipeline: Pipeline, hash: Hash) {
  const { asked } = (await pipeline.store.transactions.byHash(hash))!
  return asked!.outcome
}

function breakerOf({ dataDir }: Pipeline) {
  return createCircuitBreaker({
    dataDir,
    limits: () => parsePolicy({}, { production: false }).breaker,
    now: Date.now,
  })
}
