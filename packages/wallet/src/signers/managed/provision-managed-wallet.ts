import { type Address, isAddress } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import canonicalize from 'canonicalize'
import { Secret } from '../../secret.ts'
import { readSigningUrl } from '../../service-urls.ts'

/**
 * Makes a wallet at the provider with its fence around it from the first moment: the policy stands before the wallet does, its owner is a key
 * that does not sign, and the key that signs is held to it. Then everything is read back and compared. Under an `externalId` that has a
 * wallet already nothing is made: that wallet is compared. Throws the `SIGNER_*` codes; a wallet that is not as it was asked for is named,
 * and nothing is in it.
 */
export async function provisionManagedWallet(
  options: ProvisionManagedWalletOptions,
): Promise<ProvisionedManagedWallet> {
  const api = openProviderApi(options)
  const { externalId } = options
  const found =
    externalId === undefined ? null : await api.find(`/v1/wallets/ext_wal_${encodeURIComponent(externalId)}`)
  const walletId = textOf(found ?? (await makeWallet(api, options)), 'id')
  const { address, policyId, differences } = await checkManagedWallet({ ...options, walletId })
  if (differences.length === 0 && policyId !== null) return { walletId, address, policyId, isNew: found === null }
  const message = `The wallet ${walletId} at the provider is not as it was asked for: ${differences.join('; ')}. Send nothing to it.`
  throw new WalletError('SIGNER_REFUSED', message)
}

/** The app, the two keys, and the fence. */
export type ProvisionManagedWalletOptions = ProviderApp & {
  /** Who signs: P-256, base64 of SPKI DER. */
  readonly signerPublicKey: string
  /** Who may change wallet and policy: another key, which this machine should not hold. */
  readonly ownerPublicKey: string
  /** In the provider's language; what no rule allows is denied. */
  readonly policy: ProviderPolicyDocument
  /** What the policy counts by, under the names that it refers to. */
  readonly aggregations: readonly { readonly name: string }[]
  /** A name of the caller's, 1 to 64 of a-z A-Z 0-9 _ -: whoever asks again under it gets the wallet that is there. */
  readonly externalId?: string | undefined
}

/** A policy in the provider's language, of which only the rules are looked into here. */
export type ProviderPolicyDocument = { readonly rules: readonly object[] }

/** The new wallet, and the policy that it is held to. */
export type ProvisionedManagedWallet = {
  readonly walletId: string
  readonly address: Address
  readonly policyId: string
  /** Whether this call made it. */
  readonly isNew: boolean
}

async function makeWallet(api: ProviderApi, options: ProvisionManagedWalletOptions): Promise<Fields> {
  const { signerPublicKey, ownerPublicKey, aggregations, externalId } = options
  const [ownerId, signerId] = [
    await quorumOf(api, ownerPublicKey, 'svc owner'),
    await quorumOf(api, signerPublicKey, 'svc signer'),
  ]
  let text = JSON.stringify(options.policy)
  for (const aggregation of aggregations) {
    const id = textOf(await api.post('/v1/aggregations', aggregation), 'id')
    text = text.replaceAll(JSON.stringify(`aggregation.${aggregation.name}`), JSON.stringify(`aggregation.${id}`))
  }
  const policyId = textOf(await api.post('/v1/policies', { ...JSON.parse(text), owner_id: ownerId }), 'id')
  return api.post('/v1/wallets', {
    chain_type: 'ethereum',
    owner_id: ownerId,
    policy_ids: [policyId],
    additional_signers: [{ signer_id: signerId, override_policy_ids: [policyId] }],
    ...(externalId === undefined ? {} : { external_id: externalId }),
  })
}

async function quorumOf(api: ProviderApi, publicKey: string, name: string): Promise<string> {
  const asked = { public_keys: [publicKey], authorization_threshold: 1, display_name: name }
  return textOf(await api.post('/v1/key_quorums', asked), 'id')
}

/** Throws `SIGNER_UNAVAILABLE` where the provider answered something else. */
function textOf(answer: Fields, member: string): string {
  const value = answer[member]
  if (typeof value === 'string' && value !== '') return value
  throw new WalletError('SIGNER_UNAVAILABLE', `The wallet provider answered nonsense: no ${member}.`)
}

/**
 * Reads a wallet and its policy at the provider and holds both against what they should be. Changes nothing, signs nothing. Throws the
 * `SIGNER_*` codes.
 */
export async function checkManagedWallet(options: CheckManagedWalletOptions): Promise<ManagedWalletReport> {
  const api = openProviderApi(options)
  const wallet = await api.get(`/v1/wallets/${encodeURIComponent(options.walletId)}`)
  const { address } = wallet
  if (typeof address !== 'string' || !isAddress(address)) {
    throw new WalletError('SIGNER_UNAVAILABLE', 'The wallet provider names no Ethereum address for the wallet.')
  }
  const [policyId, ...others] = listOf(wallet['policy_ids'])
  if (typeof policyId !== 'string' || others.length > 0)
    return { address, policyId: null, differences: ['it has no policy, so whatever is authorized is signed'] }
  const policy = await api.get(`/v1/policies/${encodeURIComponent(policyId)}`)
  return {
    address,
    policyId,
    differences: [...ownershipOf(wallet, policy, policyId), ...rulesOf(policy, options.policy.rules)],
  }
}

/** The app, the wallet, and what should be around it. */
export type CheckManagedWalletOptions = ProviderApp & {
  readonly walletId: string
  /** What should stand there; names of aggregations in it count as any. */
  readonly policy: { readonly rules: readonly object[] }
}

