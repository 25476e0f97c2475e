import { type Hex, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { SDK } from 'agent0-sdk'
import { expect, test } from 'vitest'
import { openWallet } from './open-wallet.fixture.ts'
import { useDevnet } from './use-devnet.ts'

const devnet = useDevnet()

const card = {
  type: 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1',
  name: 'Tidewater',
  description: 'Keeps ranges where the price is.',
  image: 'https://example.com/tidewater.png',
  services: [{ name: 'MCP', endpoint: 'https://example.com/mcp', version: '2025-06-18' }],
  x402Support: false,
  active: true,
  registrations: [],
  supportedTrust: ['reputation'],
}
const uri = `data:application/json;base64,${Buffer.from(JSON.stringify(card)).toString('base64')}`

test('the identity SDK registers on our registry, loads the agent again and gives it another wallet', async () => {
  const sdk = openSdk(devnet().accounts[0]!.privateKey)
  const agent = sdk.createAgent(card.name, card.description)
  agent.setMetadata({ role: 'lp' })
  const handle = await agent.registerHTTP(uri)
  await handle.waitMined()
  expect(agent.agentId).toBe('31337:0')
  const loaded = await sdk.loadAgent('31337:0')
  expect(loaded.name).toBe(card.name)
  expect(loaded.mcpEndpoint).toBe('https://example.com/mcp')
  expect(loaded.agentURI).toBe(uri)
  expect(await loaded.getWallet()).toBe(devnet().accounts[0]!.address)
  const newKey = generatePrivateKey()
  const change = await loaded.setWallet(privateKeyToAddress(newKey), { newWalletPrivateKey: newKey })
  await change!.waitMined()
  expect(await loaded.getWallet()).toBe(privateKeyToAddress(newKey))
  const gone = await loaded.unsetWallet()
  await gone!.waitMined()
  expect(await loaded.getWallet()).toBeUndefined()
})

function openSdk(privateKey: Hex): SDK {
  const { rpcUrl, chainId, registry } = devnet()
  return new SDK({
    chainId,
    rpcUrl,
    walletProvider: walletProvider(privateKey),
    registryOverrides: { [chainId]: { IDENTITY: registry.identity } },
  })
}

/** A wallet as a browser gives it: it signs and sends, and knows nothing else. */
function walletProvider(privateKey: Hex) {
  const wallet = openWallet(devnet(), privateKey)
  return {
    request: async ({ method, params }: { readonly method: string; readonly params?: unknown }) => {
      if (method === 'eth_accounts') return [wallet.account.address]
      if (method === 'eth_chainId') return toHex(devnet().chainId)
      if (method === 'eth_sendTransaction') {
        const [{ to, data }] = params as readonly [{ readonly to: Hex; readonly data: Hex }]
        return await wallet.sendTransaction({ to, data })
      }
      throw Object.assign(new Error(`${method} is not supported`), { code: 4200 })
    },
  }
}
