import { createPublicKey, type KeyObject } from 'node:crypto'
import * as z from 'zod'

/** Who decides from afar, each by name with the public halves of their passkeys, as `svc policy add-operator` writes them. */
export function operators() {
  const passkey = z.strictObject({
    id: z
      .string()
      .regex(/^[A-Za-z0-9_-]{16,1364}$/, 'accepted: the id of a passkey, in base64url')
      .describe('The id of the passkey, in base64url.'),
    publicKey: z
      .string()
      .regex(/^[A-Za-z0-9_-]{80,1200}$/, accepted)
      .refine((text) => passkeyOf(text) !== null, accepted)
      .describe(
        'Its public key: SPKI in base64url, of P-256, or of RSA with 2048 bits or more and an odd exponent from 3.',
      ),
  })
  const operator = z.strictObject({
    passkeys: z.array(passkey).min(1).max(8).describe('One for each device; any of them confirms.'),
  })
  return z
    .record(z.string().regex(operatorName, 'accepted: a name of a-z, 0-9, . _ and -, at most 32'), operator)
    .refine(isOneOperators, 'accepted: each passkey under one name, and each public key once')
    .default({})
    .describe(
      'Who may approve, deny, cancel, pause and resume on the operator page from afar (SVC_OPERATOR_PAGE), by name: { "ada": { "passkeys": [{ "id", "publicKey" }] } }. Each decision is confirmed by a passkey that stands here, and by nothing else: no API key, token or signed-in wallet decides. Whoever is taken out is out at once. Against an agent that approves what it asked for.',
    )
}

/** A name as it may stand in the policy. */
export const operatorName = /^[a-z0-9][a-z0-9._-]{0,31}$/

/** A public key that passkeys sign with, out of SPKI in base64url; `null` for what is none. */
export function passkeyOf(publicKey: string): KeyObject | null {
  try {
    const der = Buffer.from(publicKey, 'base64url')
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
    const { namedCurve, modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {}
    const isP256 = key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1'
    // With an exponent of 1 anybody signs, and with an even one nobody.
    const isSound = publicExponent >= 3n && publicExponent % 2n === 1n
    const isRsa = key.asymmetricKeyType === 'rsa' && modulusLength >= 2_048 && isSound
    return isP256 || isRsa ? key : null
  } catch {
    return null
  }
}

const accepted = 'accepted: a public key as svc policy add-operator writes it'

/** What two people hold together would say of neither who decided, and a key under a second id would outlive the first. */
function isOneOperators(named: Readonly<Record<string, { readonly passkeys: readonly Passkey[] }>>): boolean {
  const passkeys = Object.values(named).flatMap((operator) => operator.passkeys)
  const ids = passkeys.map(({ id }) => id)
  // By its numbers: the same key has more than one spelling.
  const keys = passkeys.flatMap(({ publicKey }) => {
    const key = passkeyOf(publicKey)
    return key === null ? [] : [JSON.stringify(key.export({ format: 'jwk' }))]
  })
  return new Set(ids).size === ids.length && new Set(keys).size === keys.length
}

type Passkey = { readonly id: string; readonly publicKey: string }
