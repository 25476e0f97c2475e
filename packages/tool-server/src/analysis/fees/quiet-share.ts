/** The part of the days with less than a tenth of the median volume, or without any; of no days, all. */
export function quietShare(volumes: readonly number[]): number {
  if (volumes.length === 0) return 1
  const median = volumes.toSorted((a, b) => a - b)[Math.floor(volumes.length / 2)] ?? 0
  return volumes.filter((volume) => volume < median / 10 || volume === 0).length / volumes.length
}
