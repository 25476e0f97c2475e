import type { Chain } from '@svc/wallet/core'
import {
  decodeErrorResult,
  type Hash,
  type Hex,
  isHex,
  parseAbi,
  type TransactionReceipt,
  parseEventLogs,
  zeroAddress,
  type Address,
  type Log,
} from 'viem'
import type { Ports } from '../../ports.ts'
import { printableText } from '@svc/amm/tokens'
import * as z from 'zod'
import { valueUsd, readGasPrice, typicalGas } from '../../analysis/value-usd.ts'
import { ToolError, type Token } from '@svc/amm'
import { isReceiptUnreadable } from '@svc/amm/rpc'
import { readTool } from '../../tool.ts'
import type { ReadContext } from '../../tool-context.ts'
import { chainInput, transactionHashInput } from '../params.ts'
import { blockResult, blockStamp, explorerUrl, usdResult, notesResult } from '../results.ts'
import { formatAmount } from '@svc/lp-math'
import { erc20Abi, twammHookAbi, v2PairAbi, v3PoolAbi, v3PositionManagerAbi, v4PoolManagerAbi } from '@svc/amm/abis'
import { orderIdOf } from '@svc/amm/twamm'

export const getTransactionStatus = readTool({
  name: 'get_transaction_status',
  title: 'Transaction status',
  description:
    'Whether a transaction is pending, confirming, a success, reverted or unread, with gas cost and events. Use it to follow a write. Says success only after the confirmations its chain needs.',
  scope: 'read:market',
  input: z.strictObject({
    txHash: transactionHashInput,
    chain: chainInput,
  }),
  output: z.object({
    ...blockResult,
    txHash: z.string(),
    status: z.enum(['pending', 'confirming', 'success', 'reverted', 'unread']),
    confirmations: z.int(),
    confirmationsNeeded: z.int(),
    gasUsed: z.string().nullable(),
    gasUsd: usdResult,
    events: z.array(z.object({ type: z.string(), contract: z.string(), values: z.record(z.string(), z.string()) })),
    revertReason: z.string().nullable(),
    explorerUrl: z.string().nullable(),
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const hash = input.txHash.toLowerCase() as Hash
  const [head, receipt] = await Promise.all([context.rpc.head(chain), findReceipt(chain, hash, context)])
  const common = { txHash: hash, confirmationsNeeded: chain.confirmations, explorerUrl: explorerUrl(chain, hash) }
  if (receipt === null || receipt === 'unread') {
    const { blockNumber } = await requireKnown(chain, hash, context)
    const pending = { ...common, ...notMined }
    if (receipt === null || blockNumber === null) return { ...blockStamp(chain, context, head.number), ...pending }
    // Mined, and nobody can say how it came out.
    const confirmations = confirmationsOf(head.number, blockNumber)
    return { ...blockStamp(chain, context, blockNumber), ...pending, status: 'unread' as const, confirmations }
  }
  const confirmations = confirmationsOf(head.number, receipt.blockNumber)
  const isFinal = confirmations >= chain.confirmations
  const isReverted = receipt.status === 'reverted'
  return {
    ...blockStamp(chain, context, receipt.blockNumber),
    ...common,
    status: isReverted ? 'reverted' : isFinal ? 'success' : 'confirming',
    confirmations,
    gasUsed: String(receipt.gasUsed),
    gasUsd: await gasUsd(chain, receipt, context),
    events: [...(await decodeEvents(context, chain, receipt.logs))],
    revertReason: isReverted ? await readRevertReason(context, chain, receipt) : null,
  }
})

const notMined = {
  status: 'pending' as const,
  confirmations: 0,
  gasUsed: null,
  gasUsd: null,
  events: [],
  revertReason: null,
}

function confirmationsOf(head: bigint, blockNumber: bigint): number {
  return Math.max(0, Number(head - blockNumber) + 1)
}

async function findReceipt(
  chain: Chain,
  hash: Hash,
  context: ReadContext,
): Promise<TransactionReceipt | 'unread' | null> {
  const receipt = context.rpc.client(chain).getTransactionReceipt({ hash })
  return receipt.catch(nullWhen('TransactionReceiptNotFoundError')).catch((error: unknown) => {
    if (isReceiptUnreadable(error)) return 'unread'
    throw error
  })
}

async function requireKnown(chain: Chain, hash: Hash, context: ReadContext) {
  const known = await context.rpc.client(chain).getTransaction({ hash }).catch(nullWhen('TransactionNotFoundError'))
  if (known === null) throw new ToolError('TRANSACTION_NOT_FOUND', `${chain.name} knows no transaction of this hash.`)
  return known
}

function nullWhen(name: string): (error: unknown) => null {
  return (error) => {
    if (error instanceof Error && error.name === name) return null
    throw error
  }
}

async function gasUsd(chain: Chain, receipt: TransactionReceipt, context: ReadContext): Promise<number | null> {
  const native = context.tokens.wrapped(chain)
  const price = await context.prices.usd(chain, native)
  return valueUsd(receipt.gasUsed * receipt.effectiveGasPrice, native, price)
}

/**
 * Why a mined transaction reverted, found by calling it again on the state before its block; null when the endpoint keeps
 * no such state, when the replay does not fail, or when the revert carried no data. A contract's own text is escaped
 * and capped.
 */
async function readRevertReason(
  ports: Pick<Ports, 'rpc'>,
  chain: Chain,
  receipt: Pick<TransactionReceipt, 'transactionHash' | 'blockNumber'>,
): Promise<string | null> {
  const client = ports.rpc.client(chain)
  try {
    const { from, to, input, value } = await client.getTransaction({ hash: receipt.transactionHash })
    await client.call({ account: from, to, data: input, value, blockNumber: receipt.blockNumber - 1n })
    return null
  } catch (error) {
    const data = revertDataOf(error)
    return data === null ? null : printableText(reasonIn(data), longestReason)
  }
}

const longestReason = 120

/** What Solidity's require, revert and assert send (Solidity documentation, "Panic via assert and Error via require"). */
const solidityErrors = parseAbi(['error Error(string message)', 'error Panic(uint256 code)'])

function revertDataOf(error: unknown): Hex | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('data' in cause && isHex(cause.data) && cause.data.length >= 10) return cause.data
  }
  return null
}

