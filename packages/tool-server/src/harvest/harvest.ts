import type { Deferred, Intent, Plan, Position, Token } from '@svc/amm'
import type { WriteContext } from '../tool-context.ts'
import { claimRewards, type PlannedRewards, planRewards, collectBatches } from './collect-batches.ts'
import { consolidate, planSwaps, type PlannedSwap } from './consolidate.ts'
import { findDue } from './find-due.ts'
import {
  type HarvestBook,
  type HarvestRequest,
  openBook,
  type CollectedFees,
  type DoneSwap,
  type PaidRewards,
} from './harvest-book.ts'
import { readGasPrice, typicalGas, sumUsd, trustedImpactBps } from '../analysis/value-usd.ts'

export type HarvestOutcome =
  | { readonly kind: 'done'; readonly book: HarvestBook; readonly skipped: number }
  | { readonly kind: 'deferred'; readonly deferred: Deferred; readonly preview: HarvestPreview }

/**
 * Collects the fees of positions and swaps them to one token. The collections of a version are one transaction; each swap is an
 * intent of its own, weighed by itself once the fees are there. Where the call is a dry run or waits for its time, the plan of the
 * first intent is stored with all that follow it. What an earlier attempt at the same call had mined is read from the chain, counts
 * as done, and is not done again. A failure of one part leaves the others: the book says what was done and what was not.
 *
 * @throws ToolError `NO_POSITIONS`, `DUST_FILTER_ALL_SKIPPED`, and whatever stands in the way before anything is signed.
 */
export async function harvest(request: HarvestRequest, context: WriteContext): Promise<HarvestOutcome> {
  const book = await openBook(request, context)
  const { due, skipped, notes } = await findDue(request, context, book)
  book.notes.push(...notes)
  // What an earlier attempt claimed is claimed; what came since is for the next harvest.
  const planClaim = lazily(async () => (book.rewards.length > 0 ? null : planRewards(request, context, book)))
  const planSales = lazily(async () => planSwaps(request, context, { book, due, rewards: await planClaim() }))
  const deferred = await collectBatches(request, context, {
    book,
    due,
    follows: async (): Promise<readonly Intent[]> =>
      book.hasBegun() || context.keptParts() !== null
        ? []
        : [...partOf(await planClaim()), ...(await planSales()).map(({ intent }) => intent)],
  })
  if (deferred !== null) {
    const [rewards, swaps] = [await planClaim(), await planSales()]
    const preview = await previewHarvest(request, context, { book, due, rewards, swaps, first: deferred.plan })
    return { kind: 'deferred', deferred, preview: { ...preview, skipped } }
  }
  book.requireAnything()
  // A claim is part of a harvest that has begun: nothing is stored any more, and nothing waits.
  const planned = book.stop === null && book.hasBegun() ? await planClaim() : null
  if (planned !== null) await claimRewards(request, context, { book, planned })
  if (book.stop === null) await consolidate(request, context, book)
  return { kind: 'done', book, skipped }
}

/** The same for an owner whose wallet this is not: read and estimated, with nothing that could be carried out. */
export async function lookAtHarvest(request: HarvestRequest, context: WriteContext): Promise<HarvestPreview> {
  const book = await openBook(request, context)
  const { due, skipped, notes } = await findDue(request, context, book)
  book.notes.push(...notes)
  if (request.includeRewards)
    book.notes.push('Rewards are left out: get_claimable_rewards shows what another wallet is owed.')
  const swaps = await planSwaps(request, context, { book, due, rewards: null })
  return { ...(await previewHarvest(request, context, { book, due, rewards: null, swaps, first: null })), skipped }
}

function partOf(planned: PlannedRewards | null): readonly Intent[] {
  return planned === null ? [] : [planned.plan.intent]
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => (made ??= make())
}

/** What a harvest would do and cost, at the present block and prices; nothing of it has a transaction. */
export type HarvestPreview = {
  readonly collected: readonly Expected<CollectedFees>[]
  readonly rewards: readonly Expected<PaidRewards>[]
  readonly swaps: readonly Expected<DoneSwap>[]
  readonly skipped: number
  readonly gasCostUsd: number | null
  readonly notes: readonly string[]
}

