import canonicalize from 'canonicalize'
import { keccak256, stringToHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { readPublicKey, checkAuthorization, checkExpiry, type ProviderRequest } from './check-request.ts'
import {
  ProviderError,
  type ProviderFault,
  asList,
  asObject,
  asText,
  asTexts,
  invalid,
  onlyKnown,
  oneOf,
} from './faults.ts'
import { readAggregation, readPolicy } from './policy.ts'
import {
  type AdditionalSigner,
  find,
  type KeyQuorum,
  type ProviderState,
  type ProviderWallet,
} from './provider-state.ts'
import { signRequest } from './sign-request.ts'
import { readWireRequest } from './wire-request.ts'

/** What each route does with a request that came from the app itself. */
export const routes: readonly Route[] = [
  ['POST', /^\/v1\/policies$/, (context) => createPolicy(context)],
  ['GET', /^\/v1\/policies\/([\w-]+)$/, (context, id) => readStoredPolicy(context, id)],
  ['POST', /^\/v1\/aggregations$/, (context) => createAggregation(context)],
  ['POST', /^\/v1\/condition_sets$/, (context) => createConditionSet(context)],
  ['POST', /^\/v1\/condition_sets\/([\w-]+)\/items$/, (context, id) => addConditions(context, id)],
  ['POST', /^\/v1\/key_quorums$/, (context) => createKeyQuorum(context)],
  ['POST', /^\/v1\/wallets$/, (context) => once(context, async () => createWallet(context))],
  ['GET', /^\/v1\/wallets\/([\w-]+)$/, (context, id) => readWallet(context, id)],
  ['POST', /^\/v1\/wallets\/([\w-]+)\/rpc$/, (context, id) => sign(context, id)],
]

export type Route = readonly [method: string, path: RegExp, act: (context: RouteContext, id: string) => unknown]

export type RouteContext = {
  readonly state: ProviderState
  readonly request: ProviderRequest
  readonly seed: string
  readonly nowMs: number
  readonly fault: ProviderFault | null
}

function createPolicy(context: RouteContext): unknown {
  const { state, request, nowMs } = context
  const policy = readPolicy(request.body)
  for (const { conditions } of policy.rules) {
    for (const { field_source, field } of conditions) {
      if (field_source === 'reference') find(state.aggregations, field.replace(/^aggregation\./, ''), 'Aggregation')
    }
  }
  const id = state.nextId('policy')
  const owner_id = ownerOf(state, asObject(request.body, 'policy'))
  state.policies.set(id, { ...policy, owner_id, created_at: nowMs })
  return readStoredPolicy({ ...context, fault: null }, id)
}

/** Each rule has an id of its own; `altered` leaves the last one out. */
function readStoredPolicy({ state, fault }: RouteContext, id: string): unknown {
  const policy = find(state.policies, id, 'Policy')
  const rules = policy.rules.map((rule, index) => ({ ...rule, id: `${id}rule${index}` }))
  return { ...policy, id, rules: fault?.fault === 'altered' ? rules.slice(0, -1) : rules }
}

function createAggregation({ state, request }: RouteContext): unknown {
  const aggregation = readAggregation(request.body)
  const id = state.nextId('aggregation')
  state.aggregations.set(id, aggregation)
  return { ...asObject(request.body, 'aggregation'), id }
}

function createConditionSet({ state, request }: RouteContext): unknown {
  const name = asText(asObject(request.body, 'condition_set')['name'], 'name')
  const id = state.nextId('conditions')
  state.conditionSets.set(id, [])
  return { id, name }
}

function addConditions({ state, request }: RouteContext, id: string): unknown {
  const known = find(state.conditionSets, id, 'Condition set')
  const added = asList(request.body, 'items').map((item) => asText(asObject(item, 'items')['value'], 'items.value'))
  state.conditionSets.set(id, [...known, ...added])
  return added.map((value) => ({ value, condition_set_id: id }))
}

function createKeyQuorum({ state, request }: RouteContext): KeyQuorum {
  const fields = asObject(request.body, 'key_quorum')
  onlyKnown(fields, ['public_keys', 'authorization_threshold', 'display_name'], 'key_quorum')
  const keys = asTexts(fields['public_keys'], 'public_keys')
  const threshold = fields['authorization_threshold'] ?? keys.length
  if (typeof threshold !== 'number' || threshold < 1 || threshold > keys.length) {
    throw invalid('authorization_threshold', `1 to ${keys.length}`)
  }
  return addQuorum(state, keys, threshold)
}

function createWallet({ state, request, seed, nowMs }: RouteContext): unknown {
  const fields = asObject(request.body, 'wallet')
  onlyKnown(
    fields,
    ['chain_type', 'owner', 'owner_id', 'policy_ids', 'additional_signers', 'external_id', 'display_name'],
    'wallet',
  )
  oneOf(fields['chain_type'], ['ethereum'], 'chain_type')
  const externalId = readExternalId(state, fields['external_id'])
  const policyIds = asTexts(fields['policy_ids'] ?? [], 'policy_ids')
  if (policyIds.length > 1) throw invalid('policy_ids', 'at most one policy')
  for (const id of policyIds) find(state.policies, id, 'Policy')
  const id = state.nextId('wallet')
  const privateKey = keccak256(stringToHex(`${seed} ${id}`))
  const wallet: ProviderWallet = {
    id,
    privateKey,
    address: privateKeyToAddress(privateKey),
    externalId,
    ownerId: ownerOf(state, fields),
    policyIds,
    signers: asList(fields['additional_signers'] ?? [], 'additional_signers').map((signer) =>
      readSigner(state, signer),
    ),
    signed: [],
    createdAtMs: nowMs,
  }
  state.wallets.set(id, wallet)
  return shown(wallet)
}

/** A name of the app's for one wallet, for good. */
function readExternalId(state: ProviderState, value: unknown): string | null {
  if (value === undefined || value === null) return null
  const name = asText(value, 'external_id')
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) throw invalid('external_id', '1 to 64 letters, digits, "_" and "-"')
  if (named(state, name) === undefined) return name
  throw new ProviderError(400, 'external_id_taken', 'Another wallet has this external id.')
}

