import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import { authorizationKeyFrom, type AuthorizationKey } from './wallet-provider/authorization-keys.ts'
import { checkCaller, type ProviderRequest } from './wallet-provider/check-request.ts'
import { createFaultRules, type FaultRules } from './fault-rules.ts'
import type { ProviderFault } from './wallet-provider/faults.ts'
import { ProviderError } from './wallet-provider/provider-error.ts'
import { createProviderState, type ProviderState } from './wallet-provider/provider-state.ts'
import { routes } from './wallet-provider/routes.ts'

/**
 * A stand-in of the managed wallet's provider on 127.0.0.1: it checks the signature over every request as the provider
 * does, enforces its policy language, keeps answers by idempotency key, and signs with keys that come from a seed. Not
 * for anything of worth: whoever reads the seed has the keys.
 */
export async function createWalletProviderServer(options: WalletProviderOptions = {}): Promise<WalletProviderServer> {
  const { appId = 'clwalletprovider000000000', appSecret = 'an-app-secret-for-tests', seed = 'svc' } = options
  const world: World = {
    app: { id: appId, secret: appSecret },
    seed,
    now: options.now ?? Date.now,
    state: createProviderState(),
    faults: createFaultRules(),
    requests: [],
  }
  const server = createServer((request, response) => void serve(world, request, response))
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    appId,
    appSecret,
    setFaults: (faults) => world.faults.set(faults),
    requests: () => [...world.requests],
    signatures: (walletId) =>
      [...world.state.wallets.values()]
        .filter(({ id }) => walletId === undefined || id === walletId)
        .reduce((sum, { signed }) => sum + signed.length, 0),
    createAuthorizationKey: (name) => authorizationKeyFrom(`${seed} authorization ${name}`),
    createWallet: async (wanted = {}) => await createWallet({ url, appId, appSecret, seed }, wanted),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** App, keys and clock of the stand-in, each with a default. */
export type WalletProviderOptions = {
  readonly appId?: string
  readonly appSecret?: string
  /** Keys of wallets and authorization keys come from it. */
  readonly seed?: string
  /** Milliseconds since 1970; for expiry and rolling windows. */
  readonly now?: () => number
}

/** A stand-in that listens. */
export type WalletProviderServer = {
  readonly url: string
  readonly appId: string
  readonly appSecret: string
  readonly setFaults: (faults: readonly ProviderFault[]) => void
  /** Every request that came, in order, refused ones included. */
  readonly requests: () => readonly ProviderRequest[]
  /** How many signatures were made, replayed answers not counted. */
  readonly signatures: (walletId?: string) => number
  /** A P-256 pair; the same name gives the same pair. */
  readonly createAuthorizationKey: (name: string) => AuthorizationKey
  /** A wallet with what belongs to it, made through the API of the stand-in itself. */
  readonly createWallet: (wanted?: WantedWallet) => Promise<ProvisionedWallet>
  readonly close: () => Promise<void>
}

/** The policy that a new wallet is to have. */
export type WantedWallet = {
  /** In the provider's language; without one, everything that is authorized is signed. */
  readonly policy?: unknown
  /** Aggregations by the name under which the policy refers to them. */
  readonly aggregations?: readonly { readonly name: string }[]
}

/** What a `ServiceWallet` in managed mode needs of a wallet beside app id and secret. */
export type ProvisionedWallet = {
  readonly walletId: string
  readonly address: Address
  /** Base64 of PKCS#8 DER. */
  readonly authPrivateKey: string
}

type World = {
  readonly app: { readonly id: string; readonly secret: string }
  readonly seed: string
  readonly now: () => number
  readonly state: ProviderState
  readonly faults: FaultRules<ProviderFault>
  readonly requests: ProviderRequest[]
}

async function serve(world: World, incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const request = await readRequest(incoming)
    world.requests.push(request)
    const { pathname } = new URL(request.url)
    const fault = world.faults.take(nameOf(request, pathname))
    if (fault?.fault === 'delay') await wait(fault.delayMs)
    if (fault?.fault === 'rate-limit') response.setHeader('retry-after', `${fault.retryAfterSeconds}`)
    const early = fault === null || ('after' in fault && fault.after) ? null : statusOf(fault)
    if (early === 'drop') return void incoming.socket.destroy()
    if (early !== null) throw new ProviderError(early, 'fault', 'A fault that was asked for.')
    const answer = await answerTo(world, request, pathname, fault)
    const late = fault === null ? null : statusOf(fault)
    if (late === 'drop') return void incoming.socket.destroy()
    if (late !== null) throw new ProviderError(late, 'fault', 'A fault that was asked for.')
    if (fault?.fault === 'nonsense') return void response.writeHead(200).end('<html>It works!</html>')
    reply(response, 200, answer)
  } catch (error) {
    const known = error instanceof ProviderError ? error : new ProviderError(500, 'internal', 'Internal error.')
    reply(response, known.status, { error: known.message, code: known.code })
  }
}

