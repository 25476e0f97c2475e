import { registryOf } from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import type { Config, ConfigProblem } from './config-shape.ts'
import type { Settings } from './schema.ts'

/** The agent that this server is, as its operator says; `null` where none is named, or where it is named wrongly, which `agentRules` says. */
export function readAgent(
  { SVC_AGENT_ID: named }: Pick<Settings, 'SVC_AGENT_ID'>,
  chains: readonly Chain[],
): Config['agent'] {
  const [chainId, tokenId = ''] = named?.split(':') ?? []
  const chain = chains.find(({ id }) => `${id}` === chainId)
  const registry = chain === undefined ? null : registryOf(chain)
  return chain === undefined || registry === null ? null : { chain, registry: registry.address, tokenId }
}

/** An agent is one of a registry that this server reads. */
export function agentRules({ agent, chains }: Config, { SVC_AGENT_ID: named }: Settings): readonly ConfigProblem[] {
  if (named === undefined || agent !== null) return []
  const ids = chains.filter((chain) => registryOf(chain) !== null).map(({ id }) => id)
  const message = `This server reads no registry of agents there. Accepted: one of the chains ${ids.join(', ')}, then : and the id of its token.`
  return [{ code: 'SETTING_INVALID', setting: 'SVC_AGENT_ID', message, fix: 'Correct SVC_AGENT_ID.' }]
}
