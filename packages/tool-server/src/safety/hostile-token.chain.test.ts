import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { type Address, parseUnits } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { PriceSource } from '../ports.ts'
import { announces, calls, callsWithFirstArgument, isMined, sellHostile, turnToken } from './hostile-token.fixture.ts'
import { swapIntent } from './intents.fixture.ts'
import { mineAgain, mineNothing } from './mining.fixture.ts'
import { afterSending, beforeSending } from './network.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { testClient, used } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

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
  const road = await open({ engine: { prices: dollarEach } })
  const evil = `600160c81b600052${announces(4)}`
  restore.push(await turnToken(road, { condition: minedSale, evil, goesOn: true }))
  await road.run(await sellHostile(road))
  expect(await road.store.ledger.open()).toEqual([])
  expect(await used(road)).toBe(10n ** 18n)
  expect(road.lines.filter(({ event }) => event === 'settle.unrecorded')).toEqual([])
})

it('the same counted after its request is gone', async () => {
  const road = await open({ engine: { prices: dollarEach } })
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

const noToken: Address = '0x00000000000000000000000000000000000f00d1'

/** Every token at a dollar, native currency at 3,000. */
const dollarEach: PriceSource = {
  usd: async (_chain, { isNative }) => {
    const usd = isNative ? 3_000 : 1
    const exact = { usdE18: parseUnits(`${usd}`, 18), sources: ['peg'] } as const
    const read = { doubt: null, readAt: 0, method: 'peg', pools: [], liquidityUsd: 1e7 } as const
    return { usd, exact, ...read, confidence: 'HIGH', blockNumber: 0n }
  },
  ratio: async () => null,
}

async function owedIn(road: Road): Promise<unknown> {
  return JSON.parse(await readFile(join(road.dataDir, 'owed-allowances.json'), 'utf8'))
}
