import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '@svc/engine'

/**
 * One way of finding out who calls. A stage answers with a principal, with a refusal when the credentials are of its own
 * kind and wrong (no later stage is asked then), or with `null` when they are none of its business.
 */
export type Stage = (facts: RequestFacts) => StageOutcome | Promise<StageOutcome>

export type RequestFacts = {
  /** The token of `Authorization: Bearer <token>`, or `null`. */
  readonly bearer: string | null
  readonly headers: IncomingHttpHeaders
}

export type StageOutcome = Principal | Refusal | null

/** A fixed sentence of ours; nothing of what the caller sent. */
export type Refusal = { readonly refused: string }
