import { createHash } from 'node:crypto'
import type { Principal } from '@svc/engine'
import type { OAuthIssuer } from '../../config/config-shape.ts'

/**
 * The id of one client on behalf of one subject, at one issuer: the same person by another program is another caller, and a client cannot be taken
 * for the person whose name it registered as.
 */
export function oauthId({ issuer, subject, client }: OAuthCaller): string {
  return `${idsOf(issuer)}${digest(JSON.stringify([subject, client]), 32)}`
}

export type OAuthCaller = { readonly issuer: string; readonly subject: string; readonly client: string }

/** Whether a principal came by one of these issuers, as its id says. */
export function isOfIssuer({ id }: Pick<Principal, 'id'>, issuers: readonly OAuthIssuer[]): boolean {
  return issuers.some(({ issuer }) => id.startsWith(idsOf(issuer)))
}

function idsOf(issuer: string): string {
  return `oauth:${digest(issuer, 16)}:`
}

function digest(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length)
}
