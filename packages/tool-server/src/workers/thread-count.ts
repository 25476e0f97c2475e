/** Of so many cores one is left to the thread that answers calls; more than four would only wait for memory. */
export function threadCount(cores: number): number {
  return Math.min(4, Math.max(1, cores - 1))
}
