import { setTimeout as wait } from 'node:timers/promises'
import type { Address } from 'viem'
import { createFaultRules, type FaultRules } from '../handler-set.ts'
import { authorizationKeyFrom, type AuthorizationKey, checkCaller, type ProviderRequest } from './check-request.ts'
import { ProviderError, type ProviderFault, providerFaults } from './faults.ts'
import { createProviderState, type ProviderState } from './provider-state.ts'
import { routes } from './routes.ts'

/** The stand-in without a way to reach it: `answer` takes the bytes of a request, wherever they came from. */
export function createProvider(options: WalletProviderOptions = {}): Provider {
  const { appId = 'clwalletprovider000000000', appSecret = 'an-app-secret-for-tests', seed = 'svc' } = options
  const world: World = {
    app: { id: appId, secret: appSecret },
    seed,
    now: options.now ?? Date.now,
    state: createProviderState(),
    faults: createFaultRules(providerFaults),
    requests: [],
  }
  return {
    answer: (request) => answer(world, request),
    controls: {
      appId,
      appSecret,
      setFaults: (faults) => world.faults.set(faults),
      requests: () => [...world.requests],
      signatures: (walletId) =>
        [...world.state.wallets.values()]
          .filter(({ id }) => walletId === undefined || id === walletId)
          .reduce((sum, { signed }) => sum + signed.length, 0),
      createAuthorizationKey: (name) => authorizationKeyFrom(`${seed} authorization ${name}`),
      createWallet: async (wanted = {}) => await createWallet(world, wanted),
    },
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

/** What a test does with the stand-in, and what it learns of it. */
export type WalletProvider = {
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

export type Provider = {
  readonly answer: (request: RawRequest) => Promise<ProviderReply>
  readonly controls: WalletProvider
}

export type RawRequest = Omit<ProviderRequest, 'body'> & { readonly body: string }

/** `drop`: the connection breaks without an answer. */
export type ProviderReply =
  | 'drop'
  | { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string }

type World = {
  readonly app: { readonly id: string; readonly secret: string }
  readonly seed: string
  readonly now: () => number
  readonly state: ProviderState
  readonly faults: FaultRules<ProviderFault>
  readonly requests: ProviderRequest[]
}

async function answer(world: World, raw: RawRequest): Promise<ProviderReply> {
  const headers: Record<string, string> = {}
  try {
    const request = { ...raw, body: parse(raw.body) }
    world.requests.push(request)
    const { pathname } = new URL(request.url)
    const fault = world.faults.take(nameOf(request, pathname))
    if (fault?.fault === 'delay') await wait(fault.delayMs)
    if (fault?.fault === 'rate-limit') headers['retry-after'] = `${fault.retryAfterSeconds}`
    const early = fault === null || ('after' in fault && fault.after) ? null : statusOf(fault)
    if (early === 'drop') return early
    if (early !== null) throw new ProviderError(early, 'fault', 'A fault that was asked for.')
    const answered = await answerTo(world, request, pathname, fault)
    const late = fault === null ? null : statusOf(fault)
    if (late === 'drop') return late
    if (late !== null) throw new ProviderError(late, 'fault', 'A fault that was asked for.')
    if (fault?.fault === 'nonsense') return { status: 200, headers, body: '<html>It works!</html>' }
    return reply(200, headers, answered)
  } catch (error) {
    const known = error instanceof ProviderError ? error : new ProviderError(500, 'internal', 'Internal error.')
    return reply(known.status, headers, { error: known.message, code: known.code })
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
  if (method === 'GET') return path.startsWith('/v1/policies/') ? 'policies' : 'wallets'
  const isRpc = path.endsWith('/rpc') && typeof body === 'object' && body !== null && 'method' in body
  return isRpc ? String(body.method) : `POST ${path.slice('/v1/'.length)}`
}

const mostCharacters = 1024 * 1024

function parse(text: string): unknown {
  if (text.length > mostCharacters) throw new ProviderError(413, 'too_large', 'The body is too large.')
  if (text === '') return ''
  try {
    return JSON.parse(text)
  } catch {
    throw new ProviderError(400, 'invalid_data', 'The body is no JSON.')
  }
}

function reply(status: number, headers: Readonly<Record<string, string>>, body: unknown): ProviderReply {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

async function createWallet(world: World, { policy, aggregations = [] }: WantedWallet): Promise<ProvisionedWallet> {
  const key = authorizationKeyFrom(`${world.seed} authorization wallet`)
  let text = JSON.stringify(policy ?? null)
  for (const aggregation of aggregations) {
    const { id } = await post(world, '/v1/aggregations', aggregation)
    text = text.replaceAll(JSON.stringify(`aggregation.${aggregation.name}`), JSON.stringify(`aggregation.${id}`))
  }
  const policyIds = policy === undefined ? [] : [(await post(world, '/v1/policies', JSON.parse(text))).id]
  const wallet = await post(world, '/v1/wallets', {
    chain_type: 'ethereum',
    owner: { public_key: key.publicKey },
    policy_ids: policyIds,
  })
  return { walletId: wallet.id, address: wallet.address, authPrivateKey: key.privateKey }
}

/** As a request that came from the app itself. */
async function post(
  world: World,
  path: string,
  body: unknown,
): Promise<{ readonly id: string; readonly address: Address }> {
  const { id, secret } = world.app
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`
  const headers = { 'content-type': 'application/json', 'privy-app-id': id, authorization }
  const url = `http://127.0.0.1${path}`
  const answered = await answer(world, { method: 'POST', url, headers, body: JSON.stringify(body) })
  if (answered === 'drop') throw new TypeError('The stand-in broke the connection, as its faults want it.')
  const read = JSON.parse(answered.body)
  if (answered.status !== 200) throw new ProviderError(answered.status, read.code, read.error)
  return read
}
