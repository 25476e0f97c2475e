/** The same as the bars of a store for where there is none: it lasts as long as the process, and holds `mostChunks` at most. */
export function createBarMemory(mostChunks = 1_000): BarStore {
  const kept = new Map<string, BarChunk & { readonly of: string }>()
  return {
    async read(of, from, to) {
      const owner = keyOf(of)
      return [...kept.values()]
        .filter((chunk) => chunk.of === owner && chunk.startsAt >= from && chunk.startsAt < to)
        .map(({ startsAt, content }) => ({ startsAt, content }))
        .toSorted((a, b) => a.startsAt - b.startsAt)
    },
    async keep(of, chunks) {
      const owner = keyOf(of)
      for (const chunk of chunks) kept.set(`${owner} ${chunk.startsAt}`, { ...chunk, of: owner })
      for (const key of [...kept.keys()].slice(0, Math.max(0, kept.size - mostChunks))) kept.delete(key)
    },
  }
}

function keyOf({ chainId, pool, barSeconds }: BarsOf): string {
  return `${chainId} ${pool} ${barSeconds}`
}

/** Where closed bars are kept, which never change: the store of a server, or memory. It may lose its oldest chunks. */
export type BarStore = {
  /** Chunks that begin in [from, to), Unix seconds, oldest first. */
  read(of: BarsOf, from: number, to: number): Promise<readonly BarChunk[]>
  /** A chunk that is there already is replaced, since its reader may have found it broken. */
  keep(of: BarsOf, chunks: readonly BarChunk[]): Promise<void>
}

export type BarsOf = { readonly chainId: number; readonly pool: string; readonly barSeconds: number }

/** `startsAt` in Unix seconds; what the content means is its writer's business. */
export type BarChunk = { readonly startsAt: number; readonly content: string }
