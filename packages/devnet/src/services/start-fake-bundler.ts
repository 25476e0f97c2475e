import { type Address, type Hex, hexToBigInt, isAddressEqual, numberToHex, parseEventLogs, type RpcLog } from 'viem'
import {
  entryPoint08Abi,
  getUserOperationHash,
  type RpcUserOperation,
  type UserOperation,
} from 'viem/account-abstraction'
import { formatLog } from 'viem/utils'
import { type BundledChain, type Bundling, createBundling, readUserOperation } from './bundling.ts'
import { connect, JsonRpcError } from '../chain/chain-client.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { createFaultRules, type StandInFault } from './stand-in-server.ts'
import { startJsonRpcServer } from '../chain/start-json-rpc-server.ts'

/**
 * A stand-in for an ERC-4337 bundler on a local chain, with the wire format of ERC-7769: what it takes it validates and
 * executes on the real EntryPoint, one operation a transaction, and its faults are those that bundlers have. It holds its
 * pool in memory, and limits of gas other than the call's own are generous constants.
 */
export async function startFakeBundler({ devnet }: { readonly devnet: BundledChain }): Promise<FakeBundler> {
  const bundling = createBundling(devnet)
  const faults = createFaultRules<BundlerFault>()
  const pool = new Map<Hex, PooledOperation>()
  const received: Hex[] = []

  const execute = async (pooled: PooledOperation) => {
    pooled.transactionHash = await bundling.send(pooled.operation)
    return pooled.transactionHash
  }
  const accept = async (wire: RpcUserOperation<'0.8'>): Promise<Hex> => {
    const operation = readUserOperation(wire)
    const hash = hashOf(devnet, operation)
    received.push(hash)
    const fault = faults.choose('eth_sendUserOperation')
    if (fault?.kind === 'reject') throw new JsonRpcError(fault.code ?? -32_500, fault.message ?? 'rejected')
    if (fault?.kind === 'stall' && fault.executed !== true) return await silence()
    if (fault?.kind === 'lose') return hash
    if (pool.get(hash)?.transactionHash === null) throw new JsonRpcError(-32_602, 'Already known')
    await bundling.validate(operation)
    const pooled: PooledOperation = { wire, operation, transactionHash: null }
    pool.set(hash, pooled)
    if (fault?.kind === 'hold') return hash
    await execute(pooled)
    if (fault?.kind === 'stall') return await silence()
    if (fault?.kind === 'late') await sleep(fault.delayMs)
    return hash
  }
  const answers: Readonly<Record<string, (params: readonly unknown[]) => Promise<unknown>>> = {
    eth_chainId: async () => numberToHex(devnet.chainId),
    eth_supportedEntryPoints: async () => [devnet.entryPoint],
    pimlico_getUserOperationGasPrice: async () => await bundling.gasPrices(),
    eth_estimateUserOperationGas: async ([wire, entryPoint]) => {
      requireEntryPoint(devnet, entryPoint)
      return await bundling.estimate(readUserOperation(wire))
    },
    eth_sendUserOperation: async ([wire, entryPoint]) => {
      requireEntryPoint(devnet, entryPoint)
      return await accept(wire as RpcUserOperation<'0.8'>)
    },
    eth_getUserOperationReceipt: async ([hash]) => {
      const transaction = pool.get(hash as Hex)?.transactionHash
      return transaction ? await userOperationReceipt(devnet, hash as Hex, transaction) : null
    },
    eth_getUserOperationByHash: async ([hash]) => {
      const pooled = pool.get(hash as Hex)
      return pooled ? await located(bundling, devnet.entryPoint, pooled) : null
    },
  }
  const server = await startJsonRpcServer(async ({ method, params = [] }) => {
    const answer = answers[method]
    if (!answer) throw new JsonRpcError(-32_601, `${method} is not served here`)
    return await answer(params)
  })
  return {
    ...server,
    setFaults: (rules) => faults.set(rules),
    received: () => [...received],
    release: async () => {
      for (const pooled of pool.values())
        if (pooled.transactionHash === null) await bundling.shown(await execute(pooled))
    },
    restart: () => pool.clear(),
  }
}

