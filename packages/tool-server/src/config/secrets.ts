import { urlCredentials, type Chain, Secret } from '@svc/wallet/core'
import { type Config, rpcUrls } from './config-shape.ts'
import { createLog, createRedactor, type Log, type LogDestination } from '@svc/runtime'

/**
 * Every secret value of a configuration, for the log's redactor. Endpoint URLs count: they often hold a key. So do the
 * segments of their paths and the values of their queries, which an endpoint may repeat without the rest; and of every URL
 * the user and password, alone and as they travel.
 */
export function secretsOf(config: Config): readonly string[] {
  const { auth, rpc, upstream } = config
  const endpoints: readonly (Secret | null)[] = [
    rpc.provider,
    ...[...rpc.urls.values()].flat(),
    ...rpc.privateUrls.values(),
    ...config.bundlerUrls.values(),
    ...config.paymasterUrls.values(),
    config.webhook?.url ?? null,
  ]
  const held: readonly (Secret | null)[] = [
    config.databaseUrl,
    ...Object.values(auth.apiKeys),
    auth.token,
    ...config.walletSecrets,
    rpc.apiKey,
    upstream.tradingApiKey,
    upstream.orderApiKey,
    upstream.subgraphApiKey,
    upstream.pinningJwt,
    config.webhook?.secret ?? null,
    config.metrics?.token ?? null,
    signingKeyOf(config),
  ]
  const urls = revealed(endpoints)
  const services = [upstream.rewardsUrl, upstream.gatewayUrl ?? '']
  const places = [...urls, ...config.chains.flatMap((chain) => placesOf(config, chain)), ...services]
  return [...revealed(held), ...urls, ...urls.flatMap(partsOf), ...places.flatMap(credentialsOf)]
}

/** What signs webhooks, as it stands behind its prefix. */
function signingKeyOf({ webhook }: Config): Secret | null {
  return webhook === null ? null : new Secret(webhook.secret.reveal().replace(/^whsec_/, ''))
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

/** Where a chain is read; its row may name a user and password too. */
function placesOf({ rpc }: Config, chain: Chain): readonly string[] {
  return [...rpcUrls(rpc, chain), ...Object.values(chain.subgraphs ?? {})]
}

/** The user and the password of a URL, as written and as read, and both as the header says them. */
function credentialsOf(url: string): readonly string[] {
  if (!URL.canParse(url)) return []
  const { username, password } = new URL(url)
  const said = (urlCredentials(url).headers['authorization'] ?? '').replace(/^Basic /, '')
  const pair = Buffer.from(said, 'base64').toString('utf8')
  const read = [pair.slice(0, pair.indexOf(':')), pair.slice(pair.indexOf(':') + 1)]
  return [username, password, ...read, said.replace(/=+$/, '')].filter((part) => part.length >= shortestKey)
}

const shortestKey = 8

/** The log of a configuration, to stderr by default. API keys are hidden by shape, so later ones are too. */
export function openLog(
  config: Config,
  destination?: LogDestination,
  redactor = createRedactor(secretsOf(config)),
): Log {
  return createLog({ level: config.logLevel, redactor, destination })
}
