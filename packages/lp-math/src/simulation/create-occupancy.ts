/**
 * Counts how often paths stand in each of many ranges, at a cost that hardly grows with their number: the bounds of all ranges cut
 * the line into cells, and a path is counted in its cell until it leaves it.
 *
 * @param ranges - bounds of each range as logarithms; what equals a lower bound lies inside, what equals an upper one outside
 */
export function createOccupancy(ranges: readonly LogBounds[]): Occupancy {
  const finite = ranges.flatMap(({ lower, upper }) => [lower, upper]).filter(Number.isFinite)
  const inner = [...new Set(finite)].toSorted((a, b) => a - b)
  const edges = Float64Array.of(Number.NEGATIVE_INFINITY, ...inner, Number.POSITIVE_INFINITY)
  const counts = new Float64Array(edges.length - 1)
  let cell = 0
  const add = (path: Float64Array, from: number, to: number) => {
    let low = edges[cell] ?? 0
    let high = edges[cell + 1] ?? 0
    let begin = from
    for (let step = from; step < to; step += 1) {
      const value = path[step] ?? 0
      if (value >= low && value < high) continue
      counts[cell] = (counts[cell] ?? 0) + step - begin
      begin = step
      while (value >= (edges[cell + 1] ?? 0)) cell += 1
      while (value < (edges[cell] ?? 0)) cell -= 1
      low = edges[cell] ?? 0
      high = edges[cell + 1] ?? 0
    }
    counts[cell] = (counts[cell] ?? 0) + to - begin
  }
  const take = () => {
    const taken = ranges.map(({ lower, upper }) => {
      return counts.subarray(edges.indexOf(lower), edges.indexOf(upper)).reduce((sum, count) => sum + count, 0)
    })
    counts.fill(0)
    return taken
  }
  return { add, take }
}

export type LogBounds = { readonly lower: number; readonly upper: number }

export type Occupancy = {
  /** Counts `path[from]` up to and without `path[to]`. */
  add(path: Float64Array, from: number, to: number): void
  /** What was counted in each range since the last call. */
  take(): number[]
}
