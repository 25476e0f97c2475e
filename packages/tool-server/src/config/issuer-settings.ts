import { isLoopback } from '@svc/runtime'
import * as z from 'zod'
import type { OAuthIssuer } from './config-shape.ts'

/** An issuer, the algorithms of its tokens, and where its keys are unless its metadata says so, with spaces between them. */
export function oauthIssuer() {
  return z
    .string()
    .transform(readIssuer)
    .refine((issuer) => issuer !== null, accepted)
}

const accepted = `Accepted: such as https://auth.example.com ES256, or https://auth.example.com ES256 RS256 https://auth.example.com/keys; several separated by commas`

/** Signatures with a key pair, and no other: a secret that both ends know is none of this. */
const algorithms: ReadonlySet<string> = new Set(['ES256', 'ES384', 'EdDSA', 'PS256', 'RS256'])

function readIssuer(text: string): OAuthIssuer | null {
  const [issuer = '', ...words] = text.split(/\s+/)
  const named = words.filter((word) => algorithms.has(word))
  const [keysUrl = null, ...more] = words.filter((word) => !algorithms.has(word))
  const isGood = isSafePlace(issuer) && (keysUrl === null || isSafePlace(keysUrl)) && more.length === 0
  return isGood && named.length > 0 ? { issuer, algorithms: named, keysUrl } : null
}

/** Over https, or on this machine; without user, password, query and fragment, which tokens do not spell. */
export function isSafePlace(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username, password, search, hash } = new URL(text)
  const isBare = `${username}${password}${search}${hash}` === '' && !/[?#]$/.test(text)
  return isBare && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)))
}

export const defaultSecretHeader = 'access-client-secret'
