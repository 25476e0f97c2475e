import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { mintIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import { cutOff } from '../fixtures/mining.fixture.ts'
import { afterSending, dieAt, methodsIn } from '../fixtures/network.fixture.ts'
import { callOf } from '../fixtures/open-pipeline.fixture.ts'
import { used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open, close } = usePipelines(devnet)

describe('an endpoint that dies on the way', () => {
  it('before the first transaction: nothing stays reserved', async () => {
    const pipeline = await open()
    dieAt(pipeline, 'eth_getTransactionCount')
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(await used(pipeline)).toBe(0n)
  })

  it('after the last one was sent: pending, still reserved, and settled by the next process', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    afterSending(pipeline, 2, () => cutOff(pipeline))
    const call = callOf()
    await expect(pipeline.run(swapIntent(pipeline, '300'), call)).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      details: [{ step: 'swap', txHash: expect.any(String) }],
    })
    expect(await used(pipeline)).toBe(parseUnits('300', 6))
    expect((await pipeline.executor.safetyReport(call.principal)).pendingTransactions).toBe(1)
    await close(pipeline)

    const next = await open({ dataDir: pipeline.dataDir, privateKey: pipeline.privateKey })
    await expect(next.executor.reconcile()).resolves.toEqual({
      chains: [{ chainId: next.chain.id, pending: [], settled: [call.requestId], tookBack: 0 }],
      failed: [],
    })
    expect(await used(next)).toBe(parseUnits('300', 6))
    expect(await next.store.ledger.open()).toEqual([])
    expect(await next.balance('USDC')).toBe(parseUnits('19700', 6))
    expect(await next.allowance('USDC', router)).toBe(0n)
    expect((await next.executor.safetyReport(call.principal)).pendingTransactions).toBe(0)
    await expect(next.executor.reconcile()).resolves.toEqual({ chains: [], failed: [] })
  })

  it('after the approval: the next process takes it back and frees what was reserved', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    afterSending(pipeline, 1, () => cutOff(pipeline))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    expect(await pipeline.allowance('USDC', router).catch(() => 'unread')).toBe('unread')
    await close(pipeline)

    const next = await open({ dataDir: pipeline.dataDir, privateKey: pipeline.privateKey })
    await expect.poll(() => next.allowance('USDC', router)).toBe(parseUnits('300', 6))
    const { chains } = await next.executor.reconcile()
    expect(chains).toMatchObject([{ pending: [], tookBack: 1 }])
    expect(await next.allowance('USDC', router)).toBe(0n)
    expect(await used(next)).toBe(0n)
    await next.run(swapIntent(next, '300'))
  })

  it('while it reads what came after: the call has succeeded and says so', async () => {
    const pipeline = await open()
    let sent = 0
    pipeline.network.fetch = async (input, init) => {
      const methods = methodsIn(typeof init?.body === 'string' ? init.body : '')
      if (methods.includes('eth_sendRawTransaction')) sent += 1
      if (sent === 2 && methods.includes('eth_getBalance')) throw new TypeError('fetch failed')
      return fetch(input, init)
    }
    await expect(pipeline.run(swapIntent(pipeline, '300'))).resolves.toMatchObject({
      transactions: [{ label: 'approve the exact amount' }, { label: 'swap' }],
    })
    expect(await used(pipeline)).toBe(parseUnits('300', 6))
  })

  it('is named when a restart cannot read a chain, and its next write clears up first', async () => {
    const pipeline = await open()
    afterSending(pipeline, 1, () => cutOff(pipeline))
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    await close(pipeline)

    const next = await open({ dataDir: pipeline.dataDir, privateKey: pipeline.privateKey })
    next.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
    await expect(next.executor.reconcile()).resolves.toEqual({ chains: [], failed: [next.chain.id] })
    next.network.fetch = fetch
    await next.run(await mintIntent(next))
    expect(await next.allowance('USDC', next.chain.amm.v3!.swapRouter02)).toBe(0n)
  })
})