async function answerTo(
  world: World,
  request: ProviderRequest,
  path: string,
  fault: ProviderFault | null,
): Promise<unknown> {
  const [, appId] = /^\/api\/v1\/apps\/([^/]+)(?:\/config)?$/.exec(path) ?? []
  if (request.method === 'GET' && appId !== undefined) return configOf(world, appId)
  checkCaller(request, world.app)
  for (const [method, pattern, act] of routes) {
    const match = method === request.method ? pattern.exec(path) : null
    const { state, seed } = world
    if (match !== null) return await act({ state, request, seed, nowMs: world.now(), fault }, match[1] ?? '')
  }
  throw new ProviderError(404, 'not_found', 'There is no such route.')
}

/** Public: it says that the app exists, and nothing of who asks. */
function configOf({ app }: World, appId: string): unknown {
  if (appId !== app.id) throw new ProviderError(404, 'not_found', 'App not found.')
  return { id: appId, name: 'Wallet provider stand-in', data_classification: 'public', allowed_domains: [] }
}

function statusOf(fault: ProviderFault): number | 'drop' | null {
  if (fault.fault === 'error') return fault.status ?? 500
  if (fault.fault === 'rate-limit') return 429
  return fault.fault === 'drop' ? 'drop' : null
}

function nameOf({ method, body }: ProviderRequest, path: string): string {
  if (path.startsWith('/api/v1/apps/')) return 'config'
  if (method === 'GET') return 'wallets'
  const isRpc = path.endsWith('/rpc') && typeof body === 'object' && body !== null && 'method' in body
  return isRpc ? String(body.method) : path.slice('/v1/'.length)
}

const largestBody = 1024 * 1024

async function readRequest(incoming: IncomingMessage): Promise<ProviderRequest> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of incoming) {
    const bytes = Buffer.from(chunk)
    length += bytes.length
    if (length > largestBody) throw new ProviderError(413, 'too_large', 'The body is too large.')
    chunks.push(bytes)
  }
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, value?.toString()])
  return {
    method: incoming.method ?? '',
    url: `http://${incoming.headers.host ?? '127.0.0.1'}${incoming.url ?? '/'}`,
    headers: Object.fromEntries(headers),
    body: parse(Buffer.concat(chunks).toString('utf8')),
  }
}

function parse(text: string): unknown {
  if (text === '') return ''
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderError(400, 'invalid_data', 'The body is no JSON.')
  }
}

function reply(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

type App = { readonly url: string; readonly appId: string; readonly appSecret: string; readonly seed: string }

async function createWallet(app: App, { policy, aggregations = [] }: WantedWallet): Promise<ProvisionedWallet> {
  const key = authorizationKeyFrom(`${app.seed} authorization wallet`)
  let text = JSON.stringify(policy ?? null)
  for (const aggregation of aggregations) {
    const { id } = await post(app, '/v1/aggregations', aggregation)
    text = text.replaceAll(JSON.stringify(`aggregation.${aggregation.name}`), JSON.stringify(`aggregation.${id}`))
  }
  const policyIds = policy === undefined ? [] : [(await post(app, '/v1/policies', JSON.parse(text))).id]
  const wallet = await post(app, '/v1/wallets', {
    chain_type: 'ethereum',
    owner: { public_key: key.publicKey },
    policy_ids: policyIds,
  })
  return { walletId: wallet.id, address: wallet.address, authPrivateKey: key.privateKey }
}

async function post(
  { url, appId, appSecret }: App,
  path: string,
  body: unknown,
): Promise<{ readonly id: string; readonly address: Address }> {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'privy-app-id': appId,
      authorization: `Basic ${Buffer.from(`${appId}:${appSecret}`).toString('base64')}`,
    },
    body: JSON.stringify(body),
  })
  const answer = JSON.parse(await response.text())
  if (!response.ok) throw new ProviderError(response.status, answer.code, answer.error)
  return answer
}
