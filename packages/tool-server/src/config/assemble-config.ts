import { resolve } from 'node:path'
import { unknownSettings, type UnknownSetting } from '@svc/runtime'
import { type Chain, Secret } from '@svc/wallet/core'
import type * as z from 'zod'
import { readAgent, readProvision } from './agent-config.ts'
import { invalid, ConfigError, type Config, type ConfigProblem, type WalletConfig } from './config-shape.ts'
import { readEdge, readSignIn } from './sign-in-config.ts'
import { checkRules } from './rules.ts'
import { type Settings, settingsSchema, httpUrl } from './schema.ts'
import { settings } from './settings.ts'
import { isRpcProvider, providerEndpoints } from './rpc-providers.ts'

/**
 * The configuration that settings amount to: those that were given, over those that are written down beside the server. Reads nothing. Throws a
 * `ConfigError` with every problem at once; no problem quotes a value.
 */
export function assembleConfig({ given, written, table, dataDir }: ReadSettings): Config {
  const env = { ...written, ...given }
  const parsed = settingsSchema.safeParse(env)
  const perChain = readPerChain(env)
  const unknown = unknownNames({ given: Object.keys(given), written: Object.keys(written) })
  const problems = [
    ...(parsed.success ? [] : parsed.error.issues.map(describeIssue)),
    ...('problems' in table ? table.problems : []),
    ...perChain.problems,
    ...unknown.problems,
  ]
  if (!parsed.success || 'problems' in table || problems.length > 0) throw new ConfigError(problems)
  const config = assemble(parsed.data, dataDir, table.chains, perChain)
  const broken = checkRules(config, parsed.data, env)
  if (broken.length > 0) throw new ConfigError(broken)
  const warnings = [...unknown.warnings, ...unknownChains(perChain, config.chains)]
  return Object.freeze({ ...config, warnings: [...warnings, ...config.warnings] })
}

type ReadSettings = {
  readonly given: Readonly<Record<string, string>>
  readonly written: Readonly<Record<string, string>>
  /** The chains of the server, or what is wrong with those that it was given. */
  readonly table: { readonly chains: readonly Chain[] } | { readonly problems: readonly ConfigProblem[] }
  /** Absolute path. */
  readonly dataDir: string
}

function assemble(values: Settings, dataDir: string, chains: readonly Chain[], perChain: PerChain): Config {
  const wallet = readWallet(values)
  const provision = wallet === null ? readProvision(values, chains) : null
  const { SVC_TLS_CERT: certPath, SVC_TLS_KEY: keyPath } = values
  return {
    production: values.NODE_ENV === 'production',
    profile: values.SVC_MCP_PROFILE ?? (wallet === null && provision === null ? 'data' : 'full'),
    toolsets: values.SVC_MCP_TOOLSETS ?? null,
    sharesMemory: values.SVC_MEMORY === 'shared',
    watchSeconds: values.SVC_WATCH_SECONDS,
    webhook: readWebhook(values),
    logLevel: values.LOG_LEVEL,
    tracesUrl: values.SVC_TRACES_URL ?? null,
    metrics:
      values.SVC_METRICS_LISTEN === undefined
        ? null
        : { listen: splitListen(values.SVC_METRICS_LISTEN), token: sealed(values.SVC_METRICS_TOKEN) },
    dataDir,
    databaseUrl: sealed(values.SVC_DATABASE_URL),
    listen: splitListen(values.SVC_LISTEN),
    webSocket: values.SVC_WEBSOCKET === 'on',
    tls:
      certPath === undefined || keyPath === undefined
        ? null
        : { certPath: resolve(certPath), keyPath: resolve(keyPath) },
    trustedProxies: values.SVC_TRUSTED_PROXIES,
    clientAddressHeader: values.SVC_CLIENT_ADDRESS_HEADER ?? null,
    allowedHosts: values.SVC_ALLOWED_HOSTS,
    allowedOrigins: values.SVC_ALLOWED_ORIGINS,
    publicUrl: values.SVC_PUBLIC_URL ?? null,
    operatorPage: values.SVC_OPERATOR_PAGE === 'on',
    signIn: readSignIn(values, chains),
    oauth: values.SVC_OAUTH_ISSUERS,
    ...readEdge(values),
    agent: readAgent(values, chains),
    auth: {
      apiKeys: {
        read: sealed(values.SVC_API_KEY_READ),
        feedback: sealed(values.SVC_API_KEY_FEEDBACK),
        write: sealed(values.SVC_API_KEY_WRITE),
      },
      token: sealed(values.MCP_AUTH_TOKEN),
    },
    wallet,
    provision,
    chains,
    rpc: readRpc(values, chains, perChain),
    bundlerUrls: perChain.bundler,
    paymasterUrls: perChain.paymaster,
    upstream: {
      tradingApiKey: sealed(values.SVC_TRADING_API_KEY),
      tradingApiUrl: values.SVC_TRADING_API_URL ?? null,
      tradingApiDialect: values.SVC_TRADING_API_DIALECT,
      orderApiKey: sealed(values.SVC_ORDER_API_KEY),
      orderApiUrl: values.SVC_ORDER_API_URL ?? null,
      subgraphApiKey: sealed(values.SVC_MCP_SUBGRAPH_API_KEY),
      rewardsUrl: values.SVC_REWARDS_URL,
      pinningJwt: sealed(values.SVC_PINNING_JWT),
      ipfsMode: values.SVC_IPFS_MODE,
      agentName: values.SVC_AGENT_NAME ?? null,
      appId: values.WALLET_APP_ID ?? null,
      apiUrl: values.SVC_API_URL ?? null,
      gatewayUrl: values.SVC_GATEWAY_URL ?? null,
      identityProviderUrl: values.SVC_IDENTITY_PROVIDER_URL ?? null,
    },
    walletSecrets: [values.PRIVATE_KEY, values.WALLET_APP_SECRET, values.WALLET_AUTH_PRIVATE_KEY].flatMap(
      (value) => sealed(value) ?? [],
    ),
    warnings: [
      ...(values.MCP_AUTH_TOKEN === undefined ? [] : ['MCP_AUTH_TOKEN grants every scope to whoever holds it.']),
      ...((values.SVC_MCP_PROFILE ?? 'data') !== 'data' && wallet === null && provision === null
        ? [withoutWallet(`${values.SVC_MCP_PROFILE}`)]
        : []),
      ...(values.SVC_WEBHOOK_URL !== undefined && wallet === null ? [webhookUnused] : []),
      ...(values.WALLET_ID !== undefined && values.WALLET_TYPE === undefined ? [managedUnsaid] : []),
    ],
  }
}

