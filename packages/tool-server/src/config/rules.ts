import { isLoopback } from '@svc/runtime'
import type { Config, ConfigProblem } from './config-shape.ts'
import type { Settings } from './schema.ts'
import { issuerRules, addressRules, signInRules } from './sign-in-config.ts'
import { isRpcProvider } from './rpc-providers.ts'
import { provisionRules, agentRules } from './agent-config.ts'
import { isIP } from 'node:net'

/** Checks what settings must keep to together. Each refusal has its code and its fix. */
export function checkRules(
  config: Config,
  values: Settings,
  env: Readonly<Record<string, string>>,
): readonly ConfigProblem[] {
  return [
    ...walletRules(config, values),
    ...provisionRules(values, config.chains),
    ...wireRules(config, values),
    ...metricsRules(config),
    ...tokenRules(values),
    ...operatorRules(config),
    ...signInRules(config, values),
    ...issuerRules(config, values),
    ...addressRules(config),
    ...agentRules(config, values),
    ...upstreamRules(config, values, env),
  ]
}

function walletRules(config: Config, values: Settings): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const type = values.WALLET_TYPE
  if (config.production && (type === 'local' || values.PRIVATE_KEY !== undefined)) {
    problems.push({
      code: 'LOCAL_KEY_IN_PRODUCTION',
      setting: values.PRIVATE_KEY === undefined ? 'WALLET_TYPE' : 'PRIVATE_KEY',
      message: 'Production never holds a raw private key.',
      fix: 'Use WALLET_TYPE=managed and remove PRIVATE_KEY, or leave NODE_ENV at development.',
    })
  }
  if (!config.production && type === 'local' && values.PRIVATE_KEY === undefined)
    problems.push(missing('PRIVATE_KEY', 'WALLET_TYPE=local'))
  // What may be made needs no name yet.
  if (type === 'managed' && (values.SVC_PROVISION_ROLE === undefined || values.WALLET_ID !== undefined)) {
    for (const name of ['WALLET_APP_ID', 'WALLET_APP_SECRET', 'WALLET_ID', 'WALLET_AUTH_PRIVATE_KEY'] as const) {
      if (values[name] === undefined) problems.push(missing(name, 'WALLET_TYPE=managed'))
    }
  }
  return problems
}

function wireRules(config: Config, values: Settings): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = []
  const { host, port } = config.listen
  if (port > 65_535) {
    problems.push({
      code: 'SETTING_INVALID',
      setting: 'SVC_LISTEN',
      message: 'No such port.',
      fix: 'Use a port up to 65535.',
    })
  }
  if ((values.SVC_TLS_CERT === undefined) !== (values.SVC_TLS_KEY === undefined)) {
    const absent = values.SVC_TLS_CERT === undefined ? 'SVC_TLS_CERT' : 'SVC_TLS_KEY'
    problems.push(missing(absent, 'TLS'))
  }
  if (!isLoopback(host) && config.tls === null && config.trustedProxies.length === 0) {
    problems.push({
      code: 'PLAINTEXT_LISTEN',
      setting: 'SVC_LISTEN',
      message: 'Keys would cross the network in the clear.',
      fix: 'Listen on 127.0.0.1, or set SVC_TLS_CERT and SVC_TLS_KEY, or name the proxy that ends TLS in SVC_TRUSTED_PROXIES.',
    })
  }
  if (config.clientAddressHeader !== null && config.trustedProxies.length === 0)
    problems.push(missing('SVC_TRUSTED_PROXIES', 'SVC_CLIENT_ADDRESS_HEADER'))
  return problems
}

/** Figures tell what the wallet spends, so beyond this machine they go to whoever has the token alone, and it not in the clear. */
function metricsRules({ metrics, tls, trustedProxies, listen }: Config): readonly ConfigProblem[] {
  if (metrics === null) return []
  const { host, port } = metrics.listen
  const problem = (code: ConfigProblem['code'], message: string, fix: string) => [
    { code, setting: 'SVC_METRICS_LISTEN', message, fix },
  ]
  if (port > 65_535) return problem('SETTING_INVALID', 'No such port.', 'Use a port up to 65535.')
  if (port !== 0 && port === listen.port) {
    return problem('SETTING_INVALID', 'SVC_LISTEN has this port.', 'Use another port, such as 9464.')
  }
  if (isLoopback(host)) return []
  const isSealed = tls !== null || trustedProxies.length > 0
  return [
    ...(metrics.token === null ? [missing('SVC_METRICS_TOKEN', 'SVC_METRICS_LISTEN beyond this machine')] : []),
    ...(isSealed
      ? []
      : problem(
          'PLAINTEXT_LISTEN',
          'The token of the figures would cross the network in the clear.',
          'Listen on 127.0.0.1, or set SVC_TLS_CERT and SVC_TLS_KEY, or name the proxy that ends TLS in SVC_TRUSTED_PROXIES.',
        )),
  ]
}

