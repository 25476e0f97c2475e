/**
 * Share of a bar that its price spent in a range, each tick between low and high taken to have seen as much of the trade as another. A
 * price that stands on a tick is in or out; the upper tick of a range is out.
 */
export function traversedShare(lowTick: number, highTick: number, tickLower: number, tickUpper: number): number {
  if (lowTick >= tickLower && highTick < tickUpper) return 1
  if (highTick <= tickLower || lowTick >= tickUpper) return 0
  return (Math.min(highTick, tickUpper) - Math.max(lowTick, tickLower)) / (highTick - lowTick)
}
