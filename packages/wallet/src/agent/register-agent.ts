import type { ServiceWallet } from '../service-wallet.ts'
import type {
  AgentRegistrationByToken,
  AgentRegistrationConfig,
  RegistrationResult,
  DeferredRegistration,
  PendingRegistration,
  RegisteredAgent,
} from './registration/registration.ts'
import type { Hash } from 'viem'
import type { AgentFileOptions } from './lookup/read-agent-file.ts'
import type { RegistrationContext } from './registration/registration-context.ts'
import { WalletError } from '../wallet-error.ts'
import type { AgentCardOptions } from './card/build-agent-card.ts'
import { openRegistry, parseAgentId } from './lookup/open-registry.ts'

/**
 * Registers the wallet as an agent in the ERC-8004 identity registry of a chain, by the first of three tiers that works:
 * the identity SDK with a pinned file, the SDK with the file in the URI itself, the registry's own call. Another tier is
 * tried only while nothing is out; a registration that was interrupted is gone on with, not begun again, unless nothing of it is signed and this call asks for
 * another, or for any by `force`; and a wallet
 * that is registered already gets the identity it has, unless `force` is set; its card stays as it stands, and `warnings`
 * says where this call asks for another.
 *
 * Resolves to what is registered, to `pending` when a transaction is out whose end is not known yet, or to `deferred` when
 * the wallet lacks gas: both name a token to `resume` with. Calls for one wallet that share records, in whatever process,
 * take turns: the second finds what the first registered, or goes on with it. Without `journal` and `records` that holds for
 * calls on one wallet object, as does the token; a restart forgets both, and what is out with them.
 *
 * Throws `WalletError`: `VALIDATION_CONFIG_INVALID` for an option that is not known or not of its type, then
 * `VALIDATION_CHAIN_NOT_SUPPORTED`, both before anybody is asked; `VALIDATION_CARD_INVALID`, also for a wallet that is registered already;
 * `VALIDATION_PINNING_JWT_MISSING` in mode `pinata` (`ipfsMode`, else `SVC_IPFS_MODE`) without `pinningJwt` or `SVC_PINNING_JWT`, likewise; `ABORTED` once `signal` is, also while gas is waited for, unless this call has something out, which is `pending`;
 * `RPC_UNAVAILABLE`, `RPC_CHAIN_MISMATCH`, `REGISTRY_NOT_DEPLOYED` and `VALIDATION_REGISTRY_ABI_UNKNOWN` for what is at the endpoint; `RESUME_TOKEN_INVALID`;
 * `AGENT_ID_UNKNOWN`, and `AGENT_NOT_FOUND` for a local chain that was restarted;
 * `CALL_REVERTS` before and `REGISTRATION_REVERTED`, `REGISTRATION_AMBIGUOUS` after a transaction is mined; and what the
 * signer throws. A pin, a paymaster or a faucet that fails is no error: it is in `attempts`, a pin in `warnings` too, and another way is taken.
 */
export async function registerAgent(
  wallet: ServiceWallet,
  options: AgentRegistrationByToken | AgentRegistrationConfig,
): Promise<RegistrationResult> {
  const { runRegistration } = await import('./registration/run-registration.ts')
  return runRegistration(wallet, options)
}

/**
 * Brings the registration file and the on-chain entries of an agent to what the options say; what they leave out stays as
 * the current file has it, also its place in the URI, where neither `ipfsMode` nor `SVC_IPFS_MODE` names one; and the name,
 * for which `SVC_AGENT_NAME` does not stand in. Where nothing differs nothing is sent. The wallet must own the agent or be approved for it. The
 * gas is paid as for a registration, one transaction for the file and one for each entry that differs. Updates of one agent
 * take turns as registrations do: each is reckoned from what the one before it left.
 *
 * Resolves like `registerAgent`: to what was updated, to `pending` or to `deferred`. Throws `WalletError`: besides what
 * `registerAgent` throws `AGENT_NOT_FOUND`, `AGENT_NOT_OWNED`, `AGENT_FILE_NOT_KEPT`, `REGISTRY_CANNOT_UPDATE`,
 * `UPDATE_REVERTED`.
 */
