import { createPublicClient, fallback, http, type Transport } from 'viem'
import type { Chain, ChainFacts, OpenChain } from './chain.ts'
import { chains } from './chains.ts'
import type { ServiceWallet } from './service-wallet.ts'
import { urlCredentials } from './service-urls.ts'
import { abortable } from './with-deadline.ts'
import { invalidField, missingField, WalletError } from './wallet-error.ts'

/**
 * Finds a chain and the way to its endpoint, without asking anybody: the one the options name, or else the wallet's.
 * Throws `VALIDATION_CONFIG_INVALID` when neither names one, or when it has no endpoint; requests end with `signal`. `place` says whose endpoints are
 * named where.
 */
export function openChain(
  wallet: Pick<ServiceWallet, 'chainId' | 'rpcUrls'>,
  options: {
    readonly chainId?: number | undefined
    readonly chains?: readonly Chain[] | undefined
    readonly signal?: AbortSignal | undefined
  },
  place: 'wallet' | 'options' = 'wallet',
): OpenChain {
  const chainId = options.chainId ?? wallet.chainId
  if (chainId === null) {
    throw missingField('chainId', 'a positive integer, in the options or in the wallet')
  }
  if (!Number.isSafeInteger(chainId) || chainId < 1) {
    throw invalidField('chainId', 'a positive integer, in the options or in the wallet')
  }
  const chain = chainFacts(chainId, options.chains)
  const own = wallet.rpcUrls[chainId]
  const [rpcUrl, ...others] = own === undefined ? chain.publicRpcUrls : [own]
  if (rpcUrl === undefined) {
    const option = place === 'wallet' ? "the wallet's rpcUrls" : 'the option rpcUrls'
    const message = `Chain ${chainId} has no public endpoint; name one in ${option}, by chain id.`
    throw new WalletError('VALIDATION_CONFIG_INVALID', message, {
      suggestion: `Give the URL of a node of the chain: rpcUrls: { ${chainId}: 'https://...' }.`,
      details: { fields: [{ field: `rpcUrls.${chainId}`, accepted: 'a URL with http or https' }], chainId },
    })
  }
  // A contract may answer with addresses to ask on (EIP-3668): nobody asks those.
  const transport = endingWith(options.signal, [rpcUrl, ...others])
  return { chain, client: createPublicClient({ transport, ccipRead: false }), rpcUrl }
}

/** One endpoint after the other. Every request ends with `ABORTED` once the caller's signal is aborted. */
function endingWith(signal: AbortSignal | undefined, endpoints: readonly string[]): Transport {
  const { until, fetch: fetchFn } = abortable(signal)
  const transports = endpoints.map((endpoint) => {
    const { url, headers } = urlCredentials(endpoint)
    return http(url, { batch: true, timeout: 10_000, retryCount: 1, fetchFn, fetchOptions: { headers } })
  })
  return (parameters) => {
    const open = fallback(transports, { retryCount: 0 })(parameters)
    return { ...open, request: (...asked) => until(() => open.request(...asked)) }
  }
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