function tokenRules({ MCP_AUTH_TOKEN: token }: Settings): readonly ConfigProblem[] {
  if (token === undefined) return []
  const fix = 'Use 256 random bits, for example: openssl rand -base64 32'
  if (token.length < 32 || new Set(token).size < 12) {
    return [{ code: 'AUTH_TOKEN_WEAK', setting: 'MCP_AUTH_TOKEN', message: 'It holds less than 256 random bits.', fix }]
  }
  if (!/^[A-Za-z0-9._~+/-]+=*$/.test(token) || token.startsWith('svc_')) {
    const message =
      'It is no bearer token of its own: only A-Z a-z 0-9 . _ ~ + / - = may stand in it, and svc_ begins API keys.'
    return [{ code: 'AUTH_TOKEN_WEAK', setting: 'MCP_AUTH_TOKEN', message, fix }]
  }
  return []
}

function upstreamRules(
  config: Config,
  values: Settings,
  env: Readonly<Record<string, string>>,
): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [...webhookRules(values)]
  if (values.SVC_IPFS_MODE === 'pinata' && values.SVC_PINNING_JWT === undefined) {
    problems.push(missing('SVC_PINNING_JWT', 'SVC_IPFS_MODE=pinata'))
  }
  const provider = values.SVC_RPC_PROVIDER
  if ((provider?.includes('{key}') === true || isRpcProvider(provider)) && values.RPC_API_KEY === undefined) {
    problems.push(
      missing('RPC_API_KEY', isRpcProvider(provider) ? `SVC_RPC_PROVIDER=${provider}` : 'SVC_RPC_PROVIDER with {key}'),
    )
  }
  if (config.production && env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    problems.push({
      code: 'TLS_UNVERIFIED_UPSTREAM',
      setting: 'NODE_TLS_REJECT_UNAUTHORIZED',
      message: 'Endpoints could be anybody.',
      fix: 'Remove it in production.',
    })
  }
  return problems
}

function webhookRules(values: Settings): readonly ConfigProblem[] {
  const { SVC_WEBHOOK_URL: url, SVC_WEBHOOK_SECRET: secret, SVC_WEBHOOK_PRIVATE: reach } = values
  if ((url === undefined) !== (secret === undefined)) {
    const [given, absent] = url === undefined ? ['SECRET', 'URL'] : ['URL', 'SECRET']
    return [missing(`SVC_WEBHOOK_${absent}`, `SVC_WEBHOOK_${given}`)]
  }
  if (url?.startsWith('http:') !== true || reach === 'allow') return []
  const message = 'Over plain http it may stand for a private address at the most.'
  const fix = 'Use https, or for a place on this machine or network set SVC_WEBHOOK_PRIVATE=allow.'
  return [{ code: 'SETTING_INVALID', setting: 'SVC_WEBHOOK_URL', message, fix }]
}

function missing(setting: string, cause: string): ConfigProblem {
  return { code: 'SETTING_MISSING', setting, message: `${cause} needs it.`, fix: `Set ${setting}.` }
}

/**
 * Where the operator page may be served: on this machine alone, or over https at a name, for which passkeys are made; and where there is
 * something to operate.
 */
function operatorRules(config: Config): readonly ConfigProblem[] {
  const { operatorPage, wallet, profile, publicUrl, listen, tls, trustedProxies } = config
  if (!operatorPage) return []
  if (wallet === null || profile === 'data') {
    return [
      problem('A server that only reads has nothing to operate.', 'Configure a wallet, or set SVC_OPERATOR_PAGE=off.'),
    ]
  }
  if (publicUrl?.startsWith('https:') === true) {
    const { hostname } = new URL(publicUrl)
    if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0)
      return [
        problem('Passkeys are made for a name, and SVC_PUBLIC_URL has an address.', 'Give SVC_PUBLIC_URL a name.'),
      ]
    if (tls !== null || trustedProxies.length > 0) return []
    const fix = 'Set SVC_TLS_CERT and SVC_TLS_KEY, or name the proxy that ends TLS in SVC_TRUSTED_PROXIES.'
    return [problem('Something that it does not know ends TLS in front of it.', fix)]
  }
  if (isLoopback(listen.host) && trustedProxies.length === 0) return []
  const fix = 'Set SVC_PUBLIC_URL to where operators reach it over https, or listen on 127.0.0.1 without proxies.'
  return [problem('Beyond this machine the operator page needs a public address over https.', fix)]
}

function problem(message: string, fix: string): ConfigProblem {
  return { code: 'SETTING_INVALID', setting: 'SVC_OPERATOR_PAGE', message, fix }
}
