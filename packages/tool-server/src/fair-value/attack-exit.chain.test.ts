import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'
import { beforeSending } from '../../../engine/src/fixtures/network.fixture.ts'
import { usePipelines } from '../../../engine/src/fixtures/use-pipelines.fixture.ts'
import { fundStranger, openStage } from './attack-row.fixture.ts'
import { newestPosition, planAdd, removal } from './deposit-plans.fixture.ts'
import { lenient } from './plans.fixture.ts'
import { pushV3 } from './stranger.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

it('G13: who pushes a pool past the minimums of a removal, again and again, keeps nobody from leaving', async () => {
  const pipeline = await open({
    policy: { ...lenient, breaker: { maxConsecutiveFailures: 1, maxFailuresInWindow: 1 } },
  })
  await fundStranger(devnet())
  const stage = await openStage(devnet(), pipeline)
  await pipeline.run(await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '1' }))
  for (const sold of ['USDC', 'WETH'] as const) {
    beforeSending(pipeline, 1, () =>
      sold === 'USDC' ? pushV3(stage, sold, 3_000, 'WETH', '1000000') : pushV3(stage, sold, 3_000, 'USDC', '600'),
    )
    await expect(pipeline.run(await removal(pipeline))).rejects.toMatchObject({ code: 'TRANSACTION_REVERTED' })
    pipeline.network.fetch = fetch
  }
  await pipeline.run(await removal(pipeline))
  expect((await newestPosition(pipeline)).liquidity).toBe(0n)
})
