/**
 * Writes that wait: planned and not carried out, for a person's word, for their time; and what became of them. A row is
 * the whole request, so that it can be carried out by another process than the one that took it.
 */
export type Operations = {
  /**
   * Under `terms`, one that waits is admitted in the same commit: one of the same call (principal, tool, `input`) that awaits
   * approval already is given back as it is, its expiry too, instead of a new one, and `OPERATION_LIMIT` is thrown when as many of
   * the principal wait as may. Throws `OPERATION_EXISTS` for an id used before.
   */
  create(operation: NewOperation, terms?: WaitingTerms): Promise<Operation>
  byId(id: string): Promise<Operation | null>
  /** Newest first. */
  list(query: OperationQuery): Promise<readonly Operation[]>
  /**
   * A person's word on an operation that awaits it, bound to the plan it was shown. Approved, it becomes `approved`, or
   * `scheduled` when it has a time to wait for. Throws `OPERATION_STATE` when it no longer awaits a decision (decided,
   * expired, cancelled) and `OPERATION_CHANGED` when `planHash` is not its own.
   */
  decide(id: string, decision: OperationDecision): Promise<Operation>
  /**
   * Takes an operation to carry it out, at most one taker ever: `planned` or `approved` and not expired, or `scheduled`
   * and due. With `goesOn` also one that first failed less than 24 hours ago, which keeps the request that it was first taken
   * for. Throws `OPERATION_STATE`.
   */
  claim(id: string, claim: { readonly requestId: string; readonly goesOn?: boolean }): Promise<Operation>
  /** Ends a running operation. The same end again changes nothing. Throws `OPERATION_STATE`. */
  finish(id: string, end: { readonly state: 'done' | 'failed'; readonly answer: string }): Promise<Operation>
  /** Puts a running operation back to where it was claimed from: nothing was signed. Throws `OPERATION_STATE`. */
  giveBack(id: string): Promise<Operation>
  /** Throws `OPERATION_STATE` once it runs or has ended. The same again changes nothing. */
  cancel(id: string, by: string): Promise<Operation>
  /** Those of some states: principals take turns, each in the order asked for, so that none can hide another's. */
  inTurns(query: TurnsQuery): Promise<readonly Operation[]>
  /** How many there are of some states, by principal and state; what there is none of is left out. */
  count(query: CountQuery): Promise<readonly OperationCount[]>
  /** Scheduled ones whose time has come: principals take turns, each one's earliest first. */
  due(limit: number): Promise<readonly Operation[]>
  /** Running ones that another run of the store claimed: their process is gone. */
  interrupted(): Promise<readonly Operation[]>
}

/**
 * planned (a dry run's), awaiting_approval -> approved or denied, scheduled -> running -> done or failed; cancelled and
 * expired (read from `expiresAt`, never written) from any state before running.
 */
export type OperationState =
  | 'planned'
  | 'awaiting_approval'
  | 'approved'
  | 'denied'
  | 'scheduled'
  | 'running'
  | 'done'
  | 'failed'
  | 'cancelled'
  | 'expired'

export type NewOperation = {
  readonly id: string
  readonly state: 'planned' | 'awaiting_approval' | 'scheduled'
  /** Who asked; only the same may carry it out or cancel it. */
  readonly principalId: string
  /** The principal as JSON, to carry it out under the same rights later. */
  readonly principal: string
  readonly tool: string
  /** The parsed arguments as JSON. */
  readonly input: string
  readonly chainId: number
  readonly planHash: string
  /** What was shown, as JSON. */
  readonly plan: string
  /** The intent it stands for, as JSON. */
  readonly intent: string
  readonly spendUsdMicros: bigint
  /** Unix milliseconds after which it is no longer carried out; `null`: never. */
  readonly expiresAt: number | null
  /** Unix milliseconds before which it is not carried out; `null`: at once. */
  readonly executeAfter: number | null
}

export type Operation = Omit<NewOperation, 'state'> & {
  readonly state: OperationState
  readonly createdAt: number
  /** Who approved, denied or cancelled it, and when. */
  readonly decidedBy: string | null
  readonly decidedAt: number | null
  /** The request that carries it out. */
  readonly requestId: string | null
  /** Result or error envelope, as JSON, once it has ended. */
  readonly answer: string | null
}

export type OperationQuery = {
  /** `null` for all. */
  readonly principalId: string | null
  readonly states?: readonly OperationState[]
  /** Only those whose `decidedBy` begins so, for example `operator:`. */
  readonly decidedByPrefix?: string
  readonly limit: number
}

/** What holds for an operation that awaits approval or its time. */
export type WaitingTerms = {
  /** So many of one principal may await approval or their time. */
  readonly mostWaiting: number
  /** The key of the call that asks: bound to the operation in the same commit, until the key ends. */
  readonly idempotencyKey?: string
  /** Done last before a new one is committed; what it rejects with leaves nothing stored. It must not use the store. */
  readonly record?: () => Promise<void>
}

export type TurnsQuery = {
  /** At least one. */
  readonly states: readonly OperationState[]
  /** Of one alone; all by default. */
  readonly principalId?: string
  readonly order: 'oldest' | 'newest'
  /** At most so many of each. */
  readonly perPrincipal: number
  readonly limit: number
}

export type CountQuery = {
  /** `null` for all. */
  readonly principalId: string | null
  /** At least one. */
  readonly states: readonly OperationState[]
}

export type OperationCount = {
  readonly principalId: string
  readonly state: OperationState
  readonly count: number
}

export type OperationDecision = {
  readonly approved: boolean
  /** For example `operator:cli` or `client:<principal>`. */
  readonly by: string
  readonly planHash: string
}
