// A wallet that holds nothing becomes an agent through the support API of `npm start`, which gives it gas and pins its file:
//
//   npm start                                 in one terminal
//   node examples/register-through-api.mjs    in another
//
// It finds the world by itself; --world FILE names the ready.json of another.
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { registerAgent, ServiceWallet } from '@svc/wallet'
import { localWorld } from './local-world.mjs'

const { world } = parseArgs({ options: { world: { type: 'string' } } }).values
const { rpc, registry, api } = await localWorld(world)

const wallet = new ServiceWallet({
  mode: 'local',
  privateKey: `0x${randomBytes(32).toString('hex')}`,
  chainId: rpc.chainId,
  rpcUrls: { [rpc.chainId]: rpc.url },
  // Of your app at the wallet provider; the API asks there whether it exists.
  appId: api.appId,
})
const result = await registerAgent(wallet, {
  name: 'Ada',
  role: 'vault_manager',
  mcpEndpoint: 'https://agent.example/mcp',
  apiUrl: api.url,
  ipfsMode: 'proxy',
  // On Sepolia and Base Sepolia the faucet is asked unnamed.
  gas: { tiers: ['wallet', 'faucet'] },
  registry: { identity: registry.address },
  onProgress: ({ step, message }) => console.log(`${step.padEnd(14)} ${message}`),
})
if (result.status !== 'registered') throw new Error(`The registration is ${result.status}.`)

const { agentId, registrationMethod, gasTier, agentURI } = result
console.log(`\nAgent ${agentId} is registered (${registrationMethod}); its gas came by way of: ${gasTier}.`)
const file = await fetch(`${api.url}/ipfs/${agentURI.replace('ipfs://', '')}`, { signal: AbortSignal.timeout(30_000) })
console.log(`${agentURI} holds the file of ${(await file.json()).name}.`)
