import type { Sighting } from '../../../../../amm/src/ports/prices.ts'
import type { FeedState } from './outside-market.fixture.ts'
import { observe, type OracleReading, type PoolReading, readPast } from './pool-past.fixture.ts'
import type { TokenPlan } from './scenario.fixture.ts'
import type { SimPool } from './sim-pool.fixture.ts'
import { type SimWorld, timestampOf } from './sim-world.fixture.ts'
import type { SimToken } from './sim-token.fixture.ts'

/** What a server reads of the chain at its newest block when it decides on a call, and what it has seen before. */
export type WorldView = {
  readonly head: { readonly block: number; readonly timestamp: number }
  readonly blockSeconds: number
  readonly pastBlocks: number
  readonly tokens: readonly TokenPlan[]
  /** All pools there are, as they stand at the head. */
  readonly pools: ReadonlyMap<string, SimPool>
  /** At a past block; `null` where the endpoint has no such state or the pool did not stand. */
  readAt(pool: SimPool, block: number): PoolReading | null
  /** v3's own oracle; `null` where it does not reach back so far. */
  observe(pool: SimPool, secondsAgo: number): OracleReading | null
  feed(token: SimToken): Readonly<FeedState> | null
  recall(subjects: readonly string[]): readonly Sighting[]
  keep(sightings: readonly Sighting[]): void
}

/** The view right after a block has been mined, before anything happens in the next. */
export function viewOf(world: SimWorld): WorldView {
  const head = { block: world.block - 1, timestamp: timestampOf(world, world.block - 1) }
  const { pastBlocks, blockSeconds, tokens } = world.scenario
  return {
    head,
    blockSeconds,
    pastBlocks,
    tokens,
    pools: world.pools,
    readAt(pool, block) {
      const age = head.block - block
      return age < 0 || age > pastBlocks ? null : readPast(pool, block, timestampOf(world, block))
    },
    observe(pool, secondsAgo) {
      return pool.version === 'v3' ? observe(pool.state, head.timestamp, secondsAgo) : null
    },
    feed(token) {
      return world.market.feeds.get(token.address) ?? null
    },
    recall(subjects) {
      const wanted = new Set(subjects)
      return world.sightings.filter(
        ({ subject, atSeconds }) => wanted.has(subject) && head.timestamp - atSeconds <= rememberedSeconds,
      )
    },
    keep(sightings) {
      world.sightings.push(...sightings)
    },
  }
}

const rememberedSeconds = 3 * 86_400
