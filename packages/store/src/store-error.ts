/** The one error this package throws on purpose. `message` is ours; what the engine said is in `cause`. */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

export type StoreErrorCode =
  /** Another server holds the data directory. */
  | 'DATA_DIR_LOCKED'
  /** Other processes kept the database busy for longer than a write waits. */
  | 'STORE_BUSY'
  /** The database cannot be reached, or refuses work for now. */
  | 'STORE_UNAVAILABLE'
  /** The database went away while it committed: the write was done, or was not. */
  | 'STORE_IN_DOUBT'
  /** The URL of the database is malformed, or names a schema that is not there. */
  | 'STORE_URL_INVALID'
  /** The file of the database was deleted or replaced under the open store. */
  | 'STORE_REPLACED'
  /** The database was written by a newer version, or is not one of ours. */
  | 'STORE_SCHEMA_UNKNOWN'
  /** A copy of the state is to be put where there is state already. */
  | 'STORE_NOT_EMPTY'
  /** What was put in place is not what was copied. */
  | 'STORE_COPY_DAMAGED'
  /** Another process does what only one may do. */
  | 'LEASE_HELD'
  /** Another server of the database writes, and this one does not. */
  | 'NOT_LEADER'
  /** Signing is paused for all servers of the database. */
  | 'STORE_PAUSED'
  | 'JOURNAL_CONFLICT'
  | 'JOURNAL_ENTRY_UNKNOWN'
  | 'JOURNAL_ENTRY_CLOSED'
  /** The reservation does not exist or is settled or released already. */
  | 'RESERVATION_NOT_OPEN'
  /** A signed transaction draws on the reservation, so it may still be spent: settle it instead. */
  | 'RESERVATION_IN_USE'
  | 'RESERVATION_EXISTS'
  | 'AMOUNT_INVALID'
  /** The idempotency record to finish or abandon is not one that runs. */
  | 'IDEMPOTENCY_NOT_RUNNING'
  /** The operation is not in a state that allows this: decided, expired, cancelled, taken or ended already. */
  | 'OPERATION_STATE'
  /** A person decided on another plan than the one that waits. */
  | 'OPERATION_CHANGED'
  | 'OPERATION_UNKNOWN'
  | 'OPERATION_EXISTS'
  | 'ORDER_EXISTS'
  /** What is to be remembered is larger than one record may be. */
  | 'RECORD_TOO_LARGE'
  /** As many operations of the principal wait as may. */
  | 'OPERATION_LIMIT'
