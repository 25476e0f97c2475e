import type { Devnet } from '@svc/devnet'
import { afterEach } from 'vitest'
import { type Pipeline, type PipelineOptions, openPipeline } from './open-pipeline.fixture.ts'

/**
 * Opens roads on the chain of a test file and closes those a test has not closed itself. `newPlace` gives the URL of a
 * database for a new road; a data directory that is opened again keeps its own.
 */
export function usePipelines(devnet: () => Devnet, newPlace?: () => Promise<string | undefined>): UsePipelines {
  const open = new Set<Pipeline>()
  const places = new Map<string, string | undefined>()
  afterEach(async () => {
    await Promise.all([...open].map((pipeline) => pipeline.close()))
    open.clear()
  })
  return {
    open: async (options = {}) => {
      const known = options.dataDir !== undefined && places.has(options.dataDir)
      const databaseUrl = known ? places.get(options.dataDir) : await newPlace?.()
      const pipeline = await openPipeline(devnet(), { databaseUrl, ...options })
      places.set(pipeline.dataDir, databaseUrl)
      open.add(pipeline)
      return pipeline
    },
    close: async (pipeline) => {
      open.delete(pipeline)
      await pipeline.close()
    },
    forget: (pipeline) => void open.delete(pipeline),
  }
}

export type UsePipelines = {
  open(this: void, options?: PipelineOptions): Promise<Pipeline>
  close(this: void, pipeline: Pipeline): Promise<void>
  /** For a test that closes the parts of a road itself. */
  forget(this: void, pipeline: Pipeline): void
}
