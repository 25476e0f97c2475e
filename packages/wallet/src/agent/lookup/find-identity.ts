import { isAddressEqual, type Address } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import { endpointOf } from '../../endpoint-failure.ts'
import type { RegistrySighting } from './look-at-registry.ts'
import { ownedAgents } from './owned-agents.ts'
import { identityRegistryAbi, readAgent } from '../registry/identity-registry.ts'
import type { RegisteredAgent } from '../registration/registration.ts'
import type { RegistrationContext } from '../registration/registration-context.ts'

/**
 * The identity that the wallet has already, or `null`: by its own records first, then by the registry's events. Throws
 * `AGENT_ID_UNKNOWN` when the registry counts one that neither names, `AGENT_NOT_FOUND` on a local chain that was restarted,
 * and `RPC_UNAVAILABLE`.
 */
export async function findIdentity(
  context: RegistrationContext,
  { speech, agents }: RegistrySighting,
): Promise<RegisteredAgent | null> {
  const { chain, registry, owner, client, progress } = context
  // First, and whatever the registry counts: an endpoint that lags behind counts none.
  const record = await ownRecord(context, agents)
  if (record === null && agents === 0n) return null
  // A registry of this form counts: where it seems not to, the endpoint is at fault, and a second identity the price.
  if (agents === null && speech.form === 'erc8004-v1') {
    throw new WalletError('RPC_UNAVAILABLE', `The endpoint of chain ${chain.id} does not say what the wallet owns.`, {
      suggestion:
        'Check that the address in `registry` is that of an identity registry; else try again, or name another endpoint.',
      details: { ...endpointOf(client), reason: 'the registry does not count', chainId: chain.id, registry },
    })
  }
  progress('find-identity', 'Looking for an identity that the wallet has already.')
  const tokenId = record === null ? await registeredHere(context, agents) : record.tokenId
  if (tokenId === null) return null
  const agentURI = await speech.readURI(context, tokenId)
  return {
    status: 'registered',
    agentId: `${chain.id}:${tokenId}`,
    tokenId: `${tokenId}`,
    registrationMethod: record?.method ?? null,
    agentURI,
    agentRegistry: `eip155:${chain.id}:${registry}`,
    owner,
    chainId: chain.id,
    txHash: record?.txHash ?? null,
    gasTier: null,
    alreadyRegistered: true,
    attempts: context.attempts,
    warnings: context.warnings,
  }
}

/**
 * A recorded agent may have been sent to somebody else since; where the registry does not count, that is not asked. Throws
 * `RPC_UNAVAILABLE` when the registry does not know it: nothing takes an agent away, so the endpoint is behind. A local
 * chain is behind nobody: it was restarted, which is `AGENT_NOT_FOUND`.
 */
async function ownRecord(context: RegistrationContext, agents: bigint | null) {
  const { records, chain, registry, owner } = context
  const record = await records.find(chain.id, registry, owner)
  if (record?.state !== 'registered' || record.tokenId === null) return null
  const tokenId = BigInt(record.tokenId)
  if (agents !== null && !isAddressEqual(await holderOf(context, tokenId), owner)) return null
  return { ...record, tokenId }
}

async function holderOf({ client, chain, registry: address }: RegistrationContext, tokenId: bigint): Promise<Address> {
  const read = { address, abi: identityRegistryAbi, functionName: 'ownerOf', args: [tokenId] } as const
  return readAgent({ chain, client, registry: address }, tokenId, () => client.readContract(read)).catch(
    (cause: unknown) => {
      if (!(cause instanceof WalletError && cause.code === 'AGENT_NOT_FOUND')) throw cause
      const agentId = `${chain.id}:${tokenId}`
      const agent = `agent ${agentId} of this wallet`
      const anew = 'begin with new records and a new journal, or with a new wallet object where none are given.'
      if (chain.local === true) {
        const message = `The local chain was restarted: it does not know ${agent}.`
        const suggestion = `After a restart of the chain ${anew}`
        throw new WalletError('AGENT_NOT_FOUND', message, {
          cause,
          suggestion,
          details: { agentId, chainId: chain.id, registry: address },
        })
      }
      const suggestion = `Ask an endpoint that is not behind. Was the chain reset, ${anew}`
      const details = { ...endpointOf(client), reason: 'the agent is not known there', agentId, registry: address }
      throw new WalletError('RPC_UNAVAILABLE', `The endpoint does not know ${agent}.`, { cause, suggestion, details })
    },
  )
}

/**
 * The newest that the wallet registered and has still. What others sent it is not taken for its identity: anybody can
 * send an agent, with an endpoint of his own in its file.
 */
async function registeredHere(context: RegistrationContext, agents: bigint | null): Promise<bigint | null> {
  if (agents === null) return null
  const { owned, isWhole } = await ownedAgents(context, context.owner, { most: 1, registeredOnly: true })
  const newest = owned[0]
  if (newest !== undefined) return newest.tokenId
  if (!isWhole) {
    const { chain, registry, owner } = context
    throw new WalletError('AGENT_ID_UNKNOWN', `The wallet owns ${agents} agents at the registry, of unknown ids.`, {
      details: { chainId: chain.id, registry, owner, agents: `${agents}` },
    })
  }
  context.warnings.push(
    `The wallet holds ${agents} agents that others registered and sent; none was taken for its own.`,
  )
  return null
}
