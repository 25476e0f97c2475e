import { type Address, isAddress, isAddressEqual, isHex, numberToHex, type PublicClient } from 'viem'
import type { Chain } from '../chain.ts'
import { ProviderRpcError, rpcCodes, toProviderError } from './provider-rpc-error.ts'
import { openChain } from '../open-chain.ts'
import type { ServiceWallet } from '../service-wallet.ts'
import type { Journal } from '../journal.ts'
import { option, type ChecksOf, requireOptions, requireWallet } from '../require-options.ts'
import {
  batchSponsors,
  type CallsContext,
  type SponsorOptions,
  type CallBatches,
  createMemoryCallBatches,
} from './calls/calls-context.ts'
import { mostFeeWei } from '../sender/fees.ts'
import { readTransaction, readTypedData } from './read-params.ts'
import type { CallSender, SendContext } from './send-transaction.ts'
import { shown } from '../shape.ts'

/**
 * Makes a wallet an EIP-1193 provider, so that it serves viem, ethers, an identity SDK and whatever else speaks to
 * wallets. Accounts and chain are answered here, signatures come from the wallet, transactions go through its journalled
 * sender, plain reads and signed bytes go to the chain's endpoint, and every other method is refused. A viem client on it
 * sends with `chain: null`, or with a `chain` of its own to compare: the chain is the wallet's, and a transaction that names another is refused (4901). Throws `WalletError` `VALIDATION_CONFIG_INVALID` for a wallet without a
 * chain or an endpoint; `request` rejects with {@link ProviderRpcError} alone.
 */
export function createEIP1193Provider(wallet: ServiceWallet, options: ProviderOptions = {}): EIP1193Provider {
  requireWallet(wallet)
  requireOptions(options, checks)
  const open = openChain(wallet, options)
  const journal = options.journal ?? wallet.memory.journal
  const sending = loadedCallSender({ ...open, wallet, journal, maxFeeWei: mostFeeWei(open.chain, options.maxFeeWei) })
  const { batches = createMemoryCallBatches(), sponsor = null, env = process.env } = options
  const own = { batches, sponsor, env, underWay: new Set<string>(), offeredAt: new Map<string, number>() }
  batchSponsors({ ...open, sponsor, env })
  const context: CallsContext = { ...open, wallet, journal, sending, ...own }
  const provider: EIP1193Provider = {
    async request(words) {
      try {
        const { method, params } = readRequest(words)
        const answer = Object.hasOwn(methods, method) ? methods[method] : undefined
        return await (answer === undefined
          ? forwardToNode(open, { method, params })
          : answer(context, Array.isArray(params) ? params : [params]))
      } catch (error) {
        throw toProviderError(error)
      }
    },
    on: () => provider,
    removeListener: () => provider,
  }
  return Object.freeze(provider)
}

/** The object that EIP-1193 asks for. `request` rejects with {@link ProviderRpcError} alone. */
export type EIP1193Provider = {
  request(request: { readonly method: string; readonly params?: unknown }): Promise<unknown>
  /**
   * Takes a listener and tells it nothing: the wallet is connected from the start, and its account and chain never change.
   * An endpoint that fails shows in `request`, with code 4900.
   */
  on(event: string, listener: (...words: readonly unknown[]) => void): EIP1193Provider
  removeListener(event: string, listener: (...words: readonly unknown[]) => void): EIP1193Provider
}

