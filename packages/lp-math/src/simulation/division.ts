/** Replicates of equal size, a power of two, with which Sobol points are evenest: at least those asked for, fewer than twice as many. */
export function division({ paths, replicates = 8 }: { paths: number; replicates?: number | undefined }): {
  size: number
  replicates: number
} {
  const size = 2 ** Math.floor(Math.log2(paths / replicates))
  return { size, replicates: Math.ceil(paths / size) }
}
