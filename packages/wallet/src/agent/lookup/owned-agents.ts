import { isAddressEqual, zeroAddress, type Address } from 'viem'
import type { RegistryPlace } from './open-registry.ts'
import { identityRegistryAbi as abi, isRefusal, identityRegistryAbi, readAgent } from '../registry/identity-registry.ts'
import { endpointFailure, endpointOf } from '../../endpoint-failure.ts'
import { WalletError } from '../../wallet-error.ts'
import type { RegistrySighting } from './look-at-registry.ts'
import type { RegisteredAgent } from '../registration/registration.ts'
import type { RegistrationContext } from '../registration/registration-context.ts'

/**
 * The agents that came to an owner and are still there, the newest first, by the registry's events: as many as are
 * wanted, unless the events that the endpoint gives show fewer. Throws `RPC_UNAVAILABLE`.
 */
export async function ownedAgents(place: RegistryPlace, owner: Address, wanted: WantedAgents): Promise<OwnedAgents> {
  const owned: OwnedAgent[] = []
  const seen = new Set<bigint>()
  const sought = { to: owner, ...(wanted.registeredOnly === true && { from: zeroAddress }) }
  try {
    for await (const { arrivals, isLast } of newestFirst(place, sought)) {
      const fresh = arrivals.filter(({ tokenId }) => !seen.has(tokenId) && seen.add(tokenId))
      for (let index = 0; index < fresh.length; index += batchSize) {
        const asked = fresh.slice(index, index + batchSize)
        const isThere = await Promise.all(asked.map(({ tokenId }) => isOwner(place, owner, tokenId)))
        owned.push(...asked.filter((_, at) => isThere[at]))
        if (owned.length >= wanted.most) return { owned: owned.slice(0, wanted.most), isWhole: false }
        if (seen.size >= mostLookedAt && index + batchSize < fresh.length) return { owned, isWhole: false }
      }
      if (isLast) return { owned, isWhole: true }
    }
  } catch (cause) {
    throw endpointFailure(`The agents of ${owner} could not be read.`, cause, place.client)
  }
  return { owned, isWhole: false }
}

export type WantedAgents = {
  readonly most: number
  /** Leaves out what others registered and sent: nobody can register for another. */
  readonly registeredOnly?: boolean
}

export type OwnedAgents = {
  readonly owned: readonly OwnedAgent[]
  /** Whether the events of every block were read, to the last. */
  readonly isWhole: boolean
}

/** A token of an owner, and how it came there. */
export type OwnedAgent = {
  readonly tokenId: bigint
  /** `received`: another registered it and sent it here, asked for or not. */
  readonly origin: 'registered' | 'received'
}

/** How far back the events are read, in steps that common endpoints answer. */
const mostSteps = 50
const batchSize = 50
/** Anybody can send an owner agents without end. */
const mostLookedAt = 1_000

/** Many endpoints answer for all blocks at once when few events match; the others are asked piece by piece. */
async function* newestFirst(place: RegistryPlace, sought: Sought): AsyncGenerator<Piece> {
  const newest = await place.client.getBlockNumber({ cacheTime: 0 })
  const all = await arrivalsIn(place, sought, 0n, newest).catch(() => null)
  if (all !== null) {
    yield { arrivals: all, isLast: true }
    return
  }
  const span = BigInt(place.chain.logRangeBlocks)
  let to = newest
  for (let step = 0; step < mostSteps && to >= 0n; step += 1) {
    const from = to >= span ? to - span + 1n : 0n
    yield { arrivals: await arrivalsIn(place, sought, from, to), isLast: from === 0n }
    to = from - 1n
  }
}

type Sought = { readonly to: Address; readonly from?: Address }

type Piece = { readonly arrivals: readonly OwnedAgent[]; readonly isLast: boolean }

async function arrivalsIn(
  { client, registry: address }: RegistryPlace,
  args: Sought,
  fromBlock: bigint,
  toBlock: bigint,
): Promise<readonly OwnedAgent[]> {
  const filter = { address, abi, eventName: 'Transfer', args, strict: true } as const
  const logs = await client.getContractEvents({ ...filter, fromBlock, toBlock })
  const registered = new Set(logs.filter(({ args }) => args.from === zeroAddress).map(({ args }) => args.tokenId))
  return logs.toReversed().map(({ args: { tokenId } }) => ({
    tokenId,
    origin: registered.has(tokenId) ? 'registered' : 'received',
  }))
}

async function isOwner({ client, registry: address }: RegistryPlace, owner: Address, tokenId: bigint) {
  const read = { address, abi, functionName: 'ownerOf', args: [tokenId] } as const
  return client.readContract(read).then(
    (holder) => isAddressEqual(holder, owner),
    (error: unknown) => {
      if (isRefusal(error)) return false
      throw error
    },
  )
}

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
