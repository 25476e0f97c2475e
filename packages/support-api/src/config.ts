import { resolve } from 'node:path'
import { unknownSettings } from '@svc/runtime'
import { Secret, type Chain } from '@svc/wallet/core'
import { parseEther } from 'viem'
import type * as z from 'zod'
import { ConfigError, type ConfigProblem, settingsSchema, type Settings } from './config/schema.ts'
import { readChains, type ChainTable, readRpcUrls, checkRules, doubtsAbout } from './config/read-chains.ts'

/**
 * Reads the settings out of an environment. Throws a `ConfigError` with every problem at once; no problem quotes a value.
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''))
  const parsed = settingsSchema.safeParse(given)
  const table = readChains(given['SVC_CHAINS_FILE'])
  const rpc = readRpcUrls(given)
  const unknown = unknownNames(Object.keys(given))
  const malformed = parsed.success ? [] : parsed.error.issues.map(describeIssue)
  const formal = [...malformed, ...table.problems, ...rpc.problems, ...unknown.problems]
  const faulty = new Set(formal.map(({ setting }) => setting))
  // The rules are kept over what is well-formed, so that all problems come at once; none is reported twice.
  const values = parsed.data ?? settingsSchema.parse(without(given, faulty))
  const broken = checkRules(values, table).filter(({ setting, code }) => {
    const hangsOnProxies = code === 'PLAINTEXT_LISTEN' && faulty.has('SVC_TRUSTED_PROXIES')
    return !faulty.has(setting) && !hangsOnProxies
  })
  const problems = [...formal, ...broken]
  if (problems.length > 0) throw new ConfigError(problems)
  return assemble(values, table, rpc.urls, [...unknown.strangers, ...doubtsAbout(values)])
}

/**
 * A slip of a setting's name is a problem, because the limit it was to set would be the default; a name far from all is reported
 * of and let be, for other programs may read it.
 */
function unknownNames(given: readonly string[]) {
  const found = unknownSettings(
    given.filter((name) => name.startsWith('SVC_')),
    { names: Object.keys(settingsSchema.shape), perChain: ['SVC_RPC_URL_'] },
  )
  const problems: ConfigProblem[] = []
  const strangers: ConfigProblem[] = []
  for (const { name, meant } of found) {
    const problem = { code: 'SETTING_UNKNOWN', setting: name, message: 'There is no such setting.' } as const
    if (meant === null) strangers.push({ ...problem, fix: 'Remove it, unless another program reads it.' })
    else problems.push({ ...problem, fix: `Did you mean ${meant}?` })
  }
  return { problems, strangers }
}

/** Everything the operator decides, checked and typed. Secrets print as `[secret]`. */
export type Config = {
  readonly production: boolean
  readonly listen: { readonly host: string; readonly port: number }
  readonly tls: { readonly certPath: string; readonly keyPath: string } | null
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
  /** The app that claims on the page count for; `null`: the page asks. */
  readonly pageAppId: string | null
  /** What is allowed and most likely not meant: reported at the start. */
  readonly doubts: readonly ConfigProblem[]
}

