import { type FaultProxy, startFaultProxy, useDevnet } from '@svc/devnet/testing'
import { createTestClient, http, parseTransaction, parseUnits } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { mintIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import { mineAgain, mineNothing } from '../fixtures/mining.fixture.ts'
import { beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline, PipelineOptions } from '../fixtures/open-pipeline.fixture.ts'
import { devnetPolicy } from '../policy/policy.ts'
import { testClient } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

/** Both count what they are given, and pass it on to the chain. */
let everybody: FaultProxy
let apart: FaultProxy
const devnet = useDevnet()
const { open: openPipeline, close } = usePipelines(() => ({ ...devnet(), rpcUrl: everybody.url }))
const open = (options: PipelineOptions = {}) =>
  openPipeline({ privateUrls: [apart.url], ...options, engine: { stuckAfterMs: 0, ...options.engine } })

beforeEach(async () => {
  everybody = await startFaultProxy({ target: devnet().rpcUrl })
  apart = await startFaultProxy({ target: devnet().rpcUrl })
})
afterEach(async () => {
  await Promise.all([everybody.stop(), apart.stop()])
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
})

describe('a chain with a private endpoint', () => {
  it('gets a trade there alone, its approval too, and says so in result and audit log', async () => {
    const pipeline = await open()
    const settled = await pipeline.run(swapIntent(pipeline, '300'), { requestId: 'trade' })
    expect(settled).toMatchObject({ submission: 'private' })
    const raws = await rawsOf(pipeline)
    expect(raws).toHaveLength(2)
    expect([...apart.rawTransactions().keys()]).toEqual(raws)
    expect([...everybody.rawTransactions()]).toEqual([])
    expect([...apart.methods().keys()].toSorted()).toEqual(['eth_chainId', 'eth_sendRawTransaction'])
    const wanted = new Set<unknown>(['tx.submitted', 'tx.confirmed', 'tx.settled'])
    const lines = (await pipeline.auditLines()).filter(({ event }) => wanted.has(event))
    expect(lines.map(({ event, transaction, submission }) => [event, submission ?? transaction])).toEqual([
      ['tx.submitted', expect.objectContaining({ submission: 'private' })],
      ['tx.confirmed', expect.objectContaining({ submission: 'private' })],
      ['tx.submitted', expect.objectContaining({ submission: 'private' })],
      ['tx.confirmed', expect.objectContaining({ submission: 'private' })],
      ['tx.settled', 'private'],
    ])
  })

  it('gets nothing of what is no trade', async () => {
    const pipeline = await open()
    expect(await pipeline.run(await mintIntent(pipeline))).not.toHaveProperty('submission')
    expect([...apart.rawTransactions()]).toEqual([])
    expect(everybody.rawTransactions().size).toBeGreaterThan(0)
  })

  it('keeps a trade that waits: offered again, with higher fees and after a restart, also where it is configured no more', async () => {
    const { pipeline: first, hash } = await pendingTrade()
    await close(first)
    const again = { dataDir: first.dataDir, privateKey: first.privateKey }
    const bare = await open({ ...again, privateUrls: [] })
    await bare.executor.reconcile()
    expect([...everybody.rawTransactions()]).toEqual([])
    await close(bare)
    const pipeline = await open(again)
    await raiseBaseFee(pipeline, hash)
    await testClient(pipeline).dropTransaction({ hash })
    await pipeline.executor.reconcile()
    const attempts = await attemptsAt(pipeline, 1)
    expect(attempts).toMatchObject([
      { hash, submission: 'private' },
      { attempt: 1, submission: 'private' },
    ])
    for (const raw of await rawsOf(pipeline)) expect([...apart.rawTransactions().keys()]).toContain(raw)
    await mineAgain(pipeline)
    await untilNothingIsLeft(pipeline)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19700', 6))
    for (const raw of await rawsOf(pipeline)) expect([...everybody.rawTransactions().keys()]).not.toContain(raw)
  })

  it('keeps a trade whose key the server has no more', async () => {
    const { pipeline: first, hash } = await pendingTrade()
    await close(first)
    await testClient(first).dropTransaction({ hash })
    const other = await open({ dataDir: first.dataDir, privateKey: generatePrivateKey() })
    const before = apart.rawTransactions()
    await other.executor.reconcile()
    const [, swap] = await rawsOf(other, first.wallet)
    expect(apart.rawTransactions().get(swap!)).toBe(before.get(swap!)! + 1)
    expect([...everybody.rawTransactions()]).toEqual([])
  })

  it('keeps a trade that the operator cancels; the empty transfer goes everywhere', async () => {
    const { pipeline, hash } = await pendingTrade()
    await pipeline.store.transactions.ask(hash, { what: 'cancel', by: 'operator:ada' })
    await pipeline.executor.carryOutRequests()
    const [, noOp] = await attemptsAt(pipeline, 1)
    expect(noOp).toMatchObject({ requestId: expect.stringMatching(/^no-op:/) })
    for (const endpoint of [apart, everybody])
      expect([...endpoint.rawTransactions().keys()]).toContain(noOp!.rawTransaction)
    await mineAgain(pipeline)
    await untilNothingIsLeft(pipeline)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
    for (const raw of await rawsOf(pipeline)) expect([...everybody.rawTransactions().keys()]).not.toContain(raw)
  })

  it('that gets a trade not mined in time loses it to an empty transfer, and the wallet is free', async () => {
    const { pipeline, hash } = await pendingTrade()
    await testClient(pipeline).dropTransaction({ hash })
    apart.setRules([{ fault: { kind: 'status', status: 503 } }])
    pipeline.clock.offsetMs = 11 * 60_000
    await pipeline.executor.reconcile()
    expect(await attemptsAt(pipeline, 1)).toMatchObject([{ hash }, { requestId: expect.stringMatching(/^no-op:/) }])
    await mineAgain(pipeline)
    await untilNothingIsLeft(pipeline)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    for (const raw of await rawsOf(pipeline)) expect([...everybody.rawTransactions().keys()]).not.toContain(raw)
  })

  it('that does not answer leaves nothing signed, and the same trade goes through later', async () => {
    const pipeline = await open()
    apart.setRules([{ fault: { kind: 'status', status: 503 } }])
    await expect(pipeline.run(swapIntent(pipeline, '300'), { requestId: 'trade' })).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
      details: [{ accepted: expect.stringContaining('SVC_PRIVATE_RPC_URL_31337') }],
    })
    expect([await rawsOf(pipeline), await pipeline.store.ledger.open()]).toEqual([[], []])
    apart.setRules([])
    expect(await pipeline.run(swapIntent(pipeline, '300'))).toMatchObject({ submission: 'private' })
    expect([...everybody.rawTransactions()]).toEqual([])
  })

  it('that takes nothing more after the signature loses nothing: the trade waits for it, and says where', async () => {
    const pipeline = await open()
    pipeline.patience.isShort = true
    apart.setRules([{ fault: { kind: 'status', status: 503 }, methods: ['eth_sendRawTransaction'] }])
    await expect(pipeline.run(swapIntent(pipeline, '300'), { requestId: 'trade' })).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      message: expect.stringContaining('private endpoint alone'),
    })
    apart.setRules([])
    pipeline.patience.isShort = false
    await untilNothingIsLeft(pipeline)
    for (const raw of await rawsOf(pipeline)) expect([...everybody.rawTransactions().keys()]).not.toContain(raw)
  })

  it('gives way to the public ones where the policy says so, after its time, and that is said', async () => {
    const pipeline = await open({ policy: { ...devnetPolicy(), privateSubmission: { publicAfterSeconds: 1 } } })
    apart.setRules([{ fault: { kind: 'status', status: 503 } }])
    const settled = await pipeline.run(swapIntent(pipeline, '300'), { requestId: 'trade' })
    expect(settled).toMatchObject({ submission: 'public' })
    expect([...everybody.rawTransactions().keys()]).toEqual(await rawsOf(pipeline))
    const lines = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.confirmed')
    expect(lines).toMatchObject([{ transaction: { submission: 'public' } }, { transaction: { submission: 'public' } }])
  })
})

