import type { Chain } from '@svc/wallet/core'
import type { PriceMemory, Sighting } from '../ports.ts'
import type { BlockReads } from '../rpc/create-block-reads.ts'
import { joinQueries, knownQuery } from '../rpc/query.ts'
import { feedQuery } from './feed-query.ts'
import type { NamedReading } from './band/named-price.ts'
import type { NamedToken, PoolPlace } from './named-tokens.ts'
import type { PastTimes } from './past-times.ts'
import { type PoolNow, poolQuery } from './pool-query.ts'
import type { PoolReading } from './band/pool-reading.ts'
import { readPastOfPool } from './read-past-of-pool.ts'
import { bandOfSighting, poolOfSighting, poolSubject, tokenSubject } from './sightings.ts'

/**
 * What the named sources of a token say at a block and said before it. Everything is asked for at once; what the server
 * remembers is looked up meanwhile.
 *
 * @throws ToolError `RPC_*`
 */
export async function readNamed(
  token: NamedToken,
  { chain, reads, times, memory }: NamedContext,
): Promise<NamedReading> {
  const atSeconds = Number(reads.head.timestamp)
  const known = token.pools.filter(({ fault }) => fault === null)
  const subjects = [tokenSubject(token.key), ...known.map(({ row }) => poolSubject(row.id))]
  const [[feed, now], past, sightings] = await Promise.all([
    reads.now(
      joinQueries([
        token.feed === undefined ? knownQuery(null) : feedQuery(token.feed),
        joinQueries(known.map((place) => poolQuery(chain, place, atSeconds, times))),
      ] as const),
    ),
    Promise.all(known.map((place) => readPastOfPool(chain, reads, place, times))),
    recall(memory, chain, subjects, atSeconds),
  ])
  const pools = token.pools.map((place): PoolReading => {
    const index = known.indexOf(place)
    const seen = (sightings.get(poolSubject(place.row.id)) ?? []).flatMap((one) => poolOfSighting(one) ?? [])
    return { ...readingOf(place), ...(now[index] ?? nothing), older: past[index] ?? [], seen }
  })
  const seen = (sightings.get(tokenSubject(token.key)) ?? []).flatMap((one) => bandOfSighting(one) ?? [])
  return { usdPegged: token.usdPegged, feed, expected: token.expected, pools, seen }
}

export type NamedContext = {
  readonly chain: Chain
  readonly reads: BlockReads
  readonly times: PastTimes
  readonly memory: PriceMemory | null
}

const nothing: PoolNow = { now: null, held: null, observed: [], recalled: [] }

function readingOf({
  row,
  quoteKey,
  side,
  fault,
}: PoolPlace): Pick<PoolReading, 'row' | 'quoteKey' | 'side' | 'fault'> {
  return { row, quoteKey, side, fault }
}

/** By subject; what was seen in this very block is no past. A memory that fails remembers nothing. */
async function recall(
  memory: PriceMemory | null,
  chain: Chain,
  subjects: readonly string[],
  atSeconds: number,
): Promise<ReadonlyMap<string, readonly Sighting[]>> {
  const sightings = (await memory?.recall(chain, subjects).catch(() => [])) ?? []
  const earlier = sightings.filter((sighting) => sighting.atSeconds < atSeconds)
  return new Map(subjects.map((subject) => [subject, earlier.filter((sighting) => sighting.subject === subject)]))
}
