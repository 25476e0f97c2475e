import { findAgents, getAgent, updateAgent } from '@svc/wallet'
import { SDK } from 'agent0-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { apiUrl, chainId, registered, rpcUrl, walletOf } from './agent.fixture.ts'
import { createTestServer, identitySdkHandlers, type IdentitySdkHandlers, type TestServer } from './index.ts'

let handlers: IdentitySdkHandlers
let server: TestServer
beforeEach(() => begin())
afterEach(() => server.close())

test('registerAgent through the identity SDK gives the same agent id and URI each time', async () => {
  const both = async () => [
    await registered(walletOf('Ada')),
    await registered(walletOf('Bob'), { ipfsMode: 'inline' }),
  ]
  const first = await both()
  expect(first).toMatchObject([
    { agentId: `${chainId}:0`, registrationMethod: 'sdk-ipfs', warnings: [] },
    { agentId: `${chainId}:1`, registrationMethod: 'sdk-inline', warnings: [] },
  ])
  expect(first[0]?.agentURI).toMatch(/^ipfs:\/\/bafkrei[a-z2-7]{52}$/)
  server.close()
  begin()
  expect(await both()).toEqual(first)
})

test.each(['proxy', 'inline'] as const)('the SDK itself loads what was registered, the file %s', async (ipfsMode) => {
  const { agentId, agentURI, owner } = await registered(walletOf('Ada'), { ipfsMode })
  const { registry } = handlers.registry
  const sdk = new SDK({ chainId, rpcUrl, registryOverrides: { [chainId]: { IDENTITY: registry } } })
  const agent = await sdk.loadAgent(agentId)
  expect(agent).toMatchObject({ agentId, agentURI, name: 'Ada', mcpEndpoint: 'https://agent.example/mcp' })
  expect(await agent.getWallet()).toBe(owner)
})

test('the SDK registers by itself too, with a key of its own', async () => {
  const { registry } = handlers.registry
  const privateKey = `0x${'22'.repeat(32)}`
  const sdk = new SDK({ chainId, rpcUrl, privateKey, registryOverrides: { [chainId]: { IDENTITY: registry } } })
  const handle = await sdk.createAgent('Cy', 'Watches.').registerHTTP('https://agent.example/card.json')
  await handle.waitMined()
  expect(handlers.registry.agents()).toMatchObject([{ agentURI: 'https://agent.example/card.json' }])
})

test('what was registered is found, read and updated by the wallet package', async () => {
  const wallet = walletOf('Ada')
  const { agentId, owner } = await registered(wallet)
  const rpcUrls = { [chainId]: rpcUrl }
  expect((await findAgents({ chainId, rpcUrls, owner })).agents).toMatchObject([{ agentId }])
  const update = {
    agentId,
    description: 'Keeps watch.',
    ipfsMode: 'proxy',
    apiUrl,
    gatewayUrl: apiUrl,
    env: {},
  } as const
  const updated = await updateAgent(wallet, update)
  expect(updated).toMatchObject({ status: 'updated', unchanged: false })
  expect(await getAgent({ rpcUrls, agentId, gatewayUrl: apiUrl })).toMatchObject({
    agentId,
    owner,
    fileStatus: 'verified',
    registrationFile: { name: 'Ada', description: 'Keeps watch.' },
  })
  expect(await updateAgent(wallet, update)).toMatchObject({ unchanged: true })
})

function begin(): void {
  handlers = identitySdkHandlers({ chain: { rpcUrl, chainId }, pinProxy: { apiUrl, appId: 'app-1' } })
  server = createTestServer(...handlers)
  server.listen()
}
