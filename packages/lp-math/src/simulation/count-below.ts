/** How many of the rising values lie below a bound. */
export function countBelow(values: Float64Array, bound: number): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((values[middle] ?? 0) < bound) low = middle + 1
    else high = middle
  }
  return low
}
