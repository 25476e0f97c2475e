import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError, type ConfigProblem, type Config, type WalletConfig } from './config/config-shape.ts'
import type { Policy, PolicySource } from '@svc/engine'
import { openEngine } from '@svc/engine/open'
import { createRedactor, type Log } from '@svc/runtime'
import { openStore, steadyClock, type Store, StoreError } from '@svc/store'
import { WalletError } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { secretsOf } from './config/secrets.ts'
import type { Ports } from './ports.ts'
import type { Adapters } from './server.ts'

/**
 * Opens the engine over the wallet and the database that the settings name. Throws what `openEngine` throws, and `ConfigError`
 * when the database, or the provider of a managed wallet, cannot be reached.
 */
export async function openWritePipeline(options: {
  readonly config: Config
  readonly wallet: WalletConfig
  readonly ports: Omit<Ports, 'agentAddress' | 'history' | 'workers'>
  readonly policy: Policy
  /** Follows the changes of the policy's file; without it `policy` holds for good. */
  readonly policies?: PolicySource
  readonly log: Log
  /** How long closing waits for writes on their way; ten seconds by default. */
  readonly stopTimeoutMs?: number
}): Promise<NonNullable<Adapters['write']> & Pick<Store, 'bars' | 'sightings'>> {
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
    throw unavailable({ code: 'MANAGED_WALLET_UNAVAILABLE', ...walletProblem(error, apiUrl) })
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

/** The state stands in the database that the operator names, else in the data directory. */
async function openState({ dataDir, databaseUrl }: Config): Promise<Store> {
  const now = steadyClock(Date.now, () => performance.now())
  if (databaseUrl === null) return await openStore({ path: join(dataDir, 'state.db'), now })
  try {
    return await openStore({ url: databaseUrl.reveal(), now })
  } catch (error) {
    const isOurs =
      error instanceof StoreError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_URL_INVALID')
    if (!isOurs) throw error
    throw unavailable({
      code: 'DATABASE_UNAVAILABLE',
      setting: 'SVC_DATABASE_URL',
      message: error.message,
      fix: 'Start the database or correct SVC_DATABASE_URL; without it the state stands in SVC_DATA_DIR.',
    })
  }
}

function unavailable(problem: ConfigProblem): ConfigError {
  return new ConfigError([problem])
}

/**
 * Refuses a data directory into which others than its owner can look, and files of ours in it that others may write.
 * Files are made with mode 0600; the database's own come with the process's mask, and the directory keeps them closed.
 * Throws a `ConfigError` naming each with its fix.
 */
export function requirePrivate(dataDir: string): void {
  if (process.platform === 'win32') return
  const problems: ConfigProblem[] = []
  const check = (path: string, forbidden: number, message: string, mode: string): void => {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined || stats.isSymbolicLink() || (stats.mode & forbidden) === 0) return
    problems.push({ code: 'DATA_DIR_UNSAFE', setting: path, message, fix: `Run: chmod ${mode} ${path}` })
  }
  check(dataDir, 0o077, 'Others than its owner can look into the data directory.', '700')
  for (const name of ownFiles(dataDir)) {
    check(join(dataDir, name), 0o022, 'Others than its owner can write it.', '600')
  }
  if (problems.length > 0) throw new ConfigError(problems)
}

function ownFiles(dataDir: string): readonly string[] {
  return readdirSync(dataDir).filter((name) =>
    /^(?:state\.db.*|server\.lock|audit.*\.jsonl?|paused|(?:breaker|balances|recorded.*|resumed|owed-allowances)\.json)$/.test(
      name,
    ),
  )
}
