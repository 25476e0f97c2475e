import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { chains } from '@svc/wallet/core'
import { describe, expect, it } from 'vitest'
import { readConfig, type Config } from './config.ts'
import { ConfigError } from './config/schema.ts'
import { settings, type SettingName } from './config/settings.ts'

type Env = Readonly<Record<string, string>>

const key = `0x${'1f'.repeat(32)}`
const least = { SVC_IDENTITY_PROVIDER_URL: 'https://wallets.example' }
/** With a gateway, which only the embedded backend has of its own. */
const gateway = { SVC_GATEWAY_URL: 'https://g.example' }
const read = (env: Env = {}) => readConfig({ ...least, ...env })
const problems = (env: Env) => {
  try {
    readConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}
const codes = (env: Env) => problems({ ...least, ...env }).map(({ code, setting }) => `${code} ${setting}`)
const file = (content: unknown) => {
  const path = join(mkdtempSync(join(tmpdir(), 'chains-')), 'chains.json')
  writeFileSync(path, JSON.stringify(content))
  return path
}
const local = { ...chains.find(({ id }) => id === 11155111), id: 31337, name: 'local', aliases: [] }

/** For every setting: an environment that sets it, and what the configuration shows of it. */
const effects: Readonly<Record<SettingName, readonly [env: Env, shows: (config: Config) => unknown, value: unknown]>> =
  {
    NODE_ENV: [{ NODE_ENV: 'production' }, (c) => c.production, true],
    LOG_LEVEL: [{ LOG_LEVEL: 'debug' }, (c) => c.logLevel, 'debug'],
    SVC_LISTEN: [{ SVC_LISTEN: '[::1]:9000' }, (c) => c.listen, { host: '::1', port: 9000 }],
    SVC_TLS_CERT: [{ SVC_TLS_CERT: '/c.pem', SVC_TLS_KEY: '/k.pem' }, (c) => c.tls?.certPath, '/c.pem'],
    SVC_TLS_KEY: [{ SVC_TLS_CERT: '/c.pem', SVC_TLS_KEY: '/k.pem' }, (c) => c.tls?.keyPath, '/k.pem'],
    SVC_TRUSTED_PROXIES: [
      { SVC_TRUSTED_PROXIES: '10.0.0.1, fd00::/8' },
      (c) => c.trustedProxies,
      ['10.0.0.1', 'fd00::/8'],
    ],
    SVC_ALLOWED_HOSTS: [
      { SVC_ALLOWED_HOSTS: 'a.example,b.example' },
      (c) => c.allowedHosts,
      ['a.example', 'b.example'],
    ],
    SVC_DATA_DIR: [{ SVC_DATA_DIR: '/nowhere/svc' }, (c) => c.dataDir, '/nowhere/svc'],
    SVC_DATABASE_URL: [{ SVC_DATABASE_URL: 'postgres://db/svc' }, (c) => c.databaseUrl?.reveal(), 'postgres://db/svc'],
    SVC_CHAINS_FILE: [
      { SVC_CHAINS_FILE: file([local]), SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_CHAINS: '31337' },
      (c) => c.faucet?.chains.map(({ chain }) => chain.name),
      ['local'],
    ],
    'SVC_RPC_URL_<chainId>': [
      { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_CHAINS: '84532', SVC_RPC_URL_84532: 'https://a/1, http://b/2' },
      (c) => c.faucet?.chains.map(({ rpcUrls }) => rpcUrls),
      [['https://a/1', 'http://b/2']],
    ],
    SVC_IDENTITY_PROVIDER_URL: [{}, (c) => c.identityProvider.url, 'https://wallets.example'],
    SVC_IDENTITY_PROVIDER_PATH: [
      { SVC_IDENTITY_PROVIDER_PATH: '/apps/{appId}' },
      (c) => c.identityProvider.path,
      '/apps/{appId}',
    ],
    SVC_GATEWAY_URL: [{ SVC_GATEWAY_URL: 'https://g.example/' }, (c) => c.gatewayUrl, 'https://g.example'],
    SVC_PIN_BACKEND: [
      { ...gateway, SVC_PIN_BACKEND: 'kubo' },
      (c) => c.pins.backend,
      { kind: 'kubo', url: 'http://127.0.0.1:5001' },
    ],
    SVC_PIN_URL: [
      { ...gateway, SVC_PIN_BACKEND: 'kubo', SVC_PIN_URL: 'http://kubo:5001/' },
      (c) => c.pins.backend,
      { kind: 'kubo', url: 'http://kubo:5001' },
    ],
    SVC_PINNING_JWT: [
      { ...gateway, SVC_PIN_BACKEND: 'pinata', SVC_PINNING_JWT: 'jwt-canary' },
      (c) => c.pins.backend.kind === 'pinata' && c.pins.backend.jwt.reveal(),
      'jwt-canary',
    ],
    SVC_PIN_PER_APP_HOUR: [{ SVC_PIN_PER_APP_HOUR: '5' }, (c) => c.pins.perAppPerHour, 5],
    SVC_PIN_PER_DAY: [{ SVC_PIN_PER_DAY: '7' }, (c) => c.pins.perDay, 7],
    SVC_PIN_PER_NETWORK_HOUR: [{ SVC_PIN_PER_NETWORK_HOUR: '6' }, (c) => c.pins.perNetworkPerHour, 6],
    SVC_FAUCET_PRIVATE_KEY: [{ SVC_FAUCET_PRIVATE_KEY: key }, (c) => c.faucet?.privateKey.reveal(), key],
    SVC_FAUCET_CHAINS: [
      { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_CHAINS: '84532' },
      (c) => c.faucet?.chains.map(({ chain }) => chain.id),
      [84532],
    ],
    SVC_FAUCET_PER_APP_DAY: [
      { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_PER_APP_DAY: '7' },
      (c) => c.faucet?.perAppPerDay,
      7,
    ],
    SVC_FAUCET_PER_NETWORK_DAY: [
      { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_PER_NETWORK_DAY: '8' },
      (c) => c.faucet?.perNetworkPerDay,
      8,
    ],
    SVC_FAUCET_PER_CHAIN_DAY: [
      { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_PER_CHAIN_DAY: '9' },
      (c) => c.faucet?.perChainPerDay,
      9,
    ],
    SVC_PAGE_APP_ID: [{ SVC_PAGE_APP_ID: 'app-page' }, (c) => c.pageAppId, 'app-page'],
    SVC_FAUCET_TARGET_CEILING: [
      { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_TARGET_CEILING: '0.05' },
      (c) => c.faucet?.targetCeilingWei,
      50_000_000_000_000_000n,
    ],
  }

it.each(Object.entries(effects))('%s is read', (_name, [env, shows, value]) => {
  expect(shows(read(env))).toEqual(value)
})

it('no setting is documented that has no test, and every default is what the page says', () => {
  expect(settings.map(({ name }) => name).toSorted()).toEqual(Object.keys(effects).toSorted())
  const config = read({ SVC_FAUCET_PRIVATE_KEY: key })
  const said = Object.fromEntries(settings.map((setting) => [setting.name, setting.default]))
  expect(said).toMatchObject({
    SVC_LISTEN: `${config.listen.host}:${config.listen.port}`,
    LOG_LEVEL: config.logLevel,
    SVC_IDENTITY_PROVIDER_PATH: config.identityProvider.path,
    SVC_PIN_BACKEND: config.pins.backend.kind,
    SVC_PIN_PER_APP_HOUR: String(config.pins.perAppPerHour),
    SVC_PIN_PER_DAY: String(config.pins.perDay),
    SVC_PIN_PER_NETWORK_HOUR: String(config.pins.perNetworkPerHour),
    SVC_FAUCET_CHAINS: config.faucet?.chains.map(({ chain }) => chain.id).join(','),
    SVC_FAUCET_PER_APP_DAY: String(config.faucet?.perAppPerDay),
    SVC_FAUCET_PER_NETWORK_DAY: String(config.faucet?.perNetworkPerDay),
    SVC_FAUCET_PER_CHAIN_DAY: String(config.faucet?.perChainPerDay),
  })
})

describe('refusals', () => {
  it.each<[string, Env, string]>([
    ['no identity provider', { SVC_IDENTITY_PROVIDER_URL: '' }, 'SETTING_MISSING SVC_IDENTITY_PROVIDER_URL'],
    ['a port that is none', { SVC_LISTEN: '127.0.0.1:70000' }, 'SETTING_INVALID SVC_LISTEN'],
    [
      'any address without TLS',
      { ...gateway, SVC_LISTEN: '0.0.0.0:80', SVC_ALLOWED_HOSTS: 'g.example' },
      'PLAINTEXT_LISTEN SVC_LISTEN',
    ],
    ['a misspelt environment', { NODE_ENV: 'prodution' }, 'SETTING_INVALID NODE_ENV'],
    ['half of TLS', { SVC_TLS_CERT: '/c.pem' }, 'SETTING_MISSING SVC_TLS_KEY'],
    ['a proxy that is no address', { SVC_TRUSTED_PROXIES: 'edge' }, 'SETTING_INVALID SVC_TRUSTED_PROXIES'],
    ['no gateway on a free port', { SVC_LISTEN: '127.0.0.1:0' }, 'SETTING_MISSING SVC_GATEWAY_URL'],
    ['a path without an app', { SVC_IDENTITY_PROVIDER_PATH: '/apps' }, 'SETTING_INVALID SVC_IDENTITY_PROVIDER_PATH'],
    ['an app that is none', { SVC_PAGE_APP_ID: 'my app' }, 'SETTING_INVALID SVC_PAGE_APP_ID'],
    ['an unknown backend', { SVC_PIN_BACKEND: 'web3' }, 'SETTING_INVALID SVC_PIN_BACKEND'],
    ['an account without its token', { ...gateway, SVC_PIN_BACKEND: 'pinata' }, 'SETTING_MISSING SVC_PINNING_JWT'],
    [
      'a pinning service without an address',
      { ...gateway, SVC_PIN_BACKEND: 'pinning-service', SVC_PINNING_JWT: 'jwt' },
      'SETTING_MISSING SVC_PIN_URL',
    ],
    ['a limit of nothing', { SVC_PIN_PER_APP_HOUR: '0' }, 'SETTING_INVALID SVC_PIN_PER_APP_HOUR'],
    ['an endpoint that is no URL', { SVC_RPC_URL_84532: 'ftp://a' }, 'SETTING_INVALID SVC_RPC_URL_84532'],
    [
      'a faucet on a chain of value',
      { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_CHAINS: '8453' },
      'SETTING_INVALID SVC_FAUCET_CHAINS',
    ],
    [
      'a faucet on a chain nobody named',
      { SVC_FAUCET_PRIVATE_KEY: key, SVC_FAUCET_CHAINS: '31337' },
      'SETTING_INVALID SVC_FAUCET_CHAINS',
    ],
    ['a backend whose pins this gateway does not have', { SVC_PIN_BACKEND: 'kubo' }, 'SETTING_MISSING SVC_GATEWAY_URL'],
    [
      'names of its own nowhere',
      { ...gateway, SVC_LISTEN: '0.0.0.0:80', SVC_TRUSTED_PROXIES: '10.0.0.2' },
      'SETTING_MISSING SVC_ALLOWED_HOSTS',
    ],
    ['everybody as a proxy', { SVC_TRUSTED_PROXIES: '0.0.0.0/0' }, 'SETTING_INVALID SVC_TRUSTED_PROXIES'],
    ['half of everybody as a proxy', { SVC_TRUSTED_PROXIES: '::/1' }, 'SETTING_INVALID SVC_TRUSTED_PROXIES'],
    ['a key of zero', { SVC_FAUCET_PRIVATE_KEY: `0x${'0'.repeat(64)}` }, 'SETTING_INVALID SVC_FAUCET_PRIVATE_KEY'],
    [
      'a key off the curve',
      { SVC_FAUCET_PRIVATE_KEY: `0x${'f'.repeat(64)}` },
      'SETTING_INVALID SVC_FAUCET_PRIVATE_KEY',
    ],
    ['a password in a URL', { SVC_RPC_URL_84532: 'https://:canary@rpc' }, 'SETTING_INVALID SVC_RPC_URL_84532'],
    [
      'one endpoint for two chains',
      { SVC_RPC_URL_84532: 'https://a', SVC_RPC_URL_11155111: 'https://b, https://a/' },
      'SETTING_INVALID SVC_RPC_URL_11155111',
    ],
    ['a slip of a name', { SVC_FAUCET_PER_NETWROK_DAY: '1' }, 'SETTING_UNKNOWN SVC_FAUCET_PER_NETWROK_DAY'],
    ['half of a name', { SVC_FAUCET_PRIVATKEY: key }, 'SETTING_UNKNOWN SVC_FAUCET_PRIVATKEY'],
    ['a chains file that is not there', { SVC_CHAINS_FILE: '/nowhere.json' }, 'CHAINS_FILE_INVALID SVC_CHAINS_FILE'],
    ['a new chain in part', { SVC_CHAINS_FILE: file([{ id: 5 }]) }, 'CHAINS_FILE_INVALID SVC_CHAINS_FILE'],
  ])('%s', (_what, env, code) => {
    expect(codes(env)).toEqual([code])
  })

  it('all problems come at once, with a mend and without a value', () => {
    const found = problems({ SVC_LISTEN: 'canary', SVC_PIN_BACKEND: 'canary', SVC_FAUCET_PRIVATE_KEY: 'canary' })
    expect(found.map(({ code, setting }) => `${code} ${setting}`)).toEqual([
      'SETTING_INVALID SVC_LISTEN',
      'SETTING_INVALID SVC_PIN_BACKEND',
      'SETTING_INVALID SVC_FAUCET_PRIVATE_KEY',
      // A rule, which is told beside what is malformed.
      'SETTING_MISSING SVC_IDENTITY_PROVIDER_URL',
    ])
    expect(found.every(({ fix }) => fix !== '')).toBe(true)
    expect(JSON.stringify(found)).not.toContain('canary')
  })

  it('a setting that is malformed is told once, and nothing that hangs on it', () => {
    const wire = { SVC_LISTEN: '0.0.0.0:80', SVC_ALLOWED_HOSTS: 'g.example', SVC_TRUSTED_PROXIES: 'edge' }
    expect(codes({ ...wire, SVC_GATEWAY_URL: 'g' })).toEqual([
      'SETTING_INVALID SVC_TRUSTED_PROXIES',
      'SETTING_INVALID SVC_GATEWAY_URL',
    ])
  })

  it('say which name was meant, and what is the matter with a file', () => {
    const [slip] = problems({ ...least, SVC_FAUCET_PER_NETWROK_DAY: '1' })
    expect(slip?.fix).toBe('Did you mean SVC_FAUCET_PER_NETWORK_DAY?')
    const said = (path: string) => problems({ ...least, SVC_CHAINS_FILE: path }).map(({ message }) => message)
    expect(said('/nowhere.json')).toEqual(['The file cannot be read (ENOENT).'])
    const path = file([])
    writeFileSync(path, '[{')
    expect(said(path)).toEqual(['The file is not JSON.'])
  })
})

it('beside loopback it listens with TLS, or behind a proxy that ends it', () => {
  const outside = { ...gateway, SVC_LISTEN: '0.0.0.0:443', SVC_ALLOWED_HOSTS: 'g.example' }
  expect(codes({ ...outside, SVC_TLS_CERT: '/c.pem', SVC_TLS_KEY: '/k.pem' })).toEqual([])
  expect(codes({ ...outside, SVC_TRUSTED_PROXIES: '10.0.0.0/8' })).toEqual([])
})

it('no secret shows when the configuration is printed', () => {
  const config = read({
    SVC_DATABASE_URL: 'postgres://u:canary@db/svc',
    ...gateway,
    SVC_PIN_BACKEND: 'pinata',
    SVC_PINNING_JWT: 'canary',
    SVC_FAUCET_PRIVATE_KEY: key,
  })
  expect(`${inspect(config, { depth: 9 })}${JSON.stringify({ ...config, faucet: null })}`).not.toMatch(/canary|1f1f/)
})

it('one app alone cannot empty a chain for the day', () => {
  const { faucet } = read({ SVC_FAUCET_PRIVATE_KEY: key })
  expect(faucet?.perAppPerDay).toBeLessThan(faucet?.perChainPerDay ?? 0)
})

it('what is allowed and most likely not meant is told', () => {
  const doubts = (env: Env) => read(env).doubts.map(({ code, setting }) => `${code} ${setting}`)
  expect(doubts({ SVC_ALLOWED_HOSTS: 'localhost', SVC_RPC_URL_1: 'https://one', HOME: '/' })).toEqual([])
  expect(doubts({ SVC_ALLOWED_HOSTS: 'api.example' })).toEqual(['PROXY_NOT_NAMED SVC_TRUSTED_PROXIES'])
  expect(doubts({ SVC_ALLOWED_HOSTS: 'api.example', SVC_TRUSTED_PROXIES: '127.0.0.1' })).toEqual([])
  expect(doubts({ SVC_PIN_URL: 'https://pins.example' })).toEqual(['SETTING_UNUSED SVC_PIN_URL'])
  // Of the tool server, which may share the environment.
  expect(doubts({ SVC_API_URL: 'https://api.example' })).toEqual(['SETTING_UNKNOWN SVC_API_URL'])
})
