import type { Pipeline } from './open-pipeline.fixture.ts'
import { testClient } from './pipeline-facts.fixture.ts'

/** Leaves what comes next to the pool, and lets nobody wait for it. */
export async function mineNothing(pipeline: Pipeline): Promise<void> {
  pipeline.patience.isShort = true
  await testClient(pipeline).setAutomine(false)
}

/** Mines what lies in the pool, and everything from now on at once. */
export async function mineAgain(pipeline: Pipeline): Promise<void> {
  await testClient(pipeline).mine({ blocks: 1 })
  await testClient(pipeline).setAutomine(true)
  pipeline.patience.isShort = false
}

/** The endpoint answers nothing more, and nobody waits for it. */
export function cutOff(pipeline: Pipeline): Promise<void> {
  pipeline.patience.isShort = true
  pipeline.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
  return Promise.resolve()
}
