import type { OperatorRequest } from '@svc/store'
import type { JournalState } from '@svc/wallet/core'
import { outcomeWords } from './outcome-words.ts'
import { stateWords } from './state-words.ts'

/**
 * What became of a request about a transaction, in a sentence. `at` as it is to be printed. The journal has the end a
 * moment before the request has it: until then `state` says what it comes to.
 */
export function outcomeText(
  { what, by, at, outcome }: Omit<OperatorRequest, 'at'> & { readonly at: string },
  replacedBy: string | null,
  state: JournalState,
): string {
  const asked = what === 'cancel' ? 'cancellation' : `resolution by ${what}`
  const said = `${asked} asked by ${by} at ${at}`
  if (outcome === null && isOver.has(state)) return `${said}; ${stateWords[state]}, which is being put on record`
  if (outcome === null) return `${said}; it has not ended`
  return `${said}: ${outcomeWords[outcome]}${outcome === 'cancelled' && replacedBy !== null ? `: ${replacedBy}` : ''}`
}

const isOver: ReadonlySet<JournalState> = new Set<JournalState>(['final', 'reverted', 'replaced', 'superseded'])
