import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, createWalletClient, type Hex, http, parseUnits, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import {
  callOf,
  methodsIn,
  mintIntent,
  openRoad,
  type Road,
  type RoadOptions,
  swapIntent,
} from './open-road.fixture.ts'

const devnet = useDevnet()
const roads: Road[] = []

async function open(options: RoadOptions = {}): Promise<Road> {
  const road = await openRoad(devnet(), options)
  roads.push(road)
  return road
}

afterEach(async () => {
  await Promise.all(roads.splice(0).map((road) => road.close()))
})

describe('a transaction that reverts after a good simulation', () => {
  it('takes the allowance back, spends nothing, says hash and reason', async () => {
    const road = await open()
    const router = road.chain.amm.v3!.swapRouter02
    const intent = swapIntent(road, '300', { minimumOut: await quoteOf(road, '300') })
    beforeSending(road, 2, () => moveThePrice(road))
    const failure = await road.run(intent).catch((error: unknown) => error)
    expect(failure).toMatchObject({
      code: 'TRANSACTION_REVERTED',
      details: [{ message: 'reverted with the text "Too little received"', step: 'swap', txHash: expect.any(String) }],
    })
    const { details } = failure as { details: { txHash: Hex }[] }
    await expect(receiptStatus(road, details[0]!.txHash)).resolves.toBe('reverted')
    expect(await road.allowance('USDC', router)).toBe(0n)
    expect(await road.balance('USDC')).toBe(parseUnits('20000', 6))
    expect(await used(road)).toBe(0n)
    expect(await road.store.ledger.open()).toEqual([])
    expect((await road.auditLines()).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['tx.reverted', 'tx.failed']),
    )
  })

  it('opens the breaker when it happens again and again, until the operator removes its file', async () => {
    const road = await open({ policy: { breaker: { maxConsecutiveFailures: 2 } } })
    for (let round = 0; round < 2; round += 1) {
      const minimumOut = await quoteOf(road, '10')
      beforeSending(road, 2, () => moveThePrice(road))
      await expect(road.run(swapIntent(road, '10', { minimumOut }))).rejects.toMatchObject({
        code: 'TRANSACTION_REVERTED',
      })
    }
    road.network.fetch = fetch
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    const nonce = await road.nonce()
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    expect(await road.nonce()).toBe(nonce)
    expect((await road.auditLines()).map(({ event }) => event)).toContain('breaker.open')
    await rm(join(road.dataDir, 'breaker.json'))
    await road.run(swapIntent(road, '1'))
  })
})

describe('the breaker', () => {
  it('forgets a failure after a success', async () => {
    const road = await open({ policy: { breaker: { maxConsecutiveFailures: 2 } } })
    for (let round = 0; round < 2; round += 1) {
      const minimumOut = await quoteOf(road, '10')
      beforeSending(road, 2, () => moveThePrice(road))
      await expect(road.run(swapIntent(road, '10', { minimumOut }))).rejects.toMatchObject({
        code: 'TRANSACTION_REVERTED',
      })
      road.network.fetch = fetch
      await road.run(swapIntent(road, '1'))
    }
  })

  it('stops a call between two of its transactions', async () => {
    const road = await open()
    const state = { consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'a sibling' }
    afterSending(road, 1, () => writeFile(join(road.dataDir, 'breaker.json'), JSON.stringify(state)))
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    expect(await road.balance('USDC')).toBe(parseUnits('20000', 6))
    // Taking an approval back is no new risk, and still happens.
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
  })
})

describe('a chain that moves between plan and signature', () => {
  it('by several blocks of others: the rest is played again and refused where it no longer fits', async () => {
    const road = await open()
    const intent = swapIntent(road, '300', { minimumOut: await quoteOf(road, '300') })
    beforeSending(road, 1, async () => {
      await moveThePrice(road)
      await testClient(road).mine({ blocks: 3 })
    })
    await expect(road.run(intent)).rejects.toMatchObject({
      code: 'SIMULATION_DRIFT',
      details: [{ message: 'reverted with the text "Too little received"', step: 'swap' }],
    })
    // The approval and its end, not the swap.
    expect(await road.nonce()).toBe(2)
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await used(road)).toBe(0n)
  })

  it('by several blocks of others, and the plan still fits: goes on', async () => {
    const road = await open()
    beforeSending(road, 1, async () => {
      await moveThePrice(road)
      await testClient(road).mine({ blocks: 3 })
    })
    await road.run(swapIntent(road, '300'))
    expect(road.trace.filter((mark) => mark === 'rpc eth_simulateV1')).toHaveLength(2)
    expect(await used(road)).toBe(parseUnits('300', 6))
  })

  it('is played again when time has passed', async () => {
    const road = await open()
    afterSending(road, 1, () => {
      road.clock.offsetMs += 20_000
      return Promise.resolve()
    })
    await road.run(swapIntent(road, '300'))
    expect(road.trace.filter((mark) => mark === 'rpc eth_simulateV1')).toHaveLength(2)
  })
})

