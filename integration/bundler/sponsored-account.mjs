import { createPublicClient, defineChain, http, parseAbi } from 'viem'
import { createBundlerClient, createPaymasterClient, toSimple7702SmartAccount } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'

export const registryAbi = parseAbi([
  'function register(string agentURI) returns (uint256 agentId)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function ownerOf(uint256 agentId) view returns (address)',
  'function balanceOf(address owner) view returns (uint256)',
  'error ERC721NonexistentToken(uint256 tokenId)',
])

/** An account that holds nothing, with viem's own clients of a bundler and a paymaster. */
export async function openSponsoredAccount({ devnet, bundlerUrl, paymasterUrl }) {
  const { chainId, chain: row, rpcUrl, simple7702Account } = devnet
  const chain = defineChain({
    id: chainId,
    name: row.name,
    nativeCurrency: row.nativeCurrency,
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const client = createPublicClient({ chain, transport: http(rpcUrl), pollingInterval: 20, cacheTime: 0 })
  const owner = privateKeyToAccount(generatePrivateKey())
  const sponsored = createBundlerClient({
    account: await toSimple7702SmartAccount({ client, owner, implementation: simple7702Account }),
    client,
    chain,
    transport: http(bundlerUrl, { retryCount: 0, timeout: 30_000 }),
    paymaster: createPaymasterClient({ transport: http(paymasterUrl, { retryCount: 0 }) }),
    userOperation: { estimateFeesPerGas: async () => await standardFees(bundlerUrl) },
    pollingInterval: 50,
  })
  return {
    owner,
    client,
    send: async (calls) => {
      const isDelegated = (await client.getCode({ address: owner.address })) !== undefined
      const nonce = await client.getTransactionCount({ address: owner.address })
      const authorization = isDelegated
        ? {}
        : { authorization: await owner.signAuthorization({ address: simple7702Account, chainId, nonce }) }
      const hash = await sponsored.sendUserOperation({ calls, ...authorization })
      return await sponsored.waitForUserOperationReceipt({ hash, timeout: 30_000 })
    },
  }
}

async function standardFees(url) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'pimlico_getUserOperationGasPrice', params: [] })
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const { standard } = (await answer.json()).result
  return {
    maxFeePerGas: BigInt(standard.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(standard.maxPriorityFeePerGas),
  }
}
