import type { Chain } from '@svc/wallet/core'
import {
  type Address,
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
import { readSurely } from '../rpc/read-one.ts'
import { ToolError } from '../tool-error.ts'

/**
 * What has become of an order at a block. A nonce that is used up was filled where the reactor says so, and is cancelled where it does
 * not; one that is free is open until the block is later than its deadline.
 *
 * @throws ToolError `RPC_*`
 */
export async function readOrderFacts(reads: OrderReads, signed: SignedOrder, block: BlockTime): Promise<OrderFacts> {
  const { order, wallet } = signed
  const { client, chain } = reads
  const read = contractRead(chain.permit2, permit2NonceAbi, 'nonceBitmap', [wallet, order.nonce >> 8n])
  const bits = await readSurely(client, read, block.number)
  const isUsed = ((bits >> (order.nonce & 0xffn)) & 1n) === 1n
  if (!isUsed) return { status: Number(block.timestamp) > order.deadline ? 'expired' : 'open', block, fill: null }
  const fill = await readFill(reads, signed, block.number)
  return fill === null ? { status: 'cancelled', block, fill } : { status: 'filled', block, fill }
}

/** The word and the bit of an unordered nonce of Permit2, as what uses it up takes them. */
export function nonceMask(nonce: bigint): readonly [wordPos: bigint, mask: bigint] {
  return [nonce >> 8n, 1n << (nonce & 0xffn)]
}

async function readFill({ client, chain }: OrderReads, signed: SignedOrder, newest: bigint): Promise<OrderFill | null> {
  const { order, orderId, wallet, signedAtBlock } = signed
  for (const [fromBlock, toBlock] of spans(chain, signedAtBlock, newest)) {
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

function* spans({ logRangeBlocks }: Chain, from: bigint, to: bigint): Generator<readonly [bigint, bigint]> {
  const size = BigInt(logRangeBlocks)
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

const fillAbi = parseAbi([
  'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
])
const [fillEvent] = fillAbi
