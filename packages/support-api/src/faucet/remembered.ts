/**
 * The answer of `ask` for a while, and one question at a time however many wait for it. An answer that failed is not
 * kept. While a newer one is asked for, what is known already is given for as long again. `forget` is for who knows better: from then on
 * nobody is given an answer to a question that was asked before.
 */
export function remembered<Answer>(
  ask: () => Promise<Answer>,
  { forMs, now }: { readonly forMs: number; readonly now: () => number },
): Remembered<Answer> {
  let known: { readonly answer: Answer; readonly at: number } | null = null
  let asking: Promise<Answer> | null = null
  const begin = () => {
    const current = ask()
      .then((answer) => {
        if (asking === current) known = { answer, at: now() }
        return answer
      })
      .finally(() => {
        if (asking === current) asking = null
      })
    return current
  }
  const read = async () => {
    const age = known === null ? Infinity : Math.abs(now() - known.at)
    if (known !== null && age < forMs) return known.answer
    asking ??= begin()
    if (known !== null && age < 2 * forMs) {
      asking.catch(() => {})
      return known.answer
    }
    return await asking
  }
  const forget = () => {
    known = null
    asking = null
  }
  return Object.assign(read, { forget })
}

export type Remembered<Answer> = (() => Promise<Answer>) & { readonly forget: () => void }

/** Tells what is met again at every look once in a term. */
export function tellOnce({ reported }: { readonly reported: Set<string> }, what: string, tell: () => void): void {
  if (reported.has(what)) return
  reported.add(what)
  tell()
}
