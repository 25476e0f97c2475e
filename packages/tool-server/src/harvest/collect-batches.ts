import {
  type Deferred,
  type ErrorCode,
  type Intent,
  type Position,
  ToolError,
  type ClaimedReward,
  type LiquidityPlan,
  tokenLabel,
} from '@svc/amm'
import type { WriteContext } from '../tool-context.ts'
import { enterReverted, type HarvestBook, type HarvestRequest, isStop, type OwedReward } from './harvest-book.ts'
import { isAddressEqual } from 'viem'

/**
 * Collects positions in as few transactions as possible: those of one version together. Each is asked alone first, and where a
 * transaction would fail all the same it is halved until the one at fault stands alone, so that no position keeps the others from
 * being collected. Gives the stored plan where nothing is signed; it holds the batches and swaps that follow.
 */
export async function collectBatches(
  request: HarvestRequest,
  context: WriteContext,
  { book, due, follows }: CollectWork,
): Promise<Deferred | null> {
  const waiting = await batchesOf(request, context, { book, due })
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    const outcome = await collectBatch(request, context, { batch, waiting, book, follows })
    if (outcome === 'halved') waiting.unshift(...halvesOf(batch))
    else if (outcome !== 'done') return outcome
    if (book.stop !== null) return null
  }
  return null
}

type CollectWork = {
  readonly book: HarvestBook
  readonly due: readonly Position[]
  /** What the call goes on with after its collections, for the plan of the first. */
  readonly follows: () => Promise<readonly Intent[]>
}

/** What can be collected, by version; what cannot is entered as a failure. */
async function batchesOf(
  { chain, deadline }: HarvestRequest,
  { liquidity }: WriteContext,
  { book, due }: Pick<CollectWork, 'book' | 'due'>,
): Promise<(readonly Position[])[]> {
  const refusals = await liquidity.collectRefusals(chain, due, deadline)
  const payable = due.filter((position, index) => {
    const refusal = refusals[index] ?? null
    if (refusal !== null) book.fail({ positions: [position] }, refusal)
    return refusal === null
  })
  return (['v3', 'v4'] as const)
    .map((version) => payable.filter((position) => position.version === version))
    .filter(({ length }) => length > 0)
}

async function collectBatch(
  { chain, deadline }: HarvestRequest,
  context: WriteContext,
  work: Pick<CollectWork, 'book' | 'follows'> & {
    readonly batch: readonly Position[]
    readonly waiting: readonly (readonly Position[])[]
  },
): Promise<Deferred | 'done' | 'halved'> {
  const { batch, waiting, book } = work
  const { liquidity, wallet } = context
  const terms = { deadline, recipient: wallet.address }
  try {
    const others = await Promise.all(waiting.map((rest) => liquidity.planCollectAll(chain, rest, terms)))
    const swaps = await work.follows()
    const intent = withFollows(await liquidity.planCollectAll(chain, batch, terms), [...others, ...swaps], book)
    const outcome = await context.execute(intent, async (settled) => {
      book.enter(settled)
      return { collected: await liquidity.collectedIn(chain, settled.main), hash: settled.main.hash }
    })
    if ('status' in outcome) return outcome
    book.enterCollected(outcome.hash, outcome.collected)
    return 'done'
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (error.code === 'TRANSACTION_REVERTED') await enterReverted(book, { chain, error }, context)
    if (batch.length > 1 && ofOneOfThem.has(error.code)) return 'halved'
    if (isStop(error)) book.stop = error
    book.fail({ positions: batch }, error)
    return 'done'
  }
}

/**
 * What is wrong with one position of a transaction shows so: before anything is signed (a hook that burns gas as a limit that is passed),
 * or where a token knows a simulation from a block when it is mined, which costs its gas.
 */
const ofOneOfThem: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'SIMULATION_FAILED',
  'UNSAFE_TRANSACTION',
  'TOKEN_NOT_ALLOWLISTED',
  'HOOK_NOT_SUPPORTED',
  'SPENDING_LIMIT_EXCEEDED',
  'TRANSACTION_REVERTED',
])

function halvesOf(batch: readonly Position[]): readonly (readonly Position[])[] {
  const middle = Math.ceil(batch.length / 2)
  return [batch.slice(0, middle), batch.slice(middle)]
}

