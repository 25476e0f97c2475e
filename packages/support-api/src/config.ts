import type { Chain } from '@svc/wallet/core'
import type { Secret } from '@svc/wallet/core'

/** Everything the operator decides, checked and typed. */
export type Config = {
  readonly production: boolean
  readonly listen: { readonly host: string; readonly port: number }
  readonly trustedProxies: readonly string[]
  readonly allowedHosts: readonly string[]
  readonly logLevel: 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'silent'
  /** Absolute; holds the state where no database is named. */
  readonly dataDir: string
  readonly databaseUrl: Secret | null
  /** Where app ids are looked up: base URL and path with `{appId}` in it. */
  readonly identityProvider: { readonly url: string; readonly path: string }
  /** Base URL of the gateway that answers name. */
  readonly gatewayUrl: string
  readonly pins: PinConfig
  readonly faucet: FaucetConfig | null
}

export type PinConfig = {
  readonly backend:
    | { readonly kind: 'embedded' }
    | { readonly kind: 'pinata'; readonly url: string; readonly jwt: Secret }
    | { readonly kind: 'kubo'; readonly url: string }
    | { readonly kind: 'pinning-service'; readonly url: string; readonly token: Secret }
  /** New content per app in any hour; 10. */
  readonly perAppPerHour: number
  /** Requests per range of client addresses in any hour. */
  readonly perNetworkPerHour: number
}

export type FaucetConfig = {
  readonly privateKey: Secret
  readonly chains: readonly FaucetChain[]
  readonly perAppPerDay: number
  /** Of one /24 (IPv4) or /64 (IPv6). */
  readonly perNetworkPerDay: number
  /** Of one chain, in any 24 hours. */
  readonly perChainPerDay: number
  /** Wallets that hold more get nothing; `null`: all do. */
  readonly targetCeilingWei: bigint | null
}

export type FaucetChain = { readonly chain: Chain; readonly rpcUrls: readonly string[] }
