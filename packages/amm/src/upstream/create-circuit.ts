/**
 * Remembers whether a service answers. After `mostFailures` in a row it is left alone for `restMs`; then one caller at a time
 * may ask again, and the first that succeeds closes the circuit.
 */
export function createCircuit({ mostFailures, restMs, now }: CircuitOptions): Circuit {
  let failures = 0
  let restsUntil = 0
  return {
    mayAsk() {
      if (failures < mostFailures) return true
      if (now() < restsUntil) return false
      restsUntil = now() + restMs
      return true
    },
    succeeded() {
      failures = 0
    },
    failed() {
      failures += 1
      if (failures >= mostFailures) restsUntil = now() + restMs
    },
  }
}

export type CircuitOptions = {
  readonly mostFailures: number
  readonly restMs: number
  /** Milliseconds. */
  readonly now: () => number
}

export type Circuit = {
  /** Whether to ask now. Who was let through reports how it went. */
  mayAsk(): boolean
  succeeded(): void
  failed(): void
}
