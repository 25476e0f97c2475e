import type { OAuthIssuer } from '../../config/config-shape.ts'

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
