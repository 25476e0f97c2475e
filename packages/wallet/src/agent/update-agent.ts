import type { Hash } from 'viem'
import type { ServiceWallet } from '../service-wallet.ts'
import type { AgentFileOptions } from './lookup/read-agent-file.ts'
import type {
  AgentRegistrationConfig,
  DeferredRegistration,
  PendingRegistration,
  RegisteredAgent,
} from './registration/registration.ts'
import type { RegistrationContext } from './registration/registration-context.ts'

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
