import * as z from 'zod'
import { type ErrorDetail, isBatch, type Settled, shortAmount, tokenLabel, ToolError } from '@svc/amm'
import { mergeIntents, type MergedIntent } from '@svc/amm/liquidity'
import type { Chain } from '@svc/wallet/core'
import { remember } from '../../analysis/memory/episodes.ts'
import { documented } from '../../analysis/figures.ts'
import { writeTool } from '../../tool.ts'
import type { WriteContext } from '../../tool-context.ts'
import {
  type BatchOperation,
  operationInput,
  operationProblems,
  readOperation,
  repeatedPositions,
} from '../batch-operations.ts'
import { chainInput } from '../params.ts'
import { planOperation, type PlannedOperation } from '../plan-operation.ts'
import { notesResult, tokenAmount, usdResult, tradeResult, tradeStamp } from '../results.ts'

const input = z
  .strictObject({
    operations: z
      .array(operationInput)
      .min(1)
      .max(20)
      .describe("params: those of the type's tool without positionId, chain. positionId: all but add"),
    chain: chainInput,
  })
  .superRefine(({ operations }, check) => {
    operations.forEach((operation, index) => {
      for (const { path, message } of operationProblems(operation)) {
        check.addIssue({ code: 'custom', path: ['operations', index, ...path], message })
      }
    })
    for (const index of repeatedPositions(operations)) {
      const message =
        'Accepted: each position once; remove, rebalance and compound take its fees too, so that a collect of it is not needed'
      check.addIssue({ code: 'custom', path: ['operations', index, 'positionId'], message })
    }
  })

