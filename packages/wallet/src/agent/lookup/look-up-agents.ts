import { requireOptions } from '../../require-options.ts'
import { ownerChecks } from '../agent-options.ts'
import type { FindAgentsOptions, FoundAgents } from './find-agents.ts'
import { lookAtRegistry, requireKnownForm } from './look-at-registry.ts'
import { openRegistryToRead } from './open-registry.ts'
import { ownedAgents } from './owned-agents.ts'

/** What `findAgents` does; loaded with its first call. */
export async function lookUpAgents(options: FindAgentsOptions): Promise<FoundAgents> {
  requireOptions(options, ownerChecks, { needed: ['chainId', 'owner'] })
  const { chainId, owner } = options
  const place = openRegistryToRead(options)
  // The form bears on what is sent alone, but any token counts what an address has of it.
  const { agents } = await lookAtRegistry({ ...place, form: place.form ?? 'erc8004-v1' }, owner)
  await requireKnownForm(place)
  const most = Number(agents === null || agents > mostAgents ? mostAgents : agents)
  const { owned } = agents === null || agents === 0n ? { owned: [] } : await ownedAgents(place, owner, { most })
  return {
    owner,
    chainId,
    agentRegistry: `eip155:${chainId}:${place.registry}`,
    agents: owned.map(({ tokenId, origin }) => ({ agentId: `${chainId}:${tokenId}`, tokenId: `${tokenId}`, origin })),
    complete: agents !== null && BigInt(owned.length) === agents,
  }
}

const mostAgents = 100n
