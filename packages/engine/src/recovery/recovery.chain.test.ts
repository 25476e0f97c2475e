import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { type Hex, createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { errorTable } from '@svc/amm'
import { createCircuitBreaker } from '../switches/circuit-breaker.ts'
import { createShutdownGate } from '../background-works.ts'
import { mintIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import { mineAgain, mineNothing } from '../fixtures/mining.fixture.ts'
import { afterSending, beforeSending } from '../fixtures/network.fixture.ts'
import { type Pipeline, callOf } from '../fixtures/open-pipeline.fixture.ts'
import { parsePolicy } from '../policy/policy.ts'
import {
  expectGasCounted,
  moveThePrice,
  principalOf,
  quoteOf,
  testClient,
  used,
} from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open, close, forget } = usePipelines(devnet)
const noProduction = { production: false }

describe('a transaction that reverts after a good simulation', () => {
  it('takes the allowance back, spends nothing, says hash and reason', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    const intent = swapIntent(pipeline, '300', { minimumOut: await quoteOf(pipeline, '300') })
    beforeSending(pipeline, 2, () => moveThePrice(pipeline))
    const failure = await pipeline.run(intent).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'TRANSACTION_REVERTED',
      details: [{ message: 'reverted with the text "Too little received"', step: 'swap', txHash: expect.any(String) }],
    })
    const { details } = failure as { details: { txHash: Hex }[] }
    await expect(receiptStatus(pipeline, details[0]!.txHash)).resolves.toBe('reverted')
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
    expect(await used(pipeline)).toBe(0n)
    await expectGasCounted(pipeline)
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect((await pipeline.auditLines()).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['tx.reverted', 'tx.failed']),
    )
  })

  it('G4: counts as reserved until its block is deep, also after a restart, and a refusal says so', async () => {
    const limitsUsd = { perTransaction: '500', perSession: '500', daily: '500' }
    const policy = { limitsUsd, approvalThresholdUsd: null }
    const first = await open({ policy })
    const intent = swapIntent(first, '300', { minimumOut: await quoteOf(first, '300') })
    beforeSending(first, 2, () => moveThePrice(first))
    await expect(first.run(intent)).rejects.toMatchObject({ code: 'TRANSACTION_REVERTED' })
    await close(first)
    const { dataDir, privateKey } = first
    const pipeline = await open({ policy, dataDir, privateKey })
    const heldUsd = async () => Number((await pipeline.executor.safetyReport(principalOf())).heldUsd)
    const lost = () => pipeline.store.ledger.budgetUsage('loss')
    await pipeline.executor.reconcile()
    expect([await heldUsd(), await lost()]).toEqual([300, expect.toSatisfy((usdMicros) => usdMicros > 0n)])
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({
      code: 'SPENDING_LIMIT_EXCEEDED',
      message: expect.stringContaining('until their transactions are 3 blocks deep'),
    })
    await testClient(pipeline).mine({ blocks: 2 })
    await pipeline.executor.reconcile()
    expect([await heldUsd(), await lost()]).toEqual([0, 0n])
    await pipeline.run(swapIntent(pipeline, '300'))
  })

  it('leaves room for the next call as soon as its block is deep, though nothing looked before', async () => {
    const limitsUsd = { perTransaction: '500', perSession: '500', daily: '500' }
    const pipeline = await open({ policy: { limitsUsd, approvalThresholdUsd: null } })
    const intent = swapIntent(pipeline, '300', { minimumOut: await quoteOf(pipeline, '300') })
    beforeSending(pipeline, 2, () => moveThePrice(pipeline))
    await expect(pipeline.run(intent)).rejects.toMatchObject({ code: 'TRANSACTION_REVERTED' })
    pipeline.network.fetch = fetch
    await testClient(pipeline).mine({ blocks: 2 })
    await pipeline.run(swapIntent(pipeline, '300'))
  })

  it('opens the breaker when it happens again and again, until the operator re-arms it', async () => {
    const pipeline = await open({ policy: { breaker: { maxConsecutiveFailures: 2 } } })
    for (let round = 0; round < 2; round += 1) {
      const minimumOut = await quoteOf(pipeline, '10')
      beforeSending(pipeline, 2, () => moveThePrice(pipeline))
      await expect(pipeline.run(swapIntent(pipeline, '10', { minimumOut }))).rejects.toMatchObject({
        code: 'TRANSACTION_REVERTED',
      })
    }
    pipeline.network.fetch = fetch
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    const nonce = await pipeline.nonce()
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    expect(await pipeline.nonce()).toBe(nonce)
    expect((await pipeline.auditLines()).filter(({ event }) => event === 'breaker.open')).toHaveLength(1)
    const breaker = createCircuitBreaker({
      dataDir: pipeline.dataDir,
      limits: () => parsePolicy({}, noProduction).breaker,
      now: Date.now,
    })
    await breaker.rearm({ by: 'operator:ada', at: new Date().toISOString() })
    await pipeline.run(swapIntent(pipeline, '1'))
  })
})

