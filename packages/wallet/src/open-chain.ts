import { createPublicClient, fallback, http } from 'viem'
import type { Chain, ChainFacts, OpenChain } from './chain.ts'
import { chains } from './chains.ts'
import type { ServiceWallet } from './service-wallet.ts'
import { urlCredentials } from './service-urls.ts'
import { WalletError } from './wallet-error.ts'

/**
 * Finds a chain and the way to its endpoint, without asking anybody: the one the options name, or else the wallet's.
 * Throws `VALIDATION_CONFIG_INVALID` when neither names one, or when it has no endpoint; `place` says whose endpoints are
 * named where.
 */
export function openChain(
  wallet: Pick<ServiceWallet, 'chainId' | 'rpcUrls'>,
  options: { readonly chainId?: number | undefined; readonly chains?: readonly Chain[] },
  place: 'wallet' | 'options' = 'wallet',
): OpenChain {
  const chainId = options.chainId ?? wallet.chainId
  if (chainId === null) {
    throw invalid('chainId is missing; accepted: a positive integer, in the options or in the wallet.')
  }
  if (!Number.isSafeInteger(chainId) || chainId < 1) {
    throw invalid('chainId is not valid; accepted: a positive integer, in the options or in the wallet.')
  }
  const chain = chainFacts(chainId, options.chains)
  const own = wallet.rpcUrls[chainId]
  const [rpcUrl, ...others] = own === undefined ? chain.publicRpcUrls : [own]
  if (rpcUrl === undefined) {
    const option = place === 'wallet' ? "the wallet's rpcUrls" : 'the option rpcUrls'
    throw invalid(`Chain ${chainId} has no public endpoint; name one in ${option}, by chain id.`)
  }
  const transports = [rpcUrl, ...others].map((endpoint) => {
    const { url, headers } = urlCredentials(endpoint)
    return http(url, { batch: true, timeout: 10_000, retryCount: 1, fetchOptions: { headers } })
  })
  // A contract may answer with addresses to ask on (EIP-3668): nobody asks those.
  const transport = fallback(transports, { retryCount: 0 })
  return { chain, client: createPublicClient({ transport, ccipRead: false }), rpcUrl }
}

/** The row of a chain: the caller's, the table's, or a plain one. */
export function chainFacts(chainId: number, own: readonly Chain[] = []): ChainFacts {
  return [...own, ...chains].find(({ id }) => id === chainId) ?? unlisted(chainId)
}

/** A chain without a row of its own: a local one, as a rule. */
function unlisted(id: number): ChainFacts {
  return {
    id,
    name: `chain-${id}`,
    testnet: true,
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    publicRpcUrls: [],
    explorerUrl: null,
    confirmations: 1,
    blockTimeSeconds: 1,
    logRangeBlocks: 10_000,
    local: id === usualLocalId,
  }
}

/** What a local node calls its chain by default. */
const usualLocalId = 31_337

function invalid(message: string): WalletError {
  return new WalletError('VALIDATION_CONFIG_INVALID', message)
}
