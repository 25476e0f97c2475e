import type { OAuthIssuer } from '../../config/config-shape.ts'
import { createHash } from 'node:crypto'
import type { Principal } from '@svc/engine'

/** What clients of authorization servers learn of this server (RFC 9728); `url` is where they reach `/mcp`. */
export function createProtectedResource(issuers: readonly OAuthIssuer[], url: () => string): ProtectedResource {
  return {
    metadata: () =>
      JSON.stringify({
        resource: url(),
        authorization_servers: issuers.map(({ issuer }) => issuer),
        scopes_supported: firstScopes,
        bearer_methods_supported: ['header'],
        resource_name: 'Liquidity tool server',
      }),
    challenge: (scope = firstScopes.join(' ')) =>
      `scope="${scope}", resource_metadata="${new URL(`${metadataPath}/mcp`, url()).href}"`,
  }
}

export type ProtectedResource = {
  /** As JSON. */
  metadata(): string
  /** The members of a challenge that say where the metadata is and which scopes to ask for: those to begin with, unless named. */
  challenge(scope?: string): string
}

/** Also with the path of the resource after it. */
export const metadataPath = '/.well-known/oauth-protected-resource'

/** To begin with: what more a call needs, its refusal says. */
const firstScopes: readonly string[] = ['read:market', 'read:portfolio']

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
