import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, type Hash, http, parseTransaction, parseUnits } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { mintIntent, removeIntent, swapIntent } from './intents.fixture.ts'
import { mineAgain, mineNothing } from './mining.fixture.ts'
import { beforeSending, rewriting } from './network.fixture.ts'
import type { Road, RoadOptions } from './open-road.fixture.ts'
import { parsePolicy } from './policy.ts'
import { expectGasCounted, testClient, used } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

afterEach(async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.request({ method: 'anvil_dropAllTransactions' } as never)
  await node.setAutomine(true)
})

describe('G3: a write whose fees the chain has left behind', () => {
  it('is signed again by the sweep, within what a transaction may spend, and the wallet is free again', async () => {
    const { road, hash } = await stuckRoad()
    const worst = (await road.store.ledger.open())[0]!.gasUsdMicros
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'WALLET_BUSY' })
    await sweepAndMine(road)
    // Higher fees are in the reservation before they are signed.
    expect((await road.store.ledger.open())[0]!.gasUsdMicros).toBeGreaterThan(worst)
    expect(await road.balance('USDC')).toBe(parseUnits('19700', 6))
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    await expect(road.executor.reconcile()).resolves.toMatchObject({ chains: [{ pending: [], settled: [{}] }] })
    expect(await used(road)).toBe(parseUnits('300', 6))
    await expectGasCounted(road)
    expect(await road.store.ledger.open()).toEqual([])
    const [first, ...later] = await attemptsOf(road, hash)
    expect(first).toMatchObject({ hash, state: 'replaced' })
    expect(later.at(-1)).toMatchObject({ state: 'final', reservationId: first!.reservationId })
    const lines = (await road.auditLines()).filter(({ event }) => event === 'tx.intent')
    expect(lines).toContainEqual(
      expect.objectContaining({
        requestId: first!.requestId,
        transaction: expect.objectContaining({ kind: 'raise', nonce: first!.nonce, attempt: 1, replaces: hash }),
      }),
    )
    await road.run(swapIntent(road, '1'))
  })

  it('is raised while its caller still waits, who hears the hash that was mined', async () => {
    const road = await open({ engine: { stuckAfterMs: 0 } })
    const node = testClient(road)
    beforeSending(road, 2, () => node.setAutomine(false))
    const running = road.run(swapIntent(road, '300'))
    running.catch(() => {})
    await expect.poll(() => openOn(road)).toMatchObject([{ nonce: 1, attempt: 0, state: 'broadcast' }])
    await raiseBaseFee(road, (await openOn(road))[0]!.hash)
    await expect.poll(async () => (await openOn(road)).length).toBeGreaterThan(1)
    const [first] = await openOn(road)
    await node.setAutomine(true)
    await node.mine({ blocks: 1 })
    const settled = await running
    const mined = (await attemptsOf(road, first!.hash)).find(({ state }) => state === 'final')
    expect(settled).toMatchObject({ main: { hash: mined!.hash } })
    expect(mined!.hash).not.toBe(first!.hash)
    expect(await used(road)).toBe(parseUnits('300', 6))
    await expectGasCounted(road)
  })

  it('is not signed again while the operator has paused, but its bytes are sent on', async () => {
    const { road, hash } = await stuckRoad()
    await writeFile(join(road.dataDir, 'paused'), '')
    await testClient(road).dropTransaction({ hash })
    road.network.requests.length = 0
    await road.executor.reconcile()
    expect(await attemptsOf(road, hash)).toHaveLength(1)
    expect(road.network.requests.join()).toContain((await attemptsOf(road, hash))[0]!.rawTransaction)
    expect(heldLines(road)).toContainEqual(expect.objectContaining({ hash, why: 'not-allowed' }))
    await rm(join(road.dataDir, 'paused'))
    await sweepAndMine(road)
    expect(await road.balance('USDC')).toBe(parseUnits('19700', 6))
  })

  it.each([
    ['raised where it brings funds home', true],
    ['ended by a no-op where it does not, so that ways home go on behind it', false],
  ])('G9: is, under a breaker that lets ways home pass, %s', async (_what, isWayHome) => {
    const { road, hash } = await stuckRoad({}, isWayHome)
    await createCircuitBreaker({
      dataDir: road.dataDir,
      limits: () => parsePolicy({}, { production: false }).breaker,
      now: Date.now,
    }).trip('a drill', 'balance')
    await road.executor.reconcile()
    const [first, ...later] = await attemptsOf(road, hash)
    expect(later.length).toBeGreaterThan(0)
    expect(later.every(({ requestId }) => requestId === first?.requestId)).toBe(isWayHome)
    await sweepAndMine(road)
    await road.executor.reconcile()
    expect(await road.store.journal.open(road.chain.id, road.wallet)).toEqual([])
  })

  it('keeps its fees where more could cost more than a transaction may spend, and that is logged', async () => {
    const usd: Record<string, number | null> = {}
    const { road, hash } = await stuckRoad({ usd })
    usd['ETH'] = 1e12
    await road.executor.reconcile()
    expect(await attemptsOf(road, hash)).toHaveLength(1)
    expect(heldLines(road)).toContainEqual(expect.objectContaining({ hash, why: 'capped' }))
    delete usd['ETH']
    await sweepAndMine(road)
    expect(await road.balance('USDC')).toBe(parseUnits('19700', 6))
  })
})

