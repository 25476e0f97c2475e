/** Who may do what only one process may do at a time: write for an address on a chain, or be the server. */
export type Leases = {
  /**
   * Takes the lease of a name (for example `writer:1:0xabc...`) until it is released, this store is closed or the
   * process ends, however it ends. `holder` tells a person who has it. Throws `LEASE_HELD` at once when another has it.
   *
   * On PostgreSQL a lease is lost when its connection is: a holder that was cut off may find that another took over.
   * On SQLite it keeps apart what runs in this process; processes are kept apart by `acquireServerLock`.
   */
  acquire(request: LeaseRequest): Promise<Lease>
}

export type LeaseRequest = {
  readonly name: string
  /** Said to whoever is refused. */
  readonly holder: string
  /** Whom it keeps apart: all of the database, or only those who share this store's tables. */
  readonly within?: 'database' | 'store'
}

export type Lease = {
  readonly name: string
  /** False once it is lost or released: whoever needs it acquires it again or does nothing. */
  isHeld(): boolean
  /** Calls back once if the lease is lost; at once if it was lost already. */
  onLost(listener: () => void): void
  release(): Promise<void>
}
