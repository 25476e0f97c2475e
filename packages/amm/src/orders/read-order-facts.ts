import type { Chain } from '@svc/wallet/core'
import { larger } from '@svc/lp-math'
import {
  type AbiEvent,
  type Address,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  pad,
  parseAbi,
  parseEventLogs,
  type TransactionReceipt,
  toEventSelector,
} from 'viem'
import { erc20Abi, permit2NonceAbi } from '../abis/tokens.ts'
import { readEventLogs } from '../liquidity/logs/read-event-logs.ts'
import type { BlockTime, OrderFacts, OrderFill, OrderReads, SignedOrder } from '../ports.ts'
import { contractRead } from '../rpc/contract-function.ts'
import { readSurely } from '../rpc/query.ts'
import { ToolError } from '../tool-error.ts'

/**
 * What has become of an order at a block: filled where the reactor says so, and also where the nonce is used up and nothing says by what;
 * cancelled where a transaction of our own has used it up; one whose nonce is free is open until the block is later than its deadline.
 *
 * @throws ToolError `RPC_*`
 */
export async function readOrderFacts(reads: OrderReads, signed: SignedOrder, block: BlockTime): Promise<OrderFacts> {
  const [isUsed, fill] = await Promise.all([isNonceUsed(reads, signed, block.number), readFill(reads, signed, block)])
  const facts = { block, fill, cancelledIn: null }
  if (fill !== null) return { ...facts, status: 'filled' }
  if (!isUsed) return { ...facts, status: Number(block.timestamp) > signed.order.deadline ? 'expired' : 'open' }
  const cancelledIn = await readOwn(reads, signed, block, cancellationOf(reads, signed))
  return { ...facts, cancelledIn, status: cancelledIn === null ? 'filled' : 'cancelled' }
}

/**
 * Whether state that a fill cannot leave behind bears out that an order has ended without one: its exact allowance is whole still where
 * it ended, or was until a transaction of our own took it back, and until then the nonce was free. Logs alone may have been kept back,
 * and so may what the nonce says.
 *
 * @throws ToolError `RPC_*`, also where the state of a block that it takes is gone
 */
export async function provesUnfilled(
  reads: OrderReads,
  signed: SignedOrder,
  { status, block, cancelledIn }: OrderFacts,
): Promise<boolean> {
  if (status === 'expired') return isUntouched(reads, signed, block)
  if (status !== 'cancelled' || cancelledIn === null) return false
  const [before, at] = await Promise.all([
    isNonceUsed(reads, signed, cancelledIn - 1n),
    isNonceUsed(reads, signed, cancelledIn),
  ])
  return !before && at && isUntouched(reads, signed, { ...block, number: cancelledIn })
}

/** The word and the bit of an unordered nonce of Permit2, as what uses it up takes them. */
export function nonceMask(nonce: bigint): readonly [wordPos: bigint, mask: bigint] {
  return [nonce >> 8n, 1n << (nonce & 0xffn)]
}

async function isNonceUsed(
  { client, chain }: OrderReads,
  { order, wallet }: SignedOrder,
  at: bigint,
): Promise<boolean> {
  const [wordPos, mask] = nonceMask(order.nonce)
  const read = contractRead(chain.permit2, permit2NonceAbi, 'nonceBitmap', [wallet, wordPos])
  return ((await readSurely(client, read, at)) & mask) !== 0n
}

/** Whether nothing was taken by the allowance up to the end of a block. */
async function isUntouched(reads: OrderReads, signed: SignedOrder, at: BlockTime): Promise<boolean> {
  const { client, chain } = reads
  const { order, wallet } = signed
  const read = contractRead(order.tokenIn, erc20Abi, 'allowance', [wallet, chain.permit2])
  const isWhole = async (number: bigint) => (await readSurely(client, read, number)) >= order.amountIn
  if (await isWhole(at.number)) return true
  const tookBackIn = await readOwn(reads, signed, at, revocationOf(reads, signed))
  if (tookBackIn === null) return false
  // Where the cancellation stands in the same block, its own use of the nonce hides what came before it there.
  const [wasWhole, isUsed] = await Promise.all([isWhole(tookBackIn - 1n), isNonceUsed(reads, signed, tookBackIn)])
  return wasWhole && !isUsed
}