export type PinConfig = {
  readonly backend:
    | { readonly kind: 'embedded' }
    | { readonly kind: 'pinata'; readonly url: string; readonly jwt: Secret }
    | { readonly kind: 'kubo'; readonly url: string }
    | { readonly kind: 'pinning-service'; readonly url: string; readonly token: Secret }
  /** New content per app in any hour; 10. */
  readonly perAppPerHour: number
  /** New content per range of client addresses (/24, /64) in any hour. */
  readonly perNetworkPerHour: number
  /** New content of all apps together in any 24 hours; bounds what the store grows by. */
  readonly perDay: number
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

function assemble(
  values: Settings,
  table: ChainTable,
  rpcUrls: ReadonlyMap<number, readonly string[]>,
  doubts: Config['doubts'],
): Config {
  const { SVC_TLS_CERT: certPath, SVC_TLS_KEY: keyPath } = values
  return Object.freeze({
    production: values.NODE_ENV === 'production',
    listen: splitListen(values.SVC_LISTEN),
    tls:
      certPath === undefined || keyPath === undefined
        ? null
        : { certPath: resolve(certPath), keyPath: resolve(keyPath) },
    trustedProxies: values.SVC_TRUSTED_PROXIES,
    allowedHosts: values.SVC_ALLOWED_HOSTS,
    logLevel: values.LOG_LEVEL,
    dataDir: resolve(values.SVC_DATA_DIR),
    databaseUrl: sealed(values.SVC_DATABASE_URL),
    identityProvider: {
      url: withoutSlash(values.SVC_IDENTITY_PROVIDER_URL ?? ''),
      path: values.SVC_IDENTITY_PROVIDER_PATH,
    },
    gatewayUrl: withoutSlash(
      values.SVC_GATEWAY_URL ?? `http${certPath === undefined ? '' : 's'}://${values.SVC_LISTEN}`,
    ),
    pins: {
      backend: pinBackend(values),
      perAppPerHour: values.SVC_PIN_PER_APP_HOUR,
      perNetworkPerHour: values.SVC_PIN_PER_NETWORK_HOUR,
      perDay: values.SVC_PIN_PER_DAY,
    },
    faucet: faucet(values, table, rpcUrls),
    pageAppId: values.SVC_PAGE_APP_ID ?? null,
    doubts,
  })
}

function pinBackend(values: Settings): PinConfig['backend'] {
  const { SVC_PIN_BACKEND: kind, SVC_PIN_URL, SVC_PINNING_JWT = '' } = values
  const url = (usual: string) => withoutSlash(SVC_PIN_URL ?? usual)
  if (kind === 'embedded') return { kind }
  if (kind === 'kubo') return { kind, url: url('http://127.0.0.1:5001') }
  if (kind === 'pinata') return { kind, url: url('https://uploads.pinata.cloud'), jwt: new Secret(SVC_PINNING_JWT) }
  return { kind, url: url(''), token: new Secret(SVC_PINNING_JWT) }
}

function faucet(
  values: Settings,
  { chains }: ChainTable,
  rpcUrls: ReadonlyMap<number, readonly string[]>,
): FaucetConfig | null {
  const { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_TARGET_CEILING: ceiling } = values
  if (key === undefined) return null
  const ids = [...new Set(values.SVC_FAUCET_CHAINS.map(Number))]
  return {
    privateKey: new Secret(key),
    chains: ids.flatMap((id) =>
      chains
        .filter((chain) => chain.id === id)
        .map((chain) => ({ chain, rpcUrls: rpcUrls.get(id) ?? chain.publicRpcUrls })),
    ),
    perAppPerDay: values.SVC_FAUCET_PER_APP_DAY,
    perNetworkPerDay: values.SVC_FAUCET_PER_NETWORK_DAY,
    perChainPerDay: values.SVC_FAUCET_PER_CHAIN_DAY,
    targetCeilingWei: ceiling === undefined ? null : parseEther(ceiling),
  }
}

function describeIssue(issue: z.core.$ZodIssue): ConfigProblem {
  const setting = String(issue.path[0] ?? 'environment')
  const accepted = issue.code === 'invalid_value' ? `Accepted: ${issue.values.map(String).join(', ')}` : issue.message
  return { code: 'SETTING_INVALID', setting, message: `${accepted}.`, fix: `Correct ${setting}.` }
}

function without<Value>(given: Readonly<Record<string, Value>>, names: ReadonlySet<string>): Record<string, Value> {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.has(name)))
}

function sealed(value: string | undefined): Secret | null {
  return value === undefined ? null : new Secret(value)
}

function splitListen(listen: string): Config['listen'] {
  const colon = listen.lastIndexOf(':')
  return { host: listen.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(listen.slice(colon + 1)) }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
