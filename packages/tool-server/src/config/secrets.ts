import type { Config } from '../config.ts'
import type { Secret } from '@svc/wallet/core'

/**
 * Every secret value of a configuration, for the log's redactor. Endpoint URLs count: they often hold a key. So do the
 * segments of their paths and the values of their queries, which an endpoint may repeat without the rest.
 */
export function secretsOf(config: Config): readonly string[] {
  const { auth, rpc, upstream } = config
  const endpoints: readonly (Secret | null)[] = [
    rpc.provider,
    ...[...rpc.urls.values()].flat(),
    ...config.bundlerUrls.values(),
    ...config.paymasterUrls.values(),
  ]
  const held: readonly (Secret | null)[] = [
    config.databaseUrl,
    ...Object.values(auth.apiKeys),
    auth.token,
    ...config.walletSecrets,
    rpc.apiKey,
    upstream.tradingApiKey,
    upstream.subgraphApiKey,
    upstream.pinningJwt,
  ]
  const urls = revealed(endpoints)
  return [...revealed(held), ...urls, ...urls.flatMap(partsOf)]
}

function revealed(secrets: readonly (Secret | null)[]): readonly string[] {
  return secrets.flatMap((secret) => (secret === null ? [] : [secret.reveal()]))
}

/** The segments of a URL's path and the values of its query that are long enough for a key; as written and decoded. */
function partsOf(url: string): readonly string[] {
  if (!URL.canParse(url)) return []
  const { pathname, search, searchParams } = new URL(url)
  const written = [...pathname.split('/'), ...search.slice(1).split(/[&=]/)]
  return [...written, ...searchParams.values()].filter((part) => part.length >= shortestKey)
}

const shortestKey = 8
