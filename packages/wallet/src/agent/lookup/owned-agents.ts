import { isAddressEqual, zeroAddress, type Address } from 'viem'
import type { RegistryPlace } from './open-registry.ts'
import { identityRegistryAbi as abi, isRefusal } from '../registry/identity-registry.ts'
import { endpointFailure } from '../../endpoint-failure.ts'

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
