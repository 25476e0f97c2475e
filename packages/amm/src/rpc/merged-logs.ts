import { isRecord } from '@svc/runtime'

/**
 * Filters of `eth_getLogs` that one filter can stand for: the same blocks, and either topics of the event alone, or one contract. What it
 * finds is at most what the filters find together and is handed out again by `logsOf`. Of filters that do not fit each is a group alone.
 *
 * @param filters each the only parameter of a request, as it is sent
 * @returns groups of places in `filters`, each with the filter to send
 */
export function mergeFilters(filters: readonly unknown[]): readonly MergedFilter[] {
  const groups = new Map<string, { places: number[]; filters: LogFilter[] }>()
  for (const [place, filter] of filters.entries()) {
    const read = readFilter(filter)
    const name = read === null ? `alone ${place}` : nameOf(read)
    const group = groups.get(name) ?? { places: [], filters: [] }
    group.places.push(place)
    if (read !== null) group.filters.push(read)
    groups.set(name, group)
  }
  return [...groups.values()].flatMap(({ places, filters: alike }) =>
    alike.length < 2
      ? places.map((place) => ({ places: [place], filter: filters[place] }))
      : chunksOf(places, alike).map((chunk) => ({ places: chunk.places, filter: unionOf(chunk.filters) })),
  )
}

/**
 * What of the answer to a merged filter one of its filters would have found. A log that no filter asked for stays with each, as whoever reads
 * it refuses it. An answer that is no list is handed on as it is.
 */
export function logsOf(answer: unknown, filter: unknown, others: readonly unknown[]): unknown {
  if (!Array.isArray(answer)) return answer
  const logs: readonly unknown[] = answer
  const [own, all] = [readFilter(filter), others.map(readFilter)]
  return logs.filter((log) => fits(log, own) || !all.some((other) => fits(log, other)))
}

export type MergedFilter = { readonly places: readonly number[]; readonly filter: unknown }

type LogFilter = {
  readonly fromBlock: string
  readonly toBlock: string
  readonly address: string
  /** The first of the event, or several; then at most one of what it is about. */
  readonly topics: readonly (readonly string[])[]
}

/** Pools of one answer; more would make a filter longer than some endpoints take. */
const mostMerged = 20

function readFilter(filter: unknown): LogFilter | null {
  if (!isRecord(filter)) return null
  const { address, topics, fromBlock, toBlock } = filter
  const isPlain = typeof address === 'string' && typeof fromBlock === 'string' && typeof toBlock === 'string'
  if (!isPlain || !Array.isArray(topics) || topics.length === 0 || topics.length > 2) return null
  const lists = topics.map((topic: unknown) => (Array.isArray(topic) ? (topic as readonly unknown[]) : [topic]))
  if (!lists.every((list): list is string[] => list.length > 0 && list.every((one) => typeof one === 'string')))
    return null
  return { address: address.toLowerCase(), fromBlock, toBlock, topics: lists }
}

function nameOf({ fromBlock, toBlock, address, topics }: LogFilter): string {
  const [events, about] = topics
  return [fromBlock, toBlock, ...(about === undefined ? [] : [address, ...(events ?? [])])].join()
}

function chunksOf(places: readonly number[], filters: readonly LogFilter[]) {
  return Array.from({ length: Math.ceil(places.length / mostMerged) }, (_, index) => {
    const [start, end] = [index * mostMerged, (index + 1) * mostMerged]
    return { places: places.slice(start, end), filters: filters.slice(start, end) }
  })
}

function unionOf(filters: readonly LogFilter[]) {
  const [{ fromBlock, toBlock, topics }] = filters as readonly [LogFilter, ...LogFilter[]]
  const distinct = (values: readonly string[]) => [...new Set(values)]
  return {
    fromBlock,
    toBlock,
    address: distinct(filters.map(({ address }) => address)),
    topics: topics.map((_, index) => distinct(filters.flatMap((filter) => filter.topics[index] ?? []))),
  }
}

function fits(log: unknown, filter: LogFilter | null): boolean {
  if (filter === null || !isRecord(log)) return false
  const { address, topics } = log
  if (typeof address !== 'string' || address.toLowerCase() !== filter.address || !Array.isArray(topics)) return false
  const own: readonly unknown[] = topics
  return filter.topics.every((list, index) => list.some((one) => one === own[index]))
}
