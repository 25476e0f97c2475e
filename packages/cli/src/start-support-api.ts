import type { Devnet } from '@svc/devnet'
import { freePort } from './choose-port.ts'

/**
 * The support API on the local chain: a stand-in for the wallet provider that knows one app, and a faucet with an account of
 * its own. It stops by its `stop`; what did start is stopped when a part does not.
 */
export async function startSupportApi(options: SupportApiOptions): Promise<LocalSupportApi> {
  const { devnet, dataDir, chainsPath, logLevel } = options
  const [{ openSupportApi, readConfig }, { startIdentityProvider }, { generatePrivateKey, privateKeyToAddress }] =
    await loadParts()
  const privateKey = generatePrivateKey()
  await devnet.fund(privateKeyToAddress(privateKey), { ETH: faucetEther })
  const provider = await startIdentityProvider({ appIds: [appId] })
  try {
    // The service names its own address in its answers, so it has to know the port before it listens.
    const config = readConfig({
      LOG_LEVEL: logLevel,
      SVC_LISTEN: `127.0.0.1:${options.port === 0 ? await freePort() : options.port}`,
      SVC_DATA_DIR: dataDir,
      SVC_CHAINS_FILE: chainsPath,
      [`SVC_RPC_URL_${devnet.chainId}`]: devnet.rpcUrl,
      SVC_IDENTITY_PROVIDER_URL: provider.url,
      SVC_FAUCET_PRIVATE_KEY: privateKey,
      SVC_FAUCET_CHAINS: String(devnet.chainId),
      SVC_FAUCET_PER_APP_DAY: '1000',
      SVC_FAUCET_PER_NETWORK_DAY: '1000',
      SVC_PAGE_APP_ID: appId,
    })
    const api = await openSupportApi(config)
    const stop = async (): Promise<void> => {
      await api.close(lastAnswersMs)
      await provider.stop()
    }
    const { url } = await api.listen().catch(async (error: unknown) => {
      await api.close(0)
      throw error
    })
    return { url, appId, stop }
  } catch (error) {
    await provider.stop()
    throw error
  }
}

/** Loads what the support API is made of, ahead of its start if asked: it takes a while. */
export async function loadParts() {
  return Promise.all([import('@svc/support-api'), import('@svc/devnet/identity-provider'), import('viem/accounts')])
}

export type SupportApiOptions = {
  readonly devnet: Devnet
  /** Its state stands in a directory in there. */
  readonly dataDir: string
  /** The chain's row, as `SVC_CHAINS_FILE` wants it. */
  readonly chainsPath: string
  /** 0 is any free one. */
  readonly port: number
  readonly logLevel: string
}

export type LocalSupportApi = { readonly url: string; readonly appId: string; stop(): Promise<void> }

const appId = 'svc-local'
/** Enough for a hundred thousand wallets. */
const faucetEther = '1000'
const lastAnswersMs = 500