/** A trade whose approval is mined and whose swap lies in the pool of the chain. */
async function pendingTrade(): Promise<{ readonly pipeline: Pipeline; readonly hash: `0x${string}` }> {
  const pipeline = await open()
  beforeSending(pipeline, 2, () => mineNothing(pipeline))
  await expect(pipeline.run(swapIntent(pipeline, '300'), { requestId: 'trade' })).rejects.toMatchObject({
    code: 'TRANSACTION_PENDING',
    details: [{ step: 'swap', submission: 'private' }],
  })
  pipeline.network.fetch = fetch
  pipeline.patience.isShort = false
  return { pipeline, hash: (await attemptsAt(pipeline, 1))[0]!.hash }
}

/** What the trade signed, in order. */
async function rawsOf(pipeline: Pipeline, wallet = pipeline.wallet): Promise<readonly string[]> {
  const entries = await pipeline.store.journal.byRequest('trade')
  return entries.filter(({ from }) => from === wallet).map(({ rawTransaction }) => rawTransaction)
}

function attemptsAt(pipeline: Pipeline, nonce: number) {
  return pipeline.store.journal.byNonce(pipeline.chain.id, pipeline.wallet, nonce)
}

/** Mines a block whose base fee is above what a transaction offers. */
async function raiseBaseFee(pipeline: Pipeline, hash: `0x${string}`): Promise<void> {
  const { maxFeePerGas } = parseTransaction((await pipeline.store.journal.byHash(hash))!.rawTransaction)
  await testClient(pipeline).setNextBlockBaseFeePerGas({ baseFeePerGas: maxFeePerGas! * 2n })
  await testClient(pipeline).mine({ blocks: 1 })
}

async function untilNothingIsLeft(pipeline: Pipeline): Promise<void> {
  const left = async () => {
    await pipeline.executor.reconcile()
    return pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)
  }
  await expect.poll(left, { timeout: 30_000 }).toEqual([])
}
