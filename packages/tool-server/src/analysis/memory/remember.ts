import type { Chain } from '@svc/wallet/core'
import { withinTime } from '@svc/runtime'
import type { WriteContext } from '../../tool-context.ts'
import { type Entry, type Exit, keepEntry, keepOutcome } from './episodes.ts'

/**
 * Leaves in the caller's memory, where there is one, which positions a write has left and entered. The funds have moved by then: the answer
 * stands whatever becomes of it, and does not wait long.
 */
export async function remember(
  context: WriteContext,
  chain: Chain,
  { exits = [], entries = [] }: Moves,
): Promise<void> {
  const { memory } = context
  if (memory === null) return
  // The caller's own may end with the answer.
  const reading = { ...context, signal: new AbortController().signal }
  const keeping = async () => {
    for (const exit of exits) await memory.attempt(() => keepOutcome(memory, reading, chain, exit))
    for (const entry of entries) await memory.attempt(() => keepEntry(memory, reading, chain, entry))
  }
  await withinTime(keeping(), context.figuresWithinMs ?? rememberTimeoutMs, undefined)
}

/** What a write has left and entered, by what was mined. */
export type Moves = { readonly exits?: readonly Exit[]; readonly entries?: readonly Entry[] }

const rememberTimeoutMs = 5_000
