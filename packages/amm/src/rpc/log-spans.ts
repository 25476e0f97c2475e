import type { LogSpan, LogSpans } from '../ports.ts'

/**
 * How many blocks of logs one endpoint takes at once, as scans found out: kept by what is scanned for, as a busy pool fills an answer in fewer blocks
 * than a quiet one. What was refused is tried again after half an hour. Of what was never scanned the narrowest range is known that
 * another scan was pushed to: many endpoints refuse by width alone.
 *
 * @param now Unix milliseconds
 */
export function createLogSpans(now: () => number): LogSpans {
  const known = new Map<string, LogSpan & { readonly refusedAtMs: number | null }>()
  const refusals = new Map<string, { readonly blocks: bigint; readonly atMs: number }>()
  let narrowest: { readonly blocks: bigint; readonly atMs: number } | null = null
  const isFresh = (atMs: number | null) => atMs !== null && now() - atMs < refusedMs
  return {
    of(name, usual) {
      const own = known.get(name)
      if (own !== undefined) return { blocks: own.blocks, isWidest: isFresh(own.refusedAtMs) }
      const isNarrow = narrowest !== null && isFresh(narrowest.atMs) && narrowest.blocks < usual
      return { blocks: isNarrow && narrowest !== null ? narrowest.blocks : usual, isWidest: false }
    },
    keep(name, { blocks, isWidest }, usual) {
      const before = known.get(name)
      const isSame = before !== undefined && before.blocks === blocks && isFresh(before.refusedAtMs)
      known.delete(name)
      known.set(name, { blocks, isWidest, refusedAtMs: !isWidest ? null : isSame ? before.refusedAtMs : now() })
      for (const oldest of [...known.keys()].slice(0, -mostNames)) known.delete(oldest)
      if (isWidest && blocks < usual) narrowest = { blocks, atMs: now() }
      else if (narrowest !== null && blocks > narrowest.blocks) narrowest = null
    },
    isRefused(name, blocks) {
      const refusal = refusals.get(name)
      return refusal !== undefined && blocks >= refusal.blocks && isFresh(refusal.atMs)
    },
    refuse(name, blocks) {
      refusals.delete(name)
      refusals.set(name, { blocks, atMs: now() })
      for (const oldest of [...refusals.keys()].slice(0, -mostNames)) refusals.delete(oldest)
    },
  }
}

/** Milliseconds. */
const refusedMs = 30 * 60_000
const mostNames = 1_000
