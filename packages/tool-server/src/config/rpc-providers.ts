import { type Chain, Secret } from '@svc/wallet/core'

/**
 * Providers of endpoints that a name stands for: where they have a chain (`{network}` is what they call it), and where their key goes.
 */
export const rpcProviders = {
  alchemy: {
    url: 'https://{network}.g.alchemy.com/v2/{key}',
    networks: {
      1: 'eth-mainnet',
      10: 'opt-mainnet',
      56: 'bnb-mainnet',
      130: 'unichain-mainnet',
      137: 'polygon-mainnet',
      324: 'zksync-mainnet',
      8453: 'base-mainnet',
      42161: 'arb-mainnet',
      42220: 'celo-mainnet',
      43114: 'avax-mainnet',
      81457: 'blast-mainnet',
      84532: 'base-sepolia',
      11155111: 'eth-sepolia',
    },
  },
  ankr: {
    url: 'https://rpc.ankr.com/{network}/{key}',
    networks: {
      1: 'eth',
      10: 'optimism',
      56: 'bsc',
      137: 'polygon',
      324: 'zksync_era',
      8453: 'base',
      42161: 'arbitrum',
      42220: 'celo',
      43114: 'avalanche',
      81457: 'blast',
      84532: 'base_sepolia',
      11155111: 'eth_sepolia',
    },
  },
  drpc: {
    url: 'https://lb.drpc.org/ogrpc?network={network}&dkey={key}',
    networks: {
      1: 'ethereum',
      10: 'optimism',
      56: 'bsc',
      130: 'unichain',
      137: 'polygon',
      324: 'zksync',
      8453: 'base',
      42161: 'arbitrum',
      42220: 'celo',
      43114: 'avalanche',
      81457: 'blast',
      84532: 'base-sepolia',
      11155111: 'sepolia',
    },
  },
  infura: {
    url: 'https://{network}.infura.io/v3/{key}',
    networks: {
      1: 'mainnet',
      10: 'optimism-mainnet',
      56: 'bsc-mainnet',
      130: 'unichain-mainnet',
      137: 'polygon-mainnet',
      324: 'zksync-mainnet',
      8453: 'base-mainnet',
      42161: 'arbitrum-mainnet',
      42220: 'celo-mainnet',
      43114: 'avalanche-mainnet',
      81457: 'blast-mainnet',
      84532: 'base-sepolia',
      11155111: 'sepolia',
    },
  },
} as const satisfies Readonly<Record<string, RpcProvider>>

type RpcProvider = { readonly url: string; readonly networks: Readonly<Record<number, string>> }

export type RpcProviderName = keyof typeof rpcProviders

/** Whether a text is the name of one, and no template. */
export function isRpcProvider(text: string | undefined): text is RpcProviderName {
  return text !== undefined && Object.hasOwn(rpcProviders, text)
}

/** The endpoints of the chains that the provider has, with the key in them. */
export function providerEndpoints(
  name: RpcProviderName,
  key: string,
  chains: readonly Chain[],
): readonly (readonly [number, readonly Secret[]])[] {
  const { url, networks }: RpcProvider = rpcProviders[name]
  return chains.flatMap(({ id }) => {
    const network = networks[id]
    if (network === undefined) return []
    return [[id, [new Secret(url.replace('{network}', network).replace('{key}', encodeURIComponent(key)))]] as const]
  })
}
