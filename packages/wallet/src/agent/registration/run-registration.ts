import type { Hex } from 'viem'
import type { AgentCard } from '../card/agent-card.ts'
import { chooseURI, type ChosenURI, minimalURI, requireMode, urisOf } from '../card/pin-card.ts'
import { encodeRegistration } from '../card/registration-file.ts'
import { leftOutOfMinimal, nothingPinned, cardOf, prepareCard, templateOf, unsaid } from '../card/build-agent-card.ts'
import { loadIdentitySdk, type IdentitySdk, registerThroughSdk } from './register-through-sdk.ts'
import { lookAtRegistry, type RegistrySighting, readMetadata } from '../lookup/look-at-registry.ts'
import {
  openRegistrationContext,
  type RegistrationContext,
  type RegistrationContextOptions,
} from './registration-context.ts'
import { submitRecorded, type Submitted, keepOutcome, underWay } from './recorded-call.ts'
import { WalletError } from '../../wallet-error.ts'
import { abortable, throwIfAborted } from '../../with-deadline.ts'
import type { RegisteredAgent, RegistrationResult } from './registration.ts'
import { readAgent, registeredAgentIn } from '../registry/identity-registry.ts'
import type { Submission } from '../../gas/submission.ts'
import type { RegistrationRecord } from './registration-records.ts'
import type { ServiceWallet } from '../../service-wallet.ts'
import { requireOptions, requireWallet } from '../../require-options.ts'
import { registrationChecks } from '../agent-options.ts'
import { findIdentity } from '../lookup/owned-agents.ts'

/** What `registerAgent` does, in its order; loaded with the first registration. */
export async function runRegistration(
  wallet: ServiceWallet,
  options: RegistrationContextOptions,
): Promise<RegistrationResult> {
  requireWallet(wallet)
  requireOptions(options, registrationChecks)
  if (options.resume === undefined) templateOf({ ...options, role: options.role ?? unsaid })
  const context = await openRegistrationContext(wallet, options)
  // Also where the wallet is registered, so that the mistake does not wait for the next one.
  if (options.resume === undefined) {
    askedCard(context)
    requireMode(context)
  }
  return context.inTurn(() => registerInTurn(context))
}

async function registerInTurn(context: RegistrationContext): Promise<RegistrationResult> {
  const { options } = context
  context.progress('check-chain', `Looking at the registry ${context.registry} on chain ${context.chain.id}.`)
  const sighting = await lookAtRegistry(context, context.owner)
  const begun = await underWay(context)
  if (begun !== null && (await context.signed(begun.token)) > 0) return goOn(context, sighting, begun)
  const isEnded = options.resume !== undefined && begun === null
  const known = options.force === true && !isEnded ? null : await findIdentity(context, sighting)
  if (known !== null) {
    // Another process registered meanwhile, or this one did under another record.
    if (begun !== null) await context.records.save({ ...begun, state: 'failed', updatedAt: context.now() })
    return options.resume === undefined
      ? { ...known, warnings: [...known.warnings, ...(await cardNotWritten(context, known))] }
      : known
  }
  if (begun !== null && !(await gaveUp(context, sighting, begun))) return goOn(context, sighting, begun)
  if (isEnded) {
    const details = { resumeToken: options.resume ?? null }
    throw new WalletError('RESUME_TOKEN_INVALID', 'The registration of the token is ended, its agent gone.', {
      details,
    })
  }
  const card = prepareCard({ ...context, options: { ...options, role: options.role ?? unsaid } })
  const { record, submission } = await submitRegistration(context, sighting, card)
  return finishRegistration(context, sighting, record, submission)
}

/**
 * Gives a registration up of which nothing is signed where this call asks for another, by `force` or by what it says. Tells
 * whether it did. Throws `VALIDATION_CARD_INVALID` for a card that could not take its place.
 */
async function gaveUp(
  context: RegistrationContext,
  sighting: RegistrySighting,
  begun: RegistrationRecord,
): Promise<boolean> {
  const { options, records, now, warnings } = context
  const mayBeOut = begun.state !== 'prepared' && begun.state !== 'deferred'
  if (options.resume !== undefined || mayBeOut) return false
  if (options.force !== true && isAskedFor(context, sighting, begun)) return false
  await records.save({ ...begun, state: 'failed', updatedAt: now() })
  const why = options.force === true ? 'force begins another' : 'this call asks for another'
  warnings.push(`A registration that was begun earlier and never signed is given up, with its token: ${why}.`)
  return true
}

/** Whether it is of the card that this call asks for, with the file in the place that it names. */
function isAskedFor(
  context: RegistrationContext,
  { speech }: RegistrySighting,
  { method, agentURI, data }: RegistrationRecord,
): boolean {
  const card = askedCard(context)
  const { ipfsMode } = context.options
  // The small file says less than the card, and goes nowhere else; what the SDK registers is in the file.
  if (method === 'direct-contract') return encodeRegistration(speech, card, minimalURI(card)) === data
  const isInPlace = ipfsMode === undefined || (ipfsMode === 'inline') === (method === 'sdk-inline')
  return isInPlace && urisOf(card).includes(agentURI)
}

async function goOn(context: RegistrationContext, sighting: RegistrySighting, begun: RegistrationRecord) {
  const { options, warnings, progress } = context
  if (options.resume === undefined) {
    if (options.force === true || !isAskedFor(context, sighting, begun)) {
      warnings.push('A registration that was begun earlier is gone on with, not the other one that this call asks for.')
    }
    progress('send', 'Going on with the registration that was begun earlier.')
  }
  warnings.push(...(begun.warnings ?? []))
  return finishRegistration(context, sighting, begun, await context.submit(begun))
}

