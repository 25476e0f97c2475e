import { chmodSync, mkdirSync, mkdtempSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { provisionKeys } from './auth/credentials.ts'
import { chainAccess, orderApi, readConfig, tradingApi } from './config.ts'
import { rpcUrls } from './config/config-shape.ts'
import { type Config, ConfigError } from './config/config-shape.ts'
import { settings, type SettingName } from './config/settings.ts'

const privateKey = `0x${'1f'.repeat(32)}`
const token = 'q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA'
const key = (tier: string) => `svc_${tier}_${'Ab3_'.repeat(11).slice(0, 43)}`
const managed = {
  WALLET_TYPE: 'managed',
  WALLET_APP_ID: 'app',
  WALLET_APP_SECRET: 'app-secret',
  WALLET_ID: 'w-1',
  WALLET_AUTH_PRIVATE_KEY: 'p256',
}
const ownerKey = `MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE${'Ab'.repeat(43)}==`
const provision = {
  WALLET_TYPE: 'managed',
  WALLET_APP_ID: 'app',
  WALLET_APP_SECRET: 'app-secret',
  SVC_PROVISION_ROLE: 'vault_manager',
  SVC_PROVISION_OWNER_KEY: ownerKey,
}
const webhook = {
  SVC_WEBHOOK_URL: 'https://hooks.example/in',
  SVC_WEBHOOK_SECRET: `whsec_${Buffer.alloc(32, 'random').toString('base64')}`,
}
const edge = {
  SVC_EDGE_ISSUER: 'https://team.example',
  SVC_EDGE_KEYS_URL: 'https://team.example/certs',
  SVC_EDGE_AUDIENCE: 'app-1,app-2',
}
const freshDir = () => mkdtempSync(join(tmpdir(), 'svc-config-'))
const read = (env: Readonly<Record<string, string>>) => readConfig({ SVC_DATA_DIR: freshDir(), ...env })
const problems = (env: Readonly<Record<string, string>>) => {
  try {
    read(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
const codes = (env: Readonly<Record<string, string>>) => problems(env).map(({ code, setting }) => `${code} ${setting}`)

/** For every setting: an environment that sets it, and what the configuration must show of it. */
const effects: Readonly<
  Record<
    SettingName,
    readonly [env: Readonly<Record<string, string>>, shows: (config: Config) => unknown, value: unknown]
  >
> = {
  WALLET_TYPE: [managed, (c) => c.wallet?.type, 'managed'],
  WALLET_APP_ID: [managed, (c) => c.wallet, expect.objectContaining({ appId: 'app' })],
  WALLET_APP_SECRET: [managed, (c) => c.wallet?.type === 'managed' && c.wallet.appSecret.reveal(), 'app-secret'],
  WALLET_ID: [managed, (c) => c.wallet, expect.objectContaining({ walletId: 'w-1' })],
  WALLET_AUTH_PRIVATE_KEY: [managed, (c) => c.wallet?.type === 'managed' && c.wallet.authPrivateKey.reveal(), 'p256'],
  SVC_WALLET_API_URL: [
    { ...managed, SVC_WALLET_API_URL: 'https://wallets.example' },
    (c) => c.wallet,
    expect.objectContaining({ apiUrl: 'https://wallets.example' }),
  ],
  SVC_PROVISION_ROLE: [provision, (c) => c.provision?.role, 'vault_manager'],
  SVC_PROVISION_OWNER_KEY: [provision, (c) => c.provision?.ownerPublicKey, ownerKey],
  SVC_PROVISION_CHAINS: [
    { ...provision, SVC_PROVISION_CHAINS: 'base, 1' },
    (c) => c.provision?.chains.map(({ id }) => id),
    [8453, 1],
  ],
  PRIVATE_KEY: [
    { PRIVATE_KEY: privateKey },
    (c) => c.wallet?.type === 'local' && c.wallet.privateKey.reveal(),
    privateKey,
  ],
  NODE_ENV: [{ NODE_ENV: 'production' }, (c) => c.production, true],
  SVC_MCP_PROFILE: [{ SVC_MCP_PROFILE: 'learning' }, (c) => c.profile, 'learning'],
  SVC_MCP_TOOLSETS: [{ SVC_MCP_TOOLSETS: 'trade, market' }, (c) => c.toolsets, ['trade', 'market']],
  SVC_MEMORY: [{ SVC_MEMORY: 'shared' }, (c) => c.sharesMemory, true],
  SVC_WATCH_SECONDS: [{ SVC_WATCH_SECONDS: '300' }, (c) => c.watchSeconds, 300],
  SVC_WEBHOOK_URL: [webhook, (c) => c.webhook?.url.reveal(), 'https://hooks.example/in'],
  SVC_WEBHOOK_SECRET: [webhook, (c) => c.webhook?.secret.reveal(), webhook.SVC_WEBHOOK_SECRET],
  SVC_WEBHOOK_PRIVATE: [{ ...webhook, SVC_WEBHOOK_PRIVATE: 'allow' }, (c) => c.webhook?.allowsPrivate, true],
  SVC_METRICS_LISTEN: [
    { SVC_METRICS_LISTEN: '127.0.0.1:9464' },
    (c) => c.metrics,
    { listen: { host: '127.0.0.1', port: 9464 }, token: null },
  ],
  SVC_TRACES_URL: [
    { SVC_TRACES_URL: 'http://127.0.0.1:4318/v1/traces' },
    (c) => c.tracesUrl,
    'http://127.0.0.1:4318/v1/traces',
  ],
  SVC_METRICS_TOKEN: [
    { SVC_METRICS_LISTEN: '127.0.0.1:9464', SVC_METRICS_TOKEN: token },
    (c) => c.metrics?.token?.reveal(),
    token,
  ],
  SVC_LISTEN: [{ SVC_LISTEN: '[::1]:8080' }, (c) => c.listen, { host: '::1', port: 8080 }],
  SVC_DATA_DIR: [{ SVC_DATA_DIR: '/nowhere/svc' }, (c) => c.dataDir, '/nowhere/svc'],
  SVC_DATABASE_URL: [{ SVC_DATABASE_URL: 'postgres://db/svc' }, (c) => c.databaseUrl?.reveal(), 'postgres://db/svc'],
  LOG_LEVEL: [{ LOG_LEVEL: 'debug' }, (c) => c.logLevel, 'debug'],
  SVC_API_KEY_READ: [{ SVC_API_KEY_READ: key('read') }, (c) => c.auth.apiKeys.read?.reveal(), key('read')],
  SVC_API_KEY_FEEDBACK: [
    { SVC_API_KEY_FEEDBACK: key('feedback') },
    (c) => c.auth.apiKeys.feedback?.reveal(),
    key('feedback'),
  ],
  SVC_API_KEY_WRITE: [{ SVC_API_KEY_WRITE: key('write') }, (c) => c.auth.apiKeys.write?.reveal(), key('write')],
  MCP_AUTH_TOKEN: [{ MCP_AUTH_TOKEN: token }, (c) => c.auth.token?.reveal(), token],
  SVC_TLS_CERT: [{ SVC_TLS_CERT: '/c.pem', SVC_TLS_KEY: '/k.pem' }, (c) => c.tls?.certPath, '/c.pem'],
  SVC_TLS_KEY: [{ SVC_TLS_CERT: '/c.pem', SVC_TLS_KEY: '/k.pem' }, (c) => c.tls?.keyPath, '/k.pem'],
  SVC_TRUSTED_PROXIES: [
    { SVC_TRUSTED_PROXIES: '10.0.0.1, fd00::/8' },
    (c) => c.trustedProxies,
    ['10.0.0.1', 'fd00::/8'],
  ],
  SVC_CLIENT_ADDRESS_HEADER: [
    { SVC_CLIENT_ADDRESS_HEADER: 'Fly-Client-IP', SVC_TRUSTED_PROXIES: '10.0.0.1' },
    (c) => c.clientAddressHeader,
    'fly-client-ip',
  ],
  SVC_WEBSOCKET: [{ SVC_WEBSOCKET: 'on' }, (c) => c.webSocket, true],
  SVC_ALLOWED_HOSTS: [{ SVC_ALLOWED_HOSTS: 'a.example,b.example' }, (c) => c.allowedHosts, ['a.example', 'b.example']],
  SVC_ALLOWED_ORIGINS: [{ SVC_ALLOWED_ORIGINS: 'https://a.example' }, (c) => c.allowedOrigins, ['https://a.example']],
  SVC_PUBLIC_URL: [
    { SVC_PUBLIC_URL: 'https://mcp.example.com/mcp' },
    (c) => c.publicUrl,
    'https://mcp.example.com/mcp',
  ],
  SVC_OPERATOR_PAGE: [
    { SVC_OPERATOR_PAGE: 'on', PRIVATE_KEY: `0x${'11'.repeat(32)}` },
    ({ operatorPage }) => operatorPage,
    true,
  ],
  SVC_SIWE_CHAIN: [{ SVC_SIWE_CHAIN: 'base', SVC_RPC_URL_8453: 'https://a/1' }, (c) => c.signIn?.chain.id, 8453],
  SVC_OAUTH_ISSUERS: [
    { SVC_OAUTH_ISSUERS: 'https://a.example/t ES256, https://b.example RS256 PS256 https://keys.example/b' },
    (c) => c.oauth,
    [
      { issuer: 'https://a.example/t', algorithms: ['ES256'], keysUrl: null },
      { issuer: 'https://b.example', algorithms: ['RS256', 'PS256'], keysUrl: 'https://keys.example/b' },
    ],
  ],
  SVC_EDGE_ISSUER: [edge, (c) => c.edge?.issuer, 'https://team.example'],
  SVC_EDGE_KEYS_URL: [edge, (c) => c.edge?.keysUrl, 'https://team.example/certs'],
  SVC_EDGE_AUDIENCE: [edge, (c) => c.edge?.audiences, ['app-1', 'app-2']],
  SVC_EDGE_TOKEN_HEADER: [
    { ...edge, SVC_EDGE_TOKEN_HEADER: 'Cf-Access-Jwt-Assertion' },
    (c) => c.edge?.tokenHeader,
    'cf-access-jwt-assertion',
  ],
  SVC_EDGE_SECRET_HEADER: [
    { SVC_EDGE_SECRET_HEADER: 'CF-Access-Client-Secret' },
    (c) => c.edgeSecretHeaders,
    ['access-client-secret', 'cf-access-client-secret'],
  ],
  'SVC_RPC_URL_<chainId>': [
    { SVC_RPC_URL_8453: 'https://a/1, http://b/2' },
    (c) => c.rpc.urls.get(8453)?.map((url) => url.reveal()),
    ['https://a/1', 'http://b/2'],
  ],
  'SVC_PRIVATE_RPC_URL_<chainId>': [
    { SVC_PRIVATE_RPC_URL_8453: 'https://apart/1' },
    (c) => chainAccess(c).privateRpcUrls(c.chains.find(({ id }) => id === 8453)!),
    ['https://apart/1'],
  ],
  SVC_RPC_PROVIDER: [
    { SVC_RPC_PROVIDER: 'https://{chain}.rpc/{key}', RPC_API_KEY: 'k' },
    (c) => c.rpc.provider?.reveal(),
    'https://{chain}.rpc/{key}',
  ],
  RPC_API_KEY: [{ RPC_API_KEY: 'rpc-key' }, (c) => c.rpc.apiKey?.reveal(), 'rpc-key'],
  'SVC_BUNDLER_URL_<chainId>': [
    { SVC_BUNDLER_URL_1: 'https://bundler' },
    (c) => c.bundlerUrls.get(1)?.reveal(),
    'https://bundler',
  ],
  'SVC_PAYMASTER_URL_<chainId>': [
    { SVC_PAYMASTER_URL_1: 'https://paymaster' },
    (c) => c.paymasterUrls.get(1)?.reveal(),
    'https://paymaster',
  ],
  SVC_CHAINS_FILE: [
    { SVC_CHAINS_FILE: chainsFile([{ id: 1, confirmations: 77 }]) },
    (c) => c.chains.find(({ id }) => id === 1)?.confirmations,
    77,
  ],
  SVC_TRADING_API_KEY: [{ SVC_TRADING_API_KEY: 'trading-hush' }, (c) => tradingApi(c)?.apiKey.reveal(), 'trading-hush'],
  SVC_TRADING_API_URL: [
    { SVC_TRADING_API_KEY: 'trade', SVC_TRADING_API_URL: 'https://trade.example/v1/' },
    (c) => tradingApi(c)?.url,
    'https://trade.example/v1',
  ],
  SVC_TRADING_API_DIALECT: [
    { SVC_TRADING_API_KEY: 'trade', SVC_TRADING_API_DIALECT: 'lp' },
    (c) => tradingApi(c),
    { apiKey: expect.anything(), url: 'https://liquidity.api.uniswap.org', dialect: 'lp' },
  ],
  SVC_ORDER_API_KEY: [{ SVC_ORDER_API_KEY: 'order-hush' }, (c) => c.upstream.orderApiKey?.reveal(), 'order-hush'],
  SVC_ORDER_API_URL: [
    { SVC_TRADING_API_KEY: 'trade', SVC_ORDER_API_URL: 'https://orders.example/v1/' },
    (c) => orderApi(c),
    { apiKey: expect.anything(), url: 'https://orders.example/v1', dialect: 'v1' },
  ],
  SVC_MCP_SUBGRAPH_API_KEY: [
    { SVC_MCP_SUBGRAPH_API_KEY: 'subgraph-hush' },
    (c) => c.upstream.subgraphApiKey?.reveal(),
    'subgraph-hush',
  ],
  SVC_REWARDS_URL: [
    { SVC_REWARDS_URL: 'https://proofs.example' },
    (c) => c.upstream.rewardsUrl,
    'https://proofs.example',
  ],
  SVC_IPFS_MODE: [{ SVC_IPFS_MODE: 'inline' }, (c) => c.upstream.ipfsMode, 'inline'],
  SVC_PINNING_JWT: [{ SVC_PINNING_JWT: 'jwt' }, (c) => c.upstream.pinningJwt?.reveal(), 'jwt'],
  SVC_AGENT_ID: [
    { SVC_AGENT_ID: '8453:42' },
    (c) => [c.agent?.chain.id, c.agent?.registry.length, c.agent?.tokenId],
    [8453, 42, '42'],
  ],
  SVC_AGENT_NAME: [{ SVC_AGENT_NAME: 'Ada' }, (c) => c.upstream.agentName, 'Ada'],
  SVC_API_URL: [{ SVC_API_URL: 'https://api.example' }, (c) => c.upstream.apiUrl, 'https://api.example'],
  SVC_GATEWAY_URL: [{ SVC_GATEWAY_URL: 'https://gw.example' }, (c) => c.upstream.gatewayUrl, 'https://gw.example'],
  SVC_IDENTITY_PROVIDER_URL: [
    { SVC_IDENTITY_PROVIDER_URL: 'https://id.example' },
    (c) => c.upstream.identityProviderUrl,
    'https://id.example',
  ],
}

function chainsFile(rows: unknown): string {
  const path = join(freshDir(), 'chains.json')
  writeFileSync(path, JSON.stringify(rows))
  return path
}

describe('settings', () => {
  it.each(settings.map((setting) => setting.name))('%s has its effect, and none when left out', (name) => {
    const [env, shows, value] = effects[name]
    expect(shows(read(env))).toEqual(value)
    expect(shows(read({}))).not.toEqual(value)
  })

  it.each(settings.filter(({ secret }) => secret).map(({ name }) => name))('%s never shows itself', (name) => {
    const [env] = effects[name]
    const value = env[Object.keys(env).find((given) => given.startsWith(name.replace('<chainId>', ''))) ?? '']
    const config = read(env)
    expect(value).toBeDefined()
    const shown = inspect(config, { depth: 9 }) + JSON.stringify(config)
    expect(shown.includes(value ?? '')).toBe(false)
  })

  it('choose the profile by the wallet', () => {
    expect(read({}).profile).toBe('data')
    expect(read({ PRIVATE_KEY: privateKey }).profile).toBe('full')
    expect(read({ PRIVATE_KEY: privateKey, SVC_MCP_PROFILE: 'data' }).profile).toBe('data')
    expect(read({}).listen).toEqual({ host: '127.0.0.1', port: 3000 })
  })

  it('warn of a managed wallet that nobody switched on, and of names that no setting has with what may be meant', () => {
    expect(read({ WALLET_ID: 'wallet-1' }).warnings).toContainEqual(expect.stringContaining('WALLET_TYPE=managed'))
    const { warnings } = read({ LOG_LEVLE: 'debug', SVC_TLS_KEYFILE: 'x' })
    expect(warnings).toContainEqual('LOG_LEVLE is not a setting of this server. Did you mean LOG_LEVEL?')
    expect(warnings).toContainEqual(
      expect.stringMatching(/^SVC_TLS_KEYFILE is not a setting .* docs\/config\.md has every/),
    )
  })

  it('warn of a profile whose tools need a wallet where there is none', () => {
    const warned = [expect.stringContaining('SVC_MCP_PROFILE is full and there is no wallet')]
    expect(read({ SVC_MCP_PROFILE: 'full' }).warnings).toEqual(warned)
    expect(read({ SVC_MCP_PROFILE: 'learning' }).warnings).toEqual([
      expect.stringContaining('SVC_MCP_PROFILE is learning and there is no wallet'),
    ])
    expect(read({ SVC_MCP_PROFILE: 'full', PRIVATE_KEY: privateKey, ...webhook }).warnings).toEqual([])
    expect(read(webhook).warnings).toEqual([expect.stringMatching(/^SVC_WEBHOOK_URL is set and there is no wallet/)])
    expect(read({ SVC_MCP_PROFILE: 'data' }).warnings).toEqual([])
  })

  it('name the profiles there are, and whose memory a caller may have', () => {
    const reported = (env: Readonly<Record<string, string>>) => problems(env).map(({ message }) => message)
    expect(reported({ SVC_MCP_PROFILE: 'Full' })).toEqual(['Accepted: data, full, learning.'])
    const sets = 'Accepted: market, positions, liquidity, trade, vaults, wallet, separated by commas.'
    for (const named of ['Market', 'market,trades', 'market;trade', 'all', ',']) {
      expect(reported({ SVC_MCP_TOOLSETS: named })).toEqual([sets])
    }
    expect(reported({ SVC_MEMORY: 'everybody' })).toEqual(['Accepted: own, shared.'])
    expect(read({}).sharesMemory).toBe(false)
  })

  it('treat an empty value as none, and warn of names nobody reads', () => {
    expect(read({ MCP_AUTH_TOKEN: '', SVC_MCP_PROFILE: '' }).auth.token).toBeNull()
    expect(read({ SVC_COLOUR: 'x' }).warnings).toEqual([expect.stringContaining('SVC_COLOUR')])
    expect(read({ PRIVATE_KEYS: 'x' }).warnings).toEqual([expect.stringContaining('Did you mean PRIVATE_KEY?')])
    expect(read({ SVC_RPC_URL_1: 'http://a', SVC_ANVIL_PATH: '/x', PATH: '/x' }).warnings).toEqual([])
  })

  it('warn of an endpoint for a chain that is not in the table, unless the chains file adds it', () => {
    const env = { SVC_RPC_URL_8543: 'http://a', SVC_RPC_URL_8453: 'http://a' }
    const apart = { SVC_PRIVATE_RPC_URL_8543: 'http://a', SVC_PRIVATE_RPC_URL_8453: 'http://a' }
    expect(read(apart).warnings).toEqual([expect.stringMatching(/^SVC_PRIVATE_RPC_URL_8543 changes nothing/)])
    const reported = 'SVC_RPC_URL_8543 changes nothing: no chain of this server has the id 8543.'
    expect(read(env).warnings).toEqual([reported])
    const own = chainsFile([{ ...read({}).chains[0], id: 8543, name: 'own', aliases: [] }])
    expect(read({ ...env, SVC_CHAINS_FILE: own }).warnings).toEqual([])
  })

  it('choose the endpoints of a chain: its own, the provider’s, the public ones', () => {
    const chain = read({}).chains.find(({ id }) => id === 8453)!
    expect(rpcUrls(read({}).rpc, chain)).toEqual(chain.publicRpcUrls)
    const provider = { SVC_RPC_PROVIDER: 'https://{chain}.rpc/{chainId}/{key}', RPC_API_KEY: 'k' }
    expect(rpcUrls(read(provider).rpc, chain)).toEqual(['https://base.rpc/8453/k'])
    expect(rpcUrls(read({ ...provider, SVC_RPC_URL_8453: 'https://own' }).rpc, chain)).toEqual(['https://own'])
  })
})

describe('what is refused', () => {
  it('names every problem at once, with code and mend, and quotes no value', () => {
    const env = {
      PRIVATE_KEY: '0xhush',
      LOG_LEVEL: 'hush',
      SVC_RPC_URL_x: 'hush',
      SVC_API_KEY_READ: 'hush',
      SVC_LISTEN: 'hush',
    }
    const found = problems(env)
    expect(found.map(({ setting }) => setting).toSorted()).toEqual(Object.keys(env).toSorted())
    expect(found.every(({ code, fix }) => code === 'SETTING_INVALID' && fix.length > 0)).toBe(true)
    expect(new ConfigError(found).message).not.toContain('hush')
  })

  it.each([
    [{ NODE_ENV: 'production', PRIVATE_KEY: privateKey }, 'LOCAL_KEY_IN_PRODUCTION PRIVATE_KEY'],
    [{ NODE_ENV: 'production', WALLET_TYPE: 'local' }, 'LOCAL_KEY_IN_PRODUCTION WALLET_TYPE'],
    [{ NODE_ENV: 'production', ...managed, PRIVATE_KEY: privateKey }, 'LOCAL_KEY_IN_PRODUCTION PRIVATE_KEY'],
    // Misspelt it would drop all stricter rules without a word.
    [{ NODE_ENV: 'Production' }, 'SETTING_INVALID NODE_ENV'],
    [{ SVC_LISTEN: '0.0.0.0:3000' }, 'PLAINTEXT_LISTEN SVC_LISTEN'],
    [{ SVC_LISTEN: '[::]:3000' }, 'PLAINTEXT_LISTEN SVC_LISTEN'],
    [{ SVC_LISTEN: '192.168.1.5:3000' }, 'PLAINTEXT_LISTEN SVC_LISTEN'],
    [{ SVC_LISTEN: '127.0.0.1:99999' }, 'SETTING_INVALID SVC_LISTEN'],
    [{ SVC_TLS_CERT: '/c.pem' }, 'SETTING_MISSING SVC_TLS_KEY'],
    [{ SVC_TLS_KEY: '/k.pem' }, 'SETTING_MISSING SVC_TLS_CERT'],
    [{ MCP_AUTH_TOKEN: 'short' }, 'AUTH_TOKEN_WEAK MCP_AUTH_TOKEN'],
    [{ MCP_AUTH_TOKEN: 'a'.repeat(64) }, 'AUTH_TOKEN_WEAK MCP_AUTH_TOKEN'],
    [{ MCP_AUTH_TOKEN: `svc_write_${token}` }, 'AUTH_TOKEN_WEAK MCP_AUTH_TOKEN'],
    [{ MCP_AUTH_TOKEN: `${token} and more` }, 'AUTH_TOKEN_WEAK MCP_AUTH_TOKEN'],
    [{ WALLET_TYPE: 'local' }, 'SETTING_MISSING PRIVATE_KEY'],
    [{ ...managed, WALLET_ID: '' }, 'SETTING_MISSING WALLET_ID'],
    [{ ...managed, WALLET_AUTH_PRIVATE_KEY: '' }, 'SETTING_MISSING WALLET_AUTH_PRIVATE_KEY'],
    [{ SVC_WATCH_SECONDS: '14' }, 'SETTING_INVALID SVC_WATCH_SECONDS'],
    [{ SVC_PUBLIC_URL: 'http://mcp.example.com/mcp' }, 'SETTING_INVALID SVC_PUBLIC_URL'],
    [{ SVC_PUBLIC_URL: 'https://mcp.example.com' }, 'SETTING_INVALID SVC_PUBLIC_URL'],
    [{ SVC_PUBLIC_URL: 'https://MCP.example.com/mcp' }, 'SETTING_INVALID SVC_PUBLIC_URL'],
    [{ SVC_PUBLIC_URL: 'https://user:pass@mcp.example.com/mcp' }, 'SETTING_INVALID SVC_PUBLIC_URL'],
    [{ SVC_PUBLIC_URL: 'https://[::1]/mcp' }, 'SETTING_INVALID SVC_PUBLIC_URL'],
    [{ SVC_SIWE_CHAIN: 'bass' }, 'SETTING_INVALID SVC_SIWE_CHAIN'],
    [{ SVC_SIWE_CHAIN: 'zksync', SVC_RPC_URL_324: 'https://a/1' }, 'SETTING_INVALID SVC_SIWE_CHAIN'],
    [{ SVC_SIWE_CHAIN: 'base' }, 'SETTING_MISSING SVC_RPC_URL_8453'],
    [
      { SVC_SIWE_CHAIN: 'base', SVC_RPC_URL_8453: 'https://a/1', SVC_LISTEN: '[::1]:1' },
      'SETTING_MISSING SVC_PUBLIC_URL',
    ],
    [{ SVC_METRICS_LISTEN: '9464' }, 'SETTING_INVALID SVC_METRICS_LISTEN'],
    [{ SVC_METRICS_LISTEN: '127.0.0.1:65536' }, 'SETTING_INVALID SVC_METRICS_LISTEN'],
    [{ SVC_METRICS_LISTEN: '127.0.0.1:3000' }, 'SETTING_INVALID SVC_METRICS_LISTEN'],
    [{ SVC_METRICS_LISTEN: '127.0.0.1:1', SVC_METRICS_TOKEN: 'short' }, 'SETTING_INVALID SVC_METRICS_TOKEN'],
    // Beyond this machine the figures need a token, and the token a wire that nobody reads.
    [{ SVC_METRICS_LISTEN: '0.0.0.0:1', SVC_TRUSTED_PROXIES: '10.0.0.1' }, 'SETTING_MISSING SVC_METRICS_TOKEN'],
    [{ SVC_METRICS_LISTEN: '0.0.0.0:1', SVC_METRICS_TOKEN: token }, 'PLAINTEXT_LISTEN SVC_METRICS_LISTEN'],
    [{ SVC_WATCH_SECONDS: '3601' }, 'SETTING_INVALID SVC_WATCH_SECONDS'],
    [{ SVC_WATCH_SECONDS: '6e1' }, 'SETTING_INVALID SVC_WATCH_SECONDS'],
    [{ ...webhook, SVC_WEBHOOK_SECRET: '' }, 'SETTING_MISSING SVC_WEBHOOK_SECRET'],
    [{ ...webhook, SVC_WEBHOOK_URL: '' }, 'SETTING_MISSING SVC_WEBHOOK_URL'],
    [{ ...webhook, SVC_WEBHOOK_SECRET: 'whsec_c2hvcnQ=' }, 'SETTING_INVALID SVC_WEBHOOK_SECRET'],
    [{ ...webhook, SVC_WEBHOOK_SECRET: webhook.SVC_WEBHOOK_SECRET.slice(6) }, 'SETTING_INVALID SVC_WEBHOOK_SECRET'],
    [{ ...webhook, SVC_WEBHOOK_URL: 'https://me:canary@hooks.example' }, 'SETTING_INVALID SVC_WEBHOOK_URL'],
    [{ ...webhook, SVC_WEBHOOK_URL: 'file:///etc/passwd' }, 'SETTING_INVALID SVC_WEBHOOK_URL'],
    // What is said, and to whom, would cross the network in the clear.
    [{ ...webhook, SVC_WEBHOOK_URL: 'http://hooks.example' }, 'SETTING_INVALID SVC_WEBHOOK_URL'],
    [{ ...webhook, SVC_WEBHOOK_PRIVATE: 'yes' }, 'SETTING_INVALID SVC_WEBHOOK_PRIVATE'],
    [{ SVC_IPFS_MODE: 'pinata' }, 'SETTING_MISSING SVC_PINNING_JWT'],
    [{ SVC_RPC_PROVIDER: 'https://x/{key}' }, 'SETTING_MISSING RPC_API_KEY'],
    [{ SVC_TRUSTED_PROXIES: '10.0.0.0/40' }, 'SETTING_INVALID SVC_TRUSTED_PROXIES'],
    [{ SVC_CLIENT_ADDRESS_HEADER: 'Fly-Client-IP' }, 'SETTING_MISSING SVC_TRUSTED_PROXIES'],
    [{ SVC_CLIENT_ADDRESS_HEADER: 'Fly Client' }, 'SETTING_INVALID SVC_CLIENT_ADDRESS_HEADER'],
    [{ SVC_AGENT_ID: '42' }, 'SETTING_INVALID SVC_AGENT_ID'],
    [{ SVC_AGENT_ID: '4242:42' }, 'SETTING_INVALID SVC_AGENT_ID'],
    [{ SVC_ALLOWED_ORIGINS: 'https://a.example/path' }, 'SETTING_INVALID SVC_ALLOWED_ORIGINS'],
    [{ SVC_ALLOWED_ORIGINS: '*' }, 'SETTING_INVALID SVC_ALLOWED_ORIGINS'],
    [{ SVC_RPC_URL_0: 'https://x' }, 'SETTING_INVALID SVC_RPC_URL_0'],
    [{ SVC_RPC_URL_1: 'ftp://x' }, 'SETTING_INVALID SVC_RPC_URL_1'],
    [{ SVC_API_URL: 'https://user:canary@x.example' }, 'SETTING_INVALID SVC_API_URL'],
    [{ SVC_WALLET_API_URL: 'https://:canary@x.example' }, 'SETTING_INVALID SVC_WALLET_API_URL'],
    // Misspelt it would leave the default in force.
    [{ SVC_ALOWED_HOSTS: 'x' }, 'SETTING_UNKNOWN SVC_ALOWED_HOSTS'],
    [{ SVC_API_KEY_WRITE: key('read') }, 'SETTING_INVALID SVC_API_KEY_WRITE'],
    [
      { NODE_ENV: 'production', NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      'TLS_UNVERIFIED_UPSTREAM NODE_TLS_REJECT_UNAUTHORIZED',
    ],
    [{ SVC_OAUTH_ISSUERS: 'https://a.example' }, 'SETTING_INVALID SVC_OAUTH_ISSUERS'],
    [{ SVC_OAUTH_ISSUERS: 'https://a.example HS256' }, 'SETTING_INVALID SVC_OAUTH_ISSUERS'],
    [{ SVC_OAUTH_ISSUERS: 'https://a.example none' }, 'SETTING_INVALID SVC_OAUTH_ISSUERS'],
    [{ SVC_OAUTH_ISSUERS: 'http://a.example ES256' }, 'SETTING_INVALID SVC_OAUTH_ISSUERS'],
    [{ SVC_OAUTH_ISSUERS: 'https://u:p@a.example ES256' }, 'SETTING_INVALID SVC_OAUTH_ISSUERS'],
    [{ SVC_OAUTH_ISSUERS: 'https://a.example ES256 http://169.254.169.254/keys' }, 'SETTING_INVALID SVC_OAUTH_ISSUERS'],
    [{ SVC_OAUTH_ISSUERS: 'https://a.example ES256, https://a.example RS256' }, 'SETTING_INVALID SVC_OAUTH_ISSUERS'],
    [{ ...edge, SVC_OAUTH_ISSUERS: 'https://team.example RS256' }, 'SETTING_INVALID SVC_OAUTH_ISSUERS'],
    [{ ...edge, SVC_EDGE_AUDIENCE: undefined }, 'SETTING_MISSING SVC_EDGE_AUDIENCE'],
    [{ ...edge, SVC_EDGE_KEYS_URL: 'http://team.example/certs' }, 'SETTING_INVALID SVC_EDGE_KEYS_URL'],
    [{ ...edge, SVC_EDGE_TOKEN_HEADER: 'Authorization' }, 'SETTING_INVALID SVC_EDGE_TOKEN_HEADER'],
    [
      { SVC_OAUTH_ISSUERS: 'https://a.example ES256', SVC_LISTEN: '0.0.0.0:3000', SVC_TRUSTED_PROXIES: '10.0.0.1' },
      'SETTING_MISSING SVC_PUBLIC_URL',
    ],
  ])('%o', (env, problem) => {
    expect(codes(env as Record<string, string>)).toEqual([problem])
  })

  it('lets a foreign address listen with TLS or behind a named proxy', () => {
    expect(codes({ SVC_LISTEN: '0.0.0.0:3000', SVC_TLS_CERT: '/c.pem', SVC_TLS_KEY: '/k.pem' })).toEqual([])
    expect(codes({ SVC_LISTEN: '0.0.0.0:3000', SVC_TRUSTED_PROXIES: '10.0.0.1' })).toEqual([])
  })
})

describe('a wallet that may be made', () => {
  it('makes the profile full without one, and is over once one is named', () => {
    expect(read(provision)).toMatchObject({ profile: 'full', wallet: null, warnings: [] })
    expect(read(provision).provision).toMatchObject({ appId: 'app', authPrivateKey: null, chains: [{ id: 8453 }] })
    const named = { ...provision, WALLET_ID: 'w-1', WALLET_AUTH_PRIVATE_KEY: 'p256' }
    expect(read(named)).toMatchObject({ provision: null, wallet: { walletId: 'w-1' } })
    expect(read({ ...provision, SVC_MCP_PROFILE: 'data' }).provision).toBeNull()
  })

  it('needs an app, an owner of its own, and chains that there are', () => {
    const { WALLET_APP_SECRET: _secret, SVC_PROVISION_OWNER_KEY: _owner, ...rest } = provision
    expect(codes(rest)).toEqual(['SETTING_MISSING WALLET_APP_SECRET', 'SETTING_MISSING SVC_PROVISION_OWNER_KEY'])
    expect(codes({ SVC_PROVISION_ROLE: 'vault_creator' })).toContain('SETTING_MISSING WALLET_TYPE')
    expect(codes({ ...provision, SVC_PROVISION_CHAINS: 'base,moon' })).toEqual(['SETTING_INVALID SVC_PROVISION_CHAINS'])
    expect(codes({ ...provision, SVC_PROVISION_ROLE: 'king' })).toEqual(['SETTING_INVALID SVC_PROVISION_ROLE'])
    expect(codes({ ...provision, SVC_PROVISION_OWNER_KEY: 'p256' })).toEqual([
      'SETTING_INVALID SVC_PROVISION_OWNER_KEY',
    ])
  })
})

describe('the chains file', () => {
  const row = () => {
    const { id: _id, name: _name, aliases: _aliases, ...rest } = structuredClone(read({}).chains[0]!)
    return rest
  }

  it('adds a local chain and changes a known one', () => {
    const path = chainsFile([
      { ...row(), id: 31337, name: 'local', aliases: ['dev'] },
      { id: 8453, amm: { v2: undefined } },
    ])
    const { chains } = read({ SVC_CHAINS_FILE: path })
    expect(chains.find(({ id }) => id === 31337)).toMatchObject({ name: 'local', aliases: ['dev'] })
    expect(chains).toHaveLength(read({}).chains.length + 1)
    expect(chains.find(({ id }) => id === 8453)?.amm.v3).toEqual(read({}).chains.find(({ id }) => id === 8453)?.amm.v3)
  })

  it('takes what a chain can do', () => {
    const can = { faucet: true, sponsored: false, local: true }
    const { chains } = read({ SVC_CHAINS_FILE: chainsFile([{ id: 8453, ...can }]) })
    expect(chains.find(({ id }) => id === 8453)).toMatchObject(can)
  })

  it("places subgraphs, by id or by a URL of one's own", () => {
    const subgraphs = { v3: '43Hwfi3dJSoGpyas9VwNoDAv55yjgGrPpNSmbQZArzMG', v4: 'http://127.0.0.1:8000/v4' }
    const { chains } = read({ SVC_CHAINS_FILE: chainsFile([{ id: 10, subgraphs }]) })
    expect(chains.find(({ id }) => id === 10)?.subgraphs).toEqual(subgraphs)
    const wrong = chainsFile([{ id: 10, subgraphs: { v3: 'ftp://graph.example' } }])
    expect(codes({ SVC_CHAINS_FILE: wrong })).toEqual(['CHAINS_FILE_INVALID SVC_CHAINS_FILE'])
  })

  it('takes what prices are taken from, with bounds of an aggregator in digits', () => {
    const address = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'
    const feed = { address, heartbeatSeconds: 3_600, deviationBps: 50, decimals: 8 }
    const pools = [
      { version: 'v3', id: address, quote: address, fee: 500 },
      { version: 'v4', id: `0x${'1f'.repeat(32)}`, quote: address, fee: 500, tickSpacing: 10, native: true },
    ]
    const rows = (sources: object) => {
      const token = {
        symbol: 'T',
        name: 'T',
        address,
        decimals: 18,
        priceSources: { feed: { ...feed, ...sources }, pools },
      }
      return chainsFile([{ id: 10, tokens: [token], sequencerUptimeFeed: { address, graceSeconds: 3_600 } }])
    }
    const { chains } = read({ SVC_CHAINS_FILE: rows({ minAnswer: '1', maxAnswer: `${2n ** 95n}` }) })
    const chain = chains.find(({ id }) => id === 10)!
    expect(chain.sequencerUptimeFeed).toEqual({ address, graceSeconds: 3_600 })
    expect(chain.tokens[0]!.priceSources).toEqual({ feed: { ...feed, minAnswer: 1n, maxAnswer: 2n ** 95n }, pools })
    for (const wrong of [{ minAnswer: 1 }, { maxAnswer: '-1' }, { heartbeatSeconds: 0 }, { sources: 1 }]) {
      expect(codes({ SVC_CHAINS_FILE: rows(wrong) })).toEqual(['CHAINS_FILE_INVALID SVC_CHAINS_FILE'])
    }
  })

  it('takes the identity registry of a chain', () => {
    const identityRegistry = { address: '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432', form: 'erc8004-v1' }
    const { chains } = read({ SVC_CHAINS_FILE: chainsFile([{ id: 10, identityRegistry }]) })
    expect(chains.find(({ id }) => id === 10)?.identityRegistry).toEqual(identityRegistry)
  })

  it.each([
    [
      'an identity registry of an unknown form',
      [{ id: 1, identityRegistry: { address: '0x0000000000000000000000000000000000000000', form: 'v3' } }],
    ],
    ['a new chain that is not whole', [{ id: 31337, name: 'local' }]],
    ['a member nobody knows', [{ id: 1, colour: 'red' }]],
    ['a wrong checksum', [{ id: 1, multicall3: '0xCA11bde05977b3631167028862bE2a173976CA11' }]],
    ['no list', { id: 1 }],
  ])('refuses %s', (_name, rows) => {
    expect(new Set(codes({ SVC_CHAINS_FILE: chainsFile(rows) }))).toEqual(
      new Set(['CHAINS_FILE_INVALID SVC_CHAINS_FILE']),
    )
  })

  it('refuses a file that is not there', () => {
    expect(codes({ SVC_CHAINS_FILE: '/nowhere/chains.json' })).toEqual(['CHAINS_FILE_INVALID SVC_CHAINS_FILE'])
    expect(() => read({ SVC_CHAINS_FILE: '/nowhere/chains.json' })).toThrow('/nowhere/chains.json does not exist.')
  })
})

describe('the environment file', () => {
  const random = (size: number) => crypto.getRandomValues(new Uint8Array(size))

  it('receives the generated keys, closed to others, and gives them to the next start', () => {
    const dir = join(freshDir(), 'new')
    const keys = provisionKeys(readConfig({ SVC_DATA_DIR: dir }), random)
    expect(keys.read.reveal()).toMatch(/^svc_read_[A-Za-z0-9_-]{43}$/)
    expect(statSync(join(dir, '.env')).mode & 0o777).toBe(0o600)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    const again = provisionKeys(readConfig({ SVC_DATA_DIR: dir }), () => expect.unreachable())
    expect(Object.values(again).map((secret) => secret.reveal())).toEqual(
      Object.values(keys).map((secret) => secret.reveal()),
    )
  })

  it('is laid under the process’s environment and keeps what stands in it', () => {
    const dir = freshDir()
    writeFileSync(join(dir, '.env'), `# mine\nLOG_LEVEL=debug\nSVC_API_KEY_READ=${key('read')}`, { mode: 0o600 })
    expect(readConfig({ SVC_DATA_DIR: dir }).logLevel).toBe('debug')
    expect(readConfig({ SVC_DATA_DIR: dir, LOG_LEVEL: 'warn' }).logLevel).toBe('warn')
    const keys = provisionKeys(readConfig({ SVC_DATA_DIR: dir }), random)
    expect(keys.read.reveal()).toBe(key('read'))
    expect(readFileSync(join(dir, '.env'), 'utf8')).toMatch(
      new RegExp(
        `^# mine\\nLOG_LEVEL=debug\\nSVC_API_KEY_READ=${key('read')}\\nSVC_API_KEY_FEEDBACK=svc_feedback_.{43}\\nSVC_API_KEY_WRITE=svc_write_.{43}\\n$`,
      ),
    )
  })

  it('is refused when others can read it, when it is a link or a directory, and when it is malformed', () => {
    const open = freshDir()
    writeFileSync(join(open, '.env'), 'LOG_LEVEL=debug')
    chmodSync(join(open, '.env'), 0o640)
    const linked = freshDir()
    writeFileSync(join(linked, 'target'), '', { mode: 0o600 })
    symlinkSync(join(linked, 'target'), join(linked, '.env'))
    const nested = freshDir()
    mkdirSync(join(nested, '.env'))
    const malformed = freshDir()
    writeFileSync(join(malformed, '.env'), 'export A=b', { mode: 0o600 })
    for (const dir of [open, linked, nested]) {
      expect(codes({ SVC_DATA_DIR: dir })).toEqual([`ENV_FILE_UNSAFE ${join(dir, '.env')}`])
    }
    expect(codes({ SVC_DATA_DIR: malformed })).toEqual([`ENV_FILE_INVALID ${join(malformed, '.env')}`])
  })

  it('is refused with names that no setting has, since nobody else reads it', () => {
    const dir = freshDir()
    writeFileSync(join(dir, '.env'), 'LOG_LEVEL=debug\nLOG_LEVL=info\nSVC_RPC_URL_1=http://a\nCOLOUR=x\n', {
      mode: 0o600,
    })
    expect(problems({ SVC_DATA_DIR: dir })).toEqual([
      expect.objectContaining({ code: 'SETTING_UNKNOWN', setting: 'LOG_LEVL', fix: 'Did you mean LOG_LEVEL?' }),
      expect.objectContaining({
        code: 'SETTING_UNKNOWN',
        setting: 'COLOUR',
        fix: expect.stringContaining('Remove it'),
      }),
    ])
  })
})
