import { isAddressEqual } from 'viem'
import { WalletError } from '../wallet-error.ts'
import type { RegistrySighting } from './look-at-registry.ts'
import { identityRegistryAbi } from './registry/identity-registry-abi.ts'
import type { RegisteredAgent } from './registration.ts'
import type { RegistrationTrip } from './registration-trip.ts'

/**
 * The identity that the wallet has already, or `null`: by its own records first, then by the registry's events. Throws
 * `AGENT_ID_UNKNOWN` when the registry counts one that neither names.
 */
export async function findIdentity(
  trip: RegistrationTrip,
  { speech, agents }: RegistrySighting,
): Promise<RegisteredAgent | null> {
  if (agents === 0n) return null
  const { records, chain, registry, owner, client, progress } = trip
  progress('find-identity', 'Looking for an identity that the wallet has already.')
  const record = await records.find(chain.id, registry, owner)
  const recorded = record?.state === 'registered' && record.tokenId !== null ? BigInt(record.tokenId) : null
  // A registry that does not count tells nothing but what was recorded here.
  const tokenId = recorded ?? (agents === null ? null : await ownedByEvents(trip))
  if (tokenId === null) {
    if (agents === null) return null
    throw new WalletError('AGENT_ID_UNKNOWN', `The wallet owns ${agents} agents at the registry, of unknown ids.`)
  }
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

/** How far back the events are read, in steps that common endpoints answer. */
const mostSteps = 50

/** The newest token that came to the wallet and is still there. */
async function ownedByEvents({ client, registry, owner, chain }: RegistrationTrip): Promise<bigint | null> {
  const newest = await client.getBlockNumber({ cacheTime: 0 })
  const logsOf = (fromBlock: bigint, toBlock: bigint) =>
    client.getContractEvents({
      address: registry,
      abi: identityRegistryAbi,
      eventName: 'Transfer',
      args: { to: owner },
      fromBlock,
      toBlock,
      strict: true,
    })
  // Many endpoints answer for all blocks at once when few events match; the others are asked piece by piece.
  const logs = await logsOf(0n, newest).catch(() => newestPiece(logsOf, newest, BigInt(chain.logRangeBlocks)))
  for (const { args } of logs.toReversed()) {
    const owned = await client
      .readContract({ address: registry, abi: identityRegistryAbi, functionName: 'ownerOf', args: [args.tokenId] })
      .catch(() => null)
    if (owned !== null && isAddressEqual(owned, owner)) return args.tokenId
  }
  return null
}

/** The events of the newest piece that holds any. */
async function newestPiece<Logs extends readonly unknown[]>(
  logsOf: (fromBlock: bigint, toBlock: bigint) => Promise<Logs>,
  newest: bigint,
  span: bigint,
): Promise<Logs> {
  let [from, to] = [newest >= span ? newest - span + 1n : 0n, newest]
  let logs = await logsOf(from, to)
  for (let step = 1; step < mostSteps && logs.length === 0 && from > 0n; step += 1) {
    to = from - 1n
    from = to >= span ? to - span + 1n : 0n
    logs = await logsOf(from, to)
  }
  return logs
}
