import type { Ledger, Operations, PendingRevocations, SignedOrders, StoreJournal, Transactions } from '@svc/store'
import type { Chain, Sender, UserOperations } from '@svc/wallet/core'
import type { ChainDirectory, Orders, PriceSource, RpcPool, TokenDirectory } from '@svc/amm'
import type { AuditLog } from '../audit/audit.ts'
import type { PipelineLog } from '../call/refusal.ts'
import type { Policy } from '../policy/policy.ts'
import type { EngineObserver } from './engine-observer.ts'
import type { SwitchPlace } from '../switches/switch-text.ts'
import type { GuardedSigner } from '../signatures/guarded-signer.ts'

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
