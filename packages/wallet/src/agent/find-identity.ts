import { isAddressEqual } from 'viem'
import { WalletError } from '../wallet-error.ts'
import type { RegistrySighting } from './look-at-registry.ts'
import { ownedAgents } from './owned-agents.ts'
import { identityRegistryAbi } from './registry/identity-registry-abi.ts'
import { readAgent } from './registry/read-agent.ts'
import type { RegisteredAgent } from './registration.ts'
import type { RegistrationTrip } from './registration-trip.ts'

/**
 * The identity that the wallet has already, or `null`: by its own records first, then by the registry's events. Throws
 * `AGENT_ID_UNKNOWN` when the registry counts one that neither names, and `RPC_UNAVAILABLE`.
 */
export async function findIdentity(
  trip: RegistrationTrip,
  { speech, agents }: RegistrySighting,
): Promise<RegisteredAgent | null> {
  if (agents === 0n) return null
  const { chain, registry, owner, client, progress } = trip
  // A registry of this form counts: where it seems not to, the endpoint is at fault, and a second identity the price.
  if (agents === null && speech.form === 'erc8004-v1') {
    throw new WalletError('RPC_UNAVAILABLE', `The endpoint of chain ${chain.id} does not say what the wallet owns.`)
  }
  progress('find-identity', 'Looking for an identity that the wallet has already.')
  const record = await ownRecord(trip, agents)
  const tokenId = record === null ? await registeredHere(trip, agents) : record.tokenId
  if (tokenId === null) return null
  const agentURI = await speech.readURI(client, registry, tokenId)
  return {
    status: 'registered',
    agentId: `${chain.id}:${tokenId}`,
    tokenId: `${tokenId}`,
    registrationMethod: record?.method ?? 'direct-contract',
    agentURI,
    agentRegistry: `eip155:${chain.id}:${registry}`,
    owner,
    chainId: chain.id,
    txHash: record?.txHash ?? null,
    gasTier: null,
    alreadyRegistered: true,
    attempts: trip.attempts,
    warnings: trip.warnings,
  }
}

/** A recorded agent may have been sent to somebody else since; where the registry does not count, that is not asked. */
async function ownRecord(trip: RegistrationTrip, agents: bigint | null) {
  const record = await trip.records.find(trip.chain.id, trip.registry, trip.owner)
  if (record?.state !== 'registered' || record.tokenId === null) return null
  const tokenId = BigInt(record.tokenId)
  if (agents !== null && !(await isStillOwned(trip, tokenId))) return null
  return { ...record, tokenId }
}

async function isStillOwned({ client, registry: address, owner }: RegistrationTrip, tokenId: bigint): Promise<boolean> {
  const read = { address, abi: identityRegistryAbi, functionName: 'ownerOf', args: [tokenId] } as const
  return readAgent(tokenId, () => client.readContract(read)).then(
    (holder) => isAddressEqual(holder, owner),
    (error: unknown) => {
      if (error instanceof WalletError && error.code === 'AGENT_NOT_FOUND') return false
      throw error
    },
  )
}

/**
 * The newest that the wallet registered and has still. What others sent it is not taken for its identity: anybody can
 * send an agent, with an endpoint of his own in its file.
 */
async function registeredHere(trip: RegistrationTrip, agents: bigint | null): Promise<bigint | null> {
  if (agents === null) return null
  const { owned, isWhole } = await ownedAgents(trip, trip.owner, { most: 1, registeredOnly: true })
  const newest = owned[0]
  if (newest !== undefined) return newest.tokenId
  if (!isWhole) {
    throw new WalletError('AGENT_ID_UNKNOWN', `The wallet owns ${agents} agents at the registry, of unknown ids.`)
  }
  trip.warnings.push(`The wallet holds ${agents} agents that others registered and sent; none was taken for its own.`)
  return null
}
