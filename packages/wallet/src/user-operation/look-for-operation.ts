import { isHash, type Hash, type Hex, type Log, type PublicClient } from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import type { ChainFacts } from '../chain-facts.ts'
import type { Bundler } from './open-bundler.ts'
import { operationInReceipt } from './operation-in-receipt.ts'
import type { SignedUserOperation } from './signed-user-operation.ts'

/**
 * Looks at the chain for what became of an operation. Blocks count from `confirmations` on. `mined` and `reverted` are
 * read out of a receipt; `superseded` needs the event of the other operation that took the nonce. Whatever is less is
 * `open`, also when the time is over that the paymaster named: its contract may name another one tomorrow. Never rejects.
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

export type Sighting =
  | { readonly status: 'mined'; readonly txHash: Hash; readonly logs: readonly Log[] }
  | { readonly status: 'reverted'; readonly txHash: Hash; readonly reason: string | null }
  | { readonly status: 'superseded' }
  | { readonly status: 'open' }

async function look(place: LookContext, signed: SignedUserOperation): Promise<Sighting> {
  const { client, chain } = place
  const { entryPoint, operation } = signed
  const head = await client.getBlockNumber({ cacheTime: 0 })
  const blockNumber = head - BigInt(chain.confirmations - 1)
  const key = BigInt(operation.nonce) >> 64n
  const next = await client.readContract({
    address: entryPoint,
    abi: entryPoint08Abi,
    functionName: 'getNonce',
    args: [operation.sender, key],
    blockNumber,
  })
  if (next <= BigInt(operation.nonce)) return { status: 'open' }
  const hinted = await hintOf(place.bundler, signed.userOperationHash)
  return (
    (hinted === null ? null : await sightingIn(client, signed, hinted, blockNumber)) ??
    (await searched(place, signed, blockNumber))
  )
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
  const receipt = await client.getTransactionReceipt({ hash: txHash }).catch(() => null)
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
      abi: entryPoint08Abi,
      eventName: 'UserOperationEvent',
      args: { sender: operation.sender },
      fromBlock,
      toBlock,
      strict: true,
    })
    const atNonce = events.find(({ args }) => args.nonce === BigInt(operation.nonce))
    if (atNonce !== undefined) {
      if (atNonce.args.userOpHash !== userOperationHash) return { status: 'superseded' }
      return (await sightingIn(client, signed, atNonce.transactionHash, settled)) ?? { status: 'open' }
    }
    fromBlock = toBlock + 1n
  }
  return { status: 'open' }
}