const withoutWallet = (profile: string): string =>
  `SVC_MCP_PROFILE is ${profile} and there is no wallet: tools that need one are listed, and each refuses with ` +
  'WALLET_NOT_CONFIGURED. Configure a wallet (WALLET_TYPE), or use data.'

const webhookUnused =
  'SVC_WEBHOOK_URL is set and there is no wallet: watches are kept beside one, so alerts alone are sent.'

const managedUnsaid = 'WALLET_ID names a managed wallet, but WALLET_TYPE=managed is not set, so it is not used.'

/** A wallet only when its own settings are complete; what is missing is a broken rule, not half a wallet. */
function readWallet(values: Settings): WalletConfig | null {
  const type = values.WALLET_TYPE ?? (values.PRIVATE_KEY === undefined ? undefined : 'local')
  if (type === 'local') {
    return values.PRIVATE_KEY === undefined ? null : { type, privateKey: new Secret(values.PRIVATE_KEY) }
  }
  const { WALLET_APP_ID: appId, WALLET_APP_SECRET: appSecret, WALLET_ID: walletId } = values
  const authPrivateKey = values.WALLET_AUTH_PRIVATE_KEY
  if (type === undefined || appId === undefined || appSecret === undefined) return null
  if (walletId === undefined || authPrivateKey === undefined) return null
  return {
    type,
    appId,
    appSecret: new Secret(appSecret),
    walletId,
    authPrivateKey: new Secret(authPrivateKey),
    apiUrl: values.SVC_WALLET_API_URL ?? null,
  }
}

function readWebhook({ SVC_WEBHOOK_URL: url, SVC_WEBHOOK_SECRET: secret, SVC_WEBHOOK_PRIVATE: reach }: Settings) {
  if (url === undefined || secret === undefined) return null
  return { url: new Secret(url), secret: new Secret(secret), allowsPrivate: reach === 'allow' }
}

function describeIssue(issue: z.core.$ZodIssue): ConfigProblem {
  const accepted = issue.code === 'invalid_value' ? `Accepted: ${issue.values.map(String).join(', ')}` : issue.message
  return invalid(String(issue.path[0] ?? 'environment'), `${accepted}.`)
}

function sealed(value: string | undefined): Secret | null {
  return value === undefined ? null : new Secret(value)
}

function splitListen(listen: string): Config['listen'] {
  const colon = listen.lastIndexOf(':')
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(listen.slice(colon + 1)) }
}

/** A setting given as nothing is not given. */
export function withoutBlanks(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, value]],
    ),
  )
}

