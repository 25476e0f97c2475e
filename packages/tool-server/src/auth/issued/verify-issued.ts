import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import * as z from 'zod'
import { mostSkewMs } from '../sign-in/tokens.ts'
import type { Verification } from '../token-stage.ts'
import type { IssuerKey, IssuerKeys } from './issuer-keys.ts'

/**
 * Verifies a token (JWS, compact) of one issuer elsewhere. What the header may say is pinned: an algorithm and a type of that issuer, and the id
 * of one of its keys, which is looked up among those that it published and is a name, never a place. The issuer may have given the id to another
 * key since it was asked, so a signature that is not by the one known is held against that. The time of a token is over to the second; as to its
 * beginning clocks may differ by a minute.
 */
export async function verifyIssued(token: string, issuer: PinnedIssuer): Promise<Verification<JWTPayload>> {
  try {
    const header = headerForm.safeParse(decodeProtectedHeader(token)).data
    if (header === undefined || !issuer.algorithms.includes(header.alg))
      return { refused: 'Tokens of this form are not taken.' }
    if (!issuer.types.includes(shortType(header.typ))) return { refused: 'Tokens of this type are not taken.' }
    const found = await issuer.keys.find(header.kid, header.alg)
    if (found === 'unknown-now') return { refused: 'The keys of its issuer cannot be read now.' }
    if (found === null) return { refused: 'The issuer has no such key.' }
    const verifyBy = async (key: IssuerKey) => {
      const { payload } = await jwtVerify(token, key.key, {
        algorithms: [header.alg],
        issuer: issuer.issuer,
        currentDate: new Date(issuer.now()),
        clockTolerance: mostSkewMs / 1_000,
        requiredClaims: ['exp', 'iat'],
      })
      return judge(payload, issuer, () => !issuer.keys.has(header.kid, header.alg, key))
    }
    return await verifyBy(found).catch(async (error: unknown) => {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
      const other = await issuer.keys.findReplacement(header.kid, header.alg, found)
      if (other === null) throw error
      return verifyBy(other)
    })
  } catch (error) {
    if (error instanceof errors.JWTExpired) return { refused: expired }
    return { refused: 'The token is not valid here.' }
  }
}

/** An issuer with what its tokens must be. */
export type PinnedIssuer = {
  readonly issuer: string
  readonly algorithms: readonly string[]
  /** In small letters, without `application/`; empty where a token may have none. */
  readonly types: readonly string[]
  /** Whom a token must be for: one of these, and nobody else. */
  readonly audiences: readonly string[]
  readonly keys: IssuerKeys
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Who a token says it is from, unverified; `null` for what is no token of this form. */
export function namedIssuer(token: string): string | null {
  if (!/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*$/.test(token)) return null
  try {
    return decodeJwt(token).iss ?? null
  } catch {
    return null
  }
}

/** The last second that a date can be. */
const latestSeconds = 8_640_000_000_000
const expired = 'The token has expired.'

function judge(
  payload: JWTPayload,
  { audiences, now }: PinnedIssuer,
  isKeyGone: () => boolean,
): Verification<JWTPayload> {
  const { aud, exp = 0, iat = Number.POSITIVE_INFINITY, cnf } = payload
  if (exp * 1_000 <= now()) return { refused: expired }
  if (exp > latestSeconds) return { refused: 'The token names an end that is no time.' }
  if (iat * 1_000 > now() + mostSkewMs) return { refused: 'The token is of a time to come.' }
  const [audience, more] = typeof aud === 'string' ? [aud] : (aud ?? [])
  // What holds elsewhere too, whoever serves there could use here.
  if (audience === undefined || more !== undefined || !audiences.includes(audience))
    return { refused: 'The token is not for this server, or not for it alone.' }
  // Proofs of its holder (DPoP, mutual TLS) are not read here; without them, whoever stole it would be taken for him.
  if (cnf !== undefined) return { refused: 'The token is bound to a key of its holder, whose proof is not taken here.' }
  return { claims: payload, expiresAt: exp * 1_000, isKeyGone }
}

/** A header that brings a key, or the way to one, is refused, and so is one that demands what is not understood. */
const headerForm = z.looseObject({
  alg: z.string(),
  kid: z.string().min(1).max(256),
  typ: z.string().optional(),
  jwk: z.never().optional(),
  jku: z.never().optional(),
  x5u: z.never().optional(),
  x5c: z.never().optional(),
  crit: z.never().optional(),
  b64: z.never().optional(),
})

function shortType(typ = ''): string {
  return typ.toLowerCase().replace(/^application\//, '')
}