/** Outside things of a provider, each with a default. */
export type ProviderOptions = {
  /** The wallet's own chain where it is missing. */
  readonly chainId?: number | undefined
  /** Rows of chains that the table does not have. */
  readonly chains?: readonly Chain[] | undefined
  /** Keeps what was signed. That of the wallet object where it is missing: then a crash forgets it. */
  readonly journal?: Journal | undefined
  /** Keeps the batches of `wallet_sendCalls`. In memory where it is missing: then a crash forgets their ids. */
  readonly batches?: CallBatches | undefined
  /** Bundler and paymaster for batches. To give it is to agree that the account is delegated when one is sent. */
  readonly sponsor?: SponsorOptions | undefined
  /**
   * The most wei that the gas of one transaction may cost, whoever named gas and fees; a dearer one is refused with -32003.
   * The row of the chain where it is missing: 0.02 ETH on chain 1, 0.005 of the native currency on most others.
   */
  readonly maxFeeWei?: bigint | undefined
  /** For the URLs of bundler and paymaster. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

const sponsorChecks: ChecksOf<SponsorOptions> = {
  bundlerUrl: option.url,
  paymasterUrl: option.url,
  paymasterContext: option.record,
  clientPaymasterUrls: option.urls,
  allowDelegationTo: option.address,
  onProgress: option.function,
}

const checks: ChecksOf<ProviderOptions> = {
  chainId: option.chainId,
  chains: option.chains,
  maxFeeWei: option.feeWei,
  journal: option.journal,
  batches: option.having('load', 'add'),
  sponsor: option.within(sponsorChecks),
  env: option.record,
}

type Method = (context: CallsContext, params: readonly unknown[]) => unknown

const accounts: Method = async ({ wallet }) => [await wallet.getAddress()]
const refused: (code: number, reason: string) => Method = (code, reason) => () => {
  throw new ProviderRpcError(code, reason)
}

const methods: Readonly<Record<string, Method>> = {
  eth_accounts: accounts,
  eth_requestAccounts: accounts,
  eth_chainId: ({ chain }) => numberToHex(chain.id),
  net_version: ({ chain }) => `${chain.id}`,
  eth_sendTransaction: async ({ wallet, chain, sending }, params) => {
    const own = { address: await wallet.getAddress(), chainId: chain.id }
    return (await sending.send(readTransaction(params, own))).hash
  },
  personal_sign: async ({ wallet }, params) => {
    const { message, account } = messageAndAccount(params)
    await requireOwn(wallet, account)
    return wallet.signMessage(isHex(message) ? { raw: message } : message)
  },
  eth_signTypedData_v4: async ({ wallet, chain }, [account, typedData]) => {
    await requireOwn(wallet, account)
    return wallet.signTypedData(readTypedData(typedData, chain.id))
  },
  eth_sign: refused(rpcCodes.unsupportedMethod, 'eth_sign signs whatever it is given; use personal_sign.'),
  wallet_switchEthereumChain: ({ chain }, [wanted]) => {
    const chainId = typeof wanted === 'object' && wanted !== null && 'chainId' in wanted ? wanted.chainId : null
    if (typeof chainId === 'string' && Number(chainId) === chain.id) return null
    throw new ProviderRpcError(rpcCodes.unknownChain, `The provider is on chain ${chain.id} and stays there.`)
  },
  wallet_addEthereumChain: refused(rpcCodes.unsupportedMethod, 'The chains of a wallet are set where it is made.'),
  wallet_requestPermissions: () => [{ parentCapability: 'eth_accounts' }],
  wallet_getPermissions: () => [{ parentCapability: 'eth_accounts' }],
  // Few clients send batches, and what they take is loaded with the first.
  wallet_getCapabilities: async (context, params) => {
    const { callsCapabilities } = await import('./calls/calls-status.ts')
    return callsCapabilities(context, params)
  },
  wallet_sendCalls: async (context, params) => (await import('./calls/send-calls.ts')).sendCalls(context, params),
  wallet_getCallsStatus: async (context, params) => {
    const { callsStatus } = await import('./calls/calls-status.ts')
    return callsStatus(context, params)
  },
  wallet_showCallsStatus: refused(rpcCodes.unsupportedMethod, 'There is no screen; use wallet_getCallsStatus.'),
  // A client that failed to send tries this one next, and another code would hide why the first attempt failed.
  wallet_sendTransaction: refused(rpcCodes.methodNotFound, 'The provider does not offer wallet_sendTransaction.'),
}

/** The sender is loaded with the first transaction. */
function loadedCallSender(context: SendContext): CallSender {
  let loading: Promise<CallSender> | null = null
  const loaded = () => (loading ??= import('./send-transaction.ts').then((module) => module.createCallSender(context)))
  return {
    open: async () => (await loaded()).open(),
    send: async (...words) => (await loaded()).send(...words),
  }
}

function readRequest(words: unknown): { readonly method: string; readonly params: readonly unknown[] | object } {
  if (typeof words !== 'object' || words === null || !('method' in words) || typeof words.method !== 'string') {
    throw new ProviderRpcError(rpcCodes.invalidParams, 'A request is { method, params }.')
  }
  const params = 'params' in words ? words.params : undefined
  if (params === undefined || params === null) return { method: words.method, params: [] }
  if (typeof params === 'object') return { method: words.method, params }
  throw new ProviderRpcError(rpcCodes.invalidParams, 'params is not valid; accepted: a list or an object.')
}

/** The order of the specification; the other one where only that makes sense. */
function messageAndAccount([first, second]: readonly unknown[]): { message: string; account: unknown } {
  const isSwapped = isAnyAddress(first) && !isAnyAddress(second)
  const [message, account] = isSwapped ? [second, first] : [first, second]
  if (typeof message === 'string') return { message, account }
  throw new ProviderRpcError(rpcCodes.invalidParams, 'The message is not valid; accepted: text, or bytes as hex.')
}

async function requireOwn(wallet: ServiceWallet, account: unknown): Promise<void> {
  const own = await wallet.getAddress()
  if (!isAnyAddress(account)) {
    throw new ProviderRpcError(rpcCodes.invalidParams, 'The account is not valid; accepted: an address.')
  }
  if (isAddressEqual(account, own)) return
  throw new ProviderRpcError(rpcCodes.unauthorized, `The wallet is ${own}; it cannot sign for ${account}.`)
}

/** Checksummed or not: clients send both. */
function isAnyAddress(value: unknown): value is Address {
  return typeof value === 'string' && isAddress(value, { strict: false })
}

/**
 * Passes a read, and bytes that are signed already, on to the chain's endpoint. Every other method is refused with 4200,
 * on a local chain too: a node that obeys whoever asks would mine, move balances or show its pool for the holder.
 */
function forwardToNode({ client }: Target, { method, params }: NodeRequest): Promise<unknown> {
  if (!reads.has(method)) {
    throw new ProviderRpcError(rpcCodes.unsupportedMethod, `The provider does not offer ${shown(method)}.`)
  }
  return client.transport.request({ method, params })
}

type NodeRequest = { readonly method: string; readonly params: readonly unknown[] | object }

type Target = { readonly client: PublicClient }

/** Of the execution API, and `eth_fillTransaction`, by which clients ask for nonce, gas and fees at once. */
const reads: ReadonlySet<string> = new Set([
  'eth_blobBaseFee',
  'eth_blockNumber',
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_feeHistory',
  'eth_fillTransaction',
  'eth_gasPrice',
  'eth_getBalance',
  'eth_getBlockByHash',
  'eth_getBlockByNumber',
  'eth_getBlockReceipts',
  'eth_getBlockTransactionCountByHash',
  'eth_getBlockTransactionCountByNumber',
  'eth_getCode',
  'eth_getFilterChanges',
  'eth_getFilterLogs',
  'eth_getLogs',
  'eth_getProof',
  'eth_getStorageAt',
  'eth_getTransactionByBlockHashAndIndex',
  'eth_getTransactionByBlockNumberAndIndex',
  'eth_getTransactionByHash',
  'eth_getTransactionCount',
  'eth_getTransactionReceipt',
  'eth_getUncleByBlockHashAndIndex',
  'eth_getUncleByBlockNumberAndIndex',
  'eth_getUncleCountByBlockHash',
  'eth_getUncleCountByBlockNumber',
  'eth_maxPriorityFeePerGas',
  'eth_newBlockFilter',
  'eth_newFilter',
  'eth_newPendingTransactionFilter',
  'eth_protocolVersion',
  'eth_sendRawTransaction',
  'eth_simulateV1',
  'eth_syncing',
  'eth_uninstallFilter',
  'net_listening',
  'net_peerCount',
  'web3_clientVersion',
  'web3_sha3',
])
