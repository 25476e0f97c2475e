import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, createWalletClient, http, type TestClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { repeatOf } from '../answer.fixture.ts'
import { openWorld } from '../chain-world.fixture.ts'
import { swapIntent } from '../../../../engine/src/fixtures/intents.fixture.ts'
import { mineAgain, mineNothing } from '../../../../engine/src/fixtures/mining.fixture.ts'
import { mangling, methodsIn } from '../../../../engine/src/fixtures/network.fixture.ts'
import { used } from '../../../../engine/src/fixtures/pipeline-facts.fixture.ts'
import { storeEngines } from '../../../../engine/src/fixtures/store-engines.fixture.ts'
import { usePipelines } from '../../../../engine/src/fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const node = (): TestClient => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
const swap = { tokenIn: 'ETH', tokenOut: 'USDC', amount: '0.1', version: 'v3' }

describe.each(storeEngines)('on $engine', ({ usePlaces }) => {
  const newPlace = usePlaces()
  const { open } = usePipelines(devnet, newPlace)

  afterEach(async () => {
    await node().request({ method: 'anvil_dropAllTransactions' } as never)
    await node().setAutomine(true)
  })

  it('G1: bytes that an endpoint declines and forwards are in doubt: the same key has one effect', async () => {
    const world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const input = { ...swap, idempotencyKey: 'declined-and-forwarded' }
    world.network.fetch = declining(1, { forwards: true })
    const first = await world.refuse('execute_swap', input)
    expect(first).toMatchObject({ code: 'OPERATION_IN_DOUBT', retryable: false })
    const hash = first.details[0]?.['txHash']
    const before = await world.balance('USDC')
    expect(await world.refuse('execute_swap', input)).toMatchObject({
      code: 'OPERATION_IN_DOUBT',
      details: [{}, { txHash: hash, message: expect.stringContaining('declined') }],
    })
    await node().mine({ blocks: 1 })
    await node().setAutomine(true)
    world.network.fetch = fetch
    expect(await world.refuse('execute_swap', input)).toMatchObject({
      code: 'OPERATION_ENDED',
      message: expect.stringContaining('1 of 1 transactions did what they were for'),
      details: [{}, { txHash: hash, message: 'mined' }, { moved: expect.any(Array) }],
    })
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(1)
    expect((await world.balance('USDC')) - before).toBeGreaterThan(0n)
    await world.close()
  })

  it('G1: a key whose bytes were declined is free once the block is read in which another transaction took the nonce', async () => {
    const world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const input = { ...swap, idempotencyKey: 'declined-and-gone' }
    world.network.fetch = declining(1, { forwards: false })
    expect(await world.refuse('execute_swap', input)).toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    world.network.fetch = fetch
    expect(await world.refuse('execute_swap', input)).toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    const account = privateKeyToAccount(world.again.privateKey)
    const foreign = createWalletClient({ account, transport: http(devnet().rpcUrl) })
    const hash = await foreign.sendTransaction({ chain: null, to: account.address, value: 1n })
    await expect.poll(() => world.client.getTransactionReceipt({ hash }).then(({ status }) => status)).toBe('success')
    const before = await world.balance('USDC')
    const done = await world.call('execute_swap', input)
    expect((await world.balance('USDC')) - before).toBeGreaterThan(0n)
    expect((await world.call('execute_swap', input)).data).toEqual(repeatOf(done.data))
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(2)
    await world.close()
  })

  it('G1: a key is free after an approval too, once the end of that approval took the nonce of what was declined', async () => {
    const world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const input = { ...swap, tokenIn: 'USDC', tokenOut: 'WETH', amount: '100', idempotencyKey: 'declined-second' }
    world.network.fetch = declining(2, { forwards: false })
    expect(await world.refuse('execute_swap', input)).toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    world.network.fetch = fetch
    const before = await world.balance('USDC')
    await world.call('execute_swap', input)
    expect(before - (await world.balance('USDC'))).toBe(100_000_000n)
    await world.close()
  })

  it('G1: a swap that was declined after its approval and mined all the same is told so, and not run again', async () => {
    const world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const input = { ...swap, tokenIn: 'USDC', tokenOut: 'WETH', amount: '100', idempotencyKey: 'forwarded-second' }
    const declines = declining(2, { forwards: true })
    let sent = 0
    world.network.fetch = (request, init) => {
      if (isSending(init)) sent += 1
      // The approval is waited for, whatever the machine; the swap is not.
      world.patience.isShort = sent > 1
      // What would take the nonce of the swap does not come through.
      const isLater = isSending(init) && sent > 2
      return isLater ? Promise.reject(new TypeError('fetch failed')) : declines(request, init)
    }
    const before = await world.balance('USDC')
    const first = await world.refuse('execute_swap', input)
    expect(first).toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    const hash = first.details[0]?.['txHash']
    await node().mine({ blocks: 1 })
    await node().setAutomine(true)
    world.network.fetch = fetch
    world.patience.isShort = false
    await expect
      .poll(() => world.executor.reconcile().then(() => world.refuse('execute_swap', input)), { timeout: 30_000 })
      .toMatchObject({
        code: 'OPERATION_ENDED',
        details: expect.arrayContaining([expect.objectContaining({ txHash: hash, message: 'mined' })]),
      })
    expect(before - (await world.balance('USDC'))).toBe(100_000_000n)
    await world.close()
  })

  it('G1: a call whose receipt comes long after its nonce is counted is not run again under its key', async () => {
    const world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const input = { ...swap, idempotencyKey: 'late-receipt' }
    const before = await world.balance('USDC')
    world.network.fetch = mangling('eth_getTransactionReceipt', () => null)
    world.patience.isShort = true
    expect(await world.refuse('execute_swap', input)).toMatchObject({ code: 'TRANSACTION_PENDING' })
    world.network.fetch = fetch
    const moved = (await world.balance('USDC')) - before
    expect(moved).toBeGreaterThan(0n)
    // What clears up in the background may have read the receipt by now.
    const again = await world.refuse('execute_swap', input)
    expect(['TRANSACTION_PENDING', 'OPERATION_ENDED']).toContain(again.code)
    expect((await world.balance('USDC')) - before).toBe(moved)
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(1)
    await world.close()
  })

  it('G4: what is mined before its receipt is shown counts against the limits throughout', async () => {
    const pipeline = await open()
    const before = await pipeline.balance('USDC')
    let sent = 0
    pipeline.network.fetch = async (input, init) => {
      if (isSending(init) && ++sent === 2) await mineNothing(pipeline)
      return fetch(input, init)
    }
    const running = pipeline.run(swapIntent(pipeline, '100'))
    await expect(running).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    await mineAgain(pipeline)
    await expect.poll(async () => before - (await pipeline.balance('USDC'))).toBe(100_000_000n)
    pipeline.network.fetch = mangling('eth_getTransactionReceipt', () => null)
    await pipeline.executor.reconcile()
    expect(await used(pipeline)).toBe(100_000_000n)
    expect(await pipeline.store.ledger.open()).toHaveLength(1)
    pipeline.network.fetch = fetch
    await pipeline.executor.reconcile()
    expect([await used(pipeline), await pipeline.store.ledger.open()]).toEqual([100_000_000n, []])
  })

  it('G1: an approval that was declined and mined later is taken back', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    pipeline.network.fetch = declining(1, { forwards: true })
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    expect(await pipeline.store.pendingRevocations.list()).toMatchObject([{ spender: router }])
    await pipeline.executor.reconcile()
    expect(await pipeline.store.pendingRevocations.list()).toMatchObject([{ spender: router }])
    await node().mine({ blocks: 1 })
    await node().setAutomine(true)
    pipeline.network.fetch = fetch
    await expect.poll(() => pipeline.nonce()).toBe(1)
    expect(await pipeline.allowance('USDC', router)).toBeGreaterThan(0n)
    await pipeline.executor.reconcile()
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
    expect(await pipeline.store.pendingRevocations.list()).toEqual([])
  })
})

/** Declines the transaction that is sent as the `nth`, which it may forward to a pool that mines nothing, and knows of none in the pool. */
function declining(nth: number, { forwards }: { readonly forwards: boolean }): typeof fetch {
  let sent = 0
  const hidden = mangling('eth_getTransactionByHash', () => null)
  return async (input, init) => {
    if (!isSending(init) || ++sent !== nth) return hidden(input, init)
    if (forwards) {
      await node().setAutomine(false)
      await fetch(input, init)
    }
    const { id }: { id: number } = JSON.parse(bodyOf(init))
    const error = { code: -32000, message: 'insufficient funds for gas * price + value' }
    return Response.json({ jsonrpc: '2.0', id, error })
  }
}

function isSending(init: RequestInit | undefined): boolean {
  return methodsIn(bodyOf(init)).includes('eth_sendRawTransaction')
}

function bodyOf(init: RequestInit | undefined): string {
  return typeof init?.body === 'string' ? init.body : ''
}
