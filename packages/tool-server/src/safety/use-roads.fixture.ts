import type { Devnet } from '@svc/devnet'
import { afterEach } from 'vitest'
import { type Road, type RoadOptions, openRoad } from './open-road.fixture.ts'

/** Opens roads on the chain of a test file and closes those a test has not closed itself. */
export function useRoads(devnet: () => Devnet): UseRoads {
  const open = new Set<Road>()
  afterEach(async () => {
    await Promise.all([...open].map((road) => road.close()))
    open.clear()
  })
  return {
    open: async (options = {}) => {
      const road = await openRoad(devnet(), options)
      open.add(road)
      return road
    },
    close: async (road) => {
      open.delete(road)
      await road.close()
    },
    forget: (road) => void open.delete(road),
  }
}

export type UseRoads = {
  open(this: void, options?: RoadOptions): Promise<Road>
  close(this: void, road: Road): Promise<void>
  /** For a test that closes the parts of a road itself. */
  forget(this: void, road: Road): void
}