/** What stands at the provider. */
export type ManagedWalletReport = {
  readonly address: Address
  /** The one policy that it has; `null` where it has none, or several. */
  readonly policyId: string | null
  /** What is not as it should be, a phrase each; empty where all is. */
  readonly differences: readonly string[]
}

/** Who could lift the fence, and who is held to it. */
function ownershipOf(wallet: Fields, policy: Fields, policyId: string): readonly string[] {
  const owner = wallet['owner_id']
  const signers = listOf(wallet['additional_signers']) as readonly Fields[]
  const free = signers.filter(({ override_policy_ids: ids }) => canonicalize(ids) !== canonicalize([policyId]))
  return [
    ...(typeof owner === 'string' ? [] : ['nobody owns it, so the app secret alone signs']),
    ...(policy['owner_id'] === owner ? [] : ['its policy has another owner than the wallet']),
    ...(signers.length === 1 ? [] : [`${signers.length} keys sign beside its owner, not one`]),
    ...(signers.some(({ signer_id: id }) => id === owner)
      ? ['the key that signs owns it, and can lift its policy']
      : []),
    ...(free.length === 0 ? [] : ['the key that signs is held to another policy']),
  ]
}

function rulesOf(policy: Fields, expected: readonly object[]): readonly string[] {
  const [found, wanted] = [listOf(policy['rules']), expected].map((rules) => rules.map(normalized))
  const missing = (wanted ?? []).filter((rule) => found?.includes(rule) !== true)
  const added = (found ?? []).filter((rule) => wanted?.includes(rule) !== true)
  return [
    ...missing.map((rule) => `its policy lacks the rule ${nameIn(rule)}`),
    ...added.map((rule) => `its policy has another rule ${nameIn(rule)}`),
  ]
}

/** Ids that the provider gave do not count. */
function normalized(rule: unknown): string {
  const { id: _id, ...rest } = { ...(rule as object) } as Fields
  return (canonicalize(rest) ?? '').replace(/"aggregation\.[^"]*"/g, '"aggregation"')
}

function nameIn(rule: string): string {
  const { name } = JSON.parse(rule) as { readonly name?: unknown }
  return typeof name === 'string' ? JSON.stringify(name.slice(0, 50)) : 'without a name'
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/**
 * What an app asks of its wallet provider beside signatures, with app id and secret alone. Each request is made once. Throws
 * `SIGNER_UNAVAILABLE`, `SIGNER_UNAUTHORIZED`, `SIGNER_RATE_LIMITED` or `SIGNER_REFUSED`; the cause keeps status and the provider's code.
 */
function openProviderApi(app: ProviderApp): ProviderApi {
  const { appId, appSecret, fetch = globalThis.fetch } = app
  const base = readSigningUrl(app.apiUrl ?? 'https://api.privy.io', 'apiUrl').replace(/\/+$/, '')
  const secret = appSecret instanceof Secret ? appSecret.reveal() : appSecret
  const authorization = `Basic ${Buffer.from(`${appId}:${secret}`).toString('base64')}`
  const ask = async (method: 'GET' | 'POST', path: string, body?: object) => {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: {
        authorization,
        'privy-app-id': appId,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      throw unavailable(base, cause)
    })
    const read = fields(await answer.json().catch(() => null))
    if (answer.ok && read !== null) return read
    throw refusal(answer.status, typeof read?.['code'] === 'string' ? read['code'] : null, base)
  }
  return {
    get: (path) => ask('GET', path),
    find: (path) =>
      ask('GET', path).catch((error: unknown) => {
        if (error instanceof WalletError && error.details['status'] === 404) return null
        throw error
      }),
    post: (path, body) => ask('POST', path, body),
  }
}

/** An app at the provider. */
export type ProviderApp = {
  readonly appId: string
  readonly appSecret: string | Secret
  /** Its public one without. */
  readonly apiUrl?: string | undefined
  readonly fetch?: typeof fetch | undefined
}

type ProviderApi = {
  readonly get: (path: string) => Promise<Fields>
  /** `null` where the provider has no such thing. */
  readonly find: (path: string) => Promise<Fields | null>
  readonly post: (path: string, body: object) => Promise<Fields>
}

type Fields = Readonly<Record<string, unknown>>

const timeoutMs = 20_000

function fields(value: unknown): Fields | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
}

function unavailable(base: string, cause: unknown): WalletError {
  return new WalletError('SIGNER_UNAVAILABLE', `The wallet provider at ${new URL(base).host} does not answer.`, {
    cause,
  })
}

function refusal(status: number, code: string | null, base: string): WalletError {
  const cause = new Error(`${status} ${code ?? ''}`)
  if (status >= 500 || status < 400) return unavailable(base, cause)
  if (status === 401 || status === 403) {
    return new WalletError('SIGNER_UNAUTHORIZED', 'The wallet provider does not accept the credentials.', { cause })
  }
  if (status === 429) {
    const details = { retryAfterSeconds: null }
    return new WalletError('SIGNER_RATE_LIMITED', 'The wallet provider asks for fewer requests.', { cause, details })
  }
  const what = status === 404 ? 'knows no such thing in this app' : `refuses the request (${status})`
  const details = { status, providerCode: code, host: new URL(base).host }
  return new WalletError('SIGNER_REFUSED', `The wallet provider ${what}.`, { cause, details })
}
