import type { Devnet } from '@svc/devnet'
import { afterEach } from 'vitest'
import { type Road, type RoadOptions, openRoad } from './open-road.fixture.ts'

/**
 * Opens roads on the chain of a test file and closes those a test has not closed itself. `newPlace` gives the URL of a
 * database for a new road; a data directory that is opened again keeps its own.
 */
export function useRoads(devnet: () => Devnet, newPlace?: () => Promise<string | undefined>): UseRoads {
  const open = new Set<Road>()
  const places = new Map<string, string | undefined>()
  afterEach(async () => {
    await Promise.all([...open].map((road) => road.close()))
    open.clear()
  })
  return {
    open: async (options = {}) => {
      const known = options.dataDir !== undefined && places.has(options.dataDir)
      const databaseUrl = known ? places.get(options.dataDir) : await newPlace?.()
      const road = await openRoad(devnet(), { databaseUrl, ...options })
      places.set(road.dataDir, databaseUrl)
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