describe('an operator who pauses between two transactions of a call', () => {
  it('stops the second one; what was approved is taken back once signing goes on', async () => {
    const road = await open()
    const router = road.chain.amm.v3!.swapRouter02
    afterSending(road, 1, () => writeFile(join(road.dataDir, 'paused'), ''))
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
    expect(await road.nonce()).toBe(1)
    expect(await road.allowance('USDC', router)).toBe(parseUnits('300', 6))
    expect(await used(road)).toBe(0n)
    road.network.fetch = fetch
    await rm(join(road.dataDir, 'paused'))
    await road.run(mintIntent(road))
    expect(await road.allowance('USDC', router)).toBe(0n)
  })
})

describe('an endpoint that dies on the way', () => {
  it('before the first transaction: nothing stays reserved', async () => {
    const road = await open()
    dieAt(road, 'eth_getTransactionCount')
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'RPC_UNAVAILABLE' })
    expect(await road.store.ledger.open()).toEqual([])
    expect(await used(road)).toBe(0n)
  })

  it('after the last one was sent: pending, still reserved, and settled by the next process', async () => {
    const road = await open({ engine: { confirmTimeoutMs: 600 } })
    const router = road.chain.amm.v3!.swapRouter02
    afterSending(road, 2, () => {
      road.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
      return Promise.resolve()
    })
    const call = callOf()
    await expect(road.run(swapIntent(road, '300'), call)).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      details: [{ step: 'swap', txHash: expect.any(String) }],
    })
    expect(await used(road)).toBe(parseUnits('300', 6))
    expect((await road.executor.safetyReport(call.principal)).pendingTransactions).toBe(1)
    await closeRoad(road)

    const next = await open({ dataDir: road.dataDir, privateKey: road.privateKey })
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
    const road = await open({ engine: { confirmTimeoutMs: 600 } })
    const router = road.chain.amm.v3!.swapRouter02
    afterSending(road, 1, () => {
      road.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
      return Promise.resolve()
    })
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    expect(await road.allowance('USDC', router).catch(() => 'unread')).toBe('unread')
    await closeRoad(road)

    const next = await open({ dataDir: road.dataDir, privateKey: road.privateKey })
    expect(await next.allowance('USDC', router)).toBe(parseUnits('300', 6))
    const { chains } = await next.executor.reconcile()
    expect(chains).toMatchObject([{ pending: [], tookBack: 1 }])
    expect(await next.allowance('USDC', router)).toBe(0n)
    expect(await used(next)).toBe(0n)
    await next.run(swapIntent(next, '300'))
  })

  it('while it reads what came after: the call has succeeded and says so', async () => {
    const road = await open()
    let sent = 0
    road.network.fetch = async (input, init) => {
      const methods = methodsIn(typeof init?.body === 'string' ? init.body : '')
      if (methods.includes('eth_sendRawTransaction')) sent += 1
      if (sent === 2 && methods.includes('eth_getBalance')) throw new TypeError('fetch failed')
      return fetch(input, init)
    }
    await expect(road.run(swapIntent(road, '300'))).resolves.toMatchObject({
      transactions: [{ label: 'approve the exact amount' }, { label: 'swap' }],
    })
    expect(await used(road)).toBe(parseUnits('300', 6))
  })

  it('is named when a restart cannot read a chain, and its next write clears up first', async () => {
    const road = await open({ engine: { confirmTimeoutMs: 600 } })
    afterSending(road, 1, () => {
      road.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
      return Promise.resolve()
    })
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    await closeRoad(road)

    const next = await open({ dataDir: road.dataDir, privateKey: road.privateKey })
    next.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
    await expect(next.executor.reconcile()).resolves.toEqual({ chains: [], failed: [next.chain.id] })
    next.network.fetch = fetch
    await next.run(mintIntent(next))
    expect(await next.allowance('USDC', next.chain.amm.v3!.swapRouter02)).toBe(0n)
  })
})

