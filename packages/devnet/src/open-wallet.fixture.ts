import {
  type Chain,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type HttpTransport,
  type WalletClient,
} from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import type { Devnet } from './devnet.ts'

/** A wallet on the local chain that signs with its own key, as a user's would. */
export function openWallet(devnet: Devnet, privateKey: Hex): WalletClient<HttpTransport, Chain, PrivateKeyAccount> {
  return createWalletClient({
    account: privateKeyToAccount(privateKey),
    chain: viemChain(devnet),
    transport: http(devnet.rpcUrl, { retryCount: 0 }),
    pollingInterval: 10,
    cacheTime: 0,
  })
}

export function viemChain({ chainId, chain, rpcUrl }: Devnet): Chain {
  return defineChain({
    id: chainId,
    name: chain.name,
    nativeCurrency: chain.nativeCurrency,
    rpcUrls: { default: { http: [rpcUrl] } },
  })
}
