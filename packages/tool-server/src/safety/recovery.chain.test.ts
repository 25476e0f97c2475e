import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { type Hex, createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { errorTable } from '../errors.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { createDoor } from './door.ts'
import { mintIntent, swapIntent } from './intents.fixture.ts'
import { mineAgain, mineNothing } from './mining.fixture.ts'
import { afterSending, beforeSending } from './network.fixture.ts'
import { type Road, callOf } from './open-road.fixture.ts'
import { parsePolicy } from './policy.ts'
import { expectGasCounted, moveThePrice, quoteOf, used } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open, forget } = useRoads(devnet)
const noProduction = { production: false }

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
    await expectGasCounted(road)
    expect(await road.store.ledger.open()).toEqual([])
    expect((await road.auditLines()).map(({ event }) => event)).toEqual(
      expect.arrayContaining(['tx.reverted', 'tx.failed']),
    )
  })

  it('opens the breaker when it happens again and again, until the operator re-arms it', async () => {
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
    expect((await road.auditLines()).filter(({ event }) => event === 'breaker.open')).toHaveLength(1)
    const breaker = createCircuitBreaker({
      dataDir: road.dataDir,
      limits: () => parsePolicy({}, noProduction).breaker,
      now: Date.now,
    })
    await breaker.rearm({ by: 'operator:ada', at: new Date().toISOString() })
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

describe('a ledger that went away after the allowances of a failed call were taken back', () => {
  it('counts nothing once it is back: what was approved and taken back is no spend', async () => {
    const road = await open()
    const settle = vi.spyOn(road.store.ledger, 'settle').mockRejectedValueOnce(new Error('gone'))
    const state = { consecutiveFailures: 5, openedAt: '2026-01-01T00:00:00.000Z', cause: 'a sibling' }
    afterSending(road, 1, () => writeFile(join(road.dataDir, 'breaker.json'), JSON.stringify(state)))
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    expect(settle).toHaveBeenCalledOnce()
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await used(road)).toBe(parseUnits('300', 6))
    await road.executor.reconcile()
    expect([await road.store.ledger.open(), await used(road)]).toEqual([[], 0n])
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
    await road.run(await mintIntent(road))
    expect(await road.allowance('USDC', router)).toBe(0n)
  })
})

describe('a transaction that is not mined in time', () => {
  it('holds later writes back until it is, and its allowance is taken back behind it', async () => {
    const road = await open()
    const router = road.chain.amm.v3!.swapRouter02
    beforeSending(road, 2, () => mineNothing(road))
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      details: [{ step: 'swap' }],
    })
    road.network.fetch = fetch
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
      code: 'WALLET_BUSY',
      message: 'An earlier transaction of the wallet is not confirmed yet.',
    })
    expect([errorTable.TRANSACTION_PENDING.retryable, errorTable.WALLET_BUSY.retryable]).toEqual([false, true])
    expect(await used(road)).toBe(parseUnits('300', 6))
    await mineAgain(road)
    expect(await road.nonce()).toBe(3)
    expect(await road.allowance('USDC', router)).toBe(0n)
    await road.run(swapIntent(road, '200'))
    expect(await road.balance('USDC')).toBe(parseUnits('19500', 6))
    expect(await used(road)).toBe(parseUnits('500', 6))
    await expectGasCounted(road)
  })

  it('is followed by the end of its own approval when that was the one', async () => {
    const road = await open()
    beforeSending(road, 1, () => mineNothing(road))
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
      code: 'TRANSACTION_PENDING',
      details: [{ step: 'approve the exact amount' }],
    })
    await mineAgain(road)
    expect(await road.nonce()).toBe(2)
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    await expect(road.executor.reconcile()).resolves.toMatchObject({ chains: [{ pending: [] }] })
    expect(await used(road)).toBe(0n)
  })
})

describe('a server that closes between two transactions of a call', () => {
  it('signs no further step, takes the approval back, and begins no other write', async () => {
    const door = createDoor()
    const road = await open({ engine: { requireOpen: door.requireOpen } })
    afterSending(road, 1, () => {
      void door.shut(0)
      return Promise.resolve()
    })
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
      code: 'SERVER_BUSY',
      details: [{ txHash: expect.any(String) }],
    })
    expect(await road.balance('USDC')).toBe(parseUnits('20000', 6))
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    const requests = road.network.requests.length
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    expect(road.network.requests.slice(requests)).toEqual([])
  })
})

describe('our own state that fails after bytes went out', () => {
  it.each([1, 2])('at transaction %s: names what was signed, and is not to be repeated', async (nth) => {
    const road = await open()
    afterSending(road, nth, async () => {
      forget(road)
      await road.audit.close()
      await road.store.close()
    })
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({
      code: 'OPERATION_INCOMPLETE',
      details: Array.from({ length: nth }, () => ({ txHash: expect.any(String) })),
    })
  })
})

describe('a transaction that will never be mined', () => {
  it('because the endpoint declined it: its amount counts until something else has taken its nonce', async () => {
    const road = await open()
    road.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!body.includes('eth_sendRawTransaction')) return fetch(input, init)
      const { id }: { id: number } = JSON.parse(body)
      return Response.json({ jsonrpc: '2.0', id, error: { code: -32000, message: 'intrinsic gas too low' } })
    }
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    expect([await used(road), await road.nonce()]).toEqual([parseUnits('300', 6), 0])
    road.network.fetch = fetch
    await road.run(swapIntent(road, '200'))
    await road.executor.reconcile()
    expect(await road.store.ledger.open()).toEqual([])
    expect(await used(road)).toBe(parseUnits('200', 6))
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

async function receiptStatus(road: Road, hash: Hex): Promise<string> {
  return (await road.rpc.client(road.chain).getTransactionReceipt({ hash })).status
}
