import type { Ledger, Operations, Transactions } from '@svc/store'
import type { Chain, Journal, Sender } from '@svc/wallet/core'
import type { Address, PublicClient } from 'viem'
import type { Call } from '../call.ts'
import type { Intent } from '../intent.ts'
import type { ChainDirectory, PriceSource, RpcPool, TokenDirectory } from '../ports.ts'
import type { AuditLog } from './audit.ts'
import type { BalanceWatch } from './balance-watch.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { DailyAlert } from './daily-alert.ts'
import type { KnownContracts } from './known-contracts.ts'
import type { OwedAllowances } from './owed-allowances.ts'
import type { Policy } from './policy.ts'
import type { SimulatorMemory } from './simulator-memory.ts'
import type { SwitchRecorder } from './switch-recorder.ts'

/** What the steps of the road work with. */
export type Engine = {
  readonly policy: Policy
  /** Names the policy as it is in force for all callers, in audit lines. */
  readonly policyHash: string
  readonly chains: ChainDirectory
  readonly rpc: RpcPool
  readonly tokens: TokenDirectory
  readonly prices: PriceSource
  /** The wallet's sender on a chain. */
  readonly senders: (chain: Chain) => Sender
  readonly journal: Pick<Journal, 'open' | 'refused' | 'byHash' | 'byRequest' | 'mark'>
  readonly transactions: Pick<Transactions, 'asked' | 'byNonce' | 'endAsked'>
  /** Without a key, for other addresses with something open on a chain. */
  readonly formerWallets: (chain: Chain) => Promise<readonly Sender[]>
  readonly ledger: Ledger
  readonly operations: Pick<Operations, 'create' | 'count'>
  readonly audit: AuditLog
  readonly breaker: CircuitBreaker
  /** Puts what became of the switches into the audit log. */
  readonly switches: SwitchRecorder
  readonly balances: BalanceWatch
  readonly owed: OwedAllowances
  readonly dailyAlert: DailyAlert
  readonly simulators: SimulatorMemory
  readonly dataDir: string
  /** Unix milliseconds. */
  readonly now: () => number
  readonly log: RoadLog
  readonly confirmTimeoutMs: number
  /** How long a transaction waits before its fees are held against the chain's; the sender's own time by default. */
  readonly stuckAfterMs?: number
  readonly newRequestId: () => string
  /** Throws once the server is closing. */
  readonly requireOpen: () => void
}

/** What the road needs of the process's log. */
export type RoadLog = {
  debug(event: string, facts?: Readonly<Record<string, unknown>>): void
  info(event: string, facts?: Readonly<Record<string, unknown>>): void
  warn(event: string, facts?: Readonly<Record<string, unknown>>): void
  error(event: string, facts?: Readonly<Record<string, unknown>>): void
}

/** One intent on its way. */
export type Trip = {
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
}
