import { createHash, type KeyObject, verify } from 'node:crypto'
import { ToolError } from '@svc/amm'
import { canonical } from '@svc/engine'
import type { OperatorAccess } from '@svc/engine/open'
import { pause, readPause, resume, type SwitchPlace } from '@svc/engine/switches'
import { printable } from '@svc/runtime'
import { StoreError } from '@svc/store'
import * as z from 'zod'
import { outcome } from './read-list.ts'

const ofPlan = { id: z.string().min(1).max(128), planHash: z.string().regex(/^0x[0-9a-f]{64}$/) }

/** What an operator says from afar: of one plan, by its hash, or of signing as a whole; a resume names the pause that it ends. */
export const decisionSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('approve'), ...ofPlan }),
  z.strictObject({ kind: z.literal('deny'), ...ofPlan }),
  z.strictObject({ kind: z.literal('cancel'), ...ofPlan }),
  z.strictObject({ kind: z.literal('pause'), reason: z.string().min(1).max(500).nullable() }),
  z.strictObject({ kind: z.literal('resume'), since: z.string().min(1).max(64) }),
])

export type Decision = z.output<typeof decisionSchema>

/** The challenge that a passkey signs: a digest over what is decided, by whom, where, and a nonce of ours that is used once. In base64url. */
export function challengeOf(decision: Decision, { by, origin, nonce }: DecisionTerms): string {
  const said = JSON.stringify(canonical({ decision, by, origin, nonce }))
  return createHash('sha256').update(`svc operator decision\n${said}`).digest('base64url')
}

export type DecisionTerms = { readonly by: string; readonly origin: string; readonly nonce: string }

/**
 * Carries a confirmed decision out, by the functions that the commands on the machine call. It is on record before it is done, and what came of it
 * after. Resolves to what to tell the operator; throws `ToolError` where it does not hold any more.
 */
export async function carryOutDecision(decision: Decision, { access, by, now }: DecisionPlace): Promise<string> {
  const { records, place } = access
  await record(decision, access, by)
  const at = new Date(now()).toISOString()
  try {
    if (decision.kind === 'pause') return await pauseAs(place, { by, at, reason: decision.reason })
    if (decision.kind === 'resume') return await resumeAs(decision.since, { records, place, by, at })
    if (decision.kind === 'cancel') return await cancelAs(decision, { records, by })
    const { id, planHash } = decision
    return outcome(await records.operations.decide(id, { approved: decision.kind === 'approve', planHash, by }))
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    throw storeRefusal(error)
  }
}

export type DecisionPlace = {
  readonly access: OperatorAccess
  /** For example `operator:ada`. */
  readonly by: string
  /** Unix milliseconds. */
  readonly now: () => number
}

async function pauseAs(place: SwitchPlace, word: Parameters<typeof pause>[1]): Promise<string> {
  const standing = await pause(place, word)
  return standing.since === word.at ? 'Paused: nothing more is signed.' : `Paused already, since ${standing.since}.`
}

/** What a restored state waits for is looked at on the machine. */
async function resumeAs(
  since: string,
  { records, place, by, at }: Pick<OperatorAccess, 'records' | 'place'> & { readonly by: string; readonly at: string },
): Promise<string> {
  if ((await records.restored.read()) !== null)
    throw new ToolError('OPERATION_STATE', 'This state was restored; it is released on the machine, with: svc resume.')
  const standing = await readPause(place)
  if (standing === null) return 'Nothing is paused.'
  if (standing.since !== since)
    throw new ToolError('OPERATION_CHANGED', 'Another pause stands than the one that was shown.')
  if (standing.file !== undefined)
    throw new ToolError(
      'OPERATION_STATE',
      `The file ${printable(standing.file)} pauses, as long as it stands: remove it there.`,
    )
  const { ended } = await resume(place, { by, at }, standing)
  if (ended !== null) return 'Resumed.'
  if ((await readPause(place)) === null) return 'Nothing is paused.'
  throw new ToolError('OPERATION_CHANGED', 'Another pause was set meanwhile, and stands.')
}

async function cancelAs(
  { id, planHash }: Extract<Decision, { kind: 'cancel' }>,
  { records, by }: Pick<OperatorAccess, 'records'> & { readonly by: string },
): Promise<string> {
  const operation = await records.operations.byId(id)
  if (operation === null) throw new ToolError('OPERATION_NOT_FOUND', 'There is no such operation.')
  if (operation.planHash !== planHash)
    throw new ToolError('OPERATION_CHANGED', 'The plan hash is not that of the operation.')
  await records.operations.cancel(id, by)
  return 'Cancelled. It is not carried out.'
}

