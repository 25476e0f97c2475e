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
  expect(refused).toMatchInlineSnapshot()
})
