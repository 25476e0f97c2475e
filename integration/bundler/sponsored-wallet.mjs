import { createEIP1193Provider, registerAgent, ServiceWallet } from '@svc/wallet'
import { createPublicClient, http, parseAbi } from 'viem'
import { generatePrivateKey } from 'viem/accounts'

export const registryAbi = parseAbi([
  'function register() returns (uint256 agentId)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function ownerOf(uint256 agentId) view returns (address)',
  'function tokenURI(uint256 agentId) view returns (string)',
  'function balanceOf(address owner) view returns (uint256)',
])

/** A new wallet that holds nothing, what the product does for it through bundler and paymaster, and what the chain says. */
export function openSponsoredWallet({ devnet, bundlerUrl, paymasterUrl }) {
  const { chainId, chain, rpcUrl, registry } = devnet
  const wallet = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId,
    rpcUrls: { [chainId]: rpcUrl },
  })
  const client = createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
  const sponsors = { bundlerUrl, paymasterUrl }
  const chains = [chain]
  return {
    wallet,
    /** The result, and the steps that were told of. */
    register: async (name, options = {}) => {
      const steps = []
      const result = await registerAgent(wallet, {
        name,
        role: 'vault_manager',
        ipfsMode: 'inline',
        registry: { identity: registry.identity },
        chains,
        env: {},
        gas: { ...sponsors, manualWaitMs: 1 },
        onProgress: ({ step }) => steps.push(step),
        ...options,
      })
      return { ...result, steps }
    },
    send: async (data) =>
      await wallet.sendUserOp({
        target: registry.identity,
        data,
        paymaster: paymasterUrl,
        bundlerUrl,
        chains,
        env: {},
      }),
    provider: createEIP1193Provider(wallet, { chains, sponsor: sponsors }),
    read: async (functionName, ...args) =>
      await client.readContract({ address: registry.identity, abi: registryAbi, functionName, args }),
    balance: async () => await client.getBalance({ address: wallet.address }),
    transactionCount: async () => await client.getTransactionCount({ address: wallet.address }),
  }
}
