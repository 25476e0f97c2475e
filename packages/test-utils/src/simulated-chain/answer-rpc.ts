import { type Address, type Hash, type Hex, isAddress, isHex, numberToHex, zeroAddress } from 'viem'
import {
  Revert,
  baseFeePerGas,
  type Block,
  type KnownTransaction,
  priorityFeePerGas,
  RpcError,
  type SimulatedChain,
} from './simulated-chain.ts'

/** What a node answers to one method. Throws `RpcError`; -32601 for what is not served here. */
export async function answerRpc(chain: SimulatedChain, call: RpcCall): Promise<unknown> {
  const [first, second] = call.params
  switch (call.method) {
    case 'eth_chainId':
      return numberToHex(chain.chainId)
    case 'net_version':
      return `${chain.chainId}`
    case 'web3_clientVersion':
      return 'simulated/registry'
    case 'eth_blockNumber':
      chain.pass()
      return numberToHex(chain.newest().number)
    case 'eth_gasPrice':
      return numberToHex(baseFeePerGas + priorityFeePerGas)
    case 'eth_maxPriorityFeePerGas':
      return numberToHex(priorityFeePerGas)
    case 'eth_getBalance':
      requireNewest(chain, second)
      return numberToHex(chain.balanceOf(addressIn(first)))
    case 'eth_getCode':
      // One byte that ends every call (STOP): there is a contract, and nothing to run outside of this process.
      return addressIn(first).toLowerCase() === chain.contract.address.toLowerCase() ? '0x00' : '0x'
    case 'eth_getTransactionCount':
      return numberToHex(chain.countOf(addressIn(first), blockIn(chain, second ?? 'latest')?.number))
    case 'eth_call':
      requireNewest(chain, second)
      return withReverts(() => chain.call(...callIn(first)))
    case 'eth_estimateGas':
      return withReverts(() => numberToHex(chain.estimate(...callIn(first))))
    case 'eth_sendRawTransaction':
      return await chain.send(hexIn(first), call.reverts)
    case 'eth_getTransactionByHash':
      return showTransaction(chain.transaction(hexIn(first)), chain.chainId)
    case 'eth_getTransactionReceipt':
      return showReceipt(chain, chain.transaction(hexIn(first)))
    case 'eth_getBlockByNumber':
      return showBlock(blockIn(chain, first), second === true, chain.chainId)
    case 'eth_getBlockByHash':
      return showBlock(chain.blockByHash(hexIn(first)), second === true, chain.chainId)
    case 'eth_getLogs':
      return logsIn(chain, first)
    default:
      throw new RpcError(-32601, `the method ${call.method} does not exist/is not available`)
  }
}

type RpcCall = {
  readonly method: string
  readonly params: readonly unknown[]
  /** A transaction that is sent by this call fails once it is mined. */
  readonly reverts: boolean
}

function withReverts<Result>(act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    if (error instanceof Revert) throw new RpcError(3, 'execution reverted', error.data)
    throw error
  }
}

function callIn(value: unknown): [to: Address | null, call: { readonly from: Address; readonly data: Hex }] {
  const fields = fieldsOf(value)
  const data = fields['input'] ?? fields['data'] ?? '0x'
  const from = fields['from'] === undefined ? zeroAddress : addressIn(fields['from'])
  return [
    fields['to'] === undefined || fields['to'] === null ? null : addressIn(fields['to']),
    { from, data: hexIn(data) },
  ]
}

/** A pending block is the newest one; `null` for a number that is not there yet. */
function blockIn(chain: SimulatedChain, tag: unknown): Block | null {
  if (tag === 'earliest') return chain.block(0n)
  if (typeof tag === 'string' && ['latest', 'pending', 'safe', 'finalized'].includes(tag)) return chain.newest()
  return chain.block(BigInt(hexIn(tag)))
}

/** Only counts are kept for earlier blocks. */
function requireNewest(chain: SimulatedChain, tag: unknown = 'latest'): void {
  if (blockIn(chain, tag) !== chain.newest())
    throw new RpcError(-32000, 'missing trie node: only the newest state is kept')
}

function logsIn(chain: SimulatedChain, filter: unknown): unknown {
  const { fromBlock = 'latest', toBlock = 'latest', blockHash, address, topics = [] } = fieldsOf(filter)
  const [from, to] = [blockIn(chain, fromBlock)?.number ?? 0n, blockIn(chain, toBlock)?.number]
  const addresses = address === undefined ? null : [address].flat().map((one) => addressIn(one).toLowerCase())
  if (addresses !== null && !addresses.includes(chain.contract.address.toLowerCase())) return []
  return chain
    .blocks()
    .filter(({ number, hash }) =>
      blockHash === undefined ? number >= from && (to === undefined || number <= to) : hash === blockHash,
    )
    .flatMap(({ transaction }) => logsOf(chain, transaction))
    .filter((log) => matches(log.topics, topics))
}

