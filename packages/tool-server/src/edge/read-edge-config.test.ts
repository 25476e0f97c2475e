import { expect, test } from 'vitest'
import { ConfigError } from '../config/config-shape.ts'
import { settings } from '../config/settings.ts'
import { readEdgeConfig } from './read-edge-config.ts'

const key = `svc_read_${'Ab3_'.repeat(11).slice(0, 43)}`
const least = { SVC_PUBLIC_URL: 'https://mcp.example.com/mcp', SVC_API_KEY_READ: key }

function problems(env: Readonly<Record<string, unknown>>, chains: unknown = []): readonly string[] {
  try {
    readEdgeConfig(env, chains)
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.problems.map(({ code, setting }) => `${code} ${setting}`)
  }
}

test('an address and a key are enough, beside bindings that are no settings', () => {
  const config = readEdgeConfig(
    { ...least, ASSETS: { fetch: () => null }, SVC_RPC_URL_8453: 'https://one.example' },
    [],
  )
  expect(config).toMatchObject({ profile: 'data', wallet: null, databaseUrl: null, publicUrl: least.SVC_PUBLIC_URL })
  expect(config.rpc.urls.get(8453)?.map((url) => url.reveal())).toEqual(['https://one.example'])
})

test.each([
  [{}, ['SETTING_MISSING SVC_PUBLIC_URL', 'SETTING_MISSING SVC_API_KEY_READ']],
  [{ ...least, SVC_MCP_PROFILE: 'full' }, ['SETTING_INVALID SVC_MCP_PROFILE']],
  [{ ...least, SVC_API_KEY_READ: 'short' }, ['SETTING_INVALID SVC_API_KEY_READ']],
  [
    { ...least, PRIVATE_KEY: `0x${'1f'.repeat(32)}`, SVC_DATABASE_URL: 'postgres://one', SVC_SIWE_CHAIN: 'base' },
    ['SETTING_INVALID PRIVATE_KEY', 'SETTING_INVALID SVC_DATABASE_URL', 'SETTING_INVALID SVC_SIWE_CHAIN'],
  ],
  [{ ...least, SVC_PRIVATE_RPC_URL_8453: 'https://one.example' }, ['SETTING_INVALID SVC_PRIVATE_RPC_URL_8453']],
])('of %j it is said what is wrong: %j', (env, expected) => {
  expect(problems(env)).toEqual(expected)
})

test('a chains file that is none is named', () => {
  expect(problems(least, [{ id: 0 }])[0]).toBe('CHAINS_FILE_INVALID SVC_CHAINS_FILE')
})

test('what an edge does not have is refused by its name, and nothing else is', () => {
  const all = settings.map(({ name }) => name.replace('<chainId>', '8453'))
  const refused = all.filter((name) => {
    try {
      readEdgeConfig({ ...least, [name]: 'x' }, [])
      return false
    } catch (error) {
      const [first] = error instanceof ConfigError ? error.problems : []
      return first?.setting === name && first.message.startsWith('It belongs to what')
    }
  })
  expect(refused).toMatchInlineSnapshot(`
    [
      "WALLET_TYPE",
      "WALLET_APP_ID",
      "WALLET_APP_SECRET",
      "WALLET_ID",
      "WALLET_AUTH_PRIVATE_KEY",
      "SVC_WALLET_API_URL",
      "SVC_PROVISION_ROLE",
      "SVC_PROVISION_OWNER_KEY",
      "SVC_PROVISION_CHAINS",
      "PRIVATE_KEY",
      "SVC_MEMORY",
      "SVC_WATCH_SECONDS",
      "SVC_WEBHOOK_URL",
      "SVC_WEBHOOK_SECRET",
      "SVC_WEBHOOK_PRIVATE",
      "SVC_LISTEN",
      "SVC_WEBSOCKET",
      "SVC_DATA_DIR",
      "SVC_DATABASE_URL",
      "SVC_METRICS_LISTEN",
      "SVC_METRICS_TOKEN",
      "SVC_TRACES_URL",
      "SVC_TLS_CERT",
      "SVC_TLS_KEY",
      "SVC_TRUSTED_PROXIES",
      "SVC_CLIENT_ADDRESS_HEADER",
      "SVC_OPERATOR_PAGE",
      "SVC_SIWE_CHAIN",
      "SVC_OAUTH_ISSUERS",
      "SVC_EDGE_ISSUER",
      "SVC_EDGE_KEYS_URL",
      "SVC_EDGE_AUDIENCE",
      "SVC_EDGE_TOKEN_HEADER",
      "SVC_EDGE_SECRET_HEADER",
      "SVC_PRIVATE_RPC_URL_8453",
      "SVC_BUNDLER_URL_8453",
      "SVC_PAYMASTER_URL_8453",
      "SVC_CHAINS_FILE",
      "SVC_IPFS_MODE",
      "SVC_PINNING_JWT",
      "SVC_API_URL",
      "SVC_IDENTITY_PROVIDER_URL",
    ]
  `)
})
