import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import type { OperationActions, OperationReads, Principal, SafetyReport } from '@svc/engine'
import type { AtomicRouteName, EarlierTransaction, Execute, Intent, KeptDeposit, Token, TokenQuantity } from '@svc/amm'
import type { ActiveAlert } from './alerts/alert-table.ts'
import type { ChartSpec } from './charts/chart-spec.ts'
import type { OwnMemory, OwnWatches } from '@svc/store'
import type { Ports } from './ports.ts'

/** What the handler of a tool gets beside its arguments, by the kind of the tool. */
export type ToolContext = ReadContext | WriteContext | OperationContext | RecordContext

/** What a handler may use. Frozen; made anew for each call. */
export type ReadContext = Ports & {
  readonly principal: Principal
  /** Aborted when the caller leaves. */
  readonly signal: AbortSignal
  /** Unix milliseconds. */
  now(): number
  /** Tells the caller how far the call is, where the caller asked for it: done, and of how much. */
  readonly onProgress?: ((done: number, of: number) => void) | undefined
  /** Leaves a picture of the answer, which the caller can read for an hour. Never throws: the answer stands without it. */
  draw(drawing: () => ChartSpec): void
  /** How long an answer waits for the figures beside what it is for; as long as the tool says when absent. */
  readonly figuresWithinMs?: number | undefined
  /** What `check_setup_health`, `check_safety_status` and the status tools report on. */
  readonly status: StatusReport
  /** The caller's own stored writes. */
  readonly operations: OperationReads
  /** What the caller's memory holds, where answers take it into account: under the profile `learning`; `null` under others. */
  readonly memory: CallerMemory | null
  /** What the caller watches; `null` where no store is open. */
  readonly watches: () => Omit<CallerWatches, 'add' | 'cancel'> | null
}

/** Records of one caller, or those that all callers share. */
export type CallerMemory = OwnMemory & {
  /** Does what leaves a record and never rejects: what it is left beside stands without it. A failure is logged. */
  attempt(work: () => Promise<unknown>): Promise<void>
}

export type { MemoryRecord } from '@svc/store'

/** One caller's own, with how often positions are looked at and whether events go out as webhooks. */
export type CallerWatches = OwnWatches & { readonly everySeconds: number; readonly hasWebhook: boolean }

export type RecordContext = Omit<ReadContext, 'watches'> & {
  readonly records: OwnMemory
  readonly watches: () => CallerWatches | null
}

export type OperationContext = Omit<ReadContext, 'operations'> & { readonly operations: OperationActions }

export type WriteContext = ReadContext & {
  readonly execute: Execute
  /** Whether the call only plans: what a handler does beside reading is left out then. */
  readonly isDryRun: boolean
  /** The deposits of the stored plan that this call carries out, in its order; none for a call of its own. Throws `OPERATION_STATE`. */
  keptDeposits(): readonly KeptDeposit[]
  /** What that plan says must arrive at least, of all or of one of its operations; nothing for a call of its own. Throws `OPERATION_STATE`. */
  keptReceipts(operation?: number): readonly TokenQuantity[]
  /** What that plan showed of a token as the change of the wallet; `null` where it showed none, and for a call of its own. Throws `INTERNAL`. */
  plannedChange(token: Token): bigint | null
  /** How the wallet makes several calls one there, `null` where it cannot. Throws `RPC_*`. */
  atomicRoute(chain: Chain): Promise<AtomicRouteName | null>
  /** That plan's own intent and those that follow it; `null` for a call of its own. Throws `OPERATION_STATE`. */
  keptParts(): readonly Intent[] | null
  /**
   * What earlier attempts at this very call had mined, for a tool that goes on; nothing for a first attempt. Throws `WALLET_BUSY`
   * while something they signed is open, and `CANCELLED_BY_OPERATOR`.
   */
  earlier(chain: Chain): Promise<readonly EarlierTransaction[]>
  /** Never null where a write tool runs. */
  readonly wallet: { readonly address: `0x${string}`; readonly type: 'local' | 'managed' }
  /** What this server made at the wallet provider since it started; `null` where the wallet was there before. */
  readonly provisioned: ProvisionReport | null
  /** The policy's defaults and caps, as far as a plan needs them. */
  readonly defaults: { readonly slippageBps: number; readonly deadlineSeconds: number }
}

/** A wallet that was made for a caller. No secrets. */
export type ProvisionReport = {
  /** At its provider. */
  readonly walletId: string
  /** Whose policy template it is held to there. */
  readonly role: string
  /** By name. */
  readonly chains: readonly string[]
}

/** Reports of the running server about itself; safety members are absent without a wallet. */
export type StatusReport = {
  setup(): Promise<SetupReport>
  /** In full, as counted for this principal; what of it the principal may see is the tool's to say. */
  safety(principal: Principal): Promise<SafetyReport>
  /** What is out of the ordinary now; absent where nothing looks. */
  readonly alerts?: (() => readonly ActiveAlert[]) | undefined
}

export type SetupReport = {
  readonly profile: string
  readonly version: string
  readonly checks: readonly SetupCheck[]
}

/** One thing about a set-up, and what to do about it. */
export const setupCheckResult = z.object({
  id: z.string(),
  status: z.enum(['pass', 'warn', 'fail']),
  message: z.string(),
  fix: z.string().nullable(),
})

export type SetupCheck = Readonly<z.output<typeof setupCheckResult>>
