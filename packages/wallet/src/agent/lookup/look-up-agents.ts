import { requireOptions } from '../../require-options.ts'
import { ownerChecks, agentChecks } from '../agent-options.ts'
import type { FindAgentsOptions, FoundAgents, AgentIdentity, GetAgentOptions } from './read-agents.ts'
import {
  lookAtRegistry,
  requireKnownForm,
  requireRegistry,
  entryKeys,
  readEntries,
  readStanding,
} from './look-at-registry.ts'
import { openRegistryToRead, parseAgentId } from './open-registry.ts'
import { ownedAgents } from './owned-agents.ts'
import { isAddressEqual, zeroAddress } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import { abortable } from '../../with-deadline.ts'
import { readAgentFile } from './read-agent-file.ts'

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

/** What `getAgent` does; loaded with its first call. */
export async function lookUpAgent(options: GetAgentOptions): Promise<AgentIdentity> {
  requireOptions(options, agentChecks, { needed: ['agentId'] })
  return abortable(options.signal).until(() => readAll(options))
}

async function readAll(options: GetAgentOptions): Promise<AgentIdentity> {
  const { agentId, env = process.env } = options
  const { chainId, tokenId } = parseAgentId(agentId)
  const place = openRegistryToRead({ ...options, chainId })
  const reading = readStanding(place, tokenId)
  // Should the registry be missing, that is said, and not that the agent is.
  reading.catch(() => undefined)
  await requireRegistry(place)
  const { owner, agentURI, agentWallet, metadata } = await reading.catch(async (error: unknown) => {
    if (error instanceof WalletError && error.code === 'AGENT_NOT_FOUND') await requireKnownForm(place)
    throw error
  })
  const [{ status, file, warnings }, ofEvents] = await Promise.all([
    readAgentFile(agentURI, { ...options, env }),
    entryKeys(place, tokenId),
  ])
  const keys = { ofEvents, ofFile: Object.keys(file?.metadata ?? {}) }
  const entries = await readEntries(place, tokenId, metadata, keys)
  const shownURI = agentURI.slice(0, mostShown)
  return {
    agentId,
    tokenId: `${tokenId}`,
    chainId,
    agentRegistry: `eip155:${chainId}:${place.registry}`,
    owner,
    agentWallet: agentWallet === null || isAddressEqual(agentWallet, zeroAddress) ? null : agentWallet,
    agentURI: shownURI,
    metadata: entries.metadata,
    registrationFile: file,
    fileStatus: status,
    warnings: [
      ...warnings,
      ...(shownURI === agentURI ? [] : ['The agent URI is longer than what is shown of it.']),
      ...(entries.areAll ? [] : [entriesMissing]),
    ],
  }
}

const entriesMissing =
  'The endpoint does not name every on-chain entry of the agent; metadata shows those of usual names, and of names in its file.'

/** Base64 of the largest file that is read, and its prefix. */
const mostShown = 350_000
