import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'

/**
 * A real authorization server (`oidc-provider`) on 127.0.0.1, for one resource. It knows a machine, which has a secret, and a program that a person
 * uses, which has none; whoever signs in at its form is who they say, for it is for trying out alone. Port 0 is any free one. Throws where the package
 * is not installed, naming the command that does.
 */
export async function startAuthorizationServer(options: AuthorizationServerOptions): Promise<AuthorizationServer> {
  const { Provider } = await loadProvider(options.load)
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  const machine = { clientId: 'local-machine', clientSecret: newSecret() }
  const program = { clientId: 'local-program', redirectUri: 'http://127.0.0.1/callback' }
  const provider = new Provider(issuer, settingsOf({ ...options, machine, program }))
  server.on('request', provider.callback())
  return {
    issuer,
    tokenUrl: `${issuer}/token`,
    machine,
    program,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

export type AuthorizationServerOptions = {
  /** The scopes that may be asked for. */
  readonly scopes: readonly string[]
  readonly port?: number
  /** How long an access token is taken; 300 unless given. */
  readonly tokenSeconds?: number
  /** Loads the package; the installed one unless given. */
  readonly load?: () => Promise<unknown>
}

export type AuthorizationServer = {
  readonly issuer: string
  /** Where tokens are had. */
  readonly tokenUrl: string
  /** Signs in by itself, with its secret (`client_credentials`). */
  readonly machine: { readonly clientId: string; readonly clientSecret: string }
  /** Signs a person in, with PKCE; it may wait for the code at any port of that address (RFC 8252). */
  readonly program: { readonly clientId: string; readonly redirectUri: string }
  stop(): Promise<void>
}

function settingsOf({ machine, program, scopes, tokenSeconds = 300 }: Settled): object {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const resource = (indicator: string) => ({
    scope: scopes.join(' '),
    audience: indicator,
    accessTokenFormat: 'jwt',
    accessTokenTTL: tokenSeconds,
    jwt: { sign: { alg: 'ES256' } },
  })
  return {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    cookies: { keys: [newSecret()] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clients: [
      {
        client_id: machine.clientId,
        client_secret: machine.clientSecret,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
      {
        client_id: program.clientId,
        token_endpoint_auth_method: 'none',
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token'],
        redirect_uris: [program.redirectUri],
      },
    ],
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: tokenSeconds, ClientCredentials: tokenSeconds },
    features: {
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_context: unknown, indicator: string) => resource(indicator),
      },
    },
  }
}

type Settled = Pick<AuthorizationServer, 'machine' | 'program'> &
  Pick<AuthorizationServerOptions, 'scopes' | 'tokenSeconds'>

function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

async function loadProvider(load: () => Promise<unknown> = importInstalled): Promise<ProviderModule> {
  const module = await load().catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause
    throw new Error(`The authorization server is the package ${packageName}, which is not installed: ${installing}`, {
      cause,
    })
  })
  if (!isProviderModule(module)) {
    throw new Error(`The package ${packageName} that is installed has another shape: ${installing}`)
  }
  return module
}

/** What of the package is used; it brings no types of its own. */
type ProviderModule = { readonly Provider: new (issuer: string, settings: object) => { callback(): RequestListener } }

function isProviderModule(module: unknown): module is ProviderModule {
  return typeof module === 'object' && module !== null && 'Provider' in module && typeof module.Provider === 'function'
}

const packageName = 'oidc-provider'
const installing = `npm install ${packageName}@9.13.3`

/** The name in a constant, so that neither compilers nor bundlers want the package. */
function importInstalled(): Promise<unknown> {
  return import(packageName)
}

/** A package that it lacks itself is another thing. */
function isMissing(error: unknown): boolean {
  const isNotFound = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND'
  return isNotFound && /Cannot find (?:package|module) '([^']+)'/.exec(error.message)?.[1] === packageName
}
