import { type Hash, type Hex, encodeFunctionData, stringToHex } from 'viem'
import type { ServiceWallet } from '../../service-wallet.ts'
import { requireOptions, requireWallet } from '../../require-options.ts'
import { invalidField, WalletError } from '../../wallet-error.ts'
import { updateChecks } from '../agent-options.ts'
import { keepOutcome, submitRecorded, type Submitted, recordOf } from './recorded-call.ts'
import {
  lookAtRegistry,
  entryKeys,
  readEntries,
  readMetadata,
  readStanding,
  type Standing,
} from '../lookup/look-at-registry.ts'
import { isEnded, type RegistrationRecord } from './registration-records.ts'
import { parseAgentId } from '../lookup/open-registry.ts'
import { openRegistrationContext } from './registration-context.ts'
import { identityRegistryAbi as abi, readAgent } from '../registry/identity-registry.ts'
import type {
  AgentUpdateConfig,
  DeferredUpdate,
  PendingUpdate,
  UpdateResult,
  UpdateContext,
} from '../register-agent.ts'
import { canonicalBytes, entriesOf, registrationFile } from '../card/registration-file.ts'
import { chooseURI } from '../card/pin-card.ts'
import { readAgentFile } from '../lookup/read-agent-file.ts'
import { wantedCard, type WantedCard } from '../card/wanted-card.ts'

/** What `updateAgent` does, in its order; loaded with its first call. */
export async function runUpdate(wallet: ServiceWallet, options: AgentUpdateConfig): Promise<UpdateResult> {
  requireWallet(wallet)
  requireOptions(options, updateChecks, { needed: ['agentId'] })
  const { chainId, tokenId } = parseAgentId(options.agentId)
  if (options.chainId !== undefined && options.chainId !== chainId) {
    throw invalidField('chainId', `${chainId}, as in agentId`)
  }
  const context: UpdateContext = { ...(await openRegistrationContext(wallet, { ...options, chainId })), options }
  return context.inTurn(() => updateInTurn(context, tokenId), `${tokenId}`)
}

async function updateInTurn(context: UpdateContext, tokenId: bigint): Promise<UpdateResult> {
  const { options } = context
  await requireMayUpdate(context, tokenId)
  const hashes: Hash[] = []
  return sendDifferences(context, tokenId, hashes).catch((error: unknown) => {
    if (!(error instanceof WalletError && error.code === 'ABORTED') || hashes.length === 0) throw error
    const { message, cause } = error
    const suggestion = 'Call updateAgent again: what is mined stays, and what still differs is sent.'
    throw new WalletError('ABORTED', message, {
      cause,
      suggestion,
      details: { agentId: options.agentId, txHashes: hashes },
    })
  })
}

async function sendDifferences(context: UpdateContext, tokenId: bigint, hashes: Hash[]): Promise<UpdateResult> {
  const { chain, registry, options } = context
  const begun = await updateUnderWay(context, tokenId)
  const resumed = begun === null ? null : await runAll(context, begun, hashes)
  if (resumed !== null && resumed.status !== 'mined') return resumed
  const { agentURI, calls } = await updateCalls(context, tokenId)
  const sent = await sendAll(context, tokenId, agentURI, calls, hashes)
  if (sent !== null && sent.status !== 'mined') return sent
  const last = sent ?? resumed
  context.progress('done', hashes.length === 0 ? 'Nothing differs.' : `Updated agent ${options.agentId}.`, { hashes })
  return {
    status: 'updated',
    unchanged: hashes.length === 0,
    agentId: options.agentId,
    tokenId: `${tokenId}`,
    agentURI,
    agentRegistry: `eip155:${chain.id}:${registry}`,
    chainId: chain.id,
    txHashes: hashes,
    gasTier: last?.gasTier ?? null,
    attempts: context.attempts,
    warnings: context.warnings,
  }
}

type Mined = Extract<Awaited<ReturnType<typeof keepOutcome>>, { readonly status: 'mined' }>

