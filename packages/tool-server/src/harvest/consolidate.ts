import type { Chain } from '@svc/wallet/core'
import { formatAmount } from '@svc/lp-math'
import { type Address, isAddressEqual } from 'viem'
import {
  type Intent,
  type LiquidityPlan,
  type Position,
  type Quote,
  type SwapOutcome,
  type Token,
  tokenLabel,
  ToolError,
  type Version,
} from '@svc/amm'
import type { WriteContext } from '../tool-context.ts'
import {
  enterReverted,
  type HarvestBook,
  type HarvestRequest,
  isSameValue,
  isStop,
  type OwedReward,
} from './harvest-book.ts'

/** Sells what collections brought for the target, one swap a token, each weighed by itself; a failure of one leaves the others. */
export async function consolidate(request: HarvestRequest, context: WriteContext, book: HarvestBook): Promise<void> {
  for (const { token, amount } of toSell(request, context, { book, due: [], rewards: null })) {
    try {
      const sold = book.swaps.filter(({ tokenIn }) => isAddressEqual(tokenIn.address, token.address))
      const swap = await planSwap(request, context, {
        tokenIn: token,
        amountIn: amount,
        sold: sold.reduce((sum, { amountIn }) => sum + amountIn, 0n),
      })
      const rest = amount - (swap?.quote.amountIn ?? 0n)
      if (rest > 0n) {
        const more = `${formatAmount(rest, token.decimals)} ${tokenLabel(token)}`
        book.notes.push(`${more} more came than the plan sells: it stays in the wallet, execute_swap sells it.`)
      }
      if (swap === null) continue
      const done = await context.execute(swap.intent, async (settled) => {
        book.enter(settled)
        const { amountIn, amountOut } = await swap.plan.decode(settled)
        const priceImpactBps = settled.priceImpactBps ?? swap.quote.priceImpactBps
        return { hash: settled.main.hash, amountIn, amountOut, priceImpactBps }
      })
      if ('status' in done) throw new TypeError('What goes on with a call never waits')
      book.swaps.push({ ...done, tokenIn: token, tokenOut: swap.tokenOut })
    } catch (error) {
      if (!(error instanceof ToolError)) throw error
      if (error.code === 'AMOUNT_TOO_SMALL') {
        book.notes.push(`What came of ${tokenLabel(token)} is too little to swap and stays in the wallet.`)
        continue
      }
      if (error.code === 'TRANSACTION_REVERTED') await enterReverted(book, { chain: request.chain, error }, context)
      book.fail({ tokenIn: token }, error)
      if (isStop(error)) book.stop = error
      if (book.stop !== null) return
    }
  }
}

/** A swap as it is planned: of what is expected, or of what came. */
export type PlannedSwap = {
  readonly intent: Intent
  readonly plan: LiquidityPlan<SwapOutcome, SwapOutcome>
  readonly quote: Quote
  readonly tokenIn: Token
  readonly tokenOut: Token
}

/** The swaps that would follow the collections at present prices; what finds no route is said. */
export async function planSwaps(
  request: HarvestRequest,
  context: WriteContext,
  work: ToCome,
): Promise<readonly PlannedSwap[]> {
  const planned = await Promise.all(
    toSell(request, context, work).map(async ({ token: tokenIn, amount: amountIn }) => {
      try {
        return (await planSwap(request, context, { tokenIn, amountIn, sold: 0n })) ?? []
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        work.book.notes.push(`No swap of ${tokenLabel(tokenIn)} can be planned now: ${error.message}`)
        return []
      }
    }),
  )
  return planned.flat()
}

/** What the call has brought, and what is still to come of it. */
type ToCome = {
  readonly book: HarvestBook
  readonly due: readonly Position[]
  readonly rewards: { readonly rewards: readonly OwedReward[] } | null
}

type Sale = { readonly token: Token; readonly amount: bigint }

