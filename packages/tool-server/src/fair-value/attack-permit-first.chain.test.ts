import { universalRouterAbi } from '@svc/amm/abis'
import { positionPermitAbi } from '@svc/amm/liquidity'
import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { type Address, decodeFunctionData, type Hex, parseAbi, parseTransaction, parseUnits, zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ChainActor, v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World
let stranger: ChainActor
let positionId: string

beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, apiKey: 'local-key' })
})
beforeEach(async () => {
  const tradingApi = { apiKey: new Secret(api.apiKey), url: api.url, timeoutMs: 60_000, sleep: async () => {} }
  world = await openWorld(devnet(), { tradingApi, policy: { version: 1, allowlist: { mode: 'strict' } } })
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'wide', version: 'v3', amount0: '0.03' }
  positionId = (await world.call('add_liquidity', pair)).text('positionId')
  stranger = await openStranger(devnet())
  await syncClock(world)
})
afterEach(() => world.close())
afterAll(() => api.stop())

describe('G6: a right over a position whose signature a stranger has read off the transaction that is out', () => {
  test('is given by him first: the migration goes on, and the right ends with the position', async () => {
    const given: string[] = []
    onceSent(async (permit) => {
      await handIn(permit)
      given.push(await approved())
    })
    expect((await world.call('migrate_position', { positionId })).text('newPositionId')).toMatch(/^\d+$/)
    expect(given).toEqual([router()])
    await expect(approved()).rejects.toThrow('nonexistent token')
    expect(await owed()).toEqual([])
  })

  test('is on record before any endpoint sees the signature, which the last simulation shows it', async () => {
    const shown: { readonly body: string; readonly rights: number }[] = []
    let signature = ''
    onceSent(async ([, , , , r]) => void (signature = r.slice(2)))
    const { fetch } = world.network
    world.network.fetch = async (input, init) => {
      shown.push({ body: typeof init?.body === 'string' ? init.body : '', rights: (await owed()).length })
      return fetch(input, init)
    }
    await world.call('migrate_position', { positionId })
    const seen = shown.filter(({ body }) => body.includes(signature))
    expect(seen[0]?.body).toContain('eth_simulateV1')
    expect(seen.map(({ rights }) => rights)).toEqual(seen.map(() => 1))
  })

  test('is given by him after a migration that he made fail: it is taken back', async () => {
    let permit: PermitArgs | undefined
    onceSent(async (args) => {
      permit = args
      await push()
    })
    expect(await world.refuse('migrate_position', { positionId })).toMatchObject({ code: 'TRANSACTION_REVERTED' })
    expect(await approved()).toBe(zeroAddress)
    await world.executor.reconcile()
    expect(await owed()).toMatchObject([{ position: { tokenId: positionId } }])
    // Nothing stands yet, but the signature still holds.
    await handIn(permit!)
    expect(await approved()).toBe(router())
    await world.executor.reconcile()
    expect([await approved(), await owed()]).toEqual([zeroAddress, []])
    expect(await world.audited('tx.intent')).toContainEqual(
      expect.objectContaining({ why: 'take back an allowance that an earlier request left' }),
    )
  })

  test('is remembered until its signature has run out, though nobody uses it', async () => {
    let deadline = 0n
    onceSent(async (permit) => {
      deadline = permit[2]
      await push()
    })
    expect(await world.refuse('migrate_position', { positionId })).toMatchObject({ code: 'TRANSACTION_REVERTED' })
    const count = await sent()
    await mineAt(deadline)
    await world.executor.reconcile()
    expect(await owed()).toHaveLength(1)
    await mineAt(deadline + 1n)
    await world.executor.reconcile()
    expect([await owed(), await sent()]).toEqual([[], count])
  })
})

type PermitArgs = readonly [Address, bigint, bigint, number, Hex, Hex]

/** What the stranger does once the migration is out and not mined yet, with the permit that stands in it. */
function onceSent(work: (permit: PermitArgs) => Promise<void>): void {
  const { fetch } = world.network
  let isDone = false
  world.network.fetch = async (input, init) => {
    const raw = /"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"/.exec(
      typeof init?.body === 'string' ? init.body : '',
    )?.[1]
    if (raw !== undefined && !isDone) {
      isDone = true
      const { data = '0x' } = parseTransaction(raw as Hex)
      const [, inputs] = decodeFunctionData({ abi: universalRouterAbi, data }).args
      await work(decodeFunctionData({ abi: positionPermitAbi, data: inputs[0]! }).args)
    }
    return fetch(input, init)
  }
}

const sent = (): Promise<number> => world.client.getTransactionCount({ address: world.wallet })
const manager = (): Address => world.chain.amm.v3!.positionManager
const router = (): Address => world.chain.amm.universalRouter!.address

function approved(): Promise<Address> {
  const args = [BigInt(positionId)] as const
  return world.client.readContract({ address: manager(), abi: permitAbi, functionName: 'getApproved', args })
}

async function handIn(permit: PermitArgs): Promise<void> {
  await stranger.write(manager(), permitAbi, 'permit', permit)
}

/** Past the minimums of a migration. */
async function push(): Promise<void> {
  await stranger.swapV3(v3PathOf(world.address('USDC'), 500, world.address('WETH')), parseUnits('3000000', 6))
}

async function mineAt(timestamp: bigint): Promise<void> {
  await testClient(devnet()).setNextBlockTimestamp({ timestamp })
  await testClient(devnet()).mine({ blocks: 1 })
}

function owed() {
  return world.store.pendingRevocations.list()
}

const permitAbi = parseAbi([
  'function permit(address spender, uint256 tokenId, uint256 deadline, uint8 v, bytes32 r, bytes32 s) payable',
  'function getApproved(uint256 tokenId) view returns (address)',
])
