import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, type Hash, http, parseUnits } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { hasSigned } from './has-signed.ts'
import { swapIntent } from './intents.fixture.ts'
import { mineNothing } from './mining.fixture.ts'
import { beforeSending } from './network.fixture.ts'
import type { Road, RoadOptions } from './open-road.fixture.ts'
import { parsePolicy } from './policy.ts'
import { testClient, used } from './road-facts.fixture.ts'
import { storeEngines } from './store-engines.fixture.ts'
import { useRoads, type UseRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const by = 'operator:ada'
const patience = { timeout: 30_000 }

afterEach(async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
})

describe.each(storeEngines)('an operator who cancels a transaction, on $engine', ({ usePlaces }) => {
  const { open } = useRoads(devnet, usePlaces())

  it('ends it also while signing is paused and the breaker is open; its caller hears who did it', async () => {
    const road = await open()
    beforeSending(road, 2, () => testClient(road).setAutomine(false))
    const running = road.run(swapIntent(road, '300'), { requestId: 'held' }).catch((error: unknown) => error)
    const { hash, nonce } = await swapOut(road)
    await writeFile(join(road.dataDir, 'paused'), '')
    await breakerOf(road).trip('a drop')
    await road.store.transactions.ask(hash, { what: 'cancel', by })
    await road.executor.carryOutRequests()
    await road.executor.carryOutRequests()
    const [, noOp, ...more] = await attemptsAt(road, nonce)
    expect([noOp, more]).toMatchObject([{ requestId: expect.stringMatching(/^no-op:/), state: 'broadcast' }, []])
    await testClient(road).mine({ blocks: 1 })
    await testClient(road).setAutomine(true)
    expect(await running).toMatchObject({
      code: 'CANCELLED_BY_OPERATOR',
      details: [{ txHash: hash, nonce, minedInstead: noOp!.hash }, { message: 'approve the exact amount' }],
    })
    expect((await breakerOf(road).status()).cause).toBe('a drop')
    expect(await hasSigned(road.store.transactions, 'held')).toBe(true)
    await rm(join(road.dataDir, 'paused'))
    await breakerOf(road).rearm({ by, at: new Date().toISOString() })
    await expectEnded(road, hash, 'cancelled')
    await expectUnspent(road, nonce)
    const lines = await road.auditLines()
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
    const { road: first, hash, nonce } = await pendingRoad(open)
    await first.store.transactions.ask(hash, { what: 'cancel', by })
    const road = await open({ dataDir: first.dataDir, privateKey: first.privateKey })
    await road.executor.carryOutRequests()
    expect(await attemptsAt(road, nonce)).toMatchObject([{ hash }, { state: 'broadcast' }])
    await testClient(road).mine({ blocks: 1 })
    await testClient(road).setAutomine(true)
    await expectEnded(road, hash, 'cancelled')
    await expectUnspent(road, nonce)
  })

  it('comes too late when it was mined meanwhile: it is settled as ever', async () => {
    const { road, hash, nonce } = await pendingRoad(open)
    await road.store.transactions.ask(hash, { what: 'cancel', by })
    await testClient(road).mine({ blocks: 1 })
    await testClient(road).setAutomine(true)
    await expectEnded(road, hash, 'mined')
    await expectSpent(road, nonce, [hash])
  })

  it('loses when the chain takes the original first, though the empty transfer was out', async () => {
    const { road, hash, nonce } = await pendingRoad(open)
    await road.store.transactions.ask(hash, { what: 'cancel', by })
    await road.executor.carryOutRequests()
    const [original, noOp] = await attemptsAt(road, nonce)
    const node = testClient(road)
    await node.dropTransaction({ hash: noOp!.hash })
    const client = road.rpc.client(road.chain)
    await client.request({ method: 'eth_sendRawTransaction', params: [original!.rawTransaction] })
    await node.mine({ blocks: 1 })
    await node.setAutomine(true)
    await expectEnded(road, hash, 'mined')
    await expectSpent(road, nonce, [hash, noOp!.hash])
    const line = (await road.auditLines()).find(({ event }) => event === 'tx.not-cancelled')
    expect(line).toMatchObject({ by, transaction: { hash, minedInstead: null }, result: { status: 'mined' } })
  })

  it('is told when the server has no key for its wallet, and nothing is signed', async () => {
    const { road: first, hash, nonce } = await pendingRoad(open)
    await first.store.transactions.ask(hash, { what: 'cancel', by })
    const road = await open({ dataDir: first.dataDir, privateKey: generatePrivateKey() })
    await road.executor.carryOutRequests()
    expect(await outcomeOf(road, hash)).toBe('other-wallet')
    expect(await first.store.transactions.byNonce(first.chain.id, first.wallet, nonce)).toHaveLength(1)
  })
})

