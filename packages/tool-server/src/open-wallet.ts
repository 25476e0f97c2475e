import { WalletError } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { ConfigError, type ConfigProblem, type WalletConfig } from './config/config-shape.ts'

/**
 * The wallet that the settings name. The address of a managed one is read from its provider, which proves that the credentials hold;
 * throws `ConfigError` where it does not answer.
 */
export async function openWallet(config: WalletConfig): Promise<ServiceWallet> {
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
