/**
 * The answer of `ask` for a while, and one question at a time however many wait for it. An answer that failed is not
 * kept. While a newer one is asked for, what is known already is given for as long again.
 */
export function remembered<Answer>(
  ask: () => Promise<Answer>,
  { forMs, now }: { readonly forMs: number; readonly now: () => number },
): () => Promise<Answer> {
  let known: { readonly answer: Answer; readonly at: number } | null = null
  let asking: Promise<Answer> | null = null
  return async () => {
    const age = known === null ? Infinity : Math.abs(now() - known.at)
    if (known !== null && age < forMs) return known.answer
    asking ??= ask()
      .then((answer) => {
        known = { answer, at: now() }
        return answer
      })
      .finally(() => {
        asking = null
      })
    if (known !== null && age < 2 * forMs) {
      asking.catch(() => {})
      return known.answer
    }
    return await asking
  }
}

/** Tells what is met again at every look once in a term. */
export function tellOnce({ reported }: { readonly reported: Set<string> }, what: string, tell: () => void): void {
  if (reported.has(what)) return
  reported.add(what)
  tell()
}
