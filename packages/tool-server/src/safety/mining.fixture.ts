import type { Road } from './open-road.fixture.ts'
import { testClient } from './road-facts.fixture.ts'

/** Leaves what comes next to the pool, and lets nobody wait for it. */
export async function mineNothing(road: Road): Promise<void> {
  road.patience.isShort = true
  await testClient(road).setAutomine(false)
}

/** Mines what lies in the pool, and everything from now on at once. */
export async function mineAgain(road: Road): Promise<void> {
  await testClient(road).mine({ blocks: 1 })
  await testClient(road).setAutomine(true)
  road.patience.isShort = false
}

/** The endpoint answers nothing more, and nobody waits for it. */
export function cutOff(road: Road): Promise<void> {
  road.patience.isShort = true
  road.network.fetch = () => Promise.reject(new TypeError('fetch failed'))
  return Promise.resolve()
}
