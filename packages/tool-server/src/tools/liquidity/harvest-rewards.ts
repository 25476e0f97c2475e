import { isAddressEqual } from 'viem'
import * as z from 'zod'
import { harvest, lookAtHarvest } from '../../harvest/harvest.ts'
import type { HarvestRequest } from '../../harvest/harvest-book.ts'
import { mostPositions } from '../../harvest/find-due.ts'
import { writeTool } from '../../tool.ts'
import { doneOf, formatHarvest, harvestResult, incomplete } from '../format-harvest.ts'
import {
  addressInput,
  chainInput,
  deadlineOf,
  invalidField,
  numberWithin,
  positionIdInput,
  slippageInput,
  tokenInput,
} from '../params.ts'
import { explorerUrl, notesResult, suspectNotes, submissionResult, usdResult } from '../results.ts'

export const harvestRewards = writeTool({
  name: 'harvest_rewards',
  title: 'Harvest rewards',
  description:
    'Collects the fees of all v3 and v4 positions, one transaction a version, and swaps all to targetToken if given. The same idempotencyKey goes on after a failure. Another wallet: dryRun only.',
  scope: 'write:liquidity',
  destructive: true,
  idempotent: false,
  goesOn: true,
  runsLong: true,
  input: z.strictObject({
    chain: chainInput,
    wallet: addressInput.optional(),
    targetToken: tokenInput.optional(),
    positionIds: z
      .array(positionIdInput)
      .refine(
        (ids) => ids.length >= 1 && ids.length <= mostPositions,
        `Accepted: 1 to ${mostPositions} ids; leave it out for all`,
      )
      .optional(),
    includeRewards: z.boolean().default(true),
    slippageBps: slippageInput.unwrap().default(100).describe('Cap 500'),
    minHarvestUsd: numberWithin(0, 1e6, 'US dollars from 0 to 1000000')
      .default(0.1)
      .describe('Positions with less waiting are skipped'),
  }),
  output: z.object({
    status: z.enum(['success', 'preview']),
    txHash: z.string().nullable(),
    explorerUrl: z.string().nullable(),
    transactions: z.array(z.string()),
    atomicity: z.string(),
    gasCostUsd: usdResult,
    submission: submissionResult.nullable(),
    ...harvestResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const target =
    input.targetToken === undefined ? null : await context.tokens.resolve(chain, input.targetToken, 'targetToken')
  // A person decides on a purchase of it, which comes last here: by then the fees would be collected.
  const [misleads] = target === null ? [] : await suspectNotes(context, chain, [target])
  if (misleads !== undefined) {
    const accepted = "another token, or none: execute_swap buys this one with a person's approval"
    throw invalidField('targetToken', `No harvest buys it. ${misleads}`, accepted)
  }
  const owner = input.wallet ?? context.wallet.address
  const request: HarvestRequest = {
    chain,
    owner,
    positionIds: input.positionIds === undefined ? null : [...new Set(input.positionIds)],
    target,
    includeRewards: input.includeRewards,
    slippageBps: input.slippageBps,
    minHarvestUsd: input.minHarvestUsd,
    deadline: deadlineOf(undefined, context),
  }
  if (!isAddressEqual(owner, context.wallet.address)) {
    if (!context.isDryRun) {
      throw invalidField('wallet', 'Only the agent wallet can be harvested; others can be looked at.', 'dryRun true')
    }
    const preview = await lookAtHarvest(request, context)
    const report = await formatHarvest(request, preview, context)
    const nothing = { txHash: null, explorerUrl: null, transactions: [], atomicity: 'none', submission: null }
    return { status: 'preview' as const, ...nothing, gasCostUsd: preview.gasCostUsd, ...report }
  }
  const outcome = await harvest(request, context)
  if (outcome.kind === 'deferred') {
    return { ...(await formatHarvest(request, outcome.preview, context)), ...outcome.deferred }
  }
  const { book, skipped } = outcome
  const report = await formatHarvest(request, doneOf(book, skipped), context)
  const failure = incomplete(book, report)
  if (failure !== null) throw failure
  return {
    status: 'success' as const,
    txHash: book.main,
    explorerUrl: book.main === null ? null : explorerUrl(chain, book.main),
    transactions: book.transactions.map(({ hash }) => hash),
    atomicity: 'sequential',
    gasCostUsd: book.gasCostUsd,
    submission: book.submission,
    ...report,
  }
})