export type FakeBundler = {
  readonly url: string
  /** They strike `eth_sendUserOperation`; what else can go wrong on a wire is the fault proxy's to do. */
  setFaults(rules: readonly StandInFault<BundlerFault>[]): void
  /** The hash of every operation that was offered, in order; the same one more than once when it was. */
  received(): readonly Hex[]
  /** How many calls of each method came in. */
  methods(): ReadonlyMap<string, number>
  /** Executes what is held; resolves once the chain shows it. */
  release(): Promise<void>
  /** Forgets every operation, as a bundler does that keeps its pool in memory. The chain keeps what was executed. */
  restart(): void
  stop(): Promise<void>
}

export type BundlerFault =
  /** An error, and nothing is executed. Code -32500 when absent. */
  | { readonly kind: 'reject'; readonly code?: number; readonly message?: string }
  /** Silence until the caller leaves. With `executed` the operation goes out all the same. */
  | { readonly kind: 'stall'; readonly executed?: boolean }
  /** Takes the operation, answers with its hash, and forgets it. */
  | { readonly kind: 'lose' }
  /** Takes it and answers, and executes it at `release()`. */
  | { readonly kind: 'hold' }
  /** Executes at once and answers late. */
  | { readonly kind: 'late'; readonly delayMs: number }

type PooledOperation = {
  readonly wire: RpcUserOperation<'0.8'>
  readonly operation: UserOperation<'0.8'>
  transactionHash: Hex | null
}

async function silence(): Promise<never> {
  return await new Promise<never>(() => {})
}

function hashOf({ chainId, entryPoint }: BundledChain, userOperation: UserOperation<'0.8'>): Hex {
  return getUserOperationHash({ chainId, entryPointAddress: entryPoint, entryPointVersion: '0.8', userOperation })
}

function requireEntryPoint({ entryPoint }: BundledChain, asked: unknown): void {
  if (String(asked).toLowerCase() === entryPoint.toLowerCase()) return
  throw new JsonRpcError(-32_602, `the only entry point here is ${entryPoint}`)
}

async function located(bundling: Bundling, entryPoint: Address, { wire, transactionHash }: PooledOperation) {
  const block = transactionHash && (await bundling.blockOf(transactionHash))
  return {
    userOperation: wire,
    entryPoint,
    transactionHash: block ? transactionHash : null,
    blockHash: block ? block.blockHash : null,
    blockNumber: block ? numberToHex(hexToBigInt(block.blockNumber)) : null,
  }
}

/**
 * What `eth_getUserOperationReceipt` answers (ERC-7769) for an operation in a transaction, in wire form: its own part of the
 * logs, what it cost, and whether its call succeeded. `null` until the transaction is mined, or when it holds no such
 * operation.
 */
async function userOperationReceipt({ rpcUrl, entryPoint }: BundledChain, hash: Hex, transactionHash: Hex) {
  const receipt = await connect(rpcUrl).request({ method: 'eth_getTransactionReceipt', params: [transactionHash] })
  if (receipt === null) return null
  const said = eventsOf(receipt.logs.filter(({ address }) => isAddressEqual(address, entryPoint)))
  const event = said.find((each) => each.eventName === 'UserOperationEvent' && each.args.userOpHash === hash)
  if (event?.eventName !== 'UserOperationEvent') return null
  const borders = said.filter(({ eventName }) => eventName === 'BeforeExecution' || eventName === 'UserOperationEvent')
  const from = borders.map(({ logIndex }) => logIndex).findLast((logIndex) => logIndex < event.logIndex) ?? -1
  const reverted = said.find((each) => each.eventName === 'UserOperationRevertReason' && each.args.userOpHash === hash)
  const { sender, nonce, paymaster, actualGasCost, actualGasUsed, success } = event.args
  return {
    userOpHash: hash,
    entryPoint,
    sender,
    nonce: numberToHex(nonce),
    paymaster,
    actualGasCost: numberToHex(actualGasCost),
    actualGasUsed: numberToHex(actualGasUsed),
    success,
    ...(reverted?.eventName === 'UserOperationRevertReason' && { reason: reverted.args.revertReason }),
    logs: receipt.logs.filter(({ logIndex }) => isBetween(Number(logIndex), from, event.logIndex)),
    receipt,
  }
}

function eventsOf(logs: readonly RpcLog[]) {
  return parseEventLogs({ abi: entryPoint08Abi, logs: logs.map((log) => formatLog(log)) }).filter(
    (log): log is typeof log & { readonly logIndex: number } => log.logIndex !== null,
  )
}

function isBetween(index: number, after: number, upTo: number): boolean {
  return index > after && index <= upTo
}