describe('a transaction that is not mined in time', () => {
  it('holds later writes back until it is, and its allowance is taken back behind it', async () => {
    const road = await open({ engine: { confirmTimeoutMs: 500 } })
    const router = road.chain.amm.v3!.swapRouter02
    afterSending(road, 1, () => testClient(road).setAutomine(false))
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      details: [{ step: 'swap' }],
    })
    road.network.fetch = fetch
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      message: 'An earlier transaction of the wallet is not confirmed yet.',
    })
    expect(await used(road)).toBe(parseUnits('300', 6))
    await testClient(road).mine({ blocks: 1 })
    await testClient(road).setAutomine(true)
    expect(await road.nonce()).toBe(3)
    expect(await road.allowance('USDC', router)).toBe(0n)
    await road.run(swapIntent(road, '200'))
    expect(await road.balance('USDC')).toBe(parseUnits('19500', 6))
    expect(await used(road)).toBe(parseUnits('500', 6))
  })

  it('is followed by the end of its own approval when that was the one', async () => {
    const road = await open({ engine: { confirmTimeoutMs: 500 } })
    beforeSending(road, 1, () => testClient(road).setAutomine(false))
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      details: [{ step: 'approve the exact amount' }],
    })
    await testClient(road).mine({ blocks: 1 })
    await testClient(road).setAutomine(true)
    expect(await road.nonce()).toBe(2)
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    await expect(road.executor.reconcile()).resolves.toMatchObject({ chains: [{ pending: [] }] })
    expect(await used(road)).toBe(0n)
  })
})

describe('a transaction that will never be mined', () => {
  it('because the endpoint declined it: nothing is reserved any more', async () => {
    const road = await open()
    road.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!body.includes('eth_sendRawTransaction')) return fetch(input, init)
      const { id }: { id: number } = JSON.parse(body)
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32000, message: 'intrinsic gas too low' } })
    }
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_NOT_SENT' })
    expect(await road.store.ledger.open()).toEqual([])
    expect([await used(road), await road.nonce()]).toEqual([0n, 0])
    road.network.fetch = fetch
    await road.run(swapIntent(road, '300'))
    expect(await used(road)).toBe(parseUnits('300', 6))
  })

  it('because somebody with the same key took its nonce', async () => {
    const road = await open()
    beforeSending(road, 2, async () => {
      const account = privateKeyToAccount(road.privateKey)
      const client = createWalletClient({ account, transport: http(road.devnet.rpcUrl) })
      await client.sendTransaction({ chain: null, to: account.address, value: 1n, nonce: 1 })
    })
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_NOT_SENT' })
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await road.balance('USDC')).toBe(parseUnits('20000', 6))
    expect([await used(road), await road.store.ledger.open()]).toEqual([0n, []])
  })
})

describe('a result that cannot be shaped', () => {
  it('names the mined transactions and says not to call again', async () => {
    const road = await open()
    const execute = road.executor.open(callOf())
    const failing = execute(swapIntent(road, '1'), () => {
      throw new TypeError('a log is missing')
    })
    await expect(failing).rejects.toMatchObject({
      code: 'RESULT_UNREADABLE',
      details: [{ txHash: expect.any(String) }, { txHash: expect.any(String) }],
    })
    expect(await used(road)).toBe(1_000_000n)
  })
})

async function used(road: Road): Promise<bigint> {
  const { dailyUsdMicros } = await road.store.ledger.usage('key:test', { sessionIdleMs: 60_000 })
  return dailyUsdMicros
}

async function closeRoad(road: Road): Promise<void> {
  roads.splice(roads.indexOf(road), 1)
  await road.close()
}

function testClient(road: Road) {
  return createTestClient({ mode: 'anvil', transport: http(road.devnet.rpcUrl) }).extend(publicActions)
}

async function receiptStatus(road: Road, hash: Hex): Promise<string> {
  return (await testClient(road).getTransactionReceipt({ hash })).status
}

/** What the swap brings now, exactly: any move of the price against it makes it fail. */
async function quoteOf(road: Road, amount: string): Promise<bigint> {
  const deferred = await road.run(swapIntent(road, amount), { dryRun: true })
  if (!('plan' in deferred)) throw new Error('carried out')
  return parseUnits(deferred.plan.deltas.find(({ symbol }) => symbol === 'WETH')!.amount, 18)
}

/** Somebody else buys WETH for 5,000 USDC. */
async function moveThePrice(road: Road): Promise<void> {
  const mover = await openRoad(road.devnet)
  await mover.run(swapIntent(mover, '5000'))
  await mover.close()
}

/** Runs something once, just before the nth transaction leaves. */
function beforeSending(road: Road, nth: number, work: () => Promise<void>): void {
  let sent = 0
  road.network.fetch = async (input, init) => {
    if (methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')) {
      sent += 1
      if (sent === nth) await work()
    }
    return fetch(input, init)
  }
}

/** Runs something once, when the endpoint has answered the nth transaction. */
function afterSending(road: Road, nth: number, work: () => Promise<void>): void {
  let sent = 0
  road.network.fetch = async (input, init) => {
    const response = await fetch(input, init)
    if (methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')) {
      sent += 1
      if (sent === nth) await work()
    }
    return response
  }
}

/** The endpoint is gone from the first request for a method on. */
function dieAt(road: Road, method: string): void {
  let dead = false
  road.network.fetch = async (input, init) => {
    dead ||= methodsIn(typeof init?.body === 'string' ? init.body : '').includes(method)
    if (dead) throw new TypeError('fetch failed')
    return fetch(input, init)
  }
}
