import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { StoreError } from '@svc/store'
import { type Address, parseUnits } from 'viem'
import { afterEach, expect, it, vi } from 'vitest'
import type { PriceSource } from '../ports.ts'
import { announces, calls, callsWithFirstArgument, isMined, sellHostile, turnToken } from './hostile-token.fixture.ts'
import { devnetPolicy } from './devnet-policy.ts'
import { parsePolicy } from './policy.ts'
import { createOwedAllowances } from './owed-allowances.ts'
import { limitsOf } from './spend-limit.ts'
import { swapIntent } from './intents.fixture.ts'
import { mineAgain, mineNothing } from './mining.fixture.ts'
import { afterSending, beforeSending } from './network.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { testClient, used } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'
import { bandOf } from './value/bands.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
})

const minedSale = calls('function transferFrom(address,address,uint256)') + isMined

it('a contract that is no token and announces a transfer keeps nothing from going, and what was reserved counts', async () => {
  const road = await open()
  const node = testClient(road)
  restore.push(() => node.setAutomine(true))
  await node.setCode({ address: noToken, bytecode: `0x6001600052${announces(0)}00` })
  restore.push(await turnToken(road, { condition: minedSale, evil: callsWithFirstArgument(noToken), goesOn: true }))
  beforeSending(road, 2, () => mineNothing(road))
  await expect(road.run(await sellHostile(road))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  road.network.fetch = fetch
  const [reserved] = await road.store.ledger.open()
  await mineAgain(road)
  await road.run(swapIntent(road, '1'))
  expect(await road.store.ledger.open()).toEqual([])
  expect(await used(road)).toBe(reserved!.amountUsdMicros + parseUnits('1', 6))
  expect(road.lines.filter(({ event }) => event === 'clear-up.unreadable-token')).toHaveLength(1)
})

it('a token that no longer says what is approved keeps neither a write nor another token from being taken back', async () => {
  const road = await open()
  const spender = road.chain.amm.v3!.swapRouter02
  afterSending(road, 2, async () => {
    restore.push(await turnToken(road, { condition: calls('function allowance(address,address)'), evil: '60006000fd' }))
  })
  await road.run(await sellHostile(road))
  road.network.fetch = fetch
  const owed = { chainId: road.chain.id, owner: road.wallet, token: road.token('HOSTILE'), spender }
  expect(await owedIn(road)).toMatchObject([owed])
  await road.run(swapIntent(road, '1'))
  expect(await road.executor.reconcile()).toMatchObject({ failed: [] })
  expect(await owedIn(road)).toMatchObject([owed])
})

it('a priced token that announces more than there is counts as the most the ledger takes', async () => {
  const road = await open({ engine: { prices: dollarEach }, policy: mayLoseAll })
  const evil = `600160c81b600052${announces(4)}`
  restore.push(await turnToken(road, { condition: minedSale, evil, goesOn: true }))
  await road.run(await sellHostile(road))
  expect(await road.store.ledger.open()).toEqual([])
  expect(await used(road)).toBe(10n ** 18n)
  expect(road.lines.filter(({ event }) => event === 'settle.unrecorded')).toEqual([])
})

it('the same counted after its request is gone', async () => {
  const road = await open({ engine: { prices: dollarEach }, policy: mayLoseAll })
  const node = testClient(road)
  restore.push(() => node.setAutomine(true))
  const evil = `600160c81b600052${announces(4)}`
  restore.push(await turnToken(road, { condition: minedSale, evil, goesOn: true }))
  beforeSending(road, 2, () => mineNothing(road))
  await expect(road.run(await sellHostile(road))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  road.network.fetch = fetch
  await mineAgain(road)
  expect(await road.executor.reconcile()).toMatchObject({ failed: [] })
  expect(await road.store.ledger.open()).toEqual([])
  expect(await used(road)).toBe(10n ** 18n)
})

it('a take-back that is mined and fails waits longer each time, holds nothing up, and is told once', async () => {
  const time = { ms: Date.now() }
  const road = await open({ engine: { now: () => time.ms } })
  await leaveWhatFails(road)
  await road.run(swapIntent(road, '1'))
  const nonce = await road.nonce()
  await road.executor.reconcile()
  await road.executor.reconcile()
  expect(await road.nonce()).toBe(nonce)
  for (const [minutes, tries] of [
    [0.9, 0],
    [1.1, 1],
    [1.5, 0],
    [1.6, 1],
  ] as const) {
    const before = await road.nonce()
    time.ms += minutes * 60_000
    await road.executor.reconcile()
    expect((await road.nonce()) - before).toBe(tries)
  }
  expect(await owedIn(road)).toMatchObject([{ token: road.token('HOSTILE'), failed: { times: 3 } }])
  expect(road.lines.filter(({ event }) => event === 'allowances.not-taken-back')).toHaveLength(1)
  await road.audit.close()
  const told = (await road.auditLines()).filter(({ event }) => event === 'tx.not-taken-back')
  expect(told).toMatchObject([{ transaction: { to: road.token('HOSTILE') }, result: { status: 'reverted' } }])
})

it('a take-back that failed is not tried again once the gas of the day is used up', async () => {
  const road = await open()
  await leaveWhatFails(road)
  const nonce = await road.nonce()
  const { dailyGas } = limitsOf(parsePolicy(devnetPolicy(), { production: false }))
  const limits = { perTransaction: 99n * dailyGas, perSession: 99n * dailyGas, daily: 99n * dailyGas }
  const elsewhere = { id: 'full', requestId: 'full', principal: 'key:other', chainId: 1, sessionIdleMs: 60_000 }
  expect(
    await road.store.ledger.reserve({ ...elsewhere, amountUsdMicros: 0n, gasUsdMicros: dailyGas, limits }),
  ).toMatchObject({
    granted: true,
  })
  road.clock.offsetMs += 61_000
  await road.executor.reconcile()
  expect(await road.nonce()).toBe(nonce)
  expect(road.lines.at(-1)).toMatchObject({
    event: 'allowances.owed',
    facts: { error: { code: 'SPENDING_LIMIT_EXCEEDED' } },
  })
})

it('a token of which something is allowed whatever was mined costs no gas with every sweep while a request is not settled', async () => {
  const time = { ms: Date.now() }
  const road = await open({ engine: { now: () => time.ms } })
  const told = { condition: calls('function allowance(address,address)'), evil: '600160005260206000f3' }
  restore.push(await turnToken(road, told))
  const spender = road.chain.amm.v3!.swapRouter02
  const owed = { chainId: road.chain.id, owner: road.wallet, token: road.token('HOSTILE'), spender }
  await createOwedAllowances(road.dataDir).add([owed])
  const limits = { perTransaction: 9n, perSession: 9n, daily: 9n }
  const gone = { id: 'gone', requestId: 'gone', principal: 'key:other', chainId: road.chain.id, sessionIdleMs: 60_000 }
  await road.store.ledger.reserve({ ...gone, amountUsdMicros: 1n, limits })
  const refused = new StoreError('RESERVATION_IN_USE', 'It is in use.')
  const unsettled = vi.spyOn(road.store.ledger, 'release').mockRejectedValue(refused)
  for (const [minutes, takenBack] of [
    [0, 1],
    [0.9, 1],
    [0.2, 2],
    [1.9, 2],
    [0.2, 3],
  ] as const) {
    time.ms += minutes * 60_000
    await road.executor.reconcile()
    expect(await road.nonce()).toBe(takenBack)
  }
  unsettled.mockRestore()
  time.ms += 5 * 60_000
  await road.executor.reconcile()
  expect([await road.nonce(), await owedIn(road)]).toEqual([4, []])
})

it('G11: a take-back that failed in a block a reorg undid is no failure: it is mined again, and nothing waits', async () => {
  const road = await open({ chain: { confirmations: 3 } })
  const node = testClient(road)
  const intent = await sellHostile(road)
  restore.push(() => mineAgain(road))
  await mineNothing(road)
  afterSending(road, 1, () => node.mine({ blocks: 1 }))
  await expect(road.run(intent)).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  const putBack = await turnToken(road, { condition: minedTakeBack, evil: 'fe' })
  restore.push(putBack)
  await node.mine({ blocks: 1 })
  await road.executor.reconcile()
  const [takeBack] = await road.store.journal.byNonce(road.chain.id, road.wallet, 1)
  const receipt = await road.rpc.client(road.chain).getTransactionReceipt({ hash: takeBack!.hash })
  expect([takeBack?.state, receipt.status]).toEqual(['mined', 'reverted'])
  await node.request({ method: 'anvil_reorg', params: [1, []] } as never)
  await putBack()
  await expect.poll(() => isOver(road)).toBe(true)
  expect(await road.store.journal.byHash(takeBack!.hash)).toMatchObject({ state: 'final' })
  expect(await road.allowance('HOSTILE', road.chain.amm.v3!.swapRouter02)).toBe(0n)
  expect([await road.nonce(), await owedIn(road)]).toEqual([2, []])
})

/** One block more, and whether nothing is open after it. */
async function isOver(road: Road): Promise<boolean> {
  await testClient(road).mine({ blocks: 1 })
  await road.executor.reconcile()
  return (await road.store.journal.open(road.chain.id, road.wallet)).length === 0
}

const minedTakeBack = `${calls('function approve(address,uint256)')}6024351516${isMined}`

/** An allowance of which one unit stands, whose take-back succeeds in simulations and fails in a block: once so far. */
async function leaveWhatFails(road: Road): Promise<void> {
  restore.push(await turnToken(road, { condition: minedTakeBack, evil: 'fe' }))
  await road.run(await sellHostile(road, 1n))
  expect(await owedIn(road)).toMatchObject([{ token: road.token('HOSTILE'), failed: { times: 1 } }])
}

const noToken: Address = '0x00000000000000000000000000000000000f00d1'

/** What the sale loses at these prices is no matter here. */
const mayLoseAll = {
  ...devnetPolicy(),
  valueRules: { tools: { execute_swap: { maxLossBps: 10_000, maxPriceImpactBps: 10_000 } } },
}

/** Every token at a dollar, native currency at 3,000. */
const dollarEach: PriceSource = {
  usd: async (_chain, { isNative }) => {
    const usd = isNative ? 3_000 : 1
    const band = bandOf(parseUnits(`${usd}`, 18))
    const read = { doubt: null, readAt: 0, method: 'peg', pools: [], liquidityUsd: 1e7 } as const
    return { usd, band, mostE18: null, ...read, confidence: 'HIGH', blockNumber: 0n }
  },
  ratio: async () => null,
  doubt: async () => 'unnamed' as const,
}

async function owedIn(road: Road): Promise<unknown> {
  return JSON.parse(await readFile(join(road.dataDir, 'owed-allowances.json'), 'utf8'))
}
