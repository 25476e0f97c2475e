import { useDevnet, usePostgres } from '@svc/devnet/testing'
import { registerAgent, ServiceWallet } from '@svc/wallet'
import { createTestClient, http, parseEther } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import { openTestApi, type TestApi } from './test-api.fixture.ts'

const devnet = useDevnet()
const postgres = usePostgres()
let api: TestApi
afterEach(() => api.close())

async function register(appId: string) {
  const { rpcUrl, registry } = devnet()
  const wallet = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls: { 31337: rpcUrl },
    appId,
  })
  const node = createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
  await node.setBalance({ address: wallet.address, value: parseEther('1') })
  const result = await registerAgent(wallet, {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    registry: { identity: registry.identity },
    apiUrl: api.url,
    env: {},
  })
  if (result.status !== 'registered') throw new Error(`It is ${result.status}.`)
  return result
}

it.each(['SQLite', 'PostgreSQL'])(
  'an agent is registered through the pin proxy on %s, and its file is served',
  async (engine) => {
    api = await openTestApi(engine === 'SQLite' ? {} : { place: { url: await postgres().newSchema() } })
    const { registrationMethod, agentURI, warnings } = await register('app-one')
    expect({ registrationMethod, warnings }).toEqual({ registrationMethod: 'sdk-ipfs', warnings: [] })
    const cid = agentURI.replace(/^ipfs:\/\//, '')
    expect(await api.ask(`/ipfs/${cid}`)).toMatchObject({
      status: 200,
      json: { name: 'Ada', services: [{ name: 'MCP', endpoint: 'https://agent.example/mcp' }, { name: 'OASF' }] },
    })
  },
)

it('an app that the provider does not know registers with the file in the URI', async () => {
  api = await openTestApi()
  expect(await register('app-none')).toMatchObject({
    registrationMethod: 'sdk-inline',
    attempts: expect.arrayContaining([expect.objectContaining({ tier: 'sdk-ipfs', code: 'PIN_FAILED' })]),
  })
})
