import type { Deferred, Intent } from '@svc/amm'
import type { WriteContext } from '../tool.ts'
import { collectBatches } from './collect-batches.ts'
import { consolidate, planSwaps } from './consolidate.ts'
import { findDue } from './find-due.ts'
import { type HarvestBook, type HarvestRequest, openBook } from './harvest-book.ts'
import { previewHarvest, type HarvestPreview } from './preview-harvest.ts'

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
  book.notes.push(...notes, ...rewardNotes(request))
  const planFollows = lazily(() => planSwaps(request, context, { book, due }))
  const deferred = await collectBatches(request, context, {
    book,
    due,
    follows: async (): Promise<readonly Intent[]> =>
      book.hasBegun() || context.keptParts() !== null ? [] : (await planFollows()).map(({ intent }) => intent),
  })
  if (deferred !== null) {
    const preview = await previewHarvest(request, context, { book, due, swaps: await planFollows() })
    return { kind: 'deferred', deferred, preview: { ...preview, skipped } }
  }
  book.requireAnything()
  if (book.stop === null) await consolidate(request, context, book)
  return { kind: 'done', book, skipped }
}

/** The same for an owner whose wallet this is not: read and estimated, with nothing that could be carried out. */
export async function lookAtHarvest(request: HarvestRequest, context: WriteContext): Promise<HarvestPreview> {
  const book = await openBook(request, context)
  const { due, skipped, notes } = await findDue(request, context, book)
  book.notes.push(...notes, ...rewardNotes(request))
  const swaps = await planSwaps(request, context, { book, due })
  return { ...(await previewHarvest(request, context, { book, due, swaps })), skipped }
}

/**
 * A harvest collects and swaps fees; it makes no claims, with a key for the trading API or without. This is the one place where they
 * would join it: their intents between collections and swaps, what they pay into the book.
 */
function rewardNotes({ includeRewards }: HarvestRequest): readonly string[] {
  return includeRewards ? ["Rewards are left out: claim_lp_rewards claims them, with the operator's trading API key."] : []
}

function lazily<Value>(make: () => Promise<Value>): () => Promise<Value> {
  let made: Promise<Value> | undefined
  return () => (made ??= make())
}
