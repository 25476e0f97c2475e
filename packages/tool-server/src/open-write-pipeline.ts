import { ConfigError, type ConfigProblem, type Config, type WalletConfig } from './config/config-shape.ts'
import type { Policy, PolicySource } from '@svc/engine'
import { openEngine } from '@svc/engine/open'
import { createRedactor, type Log } from '@svc/runtime'
import type { Store } from '@svc/store'
import { WalletError } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { secretsOf } from './config/secrets.ts'
import { openState, requirePrivate } from './open-state.ts'
import type { SignInEvent } from './auth/sign-in/sign-in-options.ts'
import type { Ports } from './ports.ts'
import type { Adapters } from './server.ts'

/**
 * Opens the engine over the wallet and the database that the settings name. Throws what `openEngine` throws, and `ConfigError`
 * when the database, or the provider of a managed wallet, cannot be reached.
 */
export async function openWritePipeline(options: {
  readonly config: Config
  readonly wallet: WalletConfig
  readonly ports: Omit<Ports, 'agentAddress' | 'history' | 'reach' | 'workers'>
  readonly policy: Policy
  /** Follows the changes of the policy's file; without it `policy` holds for good. */
  readonly policies?: PolicySource
  readonly log: Log
  /** How long closing waits for writes on their way; ten seconds by default. */
  readonly stopTimeoutMs?: number
}): Promise<
  NonNullable<Adapters['write']> & Pick<Store, 'bars' | 'sightings' | 'signIns' | 'rateLeases'> & AuditsSignIns
> {
  const { config, wallet, ...rest } = options
  const { dataDir } = config
  const redactor = createRedactor(secretsOf(config))
  const engine = await openEngine({
    ...rest,
    dataDir,
    wallet: await openWallet(wallet),
    openStore: async () => {
      requirePrivate(dataDir)
      return openState(config)
    },
    scrub: (value) => redactor.scrub(value),
    sponsorsOn: (chainId) => sponsorsOn(config, chainId),
  })
  return { ...engine, wallet: { ...engine.wallet, type: wallet.type } }
}

/** Neither takes an operation without the other. */
function sponsorsOn({ bundlerUrls, paymasterUrls }: Config, chainId: number) {
  const [bundler, paymaster] = [bundlerUrls.get(chainId), paymasterUrls.get(chainId)]
  if (bundler === undefined || paymaster === undefined) return null
  return { bundlerUrl: bundler.reveal(), paymasterUrl: paymaster.reveal() }
}

/** The address of a managed wallet is read from its provider, which proves that the credentials hold. */
async function openWallet(config: WalletConfig): Promise<ServiceWallet> {
  if (config.type === 'local') return new ServiceWallet({ mode: 'local', privateKey: config.privateKey })
  const { appId, appSecret, walletId, authPrivateKey, apiUrl } = config
  const url = apiUrl === null ? {} : { apiUrl }
  try {
    const wallet = new ServiceWallet({ mode: 'managed', appId, appSecret, walletId, authPrivateKey, ...url })
    await wallet.getAddress()
    return wallet
  } catch (error) {
    if (!(error instanceof WalletError)) throw error
    throw new ConfigError([{ code: 'MANAGED_WALLET_UNAVAILABLE', ...walletProblem(error, apiUrl) }])
  }
}

/** Which setting a person looks at first, also where nothing is wrong with it and the provider is down. */
function walletProblem(
  { code, message, suggestion }: WalletError,
  apiUrl: string | null,
): Pick<ConfigProblem, 'setting' | 'message' | 'fix'> {
  const named = managedSettings.find(([name]) => message.startsWith(`${name} `))
  if (named !== undefined) {
    const [option, setting] = named
    return { setting, message: message.replace(option, setting), fix: `Correct ${setting}.` }
  }
  if (code === 'SIGNER_UNAVAILABLE') {
    const place = apiUrl === null ? "the provider's public address" : apiUrl
    const fix = `Asked was ${place}. Start again when it answers, or correct SVC_WALLET_API_URL; SVC_MCP_PROFILE=data serves reads meanwhile.`
    return { setting: 'SVC_WALLET_API_URL', message, fix }
  }
  if (code === 'SIGNER_UNAUTHORIZED') {
    const fix = 'Correct WALLET_APP_ID, WALLET_APP_SECRET or WALLET_AUTH_PRIVATE_KEY.'
    return { setting: 'WALLET_APP_SECRET', message, fix }
  }
  return { setting: 'WALLET_TYPE', message, fix: suggestion }
}

/** What the wallet package calls an option, and what the operator does. */
const managedSettings = [
  ['appId', 'WALLET_APP_ID'],
  ['appSecret', 'WALLET_APP_SECRET'],
  ['walletId', 'WALLET_ID'],
  ['authPrivateKey', 'WALLET_AUTH_PRIVATE_KEY'],
  ['apiUrl', 'SVC_WALLET_API_URL'],
] as const

type AuditsSignIns = { auditSignIn(event: SignInEvent): Promise<void> }
