import {
  type Hash,
  type Hex,
  isAddressEqual,
  isHash,
  type Log,
  parseAbi,
  parseEventLogs,
  type PublicClient,
  type TransactionReceipt,
} from 'viem'
import { revertReason } from './revert-reason.ts'
import type { SignedUserOperation } from './signed-user-operation.ts'
import type { ChainFacts } from '../chain.ts'
import { receiptOf } from '../sender/settle.ts'
import type { Bundler } from './open-bundler.ts'

/**
 * Looks at the chain for what became of an operation. Blocks count from `confirmations` on. `mined` and `reverted` are
 * read out of a receipt; `superseded` needs the event of the other operation that took the nonce. Whatever is less is
 * `open`, also when the time is over that the paymaster named: its contract may name another one tomorrow. Where the receipt cannot be
 * had, the event in a settled block says `included`, and nobody its logs. Never rejects.
 */
export async function lookForOperation(place: LookContext, signed: SignedUserOperation): Promise<Sighting> {
  try {
    return await look(place, signed)
  } catch {
    return { status: 'open' }
  }
}

export type LookContext = {
  readonly client: PublicClient
  readonly chain: Pick<ChainFacts, 'confirmations' | 'logRangeBlocks'>
  /** Asked where the operation went, before the logs are read. */
  readonly bundler: Bundler | null
}

/** What the chain says of an operation. */
export type Sighting =
  | { readonly status: 'mined'; readonly txHash: Hash; readonly logs: readonly Log[] }
  | { readonly status: 'reverted'; readonly txHash: Hash; readonly reason: string | null }
  | { readonly status: 'superseded' }
  | { readonly status: 'open'; readonly included?: IncludedOperation }

/** As its event says, which the entry point alone writes. */
export type IncludedOperation = {
  readonly success: boolean
  readonly txHash: Hash
  readonly blockNumber: bigint
  readonly blockHash: Hash
  /** As the entry point charged it. */
  readonly gasUsed: bigint
}

async function look(place: LookContext, signed: SignedUserOperation): Promise<Sighting> {
  const { client, chain } = place
  const { operation } = signed
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const blockNumber = head - BigInt(chain.confirmations - 1)
  const next = await nextNonceOf(client, signed, blockNumber)
  if (next <= BigInt(operation.nonce)) return { status: 'open' }
  const hinted = await hintOf(place.bundler, signed.userOperationHash)
  return (
    (hinted === null ? null : await sightingIn(client, signed, hinted, blockNumber).catch(() => null)) ??
    (await searched(place, signed, blockNumber))
  )
}

/** The next nonce of the account under the operation's key, as the entry point counted at a block. */
export function nextNonceOf(
  client: PublicClient,
  { entryPoint, operation }: Pick<SignedUserOperation, 'entryPoint' | 'operation'>,
  blockNumber: bigint,
): Promise<bigint> {
  return client.readContract({
    address: entryPoint,
    abi: entryPointAbi,
    functionName: 'getNonce',
    args: [operation.sender, BigInt(operation.nonce) >> 64n],
    blockNumber,
  })
}

/** Where the bundler says it is. It is believed no further than the receipt there goes. */
async function hintOf(bundler: Bundler | null, userOperationHash: Hex): Promise<Hash | null> {
  const answer = await bundler?.request('eth_getUserOperationReceipt', [userOperationHash]).catch(() => null)
  const receipt: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'receipt') : null
  const hash: unknown = typeof receipt === 'object' && receipt !== null ? Reflect.get(receipt, 'transactionHash') : null
  return typeof hash === 'string' && isHash(hash) ? hash : null
}

async function sightingIn(
  client: PublicClient,
  signed: SignedUserOperation,
  txHash: Hash,
  settled: bigint,
): Promise<Sighting | null> {
  const receipt = await receiptOf(client, txHash)
  if (receipt === null || receipt.blockNumber > settled) return null
  const found = operationInReceipt(signed, receipt)
  if (found === null) return null
  const { success, logs, reason } = found
  return success ? { status: 'mined', txHash, logs } : { status: 'reverted', txHash, reason }
}

