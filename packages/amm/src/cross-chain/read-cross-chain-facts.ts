import type { Chain } from '@svc/wallet/core'
import { larger } from '@svc/lp-math'
import {
  type Address,
  getAbiItem,
  type Hash,
  isAddressEqual,
  pad,
  parseEventLogs,
  type PublicClient,
  slice,
  toEventSelector,
} from 'viem'
import { erc20Abi } from '../abis/tokens.ts'
import { readEventLogs } from '../liquidity/logs/read-event-logs.ts'
import { isRefusal, scanLogs } from '../liquidity/logs/scan-logs.ts'
import type { BlockTime } from '../ports.ts'
import type { CrossChainFill, CrossChainRefund, OpenedOrder } from '../ports/orders.ts'
import { contractRead } from '../rpc/contract-function.ts'
import { readSurely } from '../rpc/query.ts'
import { passesSoon } from '../rpc/rpc-failure.ts'
import { ToolError } from '../tool-error.ts'
import { settlerAbi } from '../abis/cross-chain.ts'

/**
 * By what an order was filled, as an endpoint of its destination shows it at a block; `null` where its settler there does not call it filled.
 * What arrived counts by the transfers to the recipient right before the settler announces it, never by what the announcement says.
 *
 * @throws ToolError `RPC_*`
 */
export async function readCrossChainFill(
  { client, chain }: ChainReads,
  opened: OpenedOrder,
  block: BlockTime,
): Promise<CrossChainFill | null> {
  const { orderId, destinationSettler } = opened.order
  const read = contractRead(destinationSettler, settlerAbi, 'fillStatuses', [orderId])
  if ((await readSurely(client, read, block.number)) !== filled) return null
  for (const [fromBlock, toBlock] of spans(chain, opened, block)) {
    const [log] = await readEventLogs(client, {
      address: destinationSettler,
      events: [filledEvent],
      topics: [toEventSelector(filledEvent), orderId],
      fromBlock,
      toBlock,
    })
    if (log === undefined) continue
    const amountOut = await arrivedIn(client, opened, log.transactionHash)
    return { txHash: log.transactionHash, blockNumber: log.blockNumber, filler: log.args.filler, amountOut }
  }
  return { txHash: null, blockNumber: null, filler: null, amountOut: 0n }
}

/**
 * What the settler has given back to the wallet of the token that was put in, as an endpoint of the chain shows it up to a block; `null`
 * where it is less than was put in. No two orders of one token are open at a time, so what comes from there is this order's, unless the settler
 * fills an order of another chain with it.
 *
 * @throws ToolError `RPC_*`
 */
export async function readCrossChainRefund(
  { client, chain }: ChainReads,
  opened: OpenedOrder & { readonly openedIn: bigint },
  block: BlockTime,
): Promise<CrossChainRefund | null> {
  const { inputAmount } = opened.order
  const logs = await paidBySettler({ client, chain }, opened, block)
  const paid = await paidByFills(client, opened, new Set(logs.map(({ transactionHash }) => transactionHash)))
  let amountIn = 0n
  for (const { args, transactionHash: txHash, blockNumber, logIndex } of logs) {
    if (paid.has(nameOf(txHash, logIndex))) continue
    amountIn += args.value
    if (amountIn >= inputAmount) return { txHash, blockNumber, amountIn }
  }
  return null
}

/**
 * What the settler has paid the wallet of the token, oldest first. Anybody can have a token announce that it paid nothing at all, thousands of times,
 * so what an endpoint refuses is read in halves, and one block that no answer holds hides what is in it, and no other.
 */
async function paidBySettler(
  { client, chain }: ChainReads,
  opened: OpenedOrder & { readonly openedIn: bigint },
  block: BlockTime,
) {
  const { settler, inputToken } = opened.order
  const topics = [toEventSelector(transferEvent), pad(settler), pad(opened.wallet)]
  const read = async (fromBlock: bigint, toBlock: bigint) => {
    const asked = { address: inputToken, events: [transferEvent], topics, fromBlock, toBlock } as const
    const logs = await readEventLogs(client, asked).catch((error: unknown) => {
      if (fromBlock < toBlock || !isRefusal(error) || passesSoon(error)) throw error
      return []
    })
    return logs.filter(({ args }) => args.value > 0n)
  }
  const { logs } = await scanLogs({
    read,
    newest: block.number,
    oldest: larger(firstBlock(chain, opened, block), opened.openedIn),
    spanBlocks: chain.logRangeBlocks,
    maxRequests: Number(mostSpans),
    isEnough: () => false,
  })
  return logs
}

