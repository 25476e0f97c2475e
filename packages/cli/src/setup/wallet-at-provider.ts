import { join } from 'node:path'
import { compilePolicy, loadPolicy } from '@svc/engine/policy'
import { ownerKeyName } from '@svc/tool-server'
import { type Chain, findChain, WalletError } from '@svc/wallet/core'
import {
  checkManagedWallet,
  createAuthorizationKey,
  provisionManagedWallet,
  readAuthorizationKey,
  readAuthorizationPublicKey,
} from '@svc/wallet/provisioning'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import type { Address } from 'viem'
import { isRole, type ProductionAnswers } from './production-inputs.ts'

/**
 * The wallet that the environment file names, held against the template of the role, or a new one. Either way the provider is asked for what the
 * policy forbids. Nothing is written here. Throws where the wallet is not as it should be.
 */
export async function walletAtProvider(
  answers: ProductionAnswers,
  written: Readonly<Record<string, string>>,
  world: Place,
): Promise<WalletAtProvider> {
  const { appId, appSecret } = answers
  const apiUrl = world.environment['SVC_WALLET_API_URL'] || written['SVC_WALLET_API_URL']
  const app = { appId, appSecret, apiUrl }
  const { policy, aggregations } = await templateOf(answers, world)
  const walletId = written['WALLET_ID']
  const keptKey = written['WALLET_AUTH_PRIVATE_KEY']
  if (walletId !== undefined && keptKey !== undefined) {
    const { address, differences } = await checkManagedWallet({ ...app, walletId, policy })
    if (differences.length > 0) throw new Error(notAsTemplate(walletId, differences))
    await requireDenial({ ...app, walletId, authPrivateKey: keptKey })
    return { walletId, address, authPrivateKey: keptKey, isNew: false, ownerPrivateKey: null, ownerKeyFile: null }
  }
  const signer = answers.authKey === '' ? createAuthorizationKey() : readAuthorizationKey(answers.authKey, 'authKey')
  const owner = answers.ownerKey === '' ? createAuthorizationKey() : null
  const ownerPublicKey = owner?.publicKey ?? readAuthorizationPublicKey(answers.ownerKey, 'ownerKey')
  const { publicKey: signerPublicKey, privateKey: authPrivateKey } = signer
  if (signerPublicKey === ownerPublicKey)
    throw new Error('The key that signs and the key that owns the policy are the same: then no policy holds.')
  const made = await provisionManagedWallet({ ...app, signerPublicKey, ownerPublicKey, policy, aggregations })
  await requireDenial({ ...app, walletId: made.walletId, authPrivateKey })
  const ownerKeyFile = owner === null ? null : join(world.dataDir, ownerKeyName)
  return { ...made, authPrivateKey, isNew: true, ownerPrivateKey: owner?.privateKey ?? null, ownerKeyFile }
}

export type WalletAtProvider = {
  readonly walletId: string
  readonly address: Address
  readonly authPrivateKey: string
  readonly isNew: boolean
  /** Of a pair that was made here. */
  readonly ownerPrivateKey: string | null
  readonly ownerKeyFile: string | null
}

type Place = {
  readonly dataDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly chains: readonly Chain[]
}

function notAsTemplate(walletId: string, differences: readonly string[]): string {
  return `The wallet ${walletId} at the provider is not as role and chains say: ${differences.join('; ')}. Have its owner change it, or name the role and chains that it was made with.`
}

/** The policy that the provider is to hold the wallet to: production's, as the role needs it, on these chains. */
async function templateOf({ role, chains }: ProductionAnswers, { dataDir, chains: table }: Place) {
  const policy = await loadPolicy(join(dataDir, 'policy.json'), { production: true })
  const named = chains.split(',').flatMap((name) => findChain(table, name.trim()) ?? [])
  if (!isRole(role)) throw new Error(`There is no role ${role}.`)
  return compilePolicy(policy, named, { role })
}

/** Asks for what the policy forbids: a provider that signs it holds nobody to it. */
async function requireDenial(config: {
  readonly appId: string
  readonly appSecret: string
  readonly apiUrl: string | undefined
  readonly walletId: string
  readonly authPrivateKey: string
}): Promise<void> {
  const wallet = new ServiceWallet({ mode: 'managed', ...config })
  const outcome = await wallet.signMessage('The policy of this wallet refuses to sign this.').then(
    () => 'signed',
    (error: unknown) => (error instanceof WalletError && error.code === 'SIGNER_REFUSED' ? 'refused' : error),
  )
  if (outcome === 'refused') return
  if (outcome !== 'signed') throw outcome
  throw new Error(`The provider signed with the wallet ${config.walletId} what its policy forbids. Send nothing to it.`)
}
