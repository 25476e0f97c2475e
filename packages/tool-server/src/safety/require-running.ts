import type { Engine } from './engine.ts'
import { isPaused } from './kill-switch.ts'
import type { Refusal, Weighed } from './refusal.ts'
import { onStorage } from './storage.ts'

/** Whether anything may be signed now: kill switch and circuit breaker, both read anew. */
export async function requireRunning(engine: Pick<Engine, 'dataDir' | 'breaker'>): Promise<Weighed> {
  const [paused, open] = await onStorage('the kill switch and the breaker cannot be read', () =>
    Promise.all([isPaused(engine.dataDir), engine.breaker.isOpen()]),
  )
  return { refusals: [...(paused ? [pausedRefusal] : []), ...(open ? [openRefusal] : [])] }
}

/** Whether what ends something may be signed now, which an open breaker does not stop: the kill switch alone, read anew. */
export async function requireUnpaused({ dataDir }: Pick<Engine, 'dataDir'>): Promise<Weighed> {
  const paused = await onStorage('the kill switch cannot be read', () => isPaused(dataDir))
  return { refusals: paused ? [pausedRefusal] : [] }
}

const pausedRefusal: Refusal = { code: 'SERVER_PAUSED', message: 'The operator has paused signing.' }

const openRefusal: Refusal = {
  code: 'CIRCUIT_BREAKER_OPEN',
  message: 'The circuit breaker is open; signing has stopped until the operator re-arms it.',
}