/** What is held of each token of the positions, and still waits in those that are due, but for the target itself. */
function toSell(
  { chain, target }: HarvestRequest,
  { tokens }: Pick<WriteContext, 'tokens'>,
  { book, due, rewards }: ToCome,
): readonly Sale[] {
  if (target === null) return []
  const collected = book.collected.map(({ position }) => position)
  const claimed = [...book.rewards.flatMap(({ paid }) => paid), ...(rewards?.rewards ?? [])].map(({ token }) => token)
  const known = [...[...collected, ...due].flatMap(({ pool }) => [pool.token0, pool.token1]), ...claimed]
  const wrapped = tokens.wrapped(chain)
  const sold = [...new Map(known.map((token) => [token.address, token])).values()]
  const kept = sold.filter((token) => token.address !== target.address && isSameValue(token, target, wrapped))
  for (const token of kept) {
    const note = `${tokenLabel(token)} stays as it is: it is worth the same as ${tokenLabel(target)}.`
    if (!book.notes.includes(note)) book.notes.push(note)
  }
  return sold
    .filter((token) => !isSameValue(token, target, wrapped))
    .map((token) => ({
      token,
      amount:
        (book.held.get(token.address.toLowerCase()) ?? 0n) +
        waitsIn(due, token.address) +
        owedIn(rewards?.rewards ?? [], token.address),
    }))
    .filter(({ amount }) => amount > 0n)
}

function owedIn(rewards: readonly OwedReward[], token: Address): bigint {
  return rewards.reduce((sum, owed) => (isAddressEqual(owed.token.address, token) ? sum + owed.amount : sum), 0n)
}

function waitsIn(due: readonly Position[], token: Address): bigint {
  return due.reduce((sum, { pool, fees0, fees1 }) => {
    if (isAddressEqual(pool.token0.address, token)) return sum + fees0
    return isAddressEqual(pool.token1.address, token) ? sum + fees1 : sum
  }, 0n)
}

/**
 * Under a stored plan no more is sold than it says, in all attempts together (`null` where that is done); fees that came since stay in
 * the wallet. It goes through pools of the plan's version, whichever is the best by now. Throws as quoting and planning do.
 */
async function planSwap(
  { chain, target: tokenOut, slippageBps, deadline }: HarvestRequest,
  context: WriteContext,
  { tokenIn, amountIn: wanted, sold }: { readonly tokenIn: Token; readonly amountIn: bigint; readonly sold: bigint },
): Promise<PlannedSwap | null> {
  if (tokenOut === null) throw new TypeError('nothing is swapped without a target')
  const { liquidity, wallet } = context
  const kept = keptSale(chain, context, tokenIn)
  const left = kept === null ? wanted : kept.amount - sold
  if (left <= 0n) return null
  const amountIn = left < wanted ? left : wanted
  const versions = kept?.version == null ? {} : { versions: [kept.version] }
  const quote = await liquidity.quote(chain, { tokenIn, tokenOut, amountIn, ...versions })
  const terms = { tokenIn, tokenOut, slippageBps, deadline, recipient: wallet.address }
  const plan = await liquidity.planSwap(chain, quote, { ...terms, keptReceipts: kept?.part.receives })
  return { intent: { ...plan.intent, riskTier: 'standard' }, plan, quote, tokenIn, tokenOut }
}

/** What the plan that is carried out says of the sale of a token; `null` for a call of its own. */
function keptSale(
  { amm }: Chain,
  { keptParts }: Pick<WriteContext, 'keptParts'>,
  { address }: Token,
): { readonly part: Intent; readonly amount: bigint; readonly version: Version | null } | null {
  const parts = keptParts()
  if (parts === null) return null
  const routers = { v2: amm.v2?.router, v3: amm.v3?.swapRouter02, v4: amm.universalRouter?.address }
  for (const part of parts) {
    const spent = part.spends.find(({ token }) => isAddressEqual(token, address))
    if (spent === undefined) continue
    const version = (['v2', 'v3', 'v4'] as const).find((one) => routers[one] === part.calls[0]?.to) ?? null
    return { part, amount: spent.amount, version }
  }
  throw new ToolError('SIMULATION_DRIFT', 'The plan that is carried out holds no swap of this token.', {
    details: [{ message: 'not in the plan', token: address }],
    suggestion: 'Sell it with execute_swap.',
  })
}
