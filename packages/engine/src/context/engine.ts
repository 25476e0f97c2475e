import type { Chain, Sender, UserOperations } from '@svc/wallet/core'
import type { Address, PublicClient } from 'viem'
import type { Call } from '../call/call.ts'
import type { Intent, ChainDirectory, Orders, PriceSource, RpcPool, TokenDirectory } from '@svc/amm'
import type { BalanceWatch } from '../switches/balance-watch.ts'
import type { CircuitBreaker } from '../switches/circuit-breaker.ts'
import type { DailyAlert } from '../spending/daily-alert.ts'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import type { SimulatorMemory } from '../simulation/simulate-with-trace.ts'
import type { NativePrices } from '../value/spend-value.ts'
import type { SwitchRecorder } from '../switches/switch-recorder.ts'
import type { Ledger, Operations, PendingRevocations, SignedOrders, StoreJournal, Transactions } from '@svc/store'
import type { AuditLog, AuditEvent } from '../audit/audit.ts'
import type { PipelineLog } from '../call/refusal.ts'
import type { Policy } from '../policy/policy.ts'
import type { SwitchPlace } from '../switches/switch-text.ts'
import type { GuardedSigner } from '../signatures/guarded-signer.ts'

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

/** What the pipeline is given. */
export type PipelinePorts = {
  readonly policy: Policy
  readonly chains: ChainDirectory
  readonly rpc: RpcPool
  readonly tokens: TokenDirectory
  readonly prices: PriceSource
  /** The wallet's sender on a chain, the same one each time, over `rpc.client(chain)`. */
  readonly senders: (chain: Chain) => Sender
  /** Signs beside transactions what a grant covers; absent where the wallet signs transactions alone. */
  readonly signGranted?: GuardedSigner['signGranted']
  /** The wallet's user operations on a chain, and what signs them there; absent where it sends none. */
  readonly userOperations?: (chain: Chain) => UserOperations
  readonly operationSigner?: (chain: Chain) => OperationSigner
  /** False where the wallet's signer has no way to sign EIP-7702 authorizations. */
  readonly signsAuthorizations?: boolean
  /** The journal of those senders. */
  readonly journal: Pick<
    StoreJournal,
    'open' | 'refused' | 'nextNonce' | 'byHash' | 'byRequest' | 'mark' | 'recordSigned'
  >
  /** What operators ask about what stands in that journal. */
  readonly transactions: Pick<
    Transactions,
    'asked' | 'byNonce' | 'endAsked' | 'openOperations' | 'endOperation' | 'unsettledChains'
  >
  /** Without a key, for other addresses with something open on a chain (`createFormerWallets`). */
  readonly formerWallets: (chain: Chain) => Promise<readonly Sender[]>
  readonly ledger: Ledger
  /** What of the wallet's allowances, and of rights over its positions, is still to be taken back. In the store of that journal and ledger. */
  readonly pendingRevocations: PendingRevocations
  /** Where what waits is kept. */
  readonly operations: Pick<Operations, 'create' | 'count'>
  /** Signed orders, from before anybody else has them until the chain has decided. */
  readonly orders: SignedOrders
  /** Hands one to those who fill. */
  readonly submitOrder: Orders['submit']
  readonly audit: AuditLog
  /** Holds `paused`, and `breaker.json` unless servers share a database. */
  readonly dataDir: string
  /** What stops all servers of a database; absent where one server has the state. */
  readonly sharedSwitches?: SwitchPlace['sharedSwitches']
  /** Throws `NOT_LEADER` where another server writes in the place of this one: asked before bytes are handed on. */
  readonly requireLead?: () => void
  /** Aborted when this server no longer leads: what it waits for another one waits for. `null` where none could take its place. */
  readonly term?: () => AbortSignal | null
  /** Unix milliseconds. */
  readonly now: () => number
  readonly newRequestId: () => string
  readonly log: PipelineLog
  /** Who hears of each stage; nobody unless given. */
  readonly observer?: Pick<EngineObserver, 'stage'> | undefined
  /** How long a transaction waits before its fees are held against the chain's; 30 s or five blocks by default. */
  readonly stuckAfterMs?: number
}

/** What signs user operations, while it may. */
export type OperationSigner = Pick<GuardedSigner, 'signGranted' | 'signAuthorization'> & {
  readonly ready?: () => Promise<void>
}

/** Who hears what the engine does: to count it, to announce it, to trace it. Throws nothing of its own and changes nothing. */
export type EngineObserver = {
  /** Each line of the audit log, as it is written. */
  readonly audited?: ((event: AuditEvent) => void) | undefined
  /** Runs one stage of the transaction pipeline, and gives or throws what that gives or throws. */
  readonly stage?: (<Value>(facts: StageFacts, run: () => Promise<Value>) => Promise<Value>) | undefined
}

export type StageFacts = {
  /** As `pipeline.ts` calls it. */
  readonly stage: string
  readonly tool: string
  readonly requestId: string
  readonly chainId: number
  readonly dryRun: boolean
}
