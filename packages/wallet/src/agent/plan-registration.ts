import { isAddress, type Address, type Hex, type PublicClient } from 'viem'
import { WalletError } from '../wallet-error.ts'
import type { AgentCard } from './agent-card.ts'
import type { AgentCardOptions } from './build-agent-card.ts'
import { chooseURI, minimalURI } from './choose-uri.ts'
import { encodeRegistration } from './encode-registration.ts'
import type { RegistryForm } from './identity-registries.ts'
import { lookAtRegistry } from './look-at-registry.ts'
import { openRegistryToRead, type RegistryToRead } from './open-registry.ts'
import { prepareCard } from './prepare-card.ts'
import type {
  AgentRegistrationConfig,
  RegistrationAttempt,
  RegistrationMethod,
  RegistrationProgress,
  RegistrationSurroundings,
} from './registration.ts'

/**
 * Everything of a registration but its transaction, for whoever sends by a road of his own: the card, the URI (pinned
 * first, or else the file itself), and the call. Whether the owner has an identity already is for the caller to find out,
 * with `findAgents`. What {@link registeredAgentIn} finds in the receipt ends it.
 *
 * Throws `WalletError`: `VALIDATION_CHAIN_NOT_SUPPORTED` before all else, then what `registerAgent` throws before it sends.
 */
export async function planRegistration(options: PlanOptions): Promise<RegistrationPlan> {
  const { chainId, owner, env = process.env, appId = null, onProgress } = options
  const place = openRegistryToRead(options)
  if (!isAddress(owner)) throw new WalletError('VALIDATION_CONFIG_INVALID', 'owner is not valid; accepted: an address.')
  const attempts: RegistrationAttempt[] = []
  const warnings: string[] = []
  const progress = (step: RegistrationProgress['step'], message: string) => onProgress?.({ step, message })
  const trip = {
    ...place,
    options,
    env,
    attempts,
    warnings,
    progress,
    wallet: { appId },
    fetch: options.fetch ?? fetch,
  }
  const card = prepareCard(trip)
  progress('check-chain', `Looking at the registry ${place.registry} on chain ${chainId}.`)
  const { speech } = await lookAtRegistry(place, owner)
  // The older form keeps the small URI of the spec; there the file is no more than what the URI leads to.
  const agentURI = speech.form === 'handle-v0' ? minimalURI(card) : (await chooseURI(trip, card)).agentURI
  return {
    chainId,
    registry: place.registry,
    agentRegistry: `eip155:${chainId}:${place.registry}`,
    form: speech.form,
    owner,
    card,
    agentURI,
    registrationMethod: 'direct-contract',
    to: place.registry,
    data: encodeRegistration(speech, card, agentURI),
    attempts,
    warnings,
  }
}

/** What is registered, for whom, and where. */
export type PlanOptions = AgentCardOptions &
  Pick<AgentRegistrationConfig, 'ipfsMode' | 'onProgress' | 'signal'> &
  Pick<RegistrationSurroundings, 'apiUrl' | 'pinningJwt' | 'pinningUrl' | 'env' | 'fetch'> &
  RegistryToRead & {
    /** Who registers, and owns the agent then. */
    readonly owner: Address
    /** The pin proxy asks for it; without it the file goes into the URI itself. */
    readonly appId?: string | null
    /** `false` reckons the URI and pins nothing: for a plan that is only looked at. */
    readonly pin?: boolean
    readonly client?: PublicClient
  }

/** A registration as one call that its owner sends. */
export type RegistrationPlan = {
  readonly chainId: number
  readonly registry: Address
  /** `eip155:<chainId>:<address>`. */
  readonly agentRegistry: string
  readonly form: RegistryForm
  readonly owner: Address
  readonly card: AgentCard
  readonly agentURI: string
  /** The registry is called without an identity SDK. */
  readonly registrationMethod: RegistrationMethod
  /** The call, without value. */
  readonly to: Address
  readonly data: Hex
  readonly attempts: readonly RegistrationAttempt[]
  readonly warnings: readonly string[]
}