type Expected<Done> = Omit<Done, 'hash'> & { readonly hash: null }

/** Gas of the first collection is that of its plan, of others it is asked of the chain, that of swaps is the quote's with what approvals take. */
async function previewHarvest(
  request: HarvestRequest,
  context: WriteContext,
  {
    book,
    due,
    rewards,
    swaps,
    first,
  }: {
    readonly book: HarvestBook
    readonly due: readonly Position[]
    readonly rewards: PlannedRewards | null
    readonly swaps: readonly PlannedSwap[]
    readonly first: Plan | null
  },
): Promise<Omit<HarvestPreview, 'skipped'>> {
  const failed = new Set(book.failures.flatMap(({ positions = [] }) => positions))
  const payable = due.filter((position) => !failed.has(position))
  const [gasPrice, collectGas] = await Promise.all([
    readGasPrice(context, request.chain),
    gasOfCollections(request, context, payable, first === null ? 0 : 1),
  ])
  const swapGas = swaps.reduce((sum, { quote, intent }) => sum + quote.gasEstimate + approvalGas(intent), 0n)
  return {
    collected: payable.map((position) => ({ position, hash: null, fees0: position.fees0, fees1: position.fees1 })),
    rewards: rewards === null ? [] : [{ hash: null, distributor: rewards.distributor, paid: rewards.rewards }],
    swaps: await Promise.all(
      swaps.map(async ({ quote, tokenIn, tokenOut }) => {
        const usd = (token: Token) => context.prices.usd(request.chain, token)
        const [priceIn, priceOut] = await Promise.all([usd(tokenIn), usd(tokenOut)])
        // Against the market, as what is carried out tells it.
        const impactBps = trustedImpactBps(quote, [tokenIn, priceIn], [tokenOut, priceOut])
        const { amountIn, amountOut, priceImpactBps } = quote
        return { hash: null, tokenIn, tokenOut, amountIn, amountOut, priceImpactBps: impactBps ?? priceImpactBps }
      }),
    ),
    gasCostUsd: sumUsd(
      first === null ? 0 : first.gasCostUsd,
      gasPrice.costUsd(collectGas + swapGas + (rewards === null ? 0n : claimGas)),
    ),
    notes: [
      ...book.notes,
      ...[...failed].map(
        ({ version, positionId }) => `${version} position ${positionId} pays nothing out and is left out.`,
      ),
    ],
  }
}

/** A claim of two tokens was measured at some 150,000. */
const claimGas = 150_000n

async function gasOfCollections(
  { chain, owner, deadline }: HarvestRequest,
  { liquidity, rpc }: WriteContext,
  positions: readonly Position[],
  known: number,
): Promise<bigint> {
  const batches = (['v3', 'v4'] as const).map((version) => positions.filter((one) => one.version === version))
  const client = rpc.client(chain)
  const gas = await Promise.all(
    batches
      .filter(({ length }) => length > 0)
      .slice(known)
      .map(async (batch) => {
        const { calls } = await liquidity.planCollectAll(chain, batch, { deadline, recipient: owner })
        const asked = await Promise.all(
          calls.map(({ to, data }) => estimated(() => client.estimateGas({ account: owner, to, data }))),
        )
        return asked.every((one) => one !== null)
          ? asked.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n)
          : typicalGas.collect * BigInt(batch.length)
      }),
  )
  return gas.reduce((sum, one) => sum + one, 0n)
}

/** `null` where the endpoint does not say. */
async function estimated(ask: () => Promise<bigint>): Promise<bigint | null> {
  return ask().catch(() => null)
}

/** An approval and its end are some 46,000 and 26,000; Permit2 takes one more. */
function approvalGas({ approvals }: Intent): bigint {
  const permits = approvals.filter(({ via }) => via === 'permit2').length
  return BigInt(approvals.length) * 72_000n + BigInt(permits) * 47_000n
}
