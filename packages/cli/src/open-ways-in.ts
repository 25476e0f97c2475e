import type { AuthorizationServer } from '@svc/devnet/authorization-server'

/**
 * The ways in beside the keys that a local world is asked for: an authorization server beside it, wallets that sign in, WebSocket. Throws where the
 * package of the authorization server is not installed.
 */
export async function openWaysIn({ oauth, wallets, webSocket }: AskedWaysIn, chainId: number): Promise<WaysIn> {
  const server = oauth ? await startServer() : null
  return {
    settings: {
      ...(server !== null && { SVC_OAUTH_ISSUERS: `${server.issuer} ES256` }),
      ...(wallets && { SVC_SIWE_CHAIN: `${chainId}` }),
      ...(webSocket && { SVC_WEBSOCKET: 'on' }),
    },
    readyAt: (url) => ({
      ...(server !== null && { oauth: readyOf(server) }),
      ...(wallets && { signIn: { url: new URL('/auth/siwe', url).href, chainId } }),
      ...(webSocket && { webSocket: { url: url.replace(/^http/, 'ws') } }),
    }),
    stop: async () => server?.stop(),
  }
}

export type AskedWaysIn = { readonly oauth: boolean; readonly wallets: boolean; readonly webSocket: boolean }

type WaysIn = {
  /** Those of the MCP server that open them. */
  readonly settings: Readonly<Record<string, string>>
  /** What a world that is up says of them, its MCP server being at this URL. */
  readonly readyAt: (url: string) => ReadyWaysIn
  stop(): Promise<void>
}

export type ReadyWaysIn = {
  /** The authorization server, with a client for machines and one for people. */
  readonly oauth?: Omit<AuthorizationServer, 'stop'>
  /** Where wallets sign in, and of which chain they are. */
  readonly signIn?: { readonly url: string; readonly chainId: number }
  readonly webSocket?: { readonly url: string }
}

async function startServer(): Promise<AuthorizationServer> {
  const [{ startAuthorizationServer }, { scopes }] = await Promise.all([
    import('@svc/devnet/authorization-server'),
    import('@svc/engine'),
  ])
  return startAuthorizationServer({ scopes })
}

function readyOf({ issuer, tokenUrl, machine, program }: AuthorizationServer): Omit<AuthorizationServer, 'stop'> {
  return { issuer, tokenUrl, machine, program }
}
