import { createRandom, type Random } from '@svc/lp-math'
import type { Sighting } from '../../../../../amm/src/ports/prices.ts'
import { cloneAccount, type SimAccount } from './sim-account.fixture.ts'
import { cloneMarket, type OutsideMarket, type QuotedMarket } from './outside-market.fixture.ts'
import type { Scenario } from './scenario.fixture.ts'
import { clonePool, type SimPool } from './sim-pool.fixture.ts'

/**
 * A chain in memory: pools, accounts, blocks and time, and the market outside. Changed in place. What happens goes into the pending
 * block; `closeBlock` mines it: whoever reads the chain sees mined blocks alone.
 */
export type SimWorld = {
  readonly scenario: Scenario
  random: Random
  /** Of the pending block. */
  block: number
  timestamp: number
  readonly pools: Map<string, SimPool>
  /** Pools that the pending block has changed so far. */
  readonly changed: Set<SimPool>
  /** By pool: the block at whose end it was first seen off the market. */
  readonly offSince: Map<string, number>
  readonly market: OutsideMarket
  /** By pool: how many times the price outside somebody keeps it at. */
  readonly dissents: Map<string, number>
  readonly agent: SimAccount
  readonly attacker: SimAccount
  /** What the server has seen before. */
  readonly sightings: Sighting[]
  /** Everything done, for a replay elsewhere; `null` where nobody wants it. */
  steps: Step[] | null
}

/** What somebody did, as the local chain can do it again. */
export type Step = {
  readonly block: number
  readonly timestamp: number
  readonly who: 'agent' | 'attacker' | 'arbitrageur' | 'trader'
  readonly what: string
  readonly pool: string
  readonly amounts: Readonly<Record<string, string | number>>
  /** Where the agent reads the chain, or what it signed is mined. */
  readonly market?: QuotedMarket
}

export const firstBlock = 1_000_000
export const firstTimestamp = 1_800_000_000

/** The same moment once more, with a fresh future that the seed decides. */
export function cloneWorld(world: SimWorld, seed: number): SimWorld {
  return {
    ...world,
    random: createRandom(seed, 2),
    pools: new Map([...world.pools].map(([name, pool]) => [name, clonePool(pool)])),
    changed: new Set(),
    offSince: new Map(world.offSince),
    market: cloneMarket(world.market),
    dissents: new Map(world.dissents),
    agent: cloneAccount(world.agent),
    attacker: cloneAccount(world.attacker),
    sightings: [...world.sightings],
    steps: null,
  }
}

/** The unix time of a mined block. */
export function timestampOf(world: SimWorld, block: number): number {
  return world.timestamp - (world.block - block) * world.scenario.blockSeconds
}

/** Keeps a step where somebody wants them. */
export function note(world: SimWorld, step: () => Omit<Step, 'block' | 'timestamp'>): void {
  world.steps?.push({ block: world.block, timestamp: world.timestamp, ...step() })
}
