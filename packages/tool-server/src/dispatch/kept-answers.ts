import type { Ports } from '../ports.ts'
import type { Tool } from '../tool.ts'
import type { CallResult } from './call-result.ts'
import type { ToolCall } from './handle.ts'

/**
 * Answers of tools that say what theirs rest on (`restsOn`): such an answer is built, checked and written once, and given again to whoever asks
 * the same, for a minute at most, as long as everything it rests on is what it was. A failure is not kept, nor what has a picture, which is one
 * caller's.
 */
export function createKeptAnswers(ports: Ports, now: () => number): KeptAnswers {
  const kept = new Map<string, Kept>()
  return async ({ tool, call }, build) => {
    if (tool.restsOn === undefined) return build()
    const name = `${tool.name} ${JSON.stringify(call.input)}`
    // What changes while the answer is built makes the next call build it again.
    const restsOn = tool.restsOn(call.input, ports)
    const known = kept.get(name)
    const askedAt = now()
    if (known !== undefined && Math.abs(askedAt - known.builtAt) < longestMs && isSame(known.restsOn, restsOn))
      return known.result
    const result = await build()
    kept.delete(name)
    if (result.content.length > 1) return result
    kept.set(name, { restsOn, result, builtAt: askedAt })
    if (kept.size > mostAnswers) kept.delete(kept.keys().next().value ?? name)
    return result
  }
}

const mostAnswers = 64

/** Answers say when they were made; one that says a minute ago is still read as of now. */
const longestMs = 60_000

/** The answer of before if it still holds, else that of `build`. */
export type KeptAnswers = (
  open: { readonly tool: Tool; readonly call: Pick<ToolCall, 'input'> },
  build: () => Promise<CallResult>,
) => Promise<CallResult>

type Kept = { readonly restsOn: readonly unknown[]; readonly result: CallResult; readonly builtAt: number }

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, index) => Object.is(part, other[index]))
}