/** Each place holds a topic, a list of them, or `null` for any. */
function matches(topics: readonly Hex[], wanted: unknown): boolean {
  if (!Array.isArray(wanted)) throw new RpcError(-32602, 'invalid argument 0: topics')
  return wanted.every((one: unknown, place) => {
    const topic: unknown = topics[place]
    return one === null || (Array.isArray(one) ? one.includes(topic) : one === topic)
  })
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null) return { ...value }
  throw new RpcError(-32602, 'invalid argument 0: an object is expected')
}

function addressIn(value: unknown): Address {
  if (typeof value === 'string' && isAddress(value, { strict: false })) return value
  throw new RpcError(-32602, 'invalid argument: an address is expected')
}

function hexIn(value: unknown): Hash {
  if (isHex(value)) return value
  throw new RpcError(-32602, 'invalid argument: hexadecimal digits are expected')
}

/** A block as nodes write it, with its transactions or their hashes. */
function showBlock(block: Block | null, isWhole: boolean, chainId: number): unknown {
  if (block === null) return null
  const { transaction } = block
  const transactions = transaction === null ? [] : [isWhole ? showTransaction(transaction, chainId) : transaction.hash]
  return {
    number: numberToHex(block.number),
    hash: block.hash,
    parentHash: block.parentHash,
    timestamp: numberToHex(block.timestamp),
    baseFeePerGas: numberToHex(baseFeePerGas),
    gasLimit: numberToHex(30_000_000n),
    gasUsed: numberToHex(transaction?.mined?.gasUsed ?? 0n),
    miner: zeroAddress,
    difficulty: '0x0',
    totalDifficulty: '0x0',
    nonce: `0x${'0'.repeat(16)}`,
    mixHash: zeroHash,
    sha3Uncles: zeroHash,
    stateRoot: zeroHash,
    transactionsRoot: zeroHash,
    receiptsRoot: zeroHash,
    logsBloom,
    extraData: '0x',
    size: '0x0',
    uncles: [],
    transactions,
  }
}

/** A transaction as nodes write it; its block is `null` while it is held back. */
function showTransaction(transaction: KnownTransaction | null, chainId: number): unknown {
  if (transaction === null) return null
  const { fields, mined } = transaction
  const type = typeNumbers[fields.type ?? 'legacy'] ?? '0x0'
  return {
    hash: transaction.hash,
    type,
    chainId: numberToHex(chainId),
    nonce: numberToHex(transaction.nonce),
    blockHash: mined?.block.hash ?? null,
    blockNumber: mined === null ? null : numberToHex(mined.block.number),
    transactionIndex: mined === null ? null : '0x0',
    from: transaction.from,
    to: transaction.to,
    value: numberToHex(transaction.valueWei),
    gas: numberToHex(transaction.gas),
    gasPrice: numberToHex(transaction.gasPrice),
    ...(type === '0x0' || type === '0x1'
      ? {}
      : {
          maxFeePerGas: numberToHex(transaction.maxFeePerGas),
          maxPriorityFeePerGas: numberToHex(fields.maxPriorityFeePerGas ?? 0n),
        }),
    input: transaction.data,
    accessList: fields.accessList ?? [],
    r: fields.r ?? '0x0',
    s: fields.s ?? '0x0',
    v: numberToHex(fields.v ?? BigInt(fields.yParity ?? 0)),
    yParity: numberToHex(fields.yParity ?? 0),
  }
}

/** `null` until it is mined. */
function showReceipt(chain: SimulatedChain, transaction: KnownTransaction | null): unknown {
  if (transaction?.mined === undefined || transaction.mined === null) return null
  const { block, gasUsed, status } = transaction.mined
  return {
    transactionHash: transaction.hash,
    transactionIndex: '0x0',
    blockHash: block.hash,
    blockNumber: numberToHex(block.number),
    from: transaction.from,
    to: transaction.to,
    cumulativeGasUsed: numberToHex(gasUsed),
    gasUsed: numberToHex(gasUsed),
    effectiveGasPrice: numberToHex(transaction.gasPrice),
    contractAddress: null,
    logs: logsOf(chain, transaction),
    logsBloom,
    status: status === 'success' ? '0x1' : '0x0',
    type: typeNumbers[transaction.fields.type ?? 'legacy'] ?? '0x0',
  }
}

/** The logs of a mined transaction. */
function logsOf(chain: SimulatedChain, transaction: KnownTransaction | null): readonly ShownLog[] {
  const { hash = null, mined = null } = transaction ?? {}
  if (mined === null || hash === null) return []
  return mined.logs.map(({ topics, data }, index) => ({
    address: chain.contract.address.toLowerCase(),
    topics,
    data,
    blockHash: mined.block.hash,
    blockNumber: numberToHex(mined.block.number),
    blockTimestamp: numberToHex(mined.block.timestamp),
    transactionHash: hash,
    transactionIndex: '0x0',
    logIndex: numberToHex(index),
    removed: false,
  }))
}

type ShownLog = { readonly topics: readonly Hex[]; readonly data: Hex; readonly address: string } & Readonly<
  Record<string, unknown>
>

const zeroHash = `0x${'0'.repeat(64)}`
const logsBloom = `0x${'0'.repeat(512)}`
const typeNumbers: Readonly<Record<string, Hex>> = { legacy: '0x0', eip2930: '0x1', eip1559: '0x2', eip7702: '0x4' }
