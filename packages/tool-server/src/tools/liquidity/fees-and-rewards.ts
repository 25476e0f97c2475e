import * as z from 'zod'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import { ownPricedPosition } from '../own-position.ts'
import { collectParams, compoundParams } from '../position-params.ts'
import {
  chainInput,
  deadlineOf,
  positionIdInput,
  addressInput,
  invalidField,
  tokenInput,
  numberWithin,
  slippageInput,
} from '../params.ts'
import {
  notesResult,
  priceNotes,
  tokenAmount,
  usdResult,
  writeResult,
  writeStamp,
  onceMined,
  symbolsOf,
  symbolsResult,
  tradeResult,
  tradeStamp,
  explorerUrl,
  suspectNotes,
  submissionResult,
} from '../results.ts'
import { type CompoundOutcome, type Settled, tokenLabel } from '@svc/amm'
import { isAddressEqual } from 'viem'
import { harvest, lookAtHarvest } from '../../harvest/harvest.ts'
import type { HarvestRequest } from '../../harvest/harvest-book.ts'
import { mostPositions } from '../../harvest/find-due.ts'
import { doneOf, formatHarvest, harvestResult, incomplete } from '../format-harvest.ts'

export const collectFees = writeTool({
  name: 'collect_fees',
  title: 'Collect fees',
  description:
    'Collects the fees that wait in a v3 or v4 position of the agent wallet and leaves its liquidity alone. get_position shows what waits; v2 fees come with remove_liquidity. Pays the agent wallet only.',
  scope: 'write:liquidity',
  destructive: false,
  idempotent: false,
  input: z.strictObject({ positionId: positionIdInput, chain: chainInput, ...collectParams }),
  output: z.object({
    ...writeResult,
    positionId: z.string(),
    feesCollected: z.object({
      amount0: z.string(),
      amount0Symbol: z.string(),
      amount1: z.string(),
      amount1Symbol: z.string(),
      totalUsd: usdResult,
    }),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const { held: position, price0, price1 } = await ownPricedPosition(chain, input, context)
  const { token0, token1 } = position.pool
  const planned = await context.liquidity.planCollect(chain, position, {
    deadline: deadlineOf(input.deadlineSeconds, context),
    recipient: context.wallet.address,
  })
  return context.execute(planned.intent, async (settled) => {
    const { fees0, fees1 } = await planned.decode(settled)
    return {
      ...writeStamp(chain, planned.intent, settled),
      positionId: position.positionId,
      feesCollected: {
        amount0: tokenAmount(fees0, token0),
        amount0Symbol: token0.symbol,
        amount1: tokenAmount(fees1, token1),
        amount1Symbol: token1.symbol,
        totalUsd: sumUsd(valueUsd(fees0, token0, price0), valueUsd(fees1, token1, price1)),
      },
      notes: [...(planned.notes ?? []), ...settled.warnings, ...priceNotes([token0, price0], [token1, price1])],
    }
  })
})

export const compoundFees = writeTool({
  name: 'compound_fees',
  title: 'Compound fees',
  description:
    'Swaps the fees that wait in a v3 or v4 position to the ratio of its range and adds them to its liquidity, in one transaction or not at all. Takes nothing else of the wallet; what the range does not take comes to it.',
  scope: 'write:liquidity',
  destructive: false,
  idempotent: false,
  input: z.strictObject({ positionId: positionIdInput, chain: chainInput, ...compoundParams }),
  output: z.object({
    ...tradeResult,
    positionId: z.string(),
    ...symbolsResult,
    feesCollected: z.object({ amount0: z.string(), amount1: z.string(), totalUsd: usdResult }),
    reinvested: z.object({
      amount0: z.string(),
      amount1: z.string(),
      swapExecuted: z.boolean(),
      swapDetails: z.string(),
    }),
    newLiquidity: z.string().describe('Added'),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const { held: position, price0, price1 } = await ownPricedPosition(chain, input, context)
  const { token0, token1 } = position.pool
  const planned = await context.liquidity.planCompound(chain, position, {
    swapToRatio: input.swapToRatio,
    atomicRoute: () => context.atomicRoute(chain),
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds, context),
    recipient: context.wallet.address,
    kept: context.keptDeposits()[0],
  })
  const reading = onceMined((mined) => planned.decode(mined))
  const shape = async (settled: Settled) => {
    const { fees0, fees1, amount0, amount1, liquidity, swapped } = await reading(settled)
    return {
      ...tradeStamp(chain, planned.intent, settled),
      positionId: position.positionId,
      ...symbolsOf(token0, token1),
      feesCollected: {
        amount0: tokenAmount(fees0, token0),
        amount1: tokenAmount(fees1, token1),
        totalUsd: sumUsd(valueUsd(fees0, token0, price0), valueUsd(fees1, token1, price1)),
      },
      reinvested: {
        amount0: tokenAmount(amount0, token0),
        amount1: tokenAmount(amount1, token1),
        swapExecuted: swapped !== null,
        swapDetails: swapped === null ? 'none: the fees were added as they came' : swapText(swapped),
      },
      newLiquidity: `${liquidity}`,
      notes: [...settled.warnings, ...priceNotes([token0, price0], [token1, price1])],
    }
  }
  return context.execute(planned.intent, shape, { begin: reading })
})

function swapText({ tokenIn, tokenOut, amountIn, amountOut, version }: Swapped): string {
  const [paid, got] = [tokenAmount(amountIn, tokenIn), tokenAmount(amountOut, tokenOut)]
  return `${paid} ${tokenLabel(tokenIn)} for ${got} ${tokenLabel(tokenOut)} through ${version}`
}

type Swapped = NonNullable<CompoundOutcome['swapped']>

export const claimLpRewards = writeTool({
  name: 'claim_lp_rewards',
  title: 'Claim rewards',
  description:
    "Claims all that incentive campaigns owe the agent wallet in some tokens, by proofs held against the distributor on chain; get_claimable_rewards shows what waits. Needs the operator's trading API key. Pays the agent wallet only.",
  scope: 'write:liquidity',
  destructive: false,
  idempotent: false,
  input: z.strictObject({
    chain: chainInput,
    tokens: z.array(tokenInput).min(1, 'Accepted: 1 to 20 reward tokens').max(20, 'Accepted: 1 to 20 reward tokens'),
    distributor: addressInput.optional().describe("Default: the chain's"),
  }),
  output: z.object({
    ...writeResult,
    claimed: z.array(z.object({ token: z.string(), symbol: z.string(), amount: z.string(), amountUsd: usdResult })),
    totalClaimedUsd: usdResult,
    distributor: z.string(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const named = await Promise.all(
    input.tokens.map((token, index) => context.tokens.resolve(chain, token, `tokens.${index}`)),
  )
  const tokens = [...new Map(named.map((token) => [token.address, token])).values()]
  const { rewardDistributor } = chain
  if (input.distributor !== undefined && rewardDistributor !== undefined) {
    if (!isAddressEqual(input.distributor, rewardDistributor)) {
      throw invalidField('distributor', 'This is not the distributor of the chain.', rewardDistributor)
    }
  }
  const planned = await context.rewards.planClaim({
    chain,
    wallet: context.wallet.address,
    tokens: tokens.map(({ address }) => address),
  })
  const prices = await Promise.all(tokens.map((token) => context.prices.usd(chain, token)))
  return context.execute(planned.intent, async (settled) => {
    const paid = await planned.decode(settled)
    const rows = tokens.flatMap((token, index) => {
      const reward = paid.find((one) => isAddressEqual(one.token, token.address))
      return reward === undefined ? [] : [{ token, price: prices[index] ?? null, amount: reward.amount }]
    })
    const claimed = rows.map(({ token, price, amount }) => ({
      token: token.address,
      symbol: token.symbol,
      amount: tokenAmount(amount, token),
      amountUsd: valueUsd(amount, token, price),
    }))
    const missing = tokens.filter((token) => rows.every((row) => row.token !== token))
    return {
      ...writeStamp(chain, planned.intent, settled),
      claimed,
      totalClaimedUsd: sumUsd(...claimed.map(({ amountUsd }) => amountUsd)),
      distributor: planned.distributor,
      notes: [
        ...(planned.notes ?? []),
        ...settled.warnings,
        ...missing.map((token) => `Nothing was claimable in ${tokenLabel(token)}.`),
        ...priceNotes(...rows.map(({ token, price }) => [token, price] as const)),
      ],
    }
  })
})

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
