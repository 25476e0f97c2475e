import { type Address, type Hex, toHex } from 'viem'
import type { ChainClient, NodeTransaction } from './chain-client.ts'

/**
 * Writes blocks of transactions in a fixed order on a chain that mines on demand. Every transaction carries its nonce
 * and a tip below the one before it, so that the order in the block is the order of the calls however they arrive.
 */
export async function createBlockWriter(client: ChainClient, rpcUrl: string): Promise<BlockWriter> {
  const nonces = new Map<Address, number>()
  const unverified: { readonly blockNumber: bigint; readonly calls: readonly Call[] }[] = []
  let blockNumber = await client.getBlockNumber()
  let sent = 0

  const nextNonce = async (from: Address) => {
    const nonce = nonces.get(from) ?? (await client.getTransactionCount({ address: from }))
    nonces.set(from, nonce + 1)
    return nonce
  }
  const writeBlock = async (calls: readonly Call[], timestamp?: number, beforeMining?: () => Promise<unknown>) => {
    const transactions: NodeTransaction[] = []
    for (const [index, call] of calls.entries()) {
      transactions.push(toTransaction(call, await nextNonce(call.from), index))
    }
    const sending = transactions.map((transaction) => ({ method: 'eth_sendTransaction', params: [transaction] }))
    if (sending.length > 0) await postBatch(rpcUrl, sending)
    await beforeMining?.()
    await postBatch(rpcUrl, [{ method: 'evm_mine', params: timestamp === undefined ? [] : [{ timestamp }] }])
    blockNumber += 1n
    sent += calls.length
    unverified.push({ blockNumber, calls })
  }
  const writeEmpty = async (count: number, seconds: number) => {
    await postBatch(rpcUrl, [{ method: 'anvil_mine', params: [toHex(count), toHex(seconds)] }])
    blockNumber += BigInt(count)
  }
  const writeBlocks = async (calls: readonly Call[], after: number) => {
    let timestamp = after
    for (const block of intoBlocks(calls)) {
      timestamp += setupBlockSeconds
      await writeBlock(block, timestamp)
    }
    return timestamp
  }
  const verify = async () => {
    for (const { blockNumber, calls } of unverified.splice(0)) await verifyBlock(client, blockNumber, calls)
  }
  return { writeBlock, writeEmpty, writeBlocks, verify, transactionCount: () => sent }
}

export type Call = {
  readonly from: Address
  /** Absent for a deployment. */
  readonly to?: Address
  readonly data: Hex
  readonly value?: bigint
  /** Given rather than estimated: an estimate costs another run of the call. */
  readonly gas: bigint
  /** Named in the error when the transaction fails. */
  readonly what: string
  /** To stand before or behind the transactions of others; a tip of a gwei when absent. */
  readonly offer?: Offer
}

/** What a transaction pays for its place, for each unit of gas: the tip, and all in all at most. */
export type Offer = { readonly tipWei: bigint; readonly mostWei: bigint }

export type BlockWriter = {
  /**
   * One block at `timestamp` (unix seconds), or by the chain's clock. The calls' gas limits must fit into a block. What others
   * send in `beforeMining`, while the calls wait, is mined with them.
   */
  writeBlock(calls: readonly Call[], timestamp?: number, beforeMining?: () => Promise<unknown>): Promise<void>
  /** So many blocks without transactions, so many seconds after each other and after the newest. */
  writeEmpty(count: number, seconds: number): Promise<void>
  /** As many blocks as the calls' gas needs, twelve seconds apart, after `timestamp`. Returns the last one's time. */
  writeBlocks(calls: readonly Call[], timestamp: number): Promise<number>
  /** Throws unless every transaction written so far was mined and succeeded; names the first that did not. */
  verify(): Promise<void>
  /** How many transactions were written. */
  transactionCount(): number
}

const setupBlockSeconds = 12
/** What anvil's block holds by default, with some room. */
const blockGas = 29_000_000n
const gwei = 1_000_000_000n
const usualOffer: Offer = { tipWei: gwei, mostWei: 20n * gwei }

function toTransaction(call: Call, nonce: number, index: number): NodeTransaction {
  const { tipWei, mostWei } = call.offer ?? usualOffer
  return {
    from: call.from,
    ...(call.to && { to: call.to }),
    data: call.data,
    value: toHex(call.value ?? 0n),
    gas: toHex(call.gas),
    nonce: toHex(nonce),
    maxFeePerGas: toHex(mostWei),
    maxPriorityFeePerGas: toHex(tipWei - BigInt(index) * 100_000n),
  }
}

async function verifyBlock(client: ChainClient, blockNumber: bigint, calls: readonly Call[]): Promise<void> {
  const receipts = await client.request({ method: 'eth_getBlockReceipts', params: [toHex(blockNumber)] })
  const callers = new Set(calls.map(({ from }) => from.toLowerCase()))
  const mined = (receipts ?? []).filter(({ from }) => callers.has(from))
  const failed = mined.findIndex((receipt) => receipt.status !== '0x1')
  if (failed !== -1) throw new Error(`Seeding: "${calls[failed]?.what}" failed in block ${blockNumber}`)
  if (mined.length !== calls.length) {
    throw new Error(
      `Seeding: ${calls.length - mined.length} of ${calls.length} calls are missing in block ${blockNumber}`,
    )
  }
}

function intoBlocks(calls: readonly Call[]): readonly (readonly Call[])[] {
  const blocks: Call[][] = []
  let used = blockGas
  for (const call of calls) {
    if (used + call.gas > blockGas) {
      blocks.push([])
      used = 0n
    }
    used += call.gas
    blocks.at(-1)?.push(call)
  }
  return blocks
}

/**
 * Sends many JSON-RPC requests as one HTTP request and returns their results in order. Lighter than a client per
 * request, which is what seeding a month of blocks needs. Anvil runs the requests of a batch side by side.
 * Throws the first error among the answers.
 */
async function postBatch(rpcUrl: string, requests: readonly RpcRequest[]): Promise<readonly unknown[]> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(requests.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))),
  })
  const answers = (await response.json()) as readonly RpcAnswer[]
  const results = Array.from<unknown>({ length: requests.length })
  for (const { id, result, error } of answers) {
    if (error) throw new Error(`${requests[id]?.method}: ${error.message}`)
    results[id] = result
  }
  return results
}

type RpcRequest = { readonly method: string; readonly params: readonly unknown[] }

type RpcAnswer = {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly message: string }
}
