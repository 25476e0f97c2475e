import canonicalize from 'canonicalize'
import { type Address, isAddress } from 'viem'
import { WalletError } from '../../wallet-error.ts'
import { type Fields, openProviderApi, type ProviderApp } from './provider-api.ts'

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