/** An id that no chain of this server has is most likely one too: the chain that was meant asks the public endpoints. */
function unknownChains({ rpc, privateRpc }: PerChain, chains: readonly Chain[]): readonly string[] {
  const known = new Set(chains.map(({ id }) => id))
  const named = (prefix: string, urls: PerChain['rpc' | 'privateRpc']) => [...urls.keys()].map((id) => ({ prefix, id }))
  return [...named('SVC_RPC_URL_', rpc), ...named('SVC_PRIVATE_RPC_URL_', privateRpc)]
    .filter(({ id }) => !known.has(id))
    .map(({ prefix, id }) => `${prefix}${id} changes nothing: no chain of this server has the id ${id}.`)
}

/**
 * Names that no setting has. In the data directory's environment file, which nobody else reads, each is a problem; in the
 * environment of the process a slip of one that begins with SVC_ is: what it was to set would stay at its default. Others
 * there are reported and let be, for other programs may read them.
 */
function unknownNames(names: { readonly given: readonly string[]; readonly written: readonly string[] }): {
  readonly problems: readonly ConfigProblem[]
  readonly warnings: readonly string[]
} {
  const problems = unknownSettings(names.written, known).map(problem)
  const warnings: string[] = []
  for (const unknown of unknownSettings(names.given, known)) {
    const { name, meant, nearest } = unknown
    const isOurs = name.startsWith('SVC_')
    if (isOurs && meant !== null) problems.push(problem(unknown))
    else if (isOurs) {
      const near = nearest === null ? 'docs/config.md has every setting.' : `Did you mean ${nearest}?`
      warnings.push(`${name} is not a setting of this server and changes nothing. ${near}`)
    } else if (meant !== null) warnings.push(`${name} is not a setting of this server. Did you mean ${meant}?`)
  }
  return { problems, warnings }
}

const known = {
  // The last is read where the local chain is started, not by the server.
  names: [...settings.map(({ name }) => name), 'SVC_ANVIL_PATH'],
  perChain: settings.flatMap(({ name }) => (name.endsWith('<chainId>') ? [name.slice(0, -'<chainId>'.length)] : [])),
}

function problem({ name, meant }: UnknownSetting): ConfigProblem {
  const fix = meant === null ? 'Remove it; docs/config.md has every setting.' : `Did you mean ${meant}?`
  return { code: 'SETTING_UNKNOWN', setting: name, message: 'There is no such setting.', fix }
}

/** Reads the endpoints named per chain; what is malformed becomes a problem. */
function readPerChain(env: Readonly<Record<string, string>>): PerChain {
  const problems: ConfigProblem[] = []
  const urlsOf = (prefix: string): [number, readonly Secret[]][] =>
    Object.entries(env).flatMap(([name, value]): [number, readonly Secret[]][] => {
      if (!name.startsWith(prefix)) return []
      const id = name.slice(prefix.length)
      const urls = value.split(',').map((url) => url.trim())
      const good = /^[1-9]\d{0,15}$/.test(id) && urls.every((url) => httpUrl.safeParse(url).success)
      if (!good) problems.push(malformed(name))
      return good ? [[Number(id), urls.map((url) => new Secret(url))]] : []
    })
  const single = (prefix: string) =>
    new Map(urlsOf(prefix).flatMap(([id, [url]]) => (url === undefined ? [] : [[id, url] as const])))
  return {
    rpc: new Map(urlsOf('SVC_RPC_URL_')),
    privateRpc: single('SVC_PRIVATE_RPC_URL_'),
    bundler: single('SVC_BUNDLER_URL_'),
    paymaster: single('SVC_PAYMASTER_URL_'),
    problems,
  }
}

/** The settings whose names end in a chain id. */
type PerChain = {
  readonly rpc: ReadonlyMap<number, readonly Secret[]>
  readonly privateRpc: ReadonlyMap<number, Secret>
  readonly bundler: ReadonlyMap<number, Secret>
  readonly paymaster: ReadonlyMap<number, Secret>
  readonly problems: readonly ConfigProblem[]
}

/** A provider by its name is an endpoint of its own for each chain that it has. */
function readRpc(values: Settings, chains: readonly Chain[], perChain: PerChain): Config['rpc'] {
  const { SVC_RPC_PROVIDER: provider, RPC_API_KEY: key } = values
  const named = isRpcProvider(provider) && key !== undefined ? providerEndpoints(provider, key, chains) : []
  return {
    urls: new Map([...named, ...perChain.rpc]),
    privateUrls: perChain.privateRpc,
    provider: provider === undefined || isRpcProvider(provider) ? null : new Secret(provider),
    apiKey: key === undefined ? null : new Secret(key),
  }
}

function malformed(setting: string): ConfigProblem {
  return {
    code: 'SETTING_INVALID',
    setting,
    message: 'Accepted: a chain id at the end of the name, http or https URLs separated by commas.',
    fix: `Correct ${setting}.`,
  }
}
