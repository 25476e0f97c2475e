import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import type { Address } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { mintIntent, swapIntent } from './intents.fixture.ts'
import { mineAgain, mineNothing } from './mining.fixture.ts'
import { afterSending, laggingAt } from './network.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { createOwedAllowances } from './owed-allowances.ts'
import { testClient } from './road-facts.fixture.ts'
import { storeEngines } from './store-engines.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()

describe.each(storeEngines)('on $engine, a block that lacks the approval', ({ usePlaces }) => {
  const { open } = useRoads(devnet, usePlaces())
  let mining: Road | undefined

  afterEach(async () => {
    if (mining !== undefined) await mineAgain(mining)
    mining = undefined
  })

  it('of an endpoint that lags makes a call fail: its allowance is taken back later', async () => {
    const road = await open()
    const before = await headOf(road)
    afterSending(road, 1, async () => {
      // Old enough to be played again.
      road.clock.offsetMs += 20_000
      road.network.fetch = laggingAt(before)
    })
    await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
    await expectTakenBack(road, ['USDC'], routerOf(road))
  })

  it('of an endpoint that lags is read by a sweep: what an earlier call left is not forgotten', async () => {
    const road = await open()
    const before = await headOf(road)
    await leaveAllowance(road)
    road.network.fetch = laggingAt(before)
    expect((await road.executor.reconcile()).failed).toEqual([])
    await expectTakenBack(road, ['USDC'], routerOf(road))
  })

  it('of an endpoint that lags is the newest at the end of a call: what it left over is taken back later', async () => {
    const road = await open()
    const before = await headOf(road)
    afterSending(road, 3, async () => {
      road.network.fetch = laggingAt(before)
    })
    await road.run(await mintIntent(road))
    await expectTakenBack(road, ['USDC', 'WETH'], road.chain.amm.v3!.positionManager)
  })

  it('is what a reorg deeper than the confirmations leaves: an approval that comes back is taken back', async () => {
    const road = await open()
    mining = road
    await mineNothing(road)
    await leaveAllowance(road, async () => {
      do await testClient(road).mine({ blocks: 1 })
      while ((await road.nonce()) === 0)
    })
    const [approval] = await road.store.journal.byNonce(road.chain.id, road.wallet, 0)
    expect(approval?.state).toBe('final')
    await testClient(road).request({ method: 'anvil_reorg', params: [1, []] } as never)
    expect(await road.allowance('USDC', routerOf(road))).toBe(0n)
    await road.executor.reconcile()
    // Nodes put what they lost back into their pools.
    await road.rpc.client(road.chain).sendRawTransaction({ serializedTransaction: approval!.rawTransaction })
    await mineAgain(road)
    await expectTakenBack(road, ['USDC'], routerOf(road))
  })
})

/** A call that is stopped by a pause once its approval is mined, which is over by now. */
async function leaveAllowance(road: Road, mine = async (): Promise<void> => {}): Promise<void> {
  const paused = join(road.dataDir, 'paused')
  afterSending(road, 1, async () => {
    await mine()
    await writeFile(paused, '')
  })
  await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
  await rm(paused)
}

/** Something stands, and is zero and no longer owed once the endpoint has caught up and sweeps have come by. */
async function expectTakenBack(road: Road, symbols: readonly string[], spender: Address): Promise<void> {
  road.network.fetch = fetch
  const standing = () => Promise.all(symbols.map((symbol) => road.allowance(symbol, spender)))
  expect(await standing()).not.toEqual(symbols.map(() => 0n))
  await road.executor.reconcile()
  expect(await standing()).toEqual(symbols.map(() => 0n))
  await road.executor.reconcile()
  expect(await createOwedAllowances(road.dataDir).list()).toEqual([])
}

function headOf(road: Road): Promise<bigint> {
  return road.rpc.client(road.chain).getBlockNumber()
}

function routerOf(road: Road): Address {
  return road.chain.amm.v3!.swapRouter02
}
