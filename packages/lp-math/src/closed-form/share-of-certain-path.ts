/** Share of the time, 0 to 1, that a price spends between two logarithms while its own goes evenly from 0 to `move`. */
export function shareOfCertainPath(from: number, to: number, move: number): number {
  if (move === 0) return from <= 0 && to > 0 ? 1 : 0
  const [enters, leaves] = move > 0 ? [from / move, to / move] : [to / move, from / move]
  return Math.max(Math.min(leaves, 1) - Math.max(enters, 0), 0)
}
