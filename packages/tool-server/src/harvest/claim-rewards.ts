import { isAddressEqual } from 'viem'
import { type ClaimedReward, type Intent, type LiquidityPlan, tokenLabel, ToolError } from '@svc/amm'
import type { WriteContext } from '../tool-context.ts'
import { enterReverted, type HarvestBook, type HarvestRequest, isStop, type OwedReward } from './harvest-book.ts'

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
