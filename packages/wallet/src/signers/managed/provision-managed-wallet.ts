import type { Address } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import { checkManagedWallet } from './check-managed-wallet.ts'
import { type Fields, openProviderApi, type ProviderApi, type ProviderApp } from './provider-api.ts'

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