export async function updateAgent(wallet: ServiceWallet, options: AgentUpdateConfig): Promise<UpdateResult> {
  const { runUpdate } = await import('./registration/run-update.ts')
  return runUpdate(wallet, options)
}

/** As for a registration; nothing of the card is required. */
export type AgentUpdateConfig = Partial<Omit<AgentRegistrationConfig, 'force'>> &
  Pick<AgentFileOptions, 'gatewayUrl'> & {
    /** `<chainId>:<tokenId>`. */
    readonly agentId: string
    /**
     * Writes a whole new file from role and options, whatever the current one says, and takes back the entries on chain that
     * it does not have, `image` for one: each costs a transaction. `registrations` stay, and `warnings` names the services,
     * registrations and trust that go or come.
     */
    readonly replace?: boolean | undefined
  }

/** How an update ends when nothing failed; `status` tells the three apart. */
export type UpdateResult = UpdatedAgent | PendingUpdate | DeferredUpdate

/** An agent whose file and entries are as they were wanted. */
export type UpdatedAgent = Pick<
  RegisteredAgent,
  'agentId' | 'tokenId' | 'agentURI' | 'agentRegistry' | 'chainId' | 'gasTier' | 'attempts' | 'warnings'
> & {
  readonly status: 'updated'
  /** Whether everything stood as it was wanted: then nothing was sent. */
  readonly unchanged: boolean
  /** In the order they were mined; the one of the file is the last. */
  readonly txHashes: readonly Hash[]
}

/** A transaction or operation of the update is out, and its end is not known yet. */
export type PendingUpdate = Omit<PendingRegistration, 'code'> & { readonly code: 'UPDATE_PENDING' }

/** The wallet needs native currency for what is left of the update. Nothing is out. */
export type DeferredUpdate = Omit<DeferredRegistration, 'code'> & { readonly code: 'UPDATE_DEFERRED' }

export type UpdateContext = RegistrationContext & { readonly options: AgentUpdateConfig }

/**
 * Puts into the registration file where the agent is registered, which the file could not say before there was an id:
 * `registrations` gets the registry and the token id, and the rest of the card stays as it stands. Resolves and throws as
 * {@link updateAgent} does; what belongs to the card is refused with `VALIDATION_CONFIG_INVALID`.
 */
export async function linkRegistration(wallet: ServiceWallet, options: LinkRegistrationConfig): Promise<UpdateResult> {
  const given = Object.keys(cardFields).find((field) => Reflect.get(options, field) !== undefined)
  if (given !== undefined) {
    throw new WalletError(
      'VALIDATION_CONFIG_INVALID',
      `${given} is not accepted: linking changes nothing of the card.`,
      {
        suggestion: `Leave ${given} out, or change the card with updateAgent.`,
        details: { fields: [{ field: given, accepted: 'nothing' }] },
      },
    )
  }
  const { chainId, tokenId } = parseAgentId(options.agentId)
  const { registry } = openRegistry(wallet, { ...options, chainId })
  return updateAgent(wallet, { ...options, metadata: { registration: `eip155:${chainId}:${registry}/${tokenId}` } })
}

/** As for an update, without what a card is made of. */
export type LinkRegistrationConfig = Omit<AgentUpdateConfig, keyof AgentCardOptions | 'replace'> & {
  readonly [Field in keyof AgentCardOptions | 'replace']?: never
}

const cardFields = {
  name: true,
  description: true,
  role: true,
  mcpEndpoint: true,
  a2aEndpoint: true,
  image: true,
  domains: true,
  services: true,
  trust: true,
  metadata: true,
  replace: true,
} satisfies Record<keyof AgentCardOptions | 'replace', true>
