import type { Chain } from '@svc/wallet/core'
import {
  BaseError,
  createPublicClient,
  defineChain,
  type EIP1193RequestFn,
  type PublicClient,
  type Transport,
} from 'viem'
import { ToolError } from '../tool-error.ts'
import { isTransaction, type RpcRequest } from './json-rpc-endpoint.ts'
import { inTurns } from '@svc/runtime'
import { asksReceipt, EndpointError } from './post-json-rpc.ts'

/** Off-chain lookups are off: a contract must not make the server fetch a URL of its choice. */
export function createRingClient(chain: Chain, ask: AskRing): PublicClient {
  const client = createPublicClient({
    chain: defineChain({
      id: chain.id,
      name: chain.name,
      nativeCurrency: chain.nativeCurrency,
      rpcUrls: { default: { http: [] } },
      contracts: { multicall3: { address: chain.multicall3 } },
    }),
    transport: ringTransport(ask),
    cacheTime: 0,
    ccipRead: false,
    pollingInterval: Math.min(4_000, Math.max(50, chain.blockTimeSeconds * 500)),
  })
  return withToolErrors(client)
}

/** The same client, whose actions reject with the `ToolError` behind viem's wrappers where there is one. */
function withToolErrors(client: PublicClient): PublicClient {
  return new Proxy(client, {
    get(target, key, receiver) {
      const member: unknown = Reflect.get(target, key, receiver)
      if (typeof member !== 'function' || key === 'extend') return member
      return (...args: unknown[]): unknown => {
        const result: unknown = Reflect.apply(member, target, args)
        return result instanceof Promise ? result.catch(unwrap) : result
      }
    },
  })
}

function unwrap(error: unknown): never {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (current instanceof ToolError) throw current
  }
  throw error
}

/** A viem transport over a way to ask a ring of endpoints. A `ToolError` travels as the cause of a viem error, for viem wraps what it catches. */
function ringTransport(askRing: AskRing): Transport<'ring'> {
  const ask: RpcRequest = async (args, options) => {
    try {
      return await askRing(args.method, (request) => answerOf(request, args, options), aboutOf(args))
    } catch (error) {
      if (error instanceof ToolError) throw new BaseError('The chain could not be read.', { cause: error })
      throw error
    }
  }
  const request = ask as EIP1193RequestFn
  return () => ({ config: { key: 'ring', name: 'Ring of endpoints', type: 'ring', request, retryCount: 0 }, request })
}

export type AskRing = <Result>(
  method: string,
  act: (request: RpcRequest) => Promise<Result>,
  about: About,
) => Promise<Result>

export type About = {
  /** The signed bytes of a transaction: what tells that it is offered again. */
  readonly raw: string | undefined
  /** The number of the block that is asked about; `null` where none is named. */
  readonly block: bigint | null
}

function aboutOf({ method, params }: Parameters<RpcRequest>[0]): About {
  const listed: readonly unknown[] = Array.isArray(params) ? params : []
  const [raw] = isTransaction(method) ? listed : []
  const block = listed.findLast((one) => typeof one === 'string' && /^0x[0-9a-f]{1,16}$/.test(one))
  return {
    raw: typeof raw === 'string' ? raw : undefined,
    block: typeof block === 'string' ? BigInt(block) : null,
  }
}

/** An answer that the method cannot have is the endpoint's fault, as none would be. */
async function answerOf(request: RpcRequest, ...[args, options]: Parameters<RpcRequest>): Promise<unknown> {
  const result = await request(args, options)
  await requireResult(args.method, args.params, result)
  return result
}

/**
 * Holds the answer to a method against the shape that the Execution API gives it, so that nobody behind it reads an amount out of
 * `true` or falls over `null`. The members that are read here are looked at, in turns where there may be thousands of logs. What
 * nodes play and trace is checked where it is read; what a transaction is answered with says nothing that its sender relies on.
 *
 * @throws EndpointError `broken`, and `stale` for a numbered block that the endpoint has not got.
 */
export async function requireResult(method: string, params: unknown, result: unknown): Promise<void> {
  if (result === null && method === 'eth_getBlockByNumber' && isNumbered(params)) {
    throw new EndpointError('stale', 'the block is not known there')
  }
  const shape = shapes.get(method)
  const fits = (shape?.(result) ?? true) && (await inTurns(eachLog(logsIn(method, result))))
  if (fits) return
  const message = `what was answered to ${method} has another shape`
  throw new EndpointError(asksReceipt({ method }) ? 'unreadable' : 'broken', message)
}

function logsIn(method: string, result: unknown): readonly unknown[] {
  const logs = asksReceipt({ method }) && result !== null ? (result as { readonly logs: unknown }).logs : result
  return Array.isArray(logs) && (logs !== result || method === 'eth_getLogs') ? logs : []
}

