import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import type { Address } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { mintIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import { mineAgain, mineNothing } from '../fixtures/mining.fixture.ts'
import { afterSending, laggingAt } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { testClient } from '../fixtures/pipeline-facts.fixture.ts'
import { storeEngines } from '../fixtures/store-engines.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()

describe.each(storeEngines)('on $engine, a block that lacks the approval', ({ usePlaces }) => {
  const { open } = usePipelines(devnet, usePlaces())
  let mining: Pipeline | undefined

  afterEach(async () => {
    if (mining !== undefined) await mineAgain(mining)
    mining = undefined
  })

  it('of an endpoint that lags makes a call fail: its allowance is taken back later', async () => {
    const pipeline = await open()
    const before = await headOf(pipeline)
    afterSending(pipeline, 1, async () => {
      // Old enough to be simulated again.
      pipeline.clock.offsetMs += 20_000
      pipeline.network.fetch = laggingAt(before)
    })
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'SIMULATION_DRIFT' })
    await expectRevoked(pipeline, ['USDC'], routerOf(pipeline))
  })

  it('of an endpoint that lags is read by a sweep: what an earlier call left is not forgotten', async () => {
    const pipeline = await open()
    const before = await headOf(pipeline)
    await leaveAllowance(pipeline)
    pipeline.network.fetch = laggingAt(before)
    expect((await pipeline.executor.reconcile()).failed).toEqual([])
    await expectRevoked(pipeline, ['USDC'], routerOf(pipeline))
  })

  it('of an endpoint that lags is the newest at the end of a call: what it left over is taken back later', async () => {
    const pipeline = await open()
    const before = await headOf(pipeline)
    afterSending(pipeline, 3, async () => {
      pipeline.network.fetch = laggingAt(before)
    })
    await pipeline.run(await mintIntent(pipeline))
    await expectRevoked(pipeline, ['USDC', 'WETH'], pipeline.chain.amm.v3!.positionManager)
  })

  it('is what a reorg deeper than the confirmations leaves: an approval that comes back is taken back', async () => {
    const pipeline = await open()
    mining = pipeline
    await mineNothing(pipeline)
    await leaveAllowance(pipeline, async () => {
      do await testClient(pipeline).mine({ blocks: 1 })
      while ((await pipeline.nonce()) === 0)
    })
    const [approval] = await pipeline.store.journal.byNonce(pipeline.chain.id, pipeline.wallet, 0)
    expect(approval?.state).toBe('final')
    await testClient(pipeline).request({ method: 'anvil_reorg', params: [1, []] } as never)
    expect(await pipeline.allowance('USDC', routerOf(pipeline))).toBe(0n)
    await pipeline.executor.reconcile()
    // Nodes put what they lost back into their pools.
    await pipeline.rpc.client(pipeline.chain).sendRawTransaction({ serializedTransaction: approval!.rawTransaction })
    await mineAgain(pipeline)
    await expectRevoked(pipeline, ['USDC'], routerOf(pipeline))
  })
})

/** A call that is stopped by a pause once its approval is mined, which is over by now. */
async function leaveAllowance(pipeline: Pipeline, mine = async (): Promise<void> => {}): Promise<void> {
  const paused = join(pipeline.dataDir, 'paused')
  afterSending(pipeline, 1, async () => {
    await mine()
    await writeFile(paused, '')
  })
  await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
  await rm(paused)
}

/** Something stands, and is zero and no longer owed once the endpoint has caught up and sweeps have come by. */
async function expectRevoked(pipeline: Pipeline, symbols: readonly string[], spender: Address): Promise<void> {
  pipeline.network.fetch = fetch
  const standing = () => Promise.all(symbols.map((symbol) => pipeline.allowance(symbol, spender)))
  expect(await standing()).not.toEqual(symbols.map(() => 0n))
  await pipeline.executor.reconcile()
  expect(await standing()).toEqual(symbols.map(() => 0n))
  await pipeline.executor.reconcile()
  expect(await pipeline.store.pendingRevocations.list()).toEqual([])
}

function headOf(pipeline: Pipeline): Promise<bigint> {
  return pipeline.rpc.client(pipeline.chain).getBlockNumber()
}

function routerOf(pipeline: Pipeline): Address {
  return pipeline.chain.amm.v3!.swapRouter02
}
