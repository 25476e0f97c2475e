import { ToolError } from '@svc/amm'
import { refusedByStore } from '@svc/engine'
import { withAuditLog } from '@svc/engine/open'
import type { Redactor } from '@svc/runtime'
import { StoreError } from '@svc/store'
import { Secret, WalletError } from '@svc/wallet/core'
import { type Config, ConfigError, type ProvisionConfig, type WalletConfig } from '../config/config-shape.ts'
import { envFilePath, mergeEnvFile, readEnvFile, requireRestored } from '../config/env-file.ts'
import type { Provision } from '../open-dispatch.ts'
import { type ObtainedWallet, obtainWallet } from './obtain-wallet.ts'

/**
 * Makes the wallet that the settings allow, as `svc setup production` does: the request and what came of it stand in the audit log, the
 * wallet in the environment file, and the pipeline is opened over it. Whoever asks again gets the same one. Throws `ToolError`.
 */
export function createProvision<Write>(options: ProvisionOptions<Write>): Provision<Write> {
  let underWay: ReturnType<Provision<Write>> | null = null
  const forget = (error: unknown) => {
    underWay = null
    throw toolErrorOf(error, options.config.dataDir)
  }
  return (asked) => (underWay ??= provide(options, asked).catch(forget))
}

export type ProvisionOptions<Write> = {
  readonly config: Config & { readonly provision: ProvisionConfig }
  readonly openWrite: (config: Config, wallet: WalletConfig) => Promise<Write>
  readonly randomBytes: (size: number) => Uint8Array
  /** Of the server's log and of its audit log: learns the key as soon as there is one. */
  readonly redactor: Pick<Redactor, 'add' | 'scrub'>
}

async function provide<Write>(
  options: ProvisionOptions<Write>,
  asked: Parameters<Provision<Write>>[0],
): ReturnType<Provision<Write>> {
  const { config, openWrite } = options
  // Before anything is written: what a restore has not finished is not this server's to add to.
  requireRestored(config.dataDir)
  const { role, chains, appId, appSecret, apiUrl } = config.provision
  const named = chains.map(({ name }) => name)
  const { walletId, authPrivateKey } = await obtainAudited(options, { ...asked, role, chains: named })
  const key = new Secret(authPrivateKey)
  const wallet = { type: 'managed', appId, appSecret, walletId, authPrivateKey: key, apiUrl } as const
  const withWallet = { ...config, wallet, provision: null, walletSecrets: [...config.walletSecrets, key] }
  const write = await openWrite(withWallet, wallet)
  return { config: withWallet, write, report: { walletId, role, chains: named } }
}

/** Of the directory this is the only server meanwhile: two that ask at once would make two wallets. */
function obtainAudited(
  { config, randomBytes, redactor }: Omit<ProvisionOptions<unknown>, 'openWrite'>,
  facts: Readonly<Record<string, unknown>>,
): Promise<ObtainedWallet> {
  const { dataDir } = config
  return withAuditLog({ dataDir, scrub: (value) => redactor.scrub(value) }, async (audit) => {
    await audit.append({ ...facts, event: 'wallet.requested' })
    try {
      const obtained = await obtainWallet(wantedOf(config.provision), {
        dataDir,
        standing: standingIn(dataDir),
        randomBytes,
        onKey: (privateKey) => redactor.add(privateKey),
      })
      const { walletId, address, authPrivateKey, origin } = obtained
      mergeEnvFile(envFilePath(dataDir), {
        WALLET_TYPE: 'managed',
        WALLET_ID: walletId,
        WALLET_AUTH_PRIVATE_KEY: authPrivateKey,
      })
      await obtained.settled()
      await audit.append({ ...facts, event: 'wallet.provisioned', walletId, address, origin })
      return obtained
    } catch (error) {
      const code = error instanceof WalletError ? error.code : 'INTERNAL'
      await audit.append({ ...facts, event: 'wallet.refused', code })
      throw error
    }
  })
}

function wantedOf({ appId, appSecret, apiUrl, authPrivateKey, ownerPublicKey, role, chains }: ProvisionConfig) {
  return {
    app: { appId, appSecret, ...(apiUrl === null ? {} : { apiUrl }) },
    authKey: authPrivateKey?.reveal() ?? null,
    ownerKey: ownerPublicKey,
    role,
    chains,
  }
}

/** What an earlier attempt of this very process wrote, which could not open the wallet then. */
function standingIn(dataDir: string) {
  const { WALLET_ID: walletId, WALLET_AUTH_PRIVATE_KEY: authPrivateKey } = readEnvFile(envFilePath(dataDir))
  return walletId === undefined || authPrivateKey === undefined ? null : { walletId, authPrivateKey }
}

/** In codes of this server, in words of ours alone: what systems and libraries say, and the operator's paths, stay here. */
function toolErrorOf(cause: unknown, dataDir: string): ToolError {
  if (cause instanceof ToolError) return cause
  const message = cause instanceof Error ? cause.message.replaceAll(dataDir, 'D') : ''
  const refused = refusedByStore(cause)
  if (refused !== null) return refused
  if (cause instanceof StoreError) return new ToolError('STORAGE_UNAVAILABLE', message, { cause })
  if (cause instanceof WalletError) {
    const code = codes.get(cause.code)
    if (code !== undefined) return new ToolError(code, message, { cause, suggestion: suggestions[code] })
  }
  const suggestion = 'The operator sees what is wrong: svc doctor --data-dir D'
  if (cause instanceof ConfigError) return new ToolError('WALLET_NOT_CONFIGURED', message, { cause, suggestion })
  return new ToolError('INTERNAL', 'The wallet could not be made.', { cause })
}

const suggestions = {
  SIGNER_UNAVAILABLE:
    'Call provision_wallet again later: a wallet that was made meanwhile is found, and no second one is made.',
  SIGNER_REFUSED:
    'Send nothing to a wallet that is named here. The operator looks at it there: svc setup production --data-dir D',
  SIGNER_UNAUTHORIZED: 'The operator must correct WALLET_APP_ID or WALLET_APP_SECRET.',
} as const

const codes: ReadonlyMap<string, keyof typeof suggestions> = new Map<string, keyof typeof suggestions>([
  ['SIGNER_UNAVAILABLE', 'SIGNER_UNAVAILABLE'],
  ['SIGNER_RATE_LIMITED', 'SIGNER_UNAVAILABLE'],
  ['SIGNER_REFUSED', 'SIGNER_REFUSED'],
  ['SIGNER_UNAUTHORIZED', 'SIGNER_UNAUTHORIZED'],
])
