import type { BackendWalletConfig, SignerWalletConfig } from './index.ts'
import { ServiceWallet } from './service-wallet.ts'
import type { Signer } from './signer.ts'

declare const privateKey: string
declare const signer: Signer

void new ServiceWallet({ mode: 'local', privateKey })
void new ServiceWallet({ mode: 'local', signer })

// @ts-expect-error a local wallet has a key
void new ServiceWallet({ mode: 'local', chainId: 31337 })
// @ts-expect-error which is text
void new ServiceWallet({ mode: 'local', privateKey: undefined })
// @ts-expect-error a managed wallet has the key that authorizes its requests
void new ServiceWallet({ mode: 'managed', appId: 'app', appSecret: 'secret', walletId: 'wallet' })

// Programs written when it had this name compile still.
declare const named: SignerWalletConfig
export const backend: BackendWalletConfig = named
void new ServiceWallet(named)
