import type { ServiceWallet } from '../service-wallet.ts'
import { openRegistry } from './open-registry.ts'
import { parseAgentId } from './parse-agent-id.ts'
import { updateAgent, type AgentUpdateConfig, type UpdateResult } from './update-agent.ts'

/**
 * Puts into the registration file where the agent is registered, which the file could not say before there was an id:
 * `registrations` gets the registry and the token id. Resolves and throws as {@link updateAgent} does.
 */
export async function linkRegistration(wallet: ServiceWallet, options: AgentUpdateConfig): Promise<UpdateResult> {
  const { chainId, tokenId } = parseAgentId(options.agentId)
  const { registry } = openRegistry(wallet, { ...options, chainId })
  const registration = `eip155:${chainId}:${registry}/${tokenId}`
  return updateAgent(wallet, { ...options, metadata: { ...options.metadata, registration } })
}
