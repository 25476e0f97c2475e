// The ways to an identity that are killed: who signs, where the file goes, who pays. `method` and `gasTiers` are what the
// result must say.
import { generatePrivateKey } from 'viem/accounts'

const inline = { ipfsMode: 'inline', method: 'sdk-inline', funds: '1', gasTiers: ['wallet'] }
const ways = {
  inline,
  direct: { ...inline, isWithoutSdk: true, method: 'direct-contract' },
  pinned: { ...inline, ipfsMode: 'proxy', method: 'sdk-ipfs' },
  // It could pay itself as well: an operation that is given up too early would be a second identity.
  sponsored: { ...inline, gas: 'sponsored', gasTiers: ['sponsored'] },
  // The grant of a process that died is what the next one finds in the wallet.
  faucet: { ...inline, gas: 'faucet', funds: null, gasTiers: ['faucet', 'wallet'] },
}

export const kinds = Object.fromEntries(
  ['local', 'managed'].flatMap((mode) =>
    Object.entries(ways).map(([name, way]) => [`${name}, ${mode}`, { ...way, mode }]),
  ),
)

/** A wallet of its own for a trial, and all that one call of `registerAgent` is told. */
export async function prepareTrial(world, kindName, folder, name) {
  const { mode, ipfsMode, gas, funds, isWithoutSdk = false } = kinds[kindName]
  const { devnet, services, provider } = world
  const { chainId } = devnet
  const wallet = { chainId, rpcUrls: { [chainId]: devnet.rpcUrl }, ...(await keyOf(provider, mode)) }
  const owner = wallet.address ?? world.addressOf(wallet.privateKey)
  if (funds !== null) await devnet.fund(owner, { ETH: funds })
  const options = {
    name,
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode,
    apiUrl: services.url,
    registry: { identity: devnet.registry.identity },
    chains: [devnet.chain],
    gas: gas === 'sponsored' ? world.sponsors : { tiers: gas === 'faucet' ? ['wallet', 'faucet'] : ['wallet'] },
  }
  return { kind: kindName, folder, name, owner, wallet, options, isWithoutSdk }
}

async function keyOf(provider, mode) {
  if (mode === 'local') return { mode, privateKey: generatePrivateKey(), appId: provider.appId }
  const { walletId, address, authPrivateKey } = await provider.createWallet()
  const { url: apiUrl, appId, appSecret } = provider
  return { mode, appId, appSecret, apiUrl, walletId, authPrivateKey, address }
}
