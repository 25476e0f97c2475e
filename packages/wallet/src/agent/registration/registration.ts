import type { Address, Hash, Hex } from 'viem'
import type { Chain } from '../../chain.ts'
import type { Journal } from '../../journal.ts'
import type { Secret } from '../../secret.ts'
import type { WalletErrorCode } from '../../wallet-error.ts'
import type { WalletResultCode } from '../../wallet-error-table.ts'
import type { AgentCard, AgentRole } from '../card/agent-card.ts'
import type { RegistrationRecords } from './registration-records.ts'
import type { RegistryForm } from '../lookup/identity-registries.ts'

/**
 * What `registerAgent` takes. Each of `description`, `domains`, `services` and `trust` stands in for that of the role's
 * template as a whole; of `metadata` each key does, so that `metadata: {}` leaves the template's `protocol:name`, `role` and
 * `vault:chain` as they are; `protocol:name` and `vault:chain` that are empty are left out of the card. The OASF service of the
 * file comes from `domains`.
 */
export type AgentRegistrationConfig = {
  readonly [Name in 'domains' | 'services' | 'trust' | 'metadata']?: AgentCard[Name] | undefined
} & {
  /** `SVC_AGENT_NAME` where it is missing. */
  readonly name?: string | undefined
  /** The role's own sentence where it is missing. */
  readonly description?: string | undefined
  /**
   * The template of the card, and an entry on chain; see {@link AgentRole}. An agent that has nothing to do with vaults takes
   * `vault_participant` and says what it is by `description` and `domains`.
   */
  readonly role: AgentRole
  /** Becomes the `mcp` service. Nothing of ours fetches it. */
  readonly mcpEndpoint?: string | undefined
  /**
   * Becomes the `a2a` service of a manager or creator, as it is given; an origin alone gets the path of the card,
   * `/.well-known/agent.json`.
   */
  readonly a2aEndpoint?: string | undefined
  /** `SVC_IPFS_MODE`, then `proxy`, where it is missing. `proxy` by name needs `apiUrl`. */
  readonly ipfsMode?: IpfsMode | undefined
  /** Image of the registration file; kept in the card's metadata. */
  readonly image?: string | undefined
  /** The wallet's chain where it is missing. */
  readonly chainId?: number | undefined
  /** Instead of the table's: another address, another form of `register`. */
  readonly registry?: RegistryChoice | undefined
  /**
   * Registers also when the wallet has an identity already: two such calls make two, one after the other. A registration
   * of which nothing is signed is given up for it.
   */
  readonly force?: boolean | undefined
  /** The token of a pending or deferred result: goes on where that one stopped, see {@link AgentRegistrationByToken}. */
  readonly resume?: string | undefined
  /** Who pays the gas: by default what fits the chain, see {@link GasTier}. */
  readonly gas?: GasOptions | undefined
  readonly onProgress?: ((event: RegistrationProgress) => void) | undefined
  readonly signal?: AbortSignal | undefined
} & RegistrationSurroundings

/** A registry other than the table's. */
export type RegistryChoice = {
  /** An address; text that is none is refused with `VALIDATION_CONFIG_INVALID`. The table's where it is missing. */
  readonly identity?: string | null | undefined
  /** Found out by asking the contract where it is missing and the address is not of the table. */
  readonly form?: RegistryForm | undefined
}

/**
 * What `registerAgent` takes to go on with a registration: its token, and the journal and records it was begun with, if
 * they were given then. Chain, registry, card and file are those of the record; the card is not asked for again. Its name
 * comes before that of the other options: where neither fits, compilers tell of the later one, which lacks its role.
 */
export type AgentRegistrationByToken = Partial<AgentRegistrationConfig> & { readonly resume: string }

/** The name of {@link AgentRegistrationByToken} in earlier versions. */
export type ResumedRegistration = AgentRegistrationByToken

/** Where the registration file goes: pinned by the support API, pinned by your own account, or into the URI itself. */
export type IpfsMode = 'proxy' | 'pinata' | 'inline'

/** Outside things, each with a default; tests and servers give their own. */
export type RegistrationSurroundings = {
  /** Base URL of the support API; `SVC_API_URL` where it is missing. */
  readonly apiUrl?: string | undefined
  /** JWT of your own pinning account; `SVC_PINNING_JWT` where it is missing. */
  readonly pinningJwt?: string | Secret | undefined
  /** Base URL of the pinning account's upload API. */
  readonly pinningUrl?: string | undefined
  /** Rows of chains that the table does not have, a local one for example. */
  readonly chains?: readonly Chain[] | undefined
  /** Keeps what was signed. That of the wallet object where it is missing: then a crash forgets it. */
  readonly journal?: Journal | undefined
  /**
   * Keeps what is under way, so that a restart ends it, and has calls that share it take turns. Those of the wallet object
   * where they are missing: then calls on that object take turns, and a crash forgets what is under way.
   */
  readonly records?: RegistrationRecords | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly fetch?: typeof fetch | undefined
  readonly now?: (() => number) | undefined
  /** Waits for funds in steps of this. */
  readonly sleep?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined
  /** Loads the identity SDK; by default the installed one. */
  readonly loadIdentitySdk?: (() => Promise<unknown>) | undefined
}

