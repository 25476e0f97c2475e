import type { OperatorRequest } from '@svc/store'
import { outcomeWords } from './outcome-words.ts'

/** What became of a request about a transaction, in a sentence. `at` as it is to be printed. */
export function outcomeText(
  { what, by, at, outcome }: Omit<OperatorRequest, 'at'> & { readonly at: string },
  replacedBy: string | null,
): string {
  const asked = what === 'cancel' ? 'cancellation' : `resolution by ${what}`
  const said = `${asked} asked by ${by} at ${at}`
  if (outcome === null) return `${said}; it has not ended`
  return `${said}: ${outcomeWords[outcome]}${outcome === 'cancelled' && replacedBy !== null ? `: ${replacedBy}` : ''}`
}
