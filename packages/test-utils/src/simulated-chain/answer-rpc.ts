import { isAddress, isHex, numberToHex, zeroAddress, type Address, type Hash, type Hex } from 'viem'
import { Revert } from './contract.ts'
import { logsOf, showBlock, showReceipt, showTransaction } from './show.ts'
import { baseFeePerGas, priorityFeePerGas, type Block, type SimulatedChain } from './simulated-chain.ts'
import { RpcError } from './rpc-error.ts'

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

export type RpcCall = {
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