/** How the gas of a registration is paid, and how long that is waited for. */
export type GasOptions = {
  /**
   * Tiers that may be tried, always in the order sponsored, wallet, faucet, manual. Where it is missing: a paymaster where
   * the chain's row says `sponsored` or `bundlerUrl` or `paymasterUrl` is given, here or by its variable, what the wallet holds, the faucet where the
   * row says `faucet`, and a person everywhere. Without `wallet` the wallet spends nothing on gas: bundler and paymaster
   * must be named (`VALIDATION_CONFIG_INVALID`), and `GAS_NOT_PAID` is thrown where none pays, with the reasons in `details.attempts`. One tier at least; faucet and person send to the wallet, so they need it beside them.
   */
  readonly tiers?: readonly GasTier[] | undefined
  /** `SVC_BUNDLER_URL_<chainId>` where it is missing. */
  readonly bundlerUrl?: string | undefined
  /** URL of an ERC-7677 paymaster; `SVC_PAYMASTER_URL_<chainId>` where it is missing. */
  readonly paymasterUrl?: string | undefined
  readonly paymasterContext?: Readonly<Record<string, unknown>> | undefined
  /**
   * Agrees to delegate the account to this implementation (EIP-7702) when a sponsored operation needs it; where it is
   * missing, to the canonical Simple7702Account, and never in the place of other code. A delegation is announced as the
   * step `delegate` before it is signed, named in the warnings of the result, and ended by `revokeDelegation`.
   */
  readonly allowDelegationTo?: Address | undefined
  /**
   * The most wei that the gas of one transaction from the wallet may cost; dearer gas is refused with `GAS_ABOVE_LIMIT`
   * before anything is signed, and nobody is asked for more. The row of the chain where it is missing: 0.02 ETH on chain 1,
   * 0.005 of the native currency on most others.
   */
  readonly maxFeeWei?: bigint | undefined
  /** How long a sponsored operation is waited for before it counts as pending; 60 s. */
  readonly sponsoredWaitMs?: number | undefined
  /** How long manual funding is waited for; 60 s. With 0 a call without gas is deferred at once. */
  readonly manualWaitMs?: number | undefined
}

/** Who paid: the paymaster, the faucet's grant, what a person sent while it was waited for, or what was there. */
export type GasTier = 'sponsored' | 'faucet' | 'manual' | 'wallet'

/** The tier that registered: SDK with a pinned file, SDK with the file in the URI, or the registry's own call. */
export type RegistrationMethod = 'sdk-ipfs' | 'sdk-inline' | 'direct-contract'

/** How `registerAgent` ends when nothing failed; `status` tells the three apart. */
export type RegistrationResult = RegisteredAgent | PendingRegistration | DeferredRegistration

/** An identity in the registry, new or found there. The URI and the owner are as the chain holds them. */
export type RegisteredAgent = {
  readonly status: 'registered'
  /** `<chainId>:<tokenId>`. The first token id of a registry is 0. */
  readonly agentId: string
  /** `null` for an identity that was there before and is in no record. */
  readonly registrationMethod: RegistrationMethod | null
  readonly agentURI: string
  readonly tokenId: string
  /** `eip155:<chainId>:<address>`. */
  readonly agentRegistry: string
  readonly owner: Address
  readonly chainId: number
  /** Of the registration; `null` for an identity that was there before and is in no record. */
  readonly txHash: Hash | null
  readonly gasTier: GasTier | null
  readonly alreadyRegistered: boolean
  readonly attempts: readonly RegistrationAttempt[]
  readonly warnings: readonly string[]
}

/** A transaction or operation is out, and it is not known yet what became of it. Nothing else is tried meanwhile. */
export type PendingRegistration = {
  readonly status: 'pending'
  readonly code: 'REGISTRATION_PENDING'
  readonly resumeToken: string
  readonly txHash: Hash | null
  readonly userOperationHash: Hex | null
  readonly chainId: number
  readonly attempts: readonly RegistrationAttempt[]
  readonly warnings: readonly string[]
}

/** The wallet needs native currency that nobody sent in time. Nothing is out. */
export type DeferredRegistration = {
  readonly status: 'deferred'
  readonly code: 'REGISTRATION_DEFERRED'
  readonly resumeToken: string
  readonly fund: {
    readonly address: Address
    readonly amount: string
    /** A decimal number, as text so that the result can be written as JSON. */
    readonly amountWei: string
    readonly currency: string
  }
  readonly chainId: number
  readonly attempts: readonly RegistrationAttempt[]
  readonly warnings: readonly string[]
}

/** One try at a tier of registration or of gas, in order. */
export type RegistrationAttempt = {
  readonly kind: 'registration' | 'update' | 'gas'
  readonly tier: RegistrationMethod | GasTier
  /** `pending`: it is out, and its end is not known. `deferred`: it waits for gas, and nothing is out. */
  readonly outcome: 'done' | 'failed' | 'skipped' | 'pending' | 'deferred'
  /** Where it failed. What a service calls it is in `reason`. */
  readonly code?: WalletErrorCode | WalletResultCode
  readonly reason?: string
}

/** What a command line can print while it waits. */
export type RegistrationProgress = {
  readonly step:
    | 'check-chain'
    | 'find-identity'
    | 'build-card'
    | 'pin'
    | 'resolve-gas'
    | 'delegate'
    | 'faucet'
    | 'wait-for-funds'
    | 'sign'
    | 'send'
    | 'confirm'
    | 'read-back'
    | 'fallback'
    | 'done'
  /** A sentence for a person. */
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
}
