import type { Address } from 'viem'
import type { Chain, Secret } from '@svc/wallet/core'
import type { KeyTier } from '@svc/engine'
import type { AgentRole } from '@svc/engine/policy'
import type { Profile } from '../dispatch/offered-tools.ts'
import type { OfferedToolsets } from './toolsets.ts'
import type { Webhook } from '../watches/webhooks.ts'
import type { LogLevel, ConfigProblem as Problem } from '@svc/runtime'

/** Everything the operator decides, checked and typed. Secrets print as `[redacted]`. */
export type Config = {
  readonly production: boolean
  readonly profile: Profile
  readonly toolsets: OfferedToolsets
  /** Whether all callers have one memory. */
  readonly sharesMemory: boolean
  /** How often watched positions are looked at. */
  readonly watchSeconds: number
  /** Where their events go; `null` for nowhere. */
  readonly webhook: Webhook | null
  readonly logLevel: LogLevel
  /** Where spans are sent over OTLP/HTTP; `null` for nowhere. */
  readonly tracesUrl: string | null
  /** Where figures are shown to Prometheus, and the token for them where there is one; `null` for nowhere. */
  readonly metrics: { readonly listen: Config['listen']; readonly token: Secret | null } | null
  /** Absolute path. */
  readonly dataDir: string
  readonly databaseUrl: Secret | null
  readonly listen: { readonly host: string; readonly port: number }
  /** Whether `/mcp` takes upgrades to WebSocket. */
  readonly webSocket: boolean
  readonly tls: { readonly certPath: string; readonly keyPath: string } | null
  readonly trustedProxies: readonly string[]
  /** In small letters: where the edge itself names the client; `null` where `X-Forwarded-For` does. */
  readonly clientAddressHeader: string | null
  readonly allowedHosts: readonly string[]
  readonly allowedOrigins: readonly string[]
  /** Where clients reach `/mcp`; `null`: where it listens. */
  readonly publicUrl: string | null
  /** Whether `/operator` shows the operator page: on this machine alone, or where `publicUrl` is https also from afar. */
  readonly operatorPage: boolean
  /** The chain whose wallets sign in; `null` where none does. */
  readonly signIn: { readonly chain: Chain } | null
  /** Authorization servers whose access tokens are taken; empty where none is. */
  readonly oauth: readonly OAuthIssuer[]
  /** The access edge in front of the server; `null` where there is none. */
  readonly edge: EdgeConfig | null
  /** In small letters. What clients show to an edge, and must not send here. */
  readonly edgeSecretHeaders: readonly string[]
  /** The agent that this server is in a registry; `null` where none is named. */
  readonly agent: { readonly chain: Chain; readonly registry: Address; readonly tokenId: string } | null
  readonly auth: {
    /** `null` where a key is still to be generated. */
    readonly apiKeys: Readonly<Record<KeyTier, Secret | null>>
    readonly token: Secret | null
  }
  readonly wallet: WalletConfig | null
  /** The wallet that may be made while there is none; `null` where there is one, or where the operator allows none. */
  readonly provision: ProvisionConfig | null
  readonly chains: readonly Chain[]
  readonly rpc: RpcConfig
  readonly bundlerUrls: ReadonlyMap<number, Secret>
  readonly paymasterUrls: ReadonlyMap<number, Secret>
  readonly upstream: {
    readonly tradingApiKey: Secret | null
    /** `null`: the public one of the dialect. */
    readonly tradingApiUrl: string | null
    readonly tradingApiDialect: 'v1' | 'lp'
    /** `null`: those of the trading API. */
    readonly orderApiKey: Secret | null
    readonly orderApiUrl: string | null
    readonly subgraphApiKey: Secret | null
    /** Base of Merkl's API or of one like it. */
    readonly rewardsUrl: string
    readonly pinningJwt: Secret | null
    readonly ipfsMode: 'proxy' | 'pinata' | 'inline'
    readonly agentName: string | null
    /** What the pin proxy knows this operator by. */
    readonly appId: string | null
    readonly apiUrl: string | null
    readonly gatewayUrl: string | null
    readonly identityProviderUrl: string | null
  }
  /** Secrets of both kinds of wallet, in use or not: whatever is set must not be shown. */
  readonly walletSecrets: readonly Secret[]
  /** What the operator should know but what stops nothing. */
  readonly warnings: readonly string[]
}

