/** The values that were kept last, by name: so many of them and no more. */
export function createRecent<Value>(most: number): Recent<Value> {
  const kept = new Map<string, Value>()
  return {
    of: (name) => kept.get(name) ?? null,
    keep(name, value) {
      kept.delete(name)
      kept.set(name, value)
      const [oldest] = kept.keys()
      if (kept.size > most && oldest !== undefined) kept.delete(oldest)
    },
  }
}

export type Recent<Value> = {
  of(name: string): Value | null
  keep(name: string, value: Value): void
}