/** Once something is signed nothing is stored any more: what goes on then needs no plan. */
function withFollows(intent: Intent, follows: readonly Intent[], book: HarvestBook): Intent {
  if (follows.length === 0 || book.hasBegun()) return intent
  const why = [intent.why, 'Then, each by itself:', ...follows.map((next) => next.why), ...failedWhy(book)].join(' ')
  return { ...intent, follows, why }
}

function failedWhy({ failures }: HarvestBook): readonly string[] {
  const ids = failures.flatMap(({ positions = [] }) =>
    positions.map(({ version, positionId }) => `${version} ${positionId}`),
  )
  return ids.length === 0 ? [] : [`Left out, since they pay nothing out: ${ids.join(', ')}.`]
}

/**
 * The claim of all that campaigns owe the wallet in tokens that are listed. `null` where nothing is owed or nobody builds claims, which
 * a note then says; without a key for the trading API nobody is asked. A service in trouble costs the harvest its rewards, not its fees.
 */
export async function planRewards(
  { chain, owner, includeRewards }: HarvestRequest,
  context: WriteContext,
  { notes }: Pick<HarvestBook, 'notes'>,
): Promise<PlannedRewards | null> {
  const { rewards, tokens } = context
  if (!includeRewards) return null
  if (rewards.cannotClaim !== null) {
    notes.push(`Rewards are left out: ${leftOut[rewards.cannotClaim]}`)
    return null
  }
  if (chain.rewardDistributor === undefined) return null
  const kept = context.keptParts()
  try {
    const offered = await rewards.claimable({ chain, wallet: owner })
    const owed = offered.rewards.filter(({ claimable }) => claimable > 0n)
    const listed = owed.filter(({ token }) => tokens.isListed(chain, token))
    if (listed.length < owed.length) {
      notes.push(`Rewards in ${owed.length - listed.length} unlisted tokens are left where they are.`)
    }
    if (listed.length === 0) return null
    if (kept !== null && !kept.some((part) => isClaim(part, offered.distributor))) {
      notes.push('Rewards that came since this was planned are left for claim_lp_rewards.')
      return null
    }
    const plan = await rewards.planClaim({ chain, wallet: owner, tokens: listed.map(({ token }) => token) })
    const owedRewards = await Promise.all(
      plan.preview.map(async ({ token, amount }) => ({ token: await tokens.byAddress(chain, token), amount })),
    )
    return {
      plan: { ...plan, intent: { ...plan.intent, riskTier: 'standard' } },
      distributor: plan.distributor,
      rewards: owedRewards,
    }
  } catch (error) {
    if (!(error instanceof ToolError) || isStop(error)) throw error
    if (error.code !== 'NO_REWARDS_AVAILABLE') notes.push(`Rewards are left out: ${error.message}`)
    return null
  }
}

const leftOut = {
  key: "claim_lp_rewards claims them, with the operator's trading API key.",
  dialect: 'the newer dialect of the trading API, which the operator has set, builds no claims.',
}

export type PlannedRewards = {
  readonly plan: LiquidityPlan<readonly ClaimedReward[], readonly ClaimedReward[]>
  readonly distributor: `0x${string}`
  readonly rewards: readonly OwedReward[]
}

/** Claims what was planned; a failure leaves the rest of the harvest. */
export async function claimRewards(
  { chain }: HarvestRequest,
  context: WriteContext,
  { book, planned }: { readonly book: HarvestBook; readonly planned: PlannedRewards },
): Promise<void> {
  const { plan, distributor, rewards } = planned
  try {
    const done = await context.execute(plan.intent, async (settled) => {
      book.enter(settled)
      return { hash: settled.main.hash, paid: await plan.decode(settled) }
    })
    if ('status' in done) throw new TypeError('What goes on with a call never waits')
    book.notes.push(...(plan.notes ?? []))
    book.rewards.push({
      hash: done.hash,
      distributor,
      paid: rewards.flatMap(({ token }) =>
        done.paid.filter((one) => isAddressEqual(one.token, token.address)).map(({ amount }) => ({ token, amount })),
      ),
    })
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    if (error.code === 'TRANSACTION_REVERTED') await enterReverted(book, { chain, error }, context)
    book.fail({}, error)
    book.notes.push(`Rewards in ${rewards.map(({ token }) => tokenLabel(token)).join(', ')} were not claimed.`)
    if (isStop(error)) book.stop = error
  }
}

function isClaim({ calls }: Intent, distributor: `0x${string}`): boolean {
  return calls.length > 0 && calls.every(({ to }) => isAddressEqual(to, distributor))
}