function storeRefusal(cause: StoreError): ToolError {
  if (cause.code === 'NOT_LEADER') return new ToolError('NOT_LEADER', cause.message, { cause })
  if (cause.code === 'OPERATION_UNKNOWN')
    return new ToolError('OPERATION_NOT_FOUND', 'There is no such operation.', { cause })
  if (cause.code === 'OPERATION_CHANGED')
    return new ToolError('OPERATION_CHANGED', 'The plan hash is not that of the operation.', { cause })
  if (cause.code === 'OPERATION_STATE')
    return new ToolError('OPERATION_STATE', 'It does not await this decision any more; look at the list again.', {
      cause,
    })
  return new ToolError(
    'STORAGE_UNAVAILABLE',
    'The state cannot be changed now, or it is not known whether it was; look at the list again.',
    { cause },
  )
}

/** As lines about operations name what is decided. */
function factsOf({ kind, ...terms }: Decision): Readonly<Record<string, unknown>> {
  if (!('id' in terms)) return { decision: kind, ...terms }
  const { id, planHash } = terms
  return { decision: kind, operationId: id, planHash }
}

/**
 * What cannot be put on record is not done. A server that follows another one decides nothing; a pause may be said to it all the same, and
 * the one that leads puts it on record as it finds it.
 */
async function record(decision: Decision, access: OperatorAccess, by: string): Promise<void> {
  const leads = await access.requireLeader().then(
    () => true,
    (error: unknown) => {
      if (decision.kind === 'pause') return false
      throw error
    },
  )
  if (!leads) return
  const actor = { principal: by, stage: 'passkey' }
  await access.audit({ event: 'operator.confirmed', actor, ...factsOf(decision) }).catch(async (cause: unknown) => {
    // The lead may have been lost since.
    if (
      decision.kind === 'pause' &&
      !(await access.requireLeader().then(
        () => true,
        () => false,
      ))
    )
      return
    throw new ToolError('STORAGE_UNAVAILABLE', 'The audit log cannot be written, so nothing was decided.', { cause })
  })
}

/**
 * Whether a passkey has signed just this challenge, for this origin, in the presence of a person whom the device has recognised (Web
 * Authentication, section 7.2). Never throws: what makes no sense is no signature.
 */
export function isConfirmed(assertion: Assertion, { key, challenge, origin }: ExpectedAssertion): boolean {
  const clientData = Buffer.from(assertion.clientData, 'base64url')
  const authenticatorData = Buffer.from(assertion.authenticatorData, 'base64url')
  const said = readClientData(clientData)
  if (said === null || said.challenge !== challenge || said.origin !== origin || said.crossOrigin === true) return false
  if (authenticatorData.length < flagsAt + 5) return false
  const rpIdHash = sha256(new URL(origin).hostname)
  if (!authenticatorData.subarray(0, flagsAt).equals(rpIdHash)) return false
  const flags = authenticatorData.readUInt8(flagsAt)
  if ((flags & userPresent) === 0 || (flags & userVerified) === 0) return false
  const signed = Buffer.concat([authenticatorData, sha256(clientData)])
  try {
    return verify('sha256', signed, key, Buffer.from(assertion.signature, 'base64url'))
  } catch {
    return false
  }
}

/** What a browser gives back, each part in base64url. */
export const assertionSchema = z.strictObject({
  /** Of the passkey. */
  id: base64url(1_364),
  clientData: base64url(4_096),
  authenticatorData: base64url(4_096),
  signature: base64url(2_048),
})

export type Assertion = z.output<typeof assertionSchema>

export type ExpectedAssertion = {
  readonly key: KeyObject
  /** In base64url. */
  readonly challenge: string
  /** Where the page is served; its host is the party for which the passkey was made. */
  readonly origin: string
}

/** Behind the hash of the party's name. */
const flagsAt = 32
const userPresent = 0x01
const userVerified = 0x04

/** A page of another origin that holds ours in a frame is `crossOrigin`; what more browsers say is no concern of ours. */
const clientDataSchema = z.looseObject({
  type: z.literal('webauthn.get'),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
})

function readClientData(bytes: Buffer): z.output<typeof clientDataSchema> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return clientDataSchema.parse(JSON.parse(text))
  } catch {
    return null
  }
}

function base64url(most: number) {
  return z
    .string()
    .max(most)
    .regex(/^[A-Za-z0-9_-]+$/, 'accepted: base64url')
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest()
}