describe('the breaker', () => {
  it('forgets a failure after a success', async () => {
    const pipeline = await open({ policy: { breaker: { maxConsecutiveFailures: 2 } } })
    for (let round = 0; round < 2; round += 1) {
      const minimumOut = await quoteOf(pipeline, '10')
      beforeSending(pipeline, 2, () => moveThePrice(pipeline))
      await expect(pipeline.run(swapIntent(pipeline, '10', { minimumOut }))).rejects.toMatchObject({
        code: 'TRANSACTION_REVERTED',
      })
      pipeline.network.fetch = fetch
      await pipeline.run(swapIntent(pipeline, '1'))
    }
  })

  it('stops a call between two of its transactions', async () => {
    const pipeline = await open()
    const state = { consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'a sibling' }
    afterSending(pipeline, 1, () => writeFile(join(pipeline.dataDir, 'breaker.json'), JSON.stringify(state)))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
    // Taking an approval back is no new risk, and still happens.
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
  })
})

describe('a ledger that went away after the allowances of a failed call were taken back', () => {
  it('counts nothing once it is back: what was approved and taken back is no spend', async () => {
    const pipeline = await open()
    const settle = vi.spyOn(pipeline.store.ledger, 'settle').mockRejectedValueOnce(new Error('gone'))
    const state = { consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'a sibling' }
    afterSending(pipeline, 1, () => writeFile(join(pipeline.dataDir, 'breaker.json'), JSON.stringify(state)))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    expect(settle).toHaveBeenCalledOnce()
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await used(pipeline)).toBe(parseUnits('300', 6))
    expect(await pipeline.store.ledger.budgetUsage('loss')).toBeGreaterThan(0n)
    await pipeline.executor.reconcile()
    expect([await pipeline.store.ledger.open(), await used(pipeline)]).toEqual([[], 0n])
    expect(await pipeline.store.ledger.budgetUsage('loss')).toBe(0n)
  })
})

describe('an operator who pauses between two transactions of a call', () => {
  it('stops the second one; what was approved is taken back once signing goes on', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    afterSending(pipeline, 1, () => writeFile(join(pipeline.dataDir, 'paused'), ''))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
    expect(await pipeline.nonce()).toBe(1)
    expect(await pipeline.allowance('USDC', router)).toBe(parseUnits('300', 6))
    expect(await used(pipeline)).toBe(0n)
    pipeline.network.fetch = fetch
    await rm(join(pipeline.dataDir, 'paused'))
    await pipeline.run(await mintIntent(pipeline))
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
  })
})