/** How many pieces of the chain are read at most in one look. */
const mostPieces = 200

/** Reads the events of the account's operations up to the settled block, in pieces that common endpoints answer. */
async function searched(place: LookContext, signed: SignedUserOperation, settled: bigint): Promise<Sighting> {
  const { client, chain } = place
  const { entryPoint, operation, userOperationHash } = signed
  const span = BigInt(chain.logRangeBlocks)
  let fromBlock = BigInt(signed.fromBlock)
  for (let piece = 0; piece < mostPieces && fromBlock <= settled; piece += 1) {
    const toBlock = fromBlock + span - 1n < settled ? fromBlock + span - 1n : settled
    const events = await client.getContractEvents({
      address: entryPoint,
      abi: entryPointAbi,
      eventName: 'UserOperationEvent',
      args: { sender: operation.sender },
      fromBlock,
      toBlock,
      strict: true,
    })
    const atNonce = events.find(({ args }) => args.nonce === BigInt(operation.nonce))
    if (atNonce !== undefined) {
      if (atNonce.args.userOpHash !== userOperationHash) return { status: 'superseded' }
      const { transactionHash: txHash, blockNumber, blockHash, args } = atNonce
      const included = { success: args.success, txHash, blockNumber, blockHash, gasUsed: args.actualGasUsed }
      const sighting = await sightingIn(client, signed, txHash, settled).catch(
        () => ({ status: 'open', included }) as const,
      )
      return sighting ?? { status: 'open' }
    }
    fromBlock = toBlock + 1n
  }
  return { status: 'open' }
}

/**
 * What a receipt says of one operation in it, or `null` when it holds no such operation. The entry point ends every
 * operation of a bundle with an event and begins the first after `BeforeExecution`; the logs between the event before and
 * its own are those of its call, and no other log of the bundle is (EntryPoint 0.8, `handleOps`).
 */
export function operationInReceipt(
  { entryPoint, userOperationHash }: Pick<SignedUserOperation, 'entryPoint' | 'userOperationHash'>,
  receipt: Pick<TransactionReceipt, 'logs'>,
): OperationInReceipt | null {
  const own = receipt.logs.filter(({ address }) => isAddressEqual(address, entryPoint))
  const said = parseEventLogs({ abi: entryPointAbi, logs: own, strict: true })
  const isOwn = (hash: Hex) => hash.toLowerCase() === userOperationHash.toLowerCase()
  const end = said.find((log) => log.eventName === 'UserOperationEvent' && isOwn(log.args.userOpHash))
  if (end?.eventName !== 'UserOperationEvent') return null
  const begin = said.findLast(({ eventName, logIndex }) => borders.has(eventName) && logIndex < end.logIndex)
  const after = begin?.logIndex ?? -1
  const logs = receipt.logs.filter(({ logIndex }) => logIndex > after && logIndex < end.logIndex)
  const failed = said.find((log) => log.eventName === 'UserOperationRevertReason' && isOwn(log.args.userOpHash))
  const reason = failed?.eventName === 'UserOperationRevertReason' ? revertReason(failed.args.revertReason) : null
  return { success: end.args.success, gasUsed: end.args.actualGasUsed, logs, reason }
}

/** The end of an operation, as the receipt of the transaction that carried it says. */
export type OperationInReceipt = {
  readonly success: boolean
  /** As the entry point charged it to whoever pays. */
  readonly gasUsed: bigint
  /** Of the operation's own call. */
  readonly logs: readonly Log[]
  readonly reason: string | null
}

const borders: ReadonlySet<string> = new Set(['BeforeExecution', 'UserOperationEvent'])

/** What of the entry point is read here, written out so that whoever looks for an operation need not load what makes one. */
const entryPointAbi = parseAbi([
  'function getNonce(address sender, uint192 key) view returns (uint256 nonce)',
  'event BeforeExecution()',
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
])