export type OAuthIssuer = {
  /** As its tokens spell it. */
  readonly issuer: string
  /** What its tokens may be signed with. */
  readonly algorithms: readonly string[]
  /** `null`: where its metadata says. */
  readonly keysUrl: string | null
}

export type EdgeConfig = {
  /** As its tokens spell it. */
  readonly issuer: string
  readonly keysUrl: string
  /** Whom its tokens may be for. */
  readonly audiences: readonly string[]
  /** In small letters. */
  readonly tokenHeader: string
}

export type WalletConfig =
  | { readonly type: 'local'; readonly privateKey: Secret }
  | {
      readonly type: 'managed'
      readonly appId: string
      readonly appSecret: Secret
      readonly walletId: string
      /** P-256: authorizes each request to the provider. */
      readonly authPrivateKey: Secret
      /** `null` for the provider's public one. */
      readonly apiUrl: string | null
    }

/** What `provision_wallet` may make. */
export type ProvisionConfig = Omit<
  Extract<WalletConfig, { type: 'managed' }>,
  'type' | 'walletId' | 'authPrivateKey'
> & {
  readonly role: AgentRole
  readonly chains: readonly Chain[]
  /** P-256, of who may change wallet and policy. */
  readonly ownerPublicKey: string
  /** `null`: one is made. */
  readonly authPrivateKey: Secret | null
}

export type RpcConfig = {
  readonly urls: ReadonlyMap<number, readonly Secret[]>
  /** Where the trades of a chain go, kept from the public pool. */
  readonly privateUrls: ReadonlyMap<number, Secret>
  readonly provider: Secret | null
  readonly apiKey: Secret | null
}

/** The endpoints of a chain: its own setting, else the provider template, else the public ones. */
export function rpcUrls(rpc: RpcConfig, chain: Chain): readonly string[] {
  const own = rpc.urls.get(chain.id)
  if (own !== undefined) return own.map((url) => url.reveal())
  if (rpc.provider === null) return chain.publicRpcUrls
  const filled = rpc.provider
    .reveal()
    .replaceAll('{chainId}', String(chain.id))
    .replaceAll('{chain}', chain.name)
    .replaceAll('{key}', rpc.apiKey?.reveal() ?? '')
  return [filled]
}

export { ConfigError } from '@svc/runtime'

export type ConfigProblem = Problem<ConfigCode>

export type ConfigCode =
  | 'SETTING_INVALID'
  | 'SETTING_MISSING'
  | 'SETTING_UNKNOWN'
  | 'CHAINS_FILE_INVALID'
  | 'ENV_FILE_UNSAFE'
  | 'ENV_FILE_INVALID'
  | 'LOCAL_KEY_IN_PRODUCTION'
  | 'PLAINTEXT_LISTEN'
  | 'AUTH_TOKEN_WEAK'
  | 'API_KEY_WEAK'
  | 'API_KEYS_DIFFER'
  | 'API_KEYS_UNKNOWN'
  | 'TLS_UNVERIFIED_UPSTREAM'
  | 'MANAGED_WALLET_UNAVAILABLE'
  | 'DATABASE_UNAVAILABLE'
  | 'DATA_DIR_UNSAFE'
  | 'RESTORE_UNFINISHED'
  | 'POLICY_INVALID'
  /** What an earlier run left of a wallet that it was making. */
  | 'WALLET_NOTE_DAMAGED'
  | 'WALLET_NOTE_DIFFERS'

export function invalid(setting: string, message: string): ConfigProblem {
  return { code: 'SETTING_INVALID', setting, message, fix: `Correct ${setting}.` }
}
