import type { Devnet } from '@svc/devnet'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { writeChainsFile } from '../faucet/chains-file.fixture.ts'
import { openTestApi, type TestApi } from '../test-api.fixture.ts'

/** The service with a faucet of 1 ETH on the local chain, and `app-one` as the app of the page. */
export async function openPageApi(devnet: Devnet, env: Readonly<Record<string, string>> = {}): Promise<PageApi> {
  const privateKey = generatePrivateKey()
  await devnet.fund(privateKeyToAddress(privateKey), { ETH: '1' })
  const file = await writeChainsFile(devnet.chain)
  const api = await openTestApi({
    env: {
      SVC_FAUCET_PRIVATE_KEY: privateKey,
      SVC_FAUCET_CHAINS: '31337',
      SVC_CHAINS_FILE: file.path,
      SVC_RPC_URL_31337: devnet.rpcUrl,
      SVC_PAGE_APP_ID: 'app-one',
      ...env,
    },
  })
  return {
    api,
    close: async () => {
      await api.close()
      await file.remove()
    },
  }
}

export type PageApi = { readonly api: TestApi; close(): Promise<void> }
