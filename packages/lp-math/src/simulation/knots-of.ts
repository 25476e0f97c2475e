/**
 * The steps at which a path is drawn, 0 and the last included: evenly spread, at least eight to a path where it has as many, and none
 * further than twelve steps from the next. What lies between two of them is integrated and not drawn.
 */
export function knotsOf(steps: number): Int32Array {
  const count = Math.min(Math.max(fewest, Math.ceil(steps / furthest)), steps)
  return Int32Array.from({ length: count + 1 }, (_, knot) => Math.round((knot * steps) / count))
}

const fewest = 8
const furthest = 12