/** Tags such as `latest` name a block that every node has. */
function isNumbered(params: unknown): boolean {
  return Array.isArray(params) && quantity(params[0])
}

type Shape = (reported: unknown) => boolean

function text(pattern: RegExp): Shape {
  return (reported) => typeof reported === 'string' && pattern.test(reported)
}

/** Absent, or of the shape. */
function maybe(shape: Shape): Shape {
  return (reported) => reported === undefined || reported === null || shape(reported)
}

function listOf(shape: Shape): Shape {
  return (reported) => Array.isArray(reported) && reported.every(shape)
}

/** An object with such members, and any others. */
function record(members: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(members)
  return (reported) => {
    if (typeof reported !== 'object' || reported === null || Array.isArray(reported)) return false
    const own = reported as Readonly<Record<string, unknown>>
    return entries.every(([name, shape]) => shape(own[name]))
  }
}

const quantity = text(/^0x[0-9a-f]{1,64}$/i)
/** A number of a block, a place in one, gas: what the columns of the store have room for. */
const shortQuantity = text(/^0x[0-9a-f]{1,15}$/i)
const hash = text(/^0x[0-9a-f]{64}$/i)
const address = text(/^0x[0-9a-f]{40}$/i)
const noDigit = /[^0-9a-f]/i
const bytes: Shape = (reported) =>
  typeof reported === 'string' &&
  reported.startsWith('0x') &&
  reported.length % 2 === 0 &&
  !noDigit.test(reported.slice(2))

const place = { blockNumber: maybe(shortQuantity), blockHash: maybe(hash), transactionIndex: maybe(shortQuantity) }
const log = record({
  ...place,
  address,
  topics: (reported) => Array.isArray(reported) && reported.length <= 4 && reported.every(hash),
  data: bytes,
  logIndex: maybe(shortQuantity),
  transactionHash: maybe(hash),
  blockTimestamp: maybe(shortQuantity),
})

const transaction = record({
  ...place,
  hash,
  from: address,
  to: maybe(address),
  input: bytes,
  value: quantity,
  nonce: shortQuantity,
  gas: shortQuantity,
  gasPrice: maybe(quantity),
  maxFeePerGas: maybe(quantity),
  maxPriorityFeePerGas: maybe(quantity),
  maxFeePerBlobGas: maybe(quantity),
  chainId: maybe(shortQuantity),
  v: maybe(quantity),
  yParity: maybe(shortQuantity),
})

const receipt = record({
  transactionHash: hash,
  blockNumber: shortQuantity,
  blockHash: hash,
  transactionIndex: shortQuantity,
  from: address,
  to: maybe(address),
  contractAddress: maybe(address),
  status: text(/^0x[01]$/),
  gasUsed: shortQuantity,
  cumulativeGasUsed: shortQuantity,
  effectiveGasPrice: quantity,
  blobGasUsed: maybe(quantity),
  blobGasPrice: maybe(quantity),
  logs: Array.isArray,
})

const block = record({
  number: maybe(shortQuantity),
  hash: maybe(hash),
  timestamp: shortQuantity,
  baseFeePerGas: maybe(quantity),
  gasLimit: maybe(quantity),
  gasUsed: maybe(quantity),
  blobGasUsed: maybe(quantity),
  excessBlobGas: maybe(quantity),
  size: maybe(quantity),
  difficulty: maybe(quantity),
  totalDifficulty: maybe(quantity),
  transactions: maybe(listOf((reported) => hash(reported) || transaction(reported))),
})

const feeHistory = record({
  oldestBlock: shortQuantity,
  baseFeePerGas: listOf(quantity),
  reward: maybe(listOf(listOf(quantity))),
})

const shapes: ReadonlyMap<string, Shape> = new Map([
  ['eth_blockNumber', shortQuantity],
  ['eth_call', bytes],
  ['eth_chainId', quantity],
  ['eth_estimateGas', quantity],
  ['eth_feeHistory', feeHistory],
  ['eth_gasPrice', quantity],
  ['eth_getBalance', quantity],
  ['eth_getBlockByHash', maybe(block)],
  ['eth_getBlockByNumber', block],
  ['eth_getCode', bytes],
  ['eth_getLogs', Array.isArray],
  // Some nodes leave out the zeros before the word.
  ['eth_getStorageAt', quantity],
  ['eth_getTransactionByHash', maybe(transaction)],
  ['eth_getTransactionCount', shortQuantity],
  ['eth_getTransactionReceipt', maybe(receipt)],
  ['eth_maxPriorityFeePerGas', quantity],
])

function* eachLog(reported: readonly unknown[]): Generator<void, boolean> {
  for (const one of reported) {
    if (!log(one)) return false
    yield
  }
  return true
}
