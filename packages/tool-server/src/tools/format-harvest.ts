import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { type ErrorDetail, type Token, tokenLabel, ToolError, type UsdPrice } from '@svc/amm'
import { sumUsd, valueUsd } from '../analysis/value-usd.ts'
import type { WriteContext } from '../tool-context.ts'
import { documented } from '../analysis/figures.ts'
import { priceNotes, tokenAmount, usdResult } from './results.ts'
import type { CollectedFees, DoneSwap, HarvestBook, HarvestRequest, PaidRewards } from '../harvest/harvest-book.ts'

/**
 * The members of a harvest's result that say what was done, or in a plan what would be: then they name no transaction. Those that the
 * listing leaves out stand in docs/operating.md.
 */
export const harvestResult = {
  feesCollected: z.array(
    z.object({
      positionId: z.string(),
      pool: z.string(),
      txHash: z.string().nullable(),
      amount0: z.string(),
      amount0Symbol: z.string(),
      amount1: z.string(),
      amount1Symbol: z.string(),
      totalUsd: usdResult,
    }),
  ),
  rewardsClaimed: z.array(
    z.object({
      distributor: documented(z.string()),
      txHash: documented(z.string().nullable()),
      tokens: documented(z.array(z.object({ symbol: z.string(), amount: z.string(), amountUsd: usdResult }))),
    }),
  ),
  consolidationSwaps: z.array(
    z.object({
      txHash: z.string().nullable(),
      tokenIn: z.string(),
      amountIn: z.string(),
      tokenOut: z.string(),
      amountOut: z.string(),
      priceImpactBps: z.number().nullable(),
    }),
  ),
  summary: z.object({
    positionsHarvested: z.int(),
    positionsSkipped: z.int(),
    totalFeesUsd: usdResult,
    totalRewardsUsd: documented(usdResult),
    consolidatedAmount: z.string().nullable(),
    consolidatedToken: documented(z.string().nullable()),
    totalGasCostUsd: documented(usdResult),
    netValueUsd: usdResult,
  }),
}

export type HarvestReport = z.infer<z.ZodObject<typeof harvestResult>> & { readonly notes: string[] }

/** What was done, or would be, with its worth at present prices. */
export async function formatHarvest(
  { chain, target }: Pick<HarvestRequest, 'chain' | 'target'>,
  done: Done,
  context: Pick<WriteContext, 'prices' | 'tokens'>,
): Promise<HarvestReport> {
  const { collected, swaps, gasCostUsd } = done
  const prices = await pricesOf(chain, done, context)
  const priceOf = (token: Token): UsdPrice | null => prices.get(token.address)?.[1] ?? null
  const fees = collected.map(({ position, hash, fees0, fees1 }) => {
    const { token0, token1 } = position.pool
    const side = (amount: bigint, token: Token) => (amount === 0n ? 0 : valueUsd(amount, token, priceOf(token)))
    return {
      positionId: position.positionId,
      pool: position.pool.id,
      txHash: hash,
      amount0: tokenAmount(fees0, token0),
      amount0Symbol: token0.symbol,
      amount1: tokenAmount(fees1, token1),
      amount1Symbol: token1.symbol,
      totalUsd: sumUsd(side(fees0, token0), side(fees1, token1)),
    }
  })
  const totalFeesUsd = sumUsd(...fees.map(({ totalUsd }) => totalUsd))
  const rewards = done.rewards.map(({ distributor, hash, paid }) => ({
    distributor,
    txHash: hash,
    tokens: paid.map(({ token, amount }) => ({
      symbol: tokenLabel(token),
      amount: tokenAmount(amount, token),
      amountUsd: valueUsd(amount, token, priceOf(token)),
    })),
  }))
  const totalRewardsUsd = sumUsd(0, ...rewards.flatMap(({ tokens }) => tokens.map(({ amountUsd }) => amountUsd)))
  return {
    feesCollected: fees,
    rewardsClaimed: rewards,
    consolidationSwaps: swaps.map(({ hash, tokenIn, tokenOut, amountIn, amountOut, priceImpactBps }) => ({
      txHash: hash,
      tokenIn: tokenLabel(tokenIn),
      amountIn: tokenAmount(amountIn, tokenIn),
      tokenOut: tokenLabel(tokenOut),
      amountOut: tokenAmount(amountOut, tokenOut),
      priceImpactBps,
    })),
    summary: {
      positionsHarvested: collected.length,
      positionsSkipped: done.skipped,
      totalFeesUsd,
      totalRewardsUsd,
      consolidatedAmount: target === null ? null : tokenAmount(consolidated(target, done), target),
      consolidatedToken: target === null ? null : tokenLabel(target),
      totalGasCostUsd: gasCostUsd,
      netValueUsd: gasCostUsd === null ? null : sumUsd(totalFeesUsd, totalRewardsUsd, -gasCostUsd),
    },
    notes: [
      ...done.notes,
      ...(saysGas(done) ? [] : gasNotes(gasCostUsd, sumUsd(totalFeesUsd, totalRewardsUsd))),
      ...priceNotes(...prices.values()),
    ],
  }
}