export const batchLpOperations = writeTool({
  name: 'batch_lp_operations',
  title: 'Batch LP operations',
  description:
    "Carries out up to 20 operations on liquidity in one transaction, all or none: collect_fees, compound_fees, remove_liquidity, add_liquidity, rebalance_position. What one brings can pay for another. Each position once. Each keeps its tool's rules; one that fails is named.",
  scope: 'write:liquidity',
  destructive: true,
  idempotent: false,
  input,
  output: z.object({
    ...tradeResult,
    operationsExecuted: z.int(),
    results: z.array(
      z.object({
        type: z.string(),
        positionId: z.string(),
        closedPositionId: documented(z.string().optional()),
        token0Symbol: documented(z.string()),
        amount0: documented(z.string()),
        token1Symbol: documented(z.string()),
        amount1: documented(z.string()),
        feesUsd: usdResult.optional(),
        receivedUsd: usdResult.optional(),
        depositedUsd: usdResult.optional(),
      }),
    ),
    totalGasCostUsd: usdResult,
    gasSavedVsSeparate: z.string().describe('Simulated'),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const operations = input.operations.map(readOperation)
  const planned = await planAll(operations, chain, context)
  const { intent, settledParts } = await oneIntent(planned, operations, chain, context)
  const shape = async (settled: Settled) => {
    const parts = settledParts(settled)
    const results = await Promise.all(planned.map(({ decode }, index) => decode(parts[index] ?? settled)))
    return {
      ...tradeStamp(chain, intent, settled),
      operationsExecuted: operations.length,
      results,
      totalGasCostUsd: settled.gasCostUsd,
      gasSavedVsSeparate: gasSaved(settled),
      notes: [
        ...new Set([...settled.warnings, ...walletNotes(planned, settled), ...planned.flatMap(({ notes }) => notes)]),
      ],
    }
  }
  const answer = await context.execute(intent, shape).catch((error: unknown) => {
    throw namingOperation(error)
  })
  const moves = planned.flatMap((one) => one.moves?.() ?? [])
  const [exits, entries] = [moves.flatMap((one) => one.exits ?? []), moves.flatMap((one) => one.entries ?? [])]
  await remember(context, chain, { exits, entries })
  return answer
})

/** What the wallet has of the tokens afterwards, more or less than before, whichever operation it comes of. */
function walletNotes(planned: readonly PlannedOperation[], { deltas }: Settled): readonly string[] {
  const tokens = new Map(planned.flatMap((one) => one.tokens.map((token) => [token.address.toLowerCase(), token])))
  const parts = deltas.flatMap(({ token: address, amount }) => {
    const token = tokens.get(address.toLowerCase())
    if (token === undefined || amount === 0n) return []
    const most = shortAmount(tokenAmount(amount < 0n ? -amount : amount, token), 'down')
    return [`${most} ${tokenLabel(token)} ${amount > 0n ? 'more' : 'less'}`]
  })
  return parts.length === 0 ? [] : [`By all operations together the wallet has ${parts.join(', ')}.`]
}

/** One after the other, so that the first that fails is the one that is named. */
async function planAll(
  operations: readonly BatchOperation[],
  chain: Chain,
  context: WriteContext,
): Promise<readonly PlannedOperation[]> {
  const kept = [...context.keptDeposits()]
  const planned: PlannedOperation[] = []
  for (const [index, operation] of operations.entries()) {
    const own = deposits.has(operation.type) ? kept.shift() : undefined
    try {
      const given = { chain, context, kept: own, keptReceipts: context.keptReceipts(index) }
      planned.push(labelled(await planOperation(operation, given), index))
    } catch (error) {
      throw inOperation(error, index)
    }
  }
  return planned
}

const toolOf: Readonly<Record<BatchOperation['type'], string>> = {
  collect: 'collect_fees',
  compound: 'compound_fees',
  remove: 'remove_liquidity',
  add: 'add_liquidity',
  rebalance: 'rebalance_position',
}

const deposits: ReadonlySet<BatchOperation['type']> = new Set(['compound', 'add', 'rebalance'])

async function oneIntent(
  planned: readonly PlannedOperation[],
  operations: readonly BatchOperation[],
  chain: Chain,
  context: WriteContext,
): Promise<MergedIntent> {
  const [first, ...others] = planned.map((one) => one.intent)
  if (first === undefined) throw new TypeError('the schema lets no empty list through')
  const whys = planned.map((one, index) => `${index}: ${operations[index]?.type}. ${one.intent.why}`)
  const merged = mergeIntents(chain, [first, ...others], whys.join(' '))
  const tools = [...new Set(operations.map(({ type }) => toolOf[type]))]
  if (!isBatch(merged.intent)) return { ...merged, intent: { ...merged.intent, tools } }
  const atomicity = await context.atomicRoute(chain)
  if (atomicity !== null) return { ...merged, intent: { ...merged.intent, atomicity, tools } }
  const message = 'This wallet has no way to carry out several calls as one transaction.'
  throw new ToolError('ATOMIC_EXECUTION_UNAVAILABLE', message, {
    details: [
      {
        field: 'operations',
        message: 'need an atomic route',
        accepted: 'one operation of one call, or operations on v3 positions without a swap',
      },
    ],
    suggestion:
      'Call the tools of the operations one by one, or have the operator name a batch delegate in the policy (batchDelegate).',
  })
}

function labelled(planned: PlannedOperation, index: number): PlannedOperation {
  const calls = planned.intent.calls.map((call) => ({ ...call, label: `${labelOf(index)}${call.label}` }))
  return { ...planned, intent: { ...planned.intent, calls } }
}

function labelOf(index: number): string {
  return `operation ${index}: `
}

/** What planning refuses, with the operation it is about in each detail. */
function inOperation(error: unknown, index: number): unknown {
  if (!(error instanceof ToolError)) return error
  const place = `operations[${index}]`
  const named = error.details.map(({ field, ...detail }): ErrorDetail => {
    if (field === undefined) return { ...detail, path: `operations.${index}` }
    const member = field === 'positionId' ? field : `params.${field}`
    return { ...detail, field: `${place}.${member}`, path: `operations.${index}.${member}` }
  })
  const details = named.length > 0 ? named : [{ field: place, path: `operations.${index}`, message: error.message }]
  return new ToolError(error.code, `${place}: ${error.message}`, {
    details,
    suggestion:
      error.code === 'NOTHING_TO_COLLECT' ? `Call again without ${place}; nothing was done.` : error.suggestion,
    retryable: error.retryable,
    cause: error,
  })
}

/** What the simulation or the chain refuses names the call by its label, and that begins with the operation. */
function namingOperation(error: unknown): unknown {
  if (!(error instanceof ToolError)) return error
  const details = error.details.map((detail) => {
    const label = [detail['step'], detail['label']].find((text) => typeof text === 'string')
    const index = typeof label === 'string' ? /^operation (\d+): /.exec(label)?.[1] : undefined
    return index === undefined ? detail : { ...detail, path: `operations.${index}` }
  })
  return new ToolError(error.code, error.message, {
    details,
    suggestion: error.suggestion,
    retryable: error.retryable,
    cause: error,
  })
}

/** A single call is what it would be by itself. */
function gasSaved({ gasOfBatch }: Settled): string {
  return `${gasOfBatch === null ? 0n : gasOfBatch.apart - gasOfBatch.together} gas`
}