function reasonIn(data: Hex): string {
  try {
    const { errorName, args } = decodeErrorResult({ abi: solidityErrors, data })
    return errorName === 'Error' ? args[0] : `panic ${args[0]}`
  } catch {
    return `custom error ${data.slice(0, 10)}`
  }
}

/**
 * The events of a receipt that tell its story: transfers and approvals in whole tokens, swaps, mints, burns, collects and
 * changes of positions with their raw integers. Any contract can write such logs: `contract` says which one did. At most
 * 50 events; the rest of a longer story is left out.
 */
async function decodeEvents(
  ports: Pick<Ports, 'tokens'>,
  chain: Chain,
  logs: readonly Log[],
): Promise<readonly DecodedEvent[]> {
  const events = parseEventLogs({ abi: knownEvents, logs: [...logs] }).slice(0, mostEvents)
  return Promise.all(
    events.map(async (event) => {
      const values = Object.fromEntries(Object.entries(event.args).map(([key, value]) => [key, String(value)]))
      if (event.eventName === 'SubmitOrder') {
        // The id is in no log: whoever lost it finds it by the transaction that placed the order.
        return {
          type: typeOf(event.eventName),
          contract: event.address,
          values: { ...values, orderId: orderIdOf(event.args) },
        }
      }
      const isTokenEvent = event.eventName === 'Transfer' || event.eventName === 'Approval'
      if (!isTokenEvent || !('value' in event.args)) {
        return { type: typeOf(event.eventName), contract: event.address, values }
      }
      const token = await readToken(ports, chain, event.address)
      const amount =
        token === null ? {} : { symbol: token.symbol, amount: formatAmount(event.args.value, token.decimals) }
      return { type: typeOf(event.eventName), contract: event.address, values: { ...values, ...amount } }
    }),
  )
}

type DecodedEvent = {
  readonly type: string
  readonly contract: Address
  readonly values: Record<string, string>
}

const mostEvents = 50

/** One entry for each signature; those of the same signature in several contracts (v2 Transfer, ERC-20) stand once. */
const knownEvents = [
  ...erc20Abi.filter((item) => item.type === 'event'),
  ...v2PairAbi.filter((item) => item.type === 'event' && item.name !== 'Transfer' && item.name !== 'Sync'),
  ...v3PoolAbi.filter((item) => item.type === 'event'),
  ...v3PositionManagerAbi.filter((item) => item.type === 'event' && item.name !== 'Transfer'),
  ...v4PoolManagerAbi.filter((item) => item.type === 'event'),
  ...twammHookAbi.filter((item) => item.type === 'event'),
]

function typeOf(eventName: string): string {
  return eventName.replace(/[A-Z]/g, (letter, index: number) => `${index === 0 ? '' : '_'}${letter.toLowerCase()}`)
}

/** Null for a contract that is no token: it only wrote a log like one. */
async function readToken(ports: Pick<Ports, 'tokens'>, chain: Chain, address: Address): Promise<Token | null> {
  if (address === zeroAddress) return null
  try {
    return await ports.tokens.byAddress(chain, address)
  } catch {
    return null
  }
}

export const getGasPrice = readTool({
  name: 'get_gas_price',
  title: 'Gas price',
  description:
    'Base and priority fees of a chain in gwei, and what a swap, mint, decrease, collect or rebalance costs in dollars. Leaves out data fees of rollups.',
  scope: 'read:market',
  input: z.strictObject({ chain: chainInput }),
  output: z.object({
    ...blockResult,
    baseFeeGwei: z.string(),
    priorityFeeGwei: z.object({ slow: z.string(), normal: z.string(), fast: z.string() }),
    nativeUsd: usdResult,
    estUsd: z.object({
      swap: usdResult,
      mint: usdResult,
      decrease: usdResult,
      collect: usdResult,
      rebalance: usdResult,
    }),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const gas = await readGasPrice(context, chain)
  const { slow, normal, fast } = gas.priorityFeeWei
  return {
    ...blockStamp(chain, context, gas.blockNumber),
    baseFeeGwei: gwei(gas.baseFeeWei),
    priorityFeeGwei: { slow: gwei(slow), normal: gwei(normal), fast: gwei(fast) },
    nativeUsd: gas.nativeUsd,
    estUsd: {
      swap: gas.costUsd(typicalGas.swap),
      mint: gas.costUsd(typicalGas.mint),
      decrease: gas.costUsd(typicalGas.decrease),
      collect: gas.costUsd(typicalGas.collect),
      rebalance: gas.costUsd(typicalGas.decrease + typicalGas.swap + typicalGas.mint),
    },
    notes:
      gas.nativeUsd === null
        ? [`No trustworthy price of ${chain.nativeCurrency.symbol}.`]
        : [
            `estUsd leaves out approvals, ${gas.costUsd(approvalGas)} USD for each token that goes in: one of a swap, two of a mint, up to three of a rebalance, which is a removal, a swap and a mint. Fees of one token alone collect for a quarter less.`,
          ],
  }
})

/** Of an allowance where none stood; measured on the local chain. */
const approvalGas = 46_000n

function gwei(wei: bigint): string {
  return formatAmount(wei, 9)
}
