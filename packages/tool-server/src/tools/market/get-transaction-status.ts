import type { Chain } from '@svc/wallet/core'
import { decodeErrorResult, type Hash, type Hex, isHex, parseAbi, type TransactionReceipt } from 'viem'
import type { Ports } from '../../ports.ts'
import { printableText } from '@svc/amm/tokens'
import * as z from 'zod'
import { decodeEvents } from '../../analysis/position/decode-events.ts'
import { valueUsd } from '../../analysis/value-usd.ts'
import { ToolError } from '@svc/amm'
import { readTool, type ReadContext } from '../../tool.ts'
import { chainInput } from '../params.ts'
import { blockResult, blockStamp, explorerUrl, usdResult } from '../results.ts'

export const getTransactionStatus = readTool({
  name: 'get_transaction_status',
  title: 'Transaction status',
  description:
    'Whether a transaction is pending, confirming, a success or reverted, with gas cost and the events in its logs. Use it to follow a write. Says success only after the confirmations its chain needs.',
  scope: 'read:market',
  input: z.strictObject({
    txHash: z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'Accepted: 0x and 64 hex digits'),
    chain: chainInput,
  }),
  output: z.object({
    ...blockResult,
    txHash: z.string(),
    status: z.enum(['pending', 'confirming', 'success', 'reverted']),
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
  if (receipt === null) {
    await requireKnown(chain, hash, context)
    return { ...blockStamp(chain, context, head.number), ...common, ...notMined }
  }
  const confirmations = Math.max(0, Number(head.number - receipt.blockNumber) + 1)
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

async function findReceipt(chain: Chain, hash: Hash, context: ReadContext): Promise<TransactionReceipt | null> {
  return context.rpc.client(chain).getTransactionReceipt({ hash }).catch(nullWhen('TransactionReceiptNotFoundError'))
}

async function requireKnown(chain: Chain, hash: Hash, context: ReadContext): Promise<void> {
  const known = await context.rpc.client(chain).getTransaction({ hash }).catch(nullWhen('TransactionNotFoundError'))
  if (known === null) throw new ToolError('TRANSACTION_NOT_FOUND', `${chain.name} knows no transaction of this hash.`)
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