/** The block of the first log of a kind that a transaction of our own has left: its signed bytes say that it did this, and nothing else. */
async function readOwn(
  { client, chain, ownCall }: OrderReads,
  signed: SignedOrder,
  newest: BlockTime,
  { address, event, data }: OwnCall,
): Promise<bigint | null> {
  for (const [fromBlock, toBlock] of spans(chain, signed, newest)) {
    const topics = [toEventSelector(event), pad(signed.wallet)]
    for (const log of await readEventLogs(client, { address, events: [event], topics, fromBlock, toBlock })) {
      const own = await ownCall(log.transactionHash)
      if (own !== null && isAddressEqual(own.to, address) && own.data === data) return log.blockNumber
    }
  }
  return null
}

type OwnCall = { readonly address: Address; readonly event: AbiEvent; readonly data: Hex }

function cancellationOf({ chain }: OrderReads, { order }: SignedOrder): OwnCall {
  const args = nonceMask(order.nonce)
  const data = encodeFunctionData({ abi: permit2NonceAbi, functionName: 'invalidateUnorderedNonces', args })
  return { address: chain.permit2, event: invalidationEvent, data }
}

function revocationOf({ chain }: OrderReads, { order }: SignedOrder): OwnCall {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [chain.permit2, 0n] })
  return { address: order.tokenIn, event: approvalEvent, data }
}

async function readFill(
  { client, chain }: OrderReads,
  signed: SignedOrder,
  newest: BlockTime,
): Promise<OrderFill | null> {
  const { order, orderId, wallet } = signed
  for (const [fromBlock, toBlock] of spans(chain, signed, newest)) {
    const logs = await readEventLogs(client, {
      address: order.reactor,
      events: [fillEvent],
      topics: [toEventSelector(fillEvent), orderId, null, pad(wallet)],
      fromBlock,
      toBlock,
    })
    const [log] = logs
    if (log === undefined) continue
    const receipt = await client.getTransactionReceipt({ hash: log.transactionHash })
    const moved = movedBy(receipt, signed)
    // Another endpoint may be asked, which has another block there.
    if (moved === null) throw new ToolError('RPC_STALE', 'The receipt of a fill does not show it.')
    return { txHash: log.transactionHash, blockNumber: log.blockNumber, filler: log.args.filler, ...moved }
  }
  return null
}

/**
 * The blocks in which an order may have ended: from well before the one that its endpoint named when it was signed, for a reorganisation may
 * have put it, and a fill, further back; and as far back as our own clock says, for that endpoint may have named any.
 */
function* spans(
  { logRangeBlocks, blockTimeSeconds }: Chain,
  { signedAtBlock, signedAt }: SignedOrder,
  { number: to, timestamp }: BlockTime,
): Generator<readonly [bigint, bigint]> {
  const size = BigInt(logRangeBlocks)
  const seconds = Math.max(0, Number(timestamp) - signedAt / 1_000)
  const byClock = larger(to - BigInt(Math.ceil((2 * seconds) / blockTimeSeconds)), to - mostSpans * size)
  const from = larger((byClock < signedAtBlock ? byClock : signedAtBlock) - blocksBefore, 0n)
  for (let at = from; at <= to; at += size) yield [at, at + size - 1n < to ? at + size - 1n : to]
}

/** The reactor pays an order right before it says that it is filled: what was paid before another's fill is the other's. */
function movedBy(
  { logs }: TransactionReceipt,
  { order, orderId, wallet }: SignedOrder,
): Pick<OrderFill, 'amountIn' | 'amountOut'> | null {
  const fills = parseEventLogs({
    abi: fillAbi,
    logs: logs.filter(({ address }) => isAddressEqual(address, order.reactor)),
  })
  const at = fills.findIndex(({ args }) => args.orderHash === orderId)
  const own = fills[at]
  if (own === undefined) return null
  const since = fills[at - 1]?.logIndex ?? -1
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs })
  const sumOf = (token: Address, isOwn: (transfer: (typeof transfers)[number]) => boolean) =>
    transfers
      .filter((transfer) => isAddressEqual(transfer.address, token) && isOwn(transfer))
      .reduce((sum, { args }) => sum + args.value, 0n)
  return {
    amountIn: sumOf(order.tokenIn, ({ args }) => isAddressEqual(args.from, wallet)),
    amountOut: sumOf(
      order.tokenOut,
      ({ args, logIndex }) => isAddressEqual(args.to, wallet) && logIndex > since && logIndex < own.logIndex,
    ),
  }
}

const blocksBefore = 256n
const mostSpans = 50n

const fillAbi = parseAbi([
  'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
])
const [fillEvent] = fillAbi
const [invalidationEvent] = parseAbi([
  'event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)',
])
const [approvalEvent] = parseAbi(['event Approval(address indexed owner, address indexed spender, uint256 amount)'])
