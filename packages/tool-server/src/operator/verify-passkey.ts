import { createHash, type KeyObject, verify } from 'node:crypto'
import * as z from 'zod'

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
