// A first test with vitest, in TypeScript: npx vitest run examples/test-utils
import { createTestServer, identitySdkHandlers } from '@svc/test-utils'
import { registerAgent, ServiceWallet, type AgentRegistrationConfig } from '@svc/wallet'
import { afterAll, beforeAll, expect, test } from 'vitest'

const rpcUrl = 'https://rpc.example'
const apiUrl = 'https://support.example'
const services = identitySdkHandlers({ chain: { rpcUrl, chainId: 84532 }, pinProxy: { apiUrl } })
const server = createTestServer(...services)
beforeAll(() => server.listen())
afterAll(() => server.close())

const wallet = new ServiceWallet({
  mode: 'local',
  privateKey: `0x${'1'.repeat(64)}`,
  chainId: 84532,
  rpcUrls: { 84532: rpcUrl },
  appId: 'app-1',
})
const agent: AgentRegistrationConfig = { name: 'Ada', role: 'vault_manager', apiUrl }

test('an agent is registered once', async () => {
  const first = await registerAgent(wallet, agent)
  expect(first).toMatchObject({ status: 'registered', agentId: '84532:0', alreadyRegistered: false })
  expect(await registerAgent(wallet, agent)).toMatchObject({ agentId: '84532:0', alreadyRegistered: true })
  expect(services.registry.agents()).toHaveLength(1)
})
