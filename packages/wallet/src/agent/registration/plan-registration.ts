import type { Address, Hex, PublicClient } from 'viem'
import type { AgentCard } from '../card/agent-card.ts'
import type { AgentCardOptions } from '../card/build-agent-card.ts'
import type { RegistryForm } from '../lookup/identity-registries.ts'
import type { RegistryToRead } from '../lookup/open-registry.ts'
import type {
  AgentRegistrationConfig,
  RegistrationAttempt,
  RegistrationMethod,
  RegistrationSurroundings,
} from './registration.ts'

/**
 * Everything of a registration but its transaction, for whoever sends in a way of his own: the card, the URI (pinned
 * first, or else the file itself), and the call. Whether the owner has an identity already is for the caller to find out,
 * with `findAgents`. What {@link registeredAgentIn} finds in the receipt ends it.
 *
 * Throws `WalletError`: what `registerAgent` throws before it sends, and in its order.
 */
export async function planRegistration(options: PlanOptions): Promise<RegistrationPlan> {
  const { drawUpPlan } = await import('./draw-up-plan.ts')
  return drawUpPlan(options)
}

/** What is registered, for whom, and where. */
export type PlanOptions = AgentCardOptions &
  Pick<AgentRegistrationConfig, 'ipfsMode' | 'onProgress' | 'signal'> &
  Pick<RegistrationSurroundings, 'apiUrl' | 'pinningJwt' | 'pinningUrl' | 'env' | 'fetch'> &
  RegistryToRead & {
    /** Who registers, and owns the agent then. */
    readonly owner: Address
    /** The pin proxy asks for it; without it the file goes into the URI itself. */
    readonly appId?: string | null | undefined
    /** `false` reckons the URI and pins nothing: for a plan that is only looked at. */
    readonly pin?: boolean | undefined
    readonly client?: PublicClient | undefined
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
  /**
   * The registry is called without an identity SDK. Unlike that tier of `registerAgent`, a plan has the whole file, but at a
   * registry of form `handle-v0`.
   */
  readonly registrationMethod: RegistrationMethod
  /** The call, without value. */
  readonly to: Address
  readonly data: Hex
  readonly attempts: readonly RegistrationAttempt[]
  readonly warnings: readonly string[]
}
