import { DatabaseError } from 'pg'
import { StoreError } from '../store-error.ts'

/** What a failed query means: trouble that passes becomes `STORE_UNAVAILABLE`, a fault of ours stays what it is. */
export function postgresError(error: unknown): unknown {
  if (error instanceof StoreError || error instanceof TypeError) return error
  if (!(error instanceof DatabaseError)) return unavailable('The database cannot be reached.', error)
  const state = error.code ?? ''
  const reason = reasons.find(([pattern]) => pattern.test(state))?.[1]
  return reason === undefined ? error : unavailable(reason, error)
}

/** Whether the connection that failed so is of no more use: nothing that was said on it can be trusted to be over. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof TypeError) return false
  return !(error instanceof DatabaseError) || /^(08|57P)/.test(error.code ?? '')
}

/**
 * Whether the other end closed the connection, by its error or by the socket's. A query that took too long is not that:
 * the database may still be at it.
 */
export function wasCutOff(error: unknown): boolean {
  if (error instanceof Error && error.message === 'Query read timeout') return false
  return isConnectionLost(error)
}

/** What a query on a connection out of the pool says that turned out to be closed meanwhile: another may work. */
export function staleConnection(cause: unknown): StoreError {
  const stale = new StaleConnectionError('The connection was closed since it was last used.', { cause })
  return unavailable('The database is shutting down, starting or cut off.', stale)
}

export function isStaleConnection(error: unknown): boolean {
  return error instanceof StoreError && error.cause instanceof StaleConnectionError
}

class StaleConnectionError extends Error {
  override readonly name = 'StaleConnectionError'
}

/** By SQLSTATE (appendix "PostgreSQL Error Codes" of its manual). */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'The database refuses the user or the password of its URL.'],
  [/^3D000/, 'There is no database of the name in its URL.'],
  [/^42501/, 'The user of the database may not do this.'],
  [/^25006/, 'The database takes no writes.'],
  [/^53100/, 'The disk of the database is full.'],
  [/^53/, 'The database has no room for another connection.'],
  [/^57014|^55P03|^25P0[34]/, 'The database took too long.'],
  [/^(08|57P|58)/, 'The database is shutting down, starting or cut off.'],
]

function unavailable(message: string, cause: unknown): StoreError {
  return new StoreError('STORE_UNAVAILABLE', message, { cause })
}
