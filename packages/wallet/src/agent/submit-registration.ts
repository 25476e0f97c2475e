import { randomUUID } from 'node:crypto'
import type { Hex } from 'viem'
import type { Submission } from '../gas/submission.ts'
import type { AgentCard } from './agent-card.ts'
import { chooseURI, minimalURI, type ChosenURI } from './choose-uri.ts'
import { encodeRegistration } from './encode-registration.ts'
import { loadIdentitySdk, type IdentitySdk } from './load-identity-sdk.ts'
import type { RegistrySighting } from './look-at-registry.ts'
import { registerThroughSdk } from './register-through-sdk.ts'
import type { RegistrationMethod } from './registration.ts'
import type { RegistrationRecord } from './registration-records.ts'
import type { RegistrationTrip } from './registration-trip.ts'

/**
 * Tries the tiers in order. The first of them that comes to a signature is the last: from then on there is one
 * registration, known by the token of its record.
 */
export async function submitRegistration(
  trip: RegistrationTrip,
  { speech }: RegistrySighting,
  card: AgentCard,
): Promise<Submitted> {
  const sdk = speech.form === 'erc8004-v1' ? await loadIdentitySdk(trip) : null
  if (sdk !== null) {
    const { method, agentURI } = await chooseURI(trip, card)
    const submitted = await throughSdk(trip, sdk, card, { method, agentURI })
    if (submitted !== null) return submitted
  }
  const agentURI = minimalURI(card)
  return submit(trip, 'direct-contract', agentURI, encodeRegistration(speech, card, agentURI))
}

export type Submitted = { readonly record: RegistrationRecord; readonly submission: Submission }

/**
 * `null` when the SDK failed by itself before it asked for a signature. What our own sending refused is not mended by
 * another tier: a policy said no, or the chain did.
 */
async function throughSdk(
  trip: RegistrationTrip,
  sdk: IdentitySdk,
  card: AgentCard,
  { method, agentURI }: ChosenURI,
): Promise<Submitted | null> {
  const sent: { once?: Promise<Submitted> } = {}
  const send = (data: Hex): Promise<Submitted> => (sent.once ??= submit(trip, method, agentURI, data))
  const failed = await registerThroughSdk(trip, sdk, card, agentURI, send).then(
    () => false,
    () => true,
  )
  if (sent.once !== undefined) return sent.once
  if (failed) {
    const { attempts, warnings, progress } = trip
    const reason = 'The identity SDK failed before anything was sent.'
    attempts.push({ kind: 'registration', tier: method, outcome: 'failed', code: 'IDENTITY_SDK_FAILED', reason })
    warnings.push(`${reason} The registry was called directly.`)
    progress('fallback', `${reason} Calling the registry directly.`)
  }
  return null
}

/** The record is there before anything can leave. */
async function submit(
  trip: RegistrationTrip,
  method: RegistrationMethod,
  agentURI: string,
  data: Hex,
): Promise<Submitted> {
  const { chain, registry, owner, records, now } = trip
  const record: RegistrationRecord = {
    token: randomUUID(),
    chainId: chain.id,
    registry,
    owner,
    state: 'prepared',
    method,
    agentURI,
    data,
    txHash: null,
    userOperation: null,
    userOperationHash: null,
    tokenId: null,
    updatedAt: now(),
  }
  await records.save(record)
  try {
    return { record, submission: await trip.submit(record) }
  } catch (error) {
    // With a signature in the journal the call may still come to the chain, and this record goes on with it.
    const isOut = (await trip.signed(record.token)) > 0
    const standing = (await records.load(record.token)) ?? record
    await records.save({ ...standing, state: isOut ? 'sent' : 'failed', updatedAt: now() })
    throw error
  }
}