describe('an endpoint that tells a wrong count twice', () => {
  it('blocks nothing: the gap is used up, also while signing is paused', async () => {
    const road = await open()
    let lies = true
    const lying = rewriting('eth_getTransactionCount', (answer) => {
      return { ...answer, result: `0x${(Number(answer.result) + 2).toString(16)}` }
    })
    road.network.fetch = (input, init) => (lies ? lying : fetch)(input, init)
    road.patience.isShort = true
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    lies = false
    await writeFile(join(road.dataDir, 'paused'), '')
    await expect
      .poll(async () => {
        await road.executor.reconcile()
        return openOn(road)
      })
      .toEqual([])
    await rm(join(road.dataDir, 'paused'))
    road.patience.isShort = false
    await road.run(swapIntent(road, '100'))
    expect(await used(road)).toBe(parseUnits('100', 6))
    await expectGasCounted(road)
    expect(await road.balance('USDC')).toBe(parseUnits('19900', 6))
  })
})

/** A road whose swap, or whose removal of a position, is out with fees that no block takes any more, with nothing mined unless the test says so. */
async function stuckRoad(
  options: RoadOptions = {},
  isRemoval = false,
): Promise<{ readonly road: Road; readonly hash: Hash }> {
  const road = await open({ ...options, engine: { stuckAfterMs: 0 } })
  if (isRemoval) await road.run(await mintIntent(road))
  const intent = isRemoval ? await removeIntent(road) : swapIntent(road, '300')
  beforeSending(road, isRemoval ? 1 : 2, () => mineNothing(road))
  const failure: unknown = await road.run(intent).catch((error: unknown) => error)
  expect(failure).toMatchObject({ code: 'TRANSACTION_PENDING', details: [{ step: intent.calls[0]!.label }] })
  road.network.fetch = fetch
  const { hash } = (await openOn(road))[0]!
  await raiseBaseFee(road, hash)
  return { road, hash }
}

/** Mines a block whose base fee is above what a transaction offers. */
async function raiseBaseFee(road: Road, hash: Hash): Promise<void> {
  const entry = await road.store.journal.byHash(hash)
  const { maxFeePerGas } = parseTransaction(entry!.rawTransaction)
  await testClient(road).setNextBlockBaseFeePerGas({ baseFeePerGas: maxFeePerGas! * 2n })
  await testClient(road).mine({ blocks: 1 })
}

async function sweepAndMine(road: Road): Promise<void> {
  await road.executor.reconcile()
  await mineAgain(road)
}

function openOn(road: Road) {
  return road.store.journal.open(road.chain.id, road.wallet)
}

async function attemptsOf(road: Road, hash: Hash) {
  const entry = await road.store.journal.byHash(hash)
  return road.store.journal.byNonce(road.chain.id, road.wallet, entry!.nonce)
}

function heldLines(road: Road) {
  return road.lines.filter(({ event }) => event === 'tx.held').map(({ facts }) => facts)
}
