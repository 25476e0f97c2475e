import type { Config } from '../config.ts'
import type { Secret } from '@svc/wallet'

/** Every secret value of a configuration, for the log's redactor. Endpoint URLs count: they often hold a key. */
export function secretsOf(config: Config): readonly string[] {
  const { auth, wallet, rpc, upstream } = config
  const held: readonly (Secret | null)[] = [
    config.databaseUrl,
    ...Object.values(auth.apiKeys),
    auth.token,
    ...(wallet?.type === 'local' ? [wallet.privateKey] : []),
    ...(wallet?.type === 'managed' ? [wallet.appSecret, wallet.authPrivateKey] : []),
    rpc.provider,
    rpc.apiKey,
    ...[...rpc.urls.values()].flat(),
    ...config.bundlerUrls.values(),
    ...config.paymasterUrls.values(),
    upstream.tradingApiKey,
    upstream.subgraphApiKey,
    upstream.pinningJwt,
  ]
  return held.flatMap((secret) => (secret === null ? [] : [secret.reveal()]))
}