async function requireMayUpdate(context: UpdateContext, tokenId: bigint): Promise<void> {
  const { client, registry: address, chain, owner, progress } = context
  progress('check-chain', `Looking at agent ${tokenId} of the registry ${address} on chain ${chain.id}.`)
  const { speech } = await lookAtRegistry(context, owner)
  const details = { chainId: chain.id, registry: address, agentId: `${chain.id}:${tokenId}` }
  if (speech.form === 'handle-v0') {
    const message = `The registry ${address} keeps what was registered as it is.`
    throw new WalletError('REGISTRY_CANNOT_UPDATE', message, { details: { ...details, form: speech.form } })
  }
  const read = { address, abi, functionName: 'isAuthorizedOrOwner', args: [owner, tokenId] } as const
  if (await readAgent(context, tokenId, () => client.readContract(read))) return
  throw new WalletError('AGENT_NOT_OWNED', `${owner} neither owns agent ${tokenId} nor may act for it.`, {
    details: { ...details, address: owner },
  })
}

/**
 * The call of an earlier update that is gone on with: the one `resume` names with all that follow, or else one that may be
 * out. One that is not is forgotten, since what this update asks for is reckoned anew.
 */
async function updateUnderWay(context: UpdateContext, tokenId: bigint): Promise<RegistrationRecord | null> {
  const { options, records, chain, registry, owner, now, progress } = context
  const token = `${tokenId}`
  const record = await records.find(chain.id, registry, owner, token)
  if (options.resume !== undefined) {
    const named = await recordOf(context, options.resume, token)
    // One that is mined has handed what follows on to the next, if there was time for it.
    return named.state === 'updated' ? record : named
  }
  if (record === null || record.update === undefined || isEnded(record)) return null
  if ((await context.signed(record.token)) === 0) {
    await records.save({ ...record, state: 'failed', updatedAt: now() })
    return null
  }
  progress('send', 'Going on with the update that was begun earlier.')
  return { ...record, update: { tokenId: token, rest: [] } }
}

async function runAll(context: UpdateContext, record: RegistrationRecord, hashes: Hash[]): Promise<UpdateStep | null> {
  const { tokenId, rest } = record.update ?? { tokenId: '', rest: [] }
  const isMined = record.state === 'updated'
  const step = isMined ? null : await settle(context, { record, submission: await context.submit(record) }, hashes)
  if (step !== null && step.status !== 'mined') return step
  return (await sendAll(context, BigInt(tokenId), record.agentURI, rest, hashes)) ?? step
}

/** One after the other; `null` when there is nothing to send. */
async function sendAll(
  context: UpdateContext,
  tokenId: bigint,
  agentURI: string,
  calls: readonly Hex[],
  hashes: Hash[],
): Promise<UpdateStep | null> {
  let step: UpdateStep | null = null
  for (const [index, data] of calls.entries()) {
    const update = { tokenId: `${tokenId}`, rest: calls.slice(index + 1) }
    step = await settle(
      context,
      await submitRecorded(context, { method: 'direct-contract', agentURI, data, update }),
      hashes,
    )
    if (step.status !== 'mined') return step
  }
  return step
}

type UpdateStep = Mined | PendingUpdate | DeferredUpdate

async function settle(context: UpdateContext, { record, submission }: Submitted, hashes: Hash[]): Promise<UpdateStep> {
  const outcome = await keepOutcome(context, record, submission)
  // What this call was tried by belongs to the whole of the update.
  context.attempts.splice(0, context.attempts.length, ...outcome.attempts)
  context.warnings.splice(0, context.warnings.length, ...new Set(outcome.warnings))
  if (outcome.status === 'deferred') return { ...outcome, code: 'UPDATE_DEFERRED' }
  if (outcome.status === 'pending') return { ...outcome, code: 'UPDATE_PENDING' }
  const { txHash } = outcome
  await outcome.keep({ state: 'updated', txHash, tokenId: record.update?.tokenId ?? null })
  hashes.push(txHash)
  return outcome
}

/**
 * The calls that bring an agent from what stands on chain to what the options want, none where nothing differs. Entries
 * come first and the URI last: until that call the file shows that an update was begun and not ended.
 */
async function updateCalls(context: UpdateContext, tokenId: bigint): Promise<UpdateCalls> {
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
