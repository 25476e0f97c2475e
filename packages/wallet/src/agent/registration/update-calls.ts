import { encodeFunctionData, stringToHex, type Hex } from 'viem'
import { canonicalBytes, entriesOf } from '../card/canonical-bytes.ts'
import { chooseURI } from '../card/choose-uri.ts'
import { readAgentFile } from '../lookup/read-agent-file.ts'
import { entryKeys, readEntries, readMetadata, readStanding, type Standing } from '../lookup/read-standing.ts'
import { registrationFile } from '../card/registration-file.ts'
import { identityRegistryAbi as abi } from '../registry/identity-registry.ts'
import type { UpdateContext } from '../update-agent.ts'
import { wantedCard, type WantedCard } from '../card/wanted-card.ts'

/**
 * The calls that bring an agent from what stands on chain to what the options want, none where nothing differs. Entries
 * come first and the URI last: until that call the file shows that an update was begun and not ended.
 */
export async function updateCalls(context: UpdateContext, tokenId: bigint): Promise<UpdateCalls> {
  const { options, env, chain, progress } = context
  const found = await readStanding(context, tokenId)
  const [file, ofEvents] = await Promise.all([
    readAgentFile(found.agentURI, { ...options, env, fetch: context.fetch }),
    entryKeys(context, tokenId),
  ])
  const keys = { ofEvents, ofFile: Object.keys(file.file?.metadata ?? {}) }
  const standing = { ...found, ...(await readEntries(context, tokenId, found.metadata, keys)) }
  const cards = wantedCard(standing, file, options, chain.id)
  const { wanted, warnings } = cards
  context.warnings.push(...warnings)
  progress('build-card', `Comparing ${JSON.stringify(wanted.name)} with what stands on chain.`)
  const written = file.content === null ? null : canonicalBytes(file.content)
  const agentURI = await uriOf(context, standing, cards, written)
  const changes = await entriesToSet(context, tokenId, cards, standing)
  const entries = changes.map(([key, value]) => {
    return encodeFunctionData({ abi, functionName: 'setMetadata', args: [tokenId, key, stringToHex(value)] })
  })
  if (agentURI === standing.agentURI) return { agentURI, calls: entries }
  const setURI = encodeFunctionData({ abi, functionName: 'setAgentURI', args: [tokenId, agentURI] })
  return { agentURI, calls: [...entries, setURI] }
}

export type UpdateCalls = { readonly agentURI: string; readonly calls: readonly Hex[] }

/** The URI that stands, unless the card differs, or the options name another place for the file. */
async function uriOf(
  context: UpdateContext,
  { agentURI }: Standing,
  { current, wanted }: WantedCard,
  written: Uint8Array | null,
): Promise<string> {
  const isSame =
    current === null
      ? written !== null && areEqual(canonicalBytes(registrationFile(wanted)), written)
      : areEqual(canonicalBytes(current), canonicalBytes(wanted))
  if (isSame && context.options.ipfsMode === undefined) return agentURI
  const chosen = await chooseURI(inForm(context, agentURI), wanted)
  const isMoved = new URL(chosen.agentURI).protocol !== agentURI.slice(0, agentURI.indexOf(':') + 1)
  return isSame && !isMoved ? agentURI : chosen.agentURI
}

/** Where nobody names a place for the file, one that is in the URI itself stays there. */
function inForm(context: UpdateContext, agentURI: string): UpdateContext {
  const { options, env } = context
  const isNamed = options.ipfsMode !== undefined || (env['SVC_IPFS_MODE'] ?? '') !== ''
  return isNamed || !agentURI.startsWith('data:')
    ? context
    : { ...context, options: { ...options, ipfsMode: 'inline' } }
}

/** Where the agent is registered stands in the file alone: on chain it is known anyway. */
async function entriesToSet(
  context: UpdateContext,
  tokenId: bigint,
  { current, wanted }: WantedCard,
  { metadata: onChain }: Standing,
): Promise<readonly (readonly [string, string])[]> {
  const { registration: _said, ...metadata } = wanted.metadata
  const before = current === null ? {} : { ...entriesOf(current), ...current.metadata }
  const values = Object.entries({ ...entriesOf(wanted), ...metadata })
  const standing = await readMetadata(
    context,
    tokenId,
    values.map(([key]) => key),
  )
  // What never stood on chain is written only when this update changes it; handle and interface not even then.
  const isDue = ([key, value]: readonly [string, string]) => {
    const stands = standing[key]
    if (stands !== undefined) return stands !== value
    return Object.hasOwn(metadata, key) && Reflect.get(before, key) !== value
  }
  return [...values.filter(isDue), ...(current === null ? takenBack(onChain, values) : [])]
}

/** A file that is written as a whole leaves nothing of the former one: an entry without content counts as none. */
function takenBack(
  onChain: Standing['metadata'],
  values: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  const kept = new Set(values.map(([key]) => key))
  return Object.keys(onChain)
    .filter((key) => !kept.has(key))
    .map((key) => [key, ''])
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0
}