describe('a transaction that is not mined in time', () => {
  it('holds later writes back until it is, and its allowance is taken back behind it', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    beforeSending(pipeline, 2, () => mineNothing(pipeline))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      details: [{ step: 'swap' }],
    })
    pipeline.network.fetch = fetch
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({
      code: 'WALLET_BUSY',
      message: 'An earlier transaction of the wallet is not confirmed yet.',
    })
    expect([errorTable.TRANSACTION_PENDING.retryable, errorTable.WALLET_BUSY.retryable]).toEqual([false, true])
    expect(await used(pipeline)).toBe(parseUnits('300', 6))
    await mineAgain(pipeline)
    expect(await pipeline.nonce()).toBe(3)
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
    await pipeline.run(swapIntent(pipeline, '200'))
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19500', 6))
    expect(await used(pipeline)).toBe(parseUnits('500', 6))
    await expectGasCounted(pipeline)
  })

  it('is followed by the end of its own approval when that was the one', async () => {
    const pipeline = await open()
    beforeSending(pipeline, 1, () => mineNothing(pipeline))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      details: [{ step: 'approve the exact amount' }],
    })
    await mineAgain(pipeline)
    expect(await pipeline.nonce()).toBe(2)
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    await expect(pipeline.executor.reconcile()).resolves.toMatchObject({ chains: [{ pending: [] }] })
    expect(await used(pipeline)).toBe(0n)
  })
})

describe('a server that closes between two transactions of a call', () => {
  it('signs no further step, takes the approval back, and begins no other write', async () => {
    const gate = createShutdownGate()
    const pipeline = await open({ engine: { requireOpen: gate.requireOpen } })
    afterSending(pipeline, 1, () => {
      void gate.shut(0)
      return Promise.resolve()
    })
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      details: [{ txHash: expect.any(String) }, { message: 'take back an allowance' }],
    })
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    const requests = pipeline.network.requests.length
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    expect(pipeline.network.requests.slice(requests)).toEqual([])
  })
})

describe('our own state that fails after bytes went out', () => {
  it.each([1, 2])('at transaction %s: names what was signed, and is not to be repeated', async (nth) => {
    const pipeline = await open()
    afterSending(pipeline, nth, async () => {
      forget(pipeline)
      await pipeline.audit.close()
      await pipeline.store.close()
    })
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({
      code: 'OPERATION_INCOMPLETE',
      details: Array.from({ length: nth }, () => ({ txHash: expect.any(String) })),
    })
  })
})

describe('a transaction that will never be mined', () => {
  it('because the endpoint declined it: its amount counts until something else has taken its nonce', async () => {
    const pipeline = await open()
    pipeline.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!body.includes('eth_sendRawTransaction')) return fetch(input, init)
      const { id }: { id: number } = JSON.parse(body)
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32000, message: 'intrinsic gas too low' } })
    }
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    expect([await used(pipeline), await pipeline.nonce()]).toEqual([parseUnits('300', 6), 0])
    pipeline.network.fetch = fetch
    await pipeline.run(swapIntent(pipeline, '200'))
    await pipeline.executor.reconcile()
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(await used(pipeline)).toBe(parseUnits('200', 6))
  })

  it('because somebody with the same key took its nonce', async () => {
    const pipeline = await open()
    beforeSending(pipeline, 2, async () => {
      const account = privateKeyToAccount(pipeline.privateKey)
      const client = createWalletClient({ account, transport: http(pipeline.devnet.rpcUrl) })
      await client.sendTransaction({ chain: null, to: account.address, value: 1n, nonce: 1 })
    })
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_NOT_SENT' })
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
    expect([await used(pipeline), await pipeline.store.ledger.open()]).toEqual([0n, []])
  })
})

describe('a result that cannot be shaped', () => {
  it('names the mined transactions and says not to call again', async () => {
    const pipeline = await open()
    const execute = pipeline.executor.open(callOf())
    const failing = execute(swapIntent(pipeline, '1'), () => {
      throw new TypeError('a log is missing')
    })
    await expect(failing).rejects.toMatchObject({
      code: 'RESULT_UNREADABLE',
      details: [{ txHash: expect.any(String) }, { txHash: expect.any(String) }],
    })
    expect(await used(pipeline)).toBe(1_000_000n)
  })
})

async function receiptStatus(pipeline: Pipeline, hash: Hex): Promise<string> {
  return (await pipeline.rpc.client(pipeline.chain).getTransactionReceipt({ hash })).status
}
