/** Rules of when a stand-in misbehaves, in order: the first that fits a call and is not used up decides. */
export function createFaultRules<F>(): FaultRules<F> {
  let rules: { readonly fault: F; readonly methods: readonly string[]; left: number }[] = []
  return {
    set: (next) => {
      rules = next.map(({ fault, methods = [], times = Infinity }) => ({ fault, methods, left: times }))
    },
    choose: (method) => {
      const rule = rules.find(({ methods, left }) => left > 0 && (methods.length === 0 || methods.includes(method)))
      if (!rule) return null
      rule.left -= 1
      return rule.fault
    },
  }
}

export type StandInFault<F> = {
  readonly fault: F
  /** Only calls of these methods; of every method that the fault can strike when absent. */
  readonly methods?: readonly string[]
  /** It strikes so many calls and no more; without an end when absent. */
  readonly times?: number
}

export type FaultRules<F> = {
  /** Replaces the rules; their counts begin anew. */
  set(rules: readonly StandInFault<F>[]): void
  choose(method: string): F | null
}