/** Whether all is one transaction, whose own warning tells of its gas. */
function saysGas({ collected, rewards, swaps, notes }: Done): boolean {
  const hashes = new Set([...collected, ...rewards, ...swaps].map(({ hash }) => hash))
  return hashes.size === 1 && !hashes.has(null) && notes.some((note) => note.startsWith('Gas of '))
}

/** Of all its transactions together; that of each stands beside. */
function gasNotes(gasUsd: number | null, harvestedUsd: number | null): readonly string[] {
  if (gasUsd === null || harvestedUsd === null || gasUsd <= harvestedUsd) return []
  const [gas, harvested] = [gasUsd, harvestedUsd].map((usd) => usd.toFixed(2))
  return [`Gas of all transactions, ${gas} USD, is more than the fees and rewards, ${harvested} USD.`]
}

type Done = {
  readonly collected: readonly (Omit<CollectedFees, 'hash'> & { readonly hash: string | null })[]
  readonly rewards: readonly (Omit<PaidRewards, 'hash'> & { readonly hash: string | null })[]
  readonly swaps: readonly (Omit<DoneSwap, 'hash'> & { readonly hash: string | null })[]
  readonly skipped: number
  readonly gasCostUsd: number | null
  readonly notes: readonly string[]
}

/** What a book says was done, in all attempts. */
export function doneOf(book: HarvestBook, skipped: number): Done {
  const { collected, rewards, swaps, gasCostUsd, notes } = book
  return { collected, rewards, swaps, gasCostUsd, notes, skipped }
}

/** What of the target itself came, and what swaps brought. */
function consolidated(target: Token, { collected, rewards, swaps }: Done): bigint {
  const claimed = rewards
    .flatMap(({ paid }) => paid)
    .reduce((sum, { token, amount }) => (token.address === target.address ? sum + amount : sum), 0n)
  const own = collected.reduce((sum, { position: { pool }, fees0, fees1 }) => {
    if (pool.token0.address === target.address) return sum + fees0
    return pool.token1.address === target.address ? sum + fees1 : sum
  }, 0n)
  return swaps.reduce((sum, { amountOut }) => sum + amountOut, own + claimed)
}

async function pricesOf(
  chain: Chain,
  { collected, rewards }: Pick<Done, 'collected' | 'rewards'>,
  { prices }: Pick<WriteContext, 'prices'>,
): Promise<ReadonlyMap<string, readonly [Token, UsdPrice | null]>> {
  const paid = collected.flatMap(({ position: { pool }, fees0, fees1 }) => [
    ...(fees0 > 0n ? [pool.token0] : []),
    ...(fees1 > 0n ? [pool.token1] : []),
  ])
  paid.push(...rewards.flatMap((claim) => claim.paid.map(({ token }) => token)))
  const tokens = [...new Map(paid.map((token) => [token.address, token])).values()]
  return new Map(
    await Promise.all(
      tokens.map(async (token) => [token.address, [token, await prices.usd(chain, token)] as const] as const),
    ),
  )
}

/** What a call hears whose harvest is not whole: what was done, what was not and why, and every transaction. `null` for a whole one. */
export function incomplete(book: HarvestBook, report: HarvestReport): ToolError | null {
  const { failures, transactions } = book
  if (failures.length === 0) return null
  const isOfSwaps = failures.every(({ tokenIn }) => tokenIn !== undefined)
  const details: ErrorDetail[] = [
    { message: 'What was done.', result: report },
    ...failures.map(({ positions, tokenIn, error }) => ({
      message: error.message,
      code: error.code,
      ...(positions === undefined
        ? {}
        : { positions: positions.map(({ version, positionId }) => `${version} ${positionId}`) }),
      ...(tokenIn === undefined ? {} : { tokenIn: tokenIn.address }),
    })),
    ...hashesOf(book).map(([txHash, message]) => ({ message, txHash })),
  ]
  const code = isOfSwaps ? 'CONSOLIDATION_SWAP_FAILED' : 'HARVEST_PARTIAL_FAILURE'
  const parts = isOfSwaps
    ? `${failures.length} of ${failures.length + book.swaps.length} swaps failed; the fees are collected.`
    : `${book.collected.length} positions were collected; ${failures.length} parts of the harvest failed.`
  const retryable = failures.some(({ error }) => error.retryable)
  return new ToolError(code, transactions.length === 0 ? `${parts} Nothing else was mined.` : parts, {
    details,
    retryable,
    cause: failures[0]?.error,
  })
}

/** Those that were mined, and those that failures name. */
function hashesOf({ transactions, failures }: HarvestBook): readonly (readonly [string, string])[] {
  const mined = transactions.map(({ hash, label }) => [hash, label] as const)
  const named = failures.flatMap(({ error }) =>
    error.details.flatMap(({ txHash, message }) => (typeof txHash === 'string' ? [[txHash, message] as const] : [])),
  )
  return [...new Map<string, string>([...named, ...mined])]
}
