import type { Engine } from './engine.ts'
import { isPaused } from './kill-switch.ts'
import type { Weighed } from './refusal.ts'
import { onStorage } from './storage.ts'

/** Whether anything may be signed now: kill switch and circuit breaker, both read anew. */
export async function requireRunning(engine: Pick<Engine, 'dataDir' | 'breaker'>): Promise<Weighed> {
  const [paused, open] = await onStorage('the kill switch and the breaker cannot be read', () =>
    Promise.all([isPaused(engine.dataDir), engine.breaker.isOpen()]),
  )
  const refusals = [
    ...(paused ? [{ code: 'SERVER_PAUSED', message: 'The operator has paused signing.' } as const] : []),
    ...(open
      ? [
          {
            code: 'CIRCUIT_BREAKER_OPEN',
            message: 'The circuit breaker is open; signing has stopped until the operator re-arms it.',
          } as const,
        ]
      : []),
  ]
  return { refusals }
}