function named({ wallets }: ProviderState, externalId: string): ProviderWallet | undefined {
  return [...wallets.values()].find((wallet) => wallet.externalId === externalId)
}

/** By its id, or behind `ext_wal_` by the app's own name for it. */
function findWallet(state: ProviderState, id: string): ProviderWallet {
  const own = id.startsWith('ext_wal_') ? named(state, id.slice('ext_wal_'.length)) : undefined
  return own ?? find(state.wallets, id, 'Wallet')
}

function ownerOf(state: ProviderState, { owner, owner_id: ownerId }: Readonly<Record<string, unknown>>): string | null {
  if (ownerId !== undefined && ownerId !== null) return find(state.quorums, asText(ownerId, 'owner_id'), 'Owner').id
  if (owner === undefined || owner === null) return null
  return addQuorum(state, [asText(asObject(owner, 'owner')['public_key'], 'owner.public_key')], 1).id
}

function addQuorum(state: ProviderState, keys: readonly string[], threshold: number): KeyQuorum {
  for (const key of keys) readPublicKey(key, 'public_key')
  const quorum = { id: state.nextId('quorum'), public_keys: keys, authorization_threshold: threshold }
  state.quorums.set(quorum.id, quorum)
  return quorum
}

function readSigner(state: ProviderState, value: unknown): AdditionalSigner {
  const fields = asObject(value, 'additional_signers')
  const policies = asTexts(fields['override_policy_ids'] ?? [], 'additional_signers.override_policy_ids')
  for (const id of policies) find(state.policies, id, 'Policy')
  const id = asText(fields['signer_id'], 'additional_signers.signer_id')
  return { signer_id: find(state.quorums, id, 'Signer').id, override_policy_ids: policies }
}

function readWallet({ state, fault }: RouteContext, id: string): unknown {
  const wallet = shown(findWallet(state, id))
  return fault?.fault === 'other-key' ? { ...wallet, address: '0x00000000000000000000000000000000000000b0' } : wallet
}

function shown({ id, address, externalId, ownerId, policyIds, signers, createdAtMs }: ProviderWallet) {
  return {
    id,
    address,
    external_id: externalId,
    chain_type: 'ethereum',
    policy_ids: policyIds,
    additional_signers: signers,
    owner_id: ownerId,
    created_at: createdAtMs,
    exported_at: null,
    imported_at: null,
  }
}

/** Expiry, authorization, policy, signature; the same idempotency key with the same body gives the same answer. */
async function sign(context: RouteContext, walletId: string): Promise<unknown> {
  const { state, request, nowMs, fault } = context
  const wallet = findWallet(state, walletId)
  checkExpiry(request, nowMs)
  const policyIds = policiesFor(context, wallet)
  const kind = signingFaults.find((one) => one === fault?.fault) ?? null
  return await once(context, () =>
    signRequest(state, wallet, policyIds, readWireRequest(request.body), { nowMs, fault: kind }),
  )
}

const signingFaults = ['other-key', 'altered', 'lax'] as const

/** An additional signer is held to the policies that stand beside its name, the owner to those of the wallet. */
function policiesFor(
  { state, request }: RouteContext,
  { ownerId, signers, policyIds }: ProviderWallet,
): readonly string[] {
  if (ownerId === null) return policyIds
  const ids = [ownerId, ...signers.map(({ signer_id: id }) => id)]
  const by = checkAuthorization(
    request,
    ids.map((id) => find(state.quorums, id, 'Key quorum')),
  )
  const signer = signers.find(({ signer_id: id }) => id === by.id)
  const overridden = signer?.override_policy_ids ?? []
  return by.id === ownerId || overridden.length === 0 ? policyIds : overridden
}

/** Keeps an answer for 24 hours by its idempotency key. A refusal is not kept: it had no effect. */
async function once({ state, request, nowMs }: RouteContext, act: () => Promise<unknown>): Promise<unknown> {
  const key = request.headers['privy-idempotency-key']
  if (key === undefined) return await act()
  // The expiry of a request changes from try to try, so only what is asked counts.
  const asked = `${request.url} ${canonicalize(request.body) ?? ''}`
  const known = state.replies.get(key)
  if (known !== undefined && nowMs - known.atMs < 86_400_000) {
    if (known.asked === asked) return await known.answer
    throw new ProviderError(400, 'idempotency_key_reused', 'The idempotency key was used with another body.')
  }
  const answer = act()
  state.replies.set(key, { asked, atMs: nowMs, answer })
  try {
    return await answer
  } catch (error) {
    state.replies.delete(key)
    throw error
  }
}