it('an endpoint that is away keeps a cancellation waiting, and it is tried again', async () => {
  const { open } = roads
  const { road, hash, nonce } = await pendingRoad(open)
  await road.store.transactions.ask(hash, { what: 'cancel', by })
  road.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
  await road.executor.carryOutRequests()
  expect([await outcomeOf(road, hash), (await attemptsAt(road, nonce)).length]).toEqual([null, 1])
  road.network.fetch = fetch
  road.clock.offsetMs += 60_000
  await road.executor.carryOutRequests()
  expect(await attemptsAt(road, nonce)).toHaveLength(2)
})

const roads = useRoads(devnet)

/** A road whose swap is out and not mined; whoever asked for it has gone. */
async function pendingRoad(open: UseRoads['open'], options: RoadOptions = {}) {
  const road = await open(options)
  beforeSending(road, 2, () => mineNothing(road))
  const failure: unknown = await road.run(swapIntent(road, '300')).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'TRANSACTION_PENDING', details: [{ step: 'swap' }] })
  road.network.fetch = fetch
  road.patience.isShort = false
  return { road, ...(await swapOut(road)) }
}

/** The transaction after the approval, once it is out. */
async function swapOut(road: Road): Promise<{ readonly hash: Hash; readonly nonce: number }> {
  await expect.poll(async () => (await attemptsAt(road, 1)).map(({ state }) => state), patience).toEqual(['broadcast'])
  const { hash, nonce } = (await attemptsAt(road, 1))[0]!
  return { hash, nonce }
}

async function expectEnded(road: Road, hash: Hash, outcome: string): Promise<void> {
  await expect
    .poll(async () => {
      await road.executor.reconcile()
      await road.executor.carryOutRequests()
      return outcomeOf(road, hash)
    }, patience)
    .toBe(outcome)
}

/** The nonce was used once and for nothing, nothing stays reserved or allowed, and the next write goes through. */
async function expectUnspent(road: Road, nonce: number): Promise<void> {
  expect((await attemptsAt(road, nonce)).map(({ state }) => state)).toEqual(['replaced', 'final'])
  await untilNothingIsLeft(road)
  expect([await used(road), await road.store.ledger.open()]).toEqual([0n, []])
  expect(await road.balance('USDC')).toBe(parseUnits('20000', 6))
  expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
  await road.run(swapIntent(road, '100'))
  expect(await road.balance('USDC')).toBe(parseUnits('19900', 6))
}

async function expectSpent(road: Road, nonce: number, hashes: readonly Hash[]): Promise<void> {
  const attempts = await attemptsAt(road, nonce)
  expect(attempts.map(({ hash, state }) => [hash, state])).toEqual(
    hashes.map((hash, index) => [hash, index === 0 ? 'final' : 'replaced']),
  )
  await untilNothingIsLeft(road)
  expect([await used(road), await road.store.ledger.open()]).toEqual([parseUnits('300', 6), []])
  expect(await road.balance('USDC')).toBe(parseUnits('19700', 6))
  await road.run(swapIntent(road, '100'))
}

/** A write is refused while anything of the wallet is out, a take-back as well. */
async function untilNothingIsLeft(road: Road): Promise<void> {
  await expect
    .poll(async () => {
      await road.executor.reconcile()
      const [open, refused] = await Promise.all([
        road.store.journal.open(road.chain.id, road.wallet),
        road.store.journal.refused(road.chain.id, road.wallet),
      ])
      return [...open, ...refused]
    }, patience)
    .toEqual([])
}

function attemptsAt(road: Road, nonce: number) {
  return road.store.transactions.byNonce(road.chain.id, road.wallet, nonce)
}

async function outcomeOf(road: Road, hash: Hash) {
  const { asked } = (await road.store.transactions.byHash(hash))!
  return asked!.outcome
}

function breakerOf({ dataDir }: Road) {
  return createCircuitBreaker({
    dataDir,
    limits: () => parsePolicy({}, { production: false }).breaker,
    now: Date.now,
  })
}