/**
 * Turns what became of the call into the result, and keeps it: the id is read out of the registry's own logs. Throws
 * `REGISTRATION_REVERTED` or `REGISTRATION_AMBIGUOUS`.
 */
async function finishRegistration(
  context: RegistrationContext,
  { speech }: RegistrySighting,
  record: RegistrationRecord,
  submission: Submission,
): Promise<RegistrationResult> {
  const outcome = await keepOutcome(context, record, submission)
  if (outcome.status === 'deferred') return { ...outcome, code: 'REGISTRATION_DEFERRED' }
  if (outcome.status === 'pending') return { ...outcome, code: 'REGISTRATION_PENDING' }
  const { chain, registry, owner, progress } = context
  const { keep, logs, ...mined } = outcome
  const { txHash } = mined
  const expected = { chainId: chain.id, registry, owner, agentURI: record.agentURI, form: speech.form }
  const readId = async () => registeredAgentIn(logs, expected)
  const { agentId, tokenId } = await readId().catch(async (error: unknown) => {
    await keep({ state: 'sent', txHash })
    throw error
  })
  await keep({ state: 'registered', txHash, tokenId })
  progress('done', `Registered as agent ${agentId}.`, { txHash })
  return {
    ...mined,
    status: 'registered',
    agentId,
    tokenId,
    registrationMethod: record.method,
    agentURI: record.agentURI,
    agentRegistry: `eip155:${chain.id}:${registry}`,
    owner,
    alreadyRegistered: false,
  }
}

/**
 * The sentence that warns where a wallet that is registered already asks for another card than stands, or none. The file
 * that stands is not asked for: its URI follows from the card. Throws `RPC_UNAVAILABLE`.
 */
async function cardNotWritten(context: RegistrationContext, standing: RegisteredAgent): Promise<string[]> {
  const card = askedCard(context)
  if (await stands(context, card, standing)) return []
  const { agentId } = standing
  return [
    `The wallet is registered already as agent ${agentId}, which stays as it stands: what this call says of it differs and was not written. Change it with updateAgent.`,
  ]
}

/** Throws `VALIDATION_CARD_INVALID` and `VALIDATION_CONFIG_INVALID`. */
function askedCard({ options, env, chain }: RegistrationContext): AgentCard {
  return cardOf({ options: { ...options, role: options.role ?? unsaid }, env, chain })
}

async function stands(context: RegistrationContext, card: AgentCard, standing: RegisteredAgent): Promise<boolean> {
  const { agentURI, agentRegistry, tokenId } = standing
  const registration = `${agentRegistry}/${tokenId}`
  const linked = { ...card, metadata: { ...card.metadata, registration } }
  if (![card, linked].some((one) => urisOf(one).includes(agentURI))) return false
  if (agentURI !== minimalURI(card)) return true
  // The small file holds no metadata; registries of the older form keep none on chain either.
  const id = BigInt(tokenId)
  const kept = await readAgent(context, id, () => readMetadata(context, id, Object.keys(card.metadata)))
  const isKept = Object.keys(kept).length > 0
  return !isKept || Object.entries(card.metadata).every(([key, value]) => value === (kept[key] ?? ''))
}

/**
 * Tries the tiers in order. The first of them that comes to a signature is the last: from then on there is one
 * registration, known by the token of its record. What the mode needs must be there whichever tier it comes to.
 */
async function submitRegistration(
  context: RegistrationContext,
  { speech }: RegistrySighting,
  card: AgentCard,
): Promise<Submitted> {
  const mode = requireMode(context)
  const sdk = speech.form === 'erc8004-v1' ? await loadIdentitySdk(context, mode) : null
  if (sdk !== null) {
    const { method, agentURI } = await chooseURI(context, card)
    const submitted = await throughSdk(context, sdk, card, { method, agentURI })
    if (submitted !== null) return submitted
  }
  const agentURI = minimalURI(card)
  const why = speech.form === 'handle-v0' ? speech.form : sdk === null ? 'no-sdk' : 'sdk-failed'
  context.warnings.push(...leftOutOfMinimal(card, why), ...(sdk === null ? nothingPinned(mode, speech.form) : []))
  const data = encodeRegistration(speech, card, agentURI)
  return submitRecorded(context, { method: 'direct-contract', agentURI, data, warnings: [...context.warnings] })
}

/**
 * `null` when the SDK failed by itself before it asked for a signature. What our own sending refused is not fixed by
 * another tier: a policy said no, or the chain did.
 */
async function throughSdk(
  context: RegistrationContext,
  sdk: IdentitySdk,
  card: AgentCard,
  { method, agentURI }: ChosenURI,
): Promise<Submitted | null> {
  const sent: { once?: Promise<Submitted> } = {}
  const { signal } = context.options
  const send = async (data: Hex): Promise<Submitted> => {
    // The SDK asks the endpoint by itself, and is not waited for once the caller gave up.
    throwIfAborted(signal)
    return (sent.once ??= submitRecorded(context, { method, agentURI, data, warnings: [...context.warnings] }))
  }
  const failed = await abortable(signal)
    .until(() => registerThroughSdk(context, sdk, card, agentURI, send))
    .then(
      () => false,
      () => true,
    )
  if (sent.once !== undefined) return sent.once
  throwIfAborted(signal)
  if (failed) {
    const { attempts, warnings, progress } = context
    const reason = 'The identity SDK failed before anything was sent.'
    attempts.push({ kind: 'registration', tier: method, outcome: 'failed', code: 'IDENTITY_SDK_FAILED', reason })
    warnings.push(`${reason} The registry was called directly.`)
    progress('fallback', `${reason} Calling the registry directly.`)
  }
  return null
}
