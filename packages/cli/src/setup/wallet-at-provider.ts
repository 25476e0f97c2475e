import { join } from 'node:path'
import { ownerKeyName } from '@svc/tool-server'
import { type ObtainedWallet, obtainWallet } from '@svc/tool-server/provisioning'
import { type Chain, findChain } from '@svc/wallet/core'
import { isRole, type ProductionAnswers } from './production-inputs.ts'

/**
 * The wallet that the environment file names, held against the template of the role, the one that a run which was cut off was making, or a new
 * one. Throws where the wallet is not as it should be.
 */
export async function walletAtProvider(
  answers: ProductionAnswers,
  written: Readonly<Record<string, string>>,
  world: Place,
): Promise<WalletAtProvider> {
  const { appId, appSecret, authKey, ownerKey, role } = answers
  if (!isRole(role)) throw new Error(`There is no role ${role}.`)
  const apiUrl = world.environment['SVC_WALLET_API_URL'] || written['SVC_WALLET_API_URL']
  const [walletId, authPrivateKey] = [written['WALLET_ID'], written['WALLET_AUTH_PRIVATE_KEY']]
  const wallet = await obtainWallet(
    {
      app: { appId, appSecret, apiUrl },
      authKey: authKey === '' ? null : authKey,
      ownerKey: ownerKey === '' ? null : ownerKey,
      role,
      chains: answers.chains.split(',').flatMap((name) => findChain(world.chains, name.trim()) ?? []),
    },
    {
      dataDir: world.dataDir,
      standing: walletId === undefined || authPrivateKey === undefined ? null : { walletId, authPrivateKey },
      randomBytes: world.randomBytes,
    },
  )
  const ownerKeyFile = wallet.ownerPrivateKey === null ? null : join(world.dataDir, ownerKeyName)
  return { ...wallet, ownerKeyFile }
}

/** With where the key of its owner lies; `null` where that is the operator's own. */
export type WalletAtProvider = ObtainedWallet & { readonly ownerKeyFile: string | null }

type Place = {
  readonly dataDir: string
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly chains: readonly Chain[]
  readonly randomBytes: (size: number) => Uint8Array
}
