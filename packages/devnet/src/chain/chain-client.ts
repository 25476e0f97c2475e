import {
  type Address,
  type Client,
  createClient,
  type Hash,
  type Hex,
  http,
  type PublicActions,
  type PublicClient,
  publicActions,
  type PublicRpcSchema,
  rpcSchema,
  type RpcTransactionReceipt,
  type TestActions,
  testActions,
  type TestRpcSchema,
  type TransactionReceipt,
  type Transport,
} from 'viem'

/** A client for the local chain: requests of one tick travel as one HTTP request, polling is quick, nothing is cached. */
export function connect(rpcUrl: string): ChainClient {
  return createClient({
    transport: http(rpcUrl, {
      batch: { batchSize: 1_000 },
      maxResponseBodySize: false,
      retryCount: 0,
      timeout: 60_000,
    }),
    rpcSchema: rpcSchema<ChainRpcSchema>(),
    pollingInterval: 10,
    cacheTime: 0,
  })
    .extend(testActions({ mode: 'anvil' }))
    .extend(publicActions)
}

export type ChainClient = Client<
  Transport,
  undefined,
  undefined,
  ChainRpcSchema,
  TestActions & PublicActions<Transport, undefined>
>

/** One block more than the depth at which the server takes a block of a local chain for settled. */
export async function mineSettled(client: ChainClient): Promise<void> {
  await client.mine({ blocks: 3 })
}

/** A transaction that the node signs with one of its own accounts. */
export type NodeTransaction = {
  readonly from: Address
  readonly to?: Address
  readonly data?: Hex
  readonly value?: Hex
  readonly gas?: Hex
  readonly nonce?: Hex
  readonly maxFeePerGas?: Hex
  readonly maxPriorityFeePerGas?: Hex
}

type ChainRpcSchema = [...PublicRpcSchema, ...TestRpcSchema<'anvil'>, ...NodeSigningSchema]

type NodeSigningSchema = [
  { Method: 'eth_sendTransaction'; Parameters: [NodeTransaction]; ReturnType: Hex },
  { Method: 'eth_sendTransactionSync'; Parameters: [NodeTransaction]; ReturnType: RpcTransactionReceipt },
  { Method: 'eth_accounts'; Parameters?: undefined; ReturnType: readonly Address[] },
  { Method: 'evm_setTime'; Parameters: [number]; ReturnType: number },
  { Method: 'anvil_dropAllTransactions'; Parameters?: undefined; ReturnType: null },
  { Method: 'anvil_reorg'; Parameters: [number, readonly never[]]; ReturnType: null },
  { Method: 'anvil_autoImpersonateAccount'; Parameters: [boolean]; ReturnType: null },
]

/** An error as a JSON-RPC endpoint answers it. */
export class JsonRpcError extends Error {
  readonly code: number
  readonly data: Hex | undefined

  constructor(code: number, message: string, data?: Hex) {
    super(message)
    this.name = 'JsonRpcError'
    this.code = code
    this.data = data
  }
}

/**
 * The receipt of a transaction, asked for until it is there. viem's own wait looks again only when a block comes; a chain that mines
 * at once has no later block, so it would wait for ever where the hash comes before the receipt.
 */
export async function awaitReceipt(
  client: Pick<PublicClient, 'getTransactionReceipt'>,
  hash: Hash,
): Promise<TransactionReceipt> {
  for (;;) {
    try {
      return await client.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof Error && error.name === 'TransactionReceiptNotFoundError')) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
