import type { Operation } from '@svc/store'
import type { Principal } from './principal.ts'
import type { Execute } from '@svc/amm'

/** One call on its way: what the transaction pipeline, the log and the audit need to know of it. */
export type Call = {
  /** Correlation id, unique per call; journal and ledger rows carry it. */
  readonly requestId: string
  readonly tool: string
  readonly principal: Principal
  readonly dryRun: boolean
  readonly idempotencyKey: string | null
  /** The parsed arguments. */
  readonly input: Readonly<Record<string, unknown>>
  /** The stored operation that this call carries out: its plan bounds what may happen. `null` for a call of its own. */
  readonly carriesOut: Operation | null
  readonly signal: AbortSignal
  /**
   * Names this attempt of a call that goes on with what an earlier attempt began under the same `requestId`; absent for the first.
   */
  readonly attempt?: string
  /** Tells the caller how far the call is; absent where nobody asked. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
}

/** Opens the transaction pipeline for one call. */
export type OpenExecute = (call: Call) => Execute
