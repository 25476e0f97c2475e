import type { Chain, Sender } from '@svc/wallet/core'
import type { Address, PublicClient } from 'viem'
import type { Call } from '../call/call.ts'
import type { Intent } from '@svc/amm'
import type { BalanceWatch } from '../switches/balance-watch.ts'
import type { CircuitBreaker } from '../switches/circuit-breaker.ts'
import type { DailyAlert } from '../spending/daily-alert.ts'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import type { SimulatorMemory } from '../simulation/simulate-with-trace.ts'
import type { NativePrices } from '../value/spend-value.ts'
import type { SwitchRecorder } from '../switches/switch-recorder.ts'

/** What the steps of the pipeline work with. */
export type Engine = PipelinePorts & {
  /** Names the policy as it is in force for all callers, in audit lines. */
  readonly policyHash: string
  readonly breaker: CircuitBreaker
  /** Puts what became of the switches into the audit log. */
  readonly switches: SwitchRecorder
  readonly balances: BalanceWatch
  readonly dailyAlert: DailyAlert
  readonly simulators: SimulatorMemory
  readonly nativePrices: NativePrices
  /** By chain, of how many things the last look found a receipt that cannot be had though it is mined: what is reserved for them counts. */
  readonly unread: Map<number, number>
  /** How long one transaction is waited for. */
  readonly confirmTimeoutMs: number
  /** Throws once the server is closing: asked before a write begins and before each of its signatures. */
  readonly requireOpen: () => void
}

/** One intent on its way. */
export type ExecutionContext = {
  readonly engine: Engine
  readonly call: Call
  readonly intent: Intent
  readonly chain: Chain
  readonly client: PublicClient
  readonly sender: Sender
  readonly wallet: Address
  readonly known: KnownContracts
  /** Unique to this intent; the reservation bears the same id. */
  readonly reservationId: string
  /** Numbers the transactions of the call in the journal. */
  readonly nextStep: () => number
  /** What the same call wanted before it in this attempt, whatever became of it. */
  readonly before: readonly Intent[]
}

/** Before it is known which policy holds for its caller. */
export type UnfollowedContext = Omit<ExecutionContext, 'known'>

/** What the stages that only look at an intent need: no key and no store. */
export type InspectionContext = Pick<ExecutionContext, 'intent' | 'chain' | 'client' | 'wallet' | 'known'> & {
  readonly engine: Pick<
    Engine,
    | 'policy'
    | 'rpc'
    | 'tokens'
    | 'prices'
    | 'simulators'
    | 'nativePrices'
    | 'now'
    | 'signsAuthorizations'
    | 'userOperations'
  > &
    // Where one chain alone is looked at, the others are not known.
    Partial<Pick<Engine, 'chains' | 'senders'>>
  readonly call: Pick<Call, 'tool'> & { readonly principal: Pick<Call['principal'], 'id'> }
}