export type ChainReads = { readonly client: PublicClient; readonly chain: Chain }

/**
 * Which of what the settler paid the wallet is what it filled orders of other chains with: of each fill the last transfer of its amount before
 * it, whoever paid that. Fills that strangers pay for by themselves are not read, so that thousands of them hide nothing.
 */
async function paidByFills(
  client: PublicClient,
  { order: { settler, inputToken }, wallet }: OpenedOrder,
  hashes: ReadonlySet<Hash>,
): Promise<ReadonlySet<string>> {
  const paid = new Set<string>()
  for (const hash of hashes) {
    const { logs } = await client.getTransactionReceipt({ hash })
    const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs }).filter(
      ({ address, args }) => isAddressEqual(address, inputToken) && isAddressEqual(args.to, wallet),
    )
    // A settler pays the lower 20 bytes of a recipient, whatever stands above them.
    const fills = parseEventLogs({ abi: settlerAbi, eventName: 'Filled', logs }).filter(
      ({ address, args: { token, recipient } }) =>
        isAddressEqual(address, settler) &&
        isAddressEqual(slice(token, 12), inputToken) &&
        isAddressEqual(slice(recipient, 12), wallet),
    )
    for (const { args, logIndex } of fills) {
      const own = transfers.findLast(
        (one) => one.logIndex < logIndex && one.args.value === args.amount && !paid.has(nameOf(hash, one.logIndex)),
      )
      if (own !== undefined) paid.add(nameOf(hash, own.logIndex))
    }
  }
  return paid
}

function nameOf(hash: Hash, logIndex: number): string {
  return `${hash} ${logIndex}`
}

async function arrivedIn(client: PublicClient, { order }: OpenedOrder, hash: `0x${string}`): Promise<bigint> {
  const { logs } = await client.getTransactionReceipt({ hash })
  const fills = parseEventLogs({
    abi: settlerAbi,
    eventName: 'Filled',
    logs: logs.filter(({ address }) => isAddressEqual(address, order.destinationSettler)),
  })
  const at = fills.findIndex(({ args }) => args.orderId === order.orderId)
  const own = fills[at]
  // Another endpoint may be asked, which has another block there.
  if (own === undefined) throw new ToolError('RPC_STALE', 'The receipt of a fill does not show it.')
  const since = fills[at - 1]?.logIndex ?? -1
  const isIts = (token: Address, logIndex: number) =>
    isAddressEqual(token, order.outputToken) && logIndex > since && logIndex < own.logIndex
  return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs })
    .filter(({ address, args, logIndex }) => isIts(address, logIndex) && isAddressEqual(args.to, order.recipient))
    .reduce((sum, { args }) => sum + args.value, 0n)
}

/** The blocks in which something may have become of an order. */
function* spans(chain: Chain, opened: OpenedOrder, block: BlockTime): Generator<readonly [bigint, bigint]> {
  const [size, to] = [BigInt(chain.logRangeBlocks), block.number]
  for (let at = firstBlock(chain, opened, block); at <= to; at += size)
    yield [at, at + size - 1n < to ? at + size - 1n : to]
}

/** From well before our own clock says that it was signed. */
function firstBlock(
  { logRangeBlocks, blockTimeSeconds }: Chain,
  { signedAt }: OpenedOrder,
  { number: to, timestamp }: BlockTime,
): bigint {
  const seconds = Math.max(0, Number(timestamp) - signedAt / 1_000)
  const byClock = to - BigInt(Math.ceil((2 * seconds) / blockTimeSeconds)) - blocksBefore
  return larger(larger(byClock, to - mostSpans * BigInt(logRangeBlocks)), 0n)
}

const filled = 2n
const blocksBefore = 256n
const mostSpans = 200n

const filledEvent = getAbiItem({ abi: settlerAbi, name: 'Filled' })
const transferEvent = getAbiItem({ abi: erc20Abi, name: 'Transfer' })
