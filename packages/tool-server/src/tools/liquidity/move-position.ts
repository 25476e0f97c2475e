import { isAddressEqual, zeroAddress } from 'viem'
import * as z from 'zod'
import { estimateFeeApy } from '../../analysis/fees/estimate-fee-apy.ts'
import { movesOf, type Moves, remember } from '../../analysis/memory/episodes.ts'
import { type MoveFigures, moveWorth } from '../../analysis/position/rebalance-worth.ts'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import {
  type Intent,
  type Position,
  type RebalancePreview,
  type Settled,
  shortAmount,
  type Token,
  tokenLabel,
  type UsdPrice,
} from '@svc/amm'
import { writeTool } from '../../tool.ts'
import type { WriteContext } from '../../tool-context.ts'
import { isSecondToken, ownPricedPosition, ownPosition } from '../own-position.ts'
import { moveContradictions, moveParams, moveRangeOf } from '../position-params.ts'
import { chainInput, deadlineOf, positionIdInput, addressInput, wholeNumber } from '../params.ts'
import {
  endsOf,
  inOrder,
  notesResult,
  onceMined,
  priceNotes,
  symbolsOf,
  symbolsResult,
  tokenAmount,
  usdResult,
  tradeResult,
  tradeStamp,
  poolSummary,
  poolSummaryResult,
} from '../results.ts'
import { documented } from '../../analysis/figures.ts'

export const rebalancePosition = writeTool({
  name: 'rebalance_position',
  title: 'Rebalance position',
  description:
    'Closes a v3 or v4 position and opens one in another range of its pool with what it paid out, in one transaction; where a side must be swapped, close, swap, open. notes say what that costs and earns. Prices follow get_position unless token0 is given.',
  scope: 'write:liquidity',
  destructive: true,
  idempotent: false,
  input: z
    .strictObject({ positionId: positionIdInput, chain: chainInput, ...moveParams })
    .superRefine((range, check) => {
      for (const [field, message] of moveContradictions(range)) {
        check.addIssue({ code: 'custom', path: [field], message })
      }
    }),
  output: z.object({
    ...tradeResult,
    ...symbolsResult,
    closedPosition: z.object({
      positionId: z.string(),
      txHash: z.string(),
      amount0Received: z.string(),
      amount1Received: z.string(),
      feesCollected: z.object({ totalUsd: usdResult }),
    }),
    newPosition: z.object({
      positionId: z.string(),
      txHash: z.string(),
      amount0Deposited: z.string(),
      amount1Deposited: z.string(),
      priceLower: z.number().nullable(),
      priceUpper: z.number().nullable(),
      currentPrice: z.number(),
    }),
    totalGasCostUsd: usdResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const first = input.token0 === undefined ? null : await context.tokens.resolve(chain, input.token0, 'token0')
  const { held: position, price0, price1, at } = await ownPricedPosition(chain, input, context)
  const inverted = first !== null && isSecondToken(first, position, context.tokens.wrapped(chain))
  const { pool } = position
  const apyOf = estimateFeeApy(context, chain, { pool, createsPool: false }, context.now(), at)
  const planned = await context.liquidity.planRebalance(chain, position, {
    range: moveRangeOf(input),
    inverted,
    swapToRatio: input.swapToRatio,
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds, context),
    recipient: context.wallet.address,
    kept: context.keptDeposits()[0],
  })
  const prices = [price0, price1] as const
  const { preview } = planned
  const worth = await worthwhile(position, preview, { isInverted: inverted, prices, apyOf }, context)
  const isApart = planned.intent.atomicity === 'sequential'
  const notes = isApart ? [apartNote] : []
  const why = [planned.intent.why, ...worth.why].join(' ')
  const intent = { ...planned.intent, ...worth.intent, ...keepsBack(preview, prices), notes, why }
  const reading = onceMined((mined) => planned.decode(mined))
  let moves: Moves = {}
  const shape = async (settled: Settled) => {
    const { closed, opened } = await reading(settled)
    moves = movesOf(position, preview.opened, { closed, opened, settled, isInverted: inverted, prices })
    const [token0, token1] = inOrder(inverted, pool.token0, pool.token1)
    const [received0, received1] = inOrder(inverted, closed.amount0 + closed.fees0, closed.amount1 + closed.fees1)
    const fees = [valueUsd(closed.fees0, pool.token0, price0), valueUsd(closed.fees1, pool.token1, price1)] as const
    const left = inOrder(inverted, changeOf(pool.token0, settled), changeOf(pool.token1, settled))
    const [firstPrice, secondPrice] = inOrder(inverted, price0, price1)
    return {
      ...tradeStamp(chain, intent, settled),
      ...symbolsOf(token0, token1),
      closedPosition: {
        positionId: position.positionId,
        txHash: closed.hash,
        amount0Received: tokenAmount(received0, token0),
        amount1Received: tokenAmount(received1, token1),
        feesCollected: { totalUsd: sumUsd(...fees) },
      },
      newPosition: {
        positionId: opened.positionId,
        txHash: opened.hash,
        amount0Deposited: tokenAmount(opened.amount0, token0),
        amount1Deposited: tokenAmount(opened.amount1, token1),
        ...endsOf(preview.opened),
        currentPrice: preview.opened.currentPrice,
      },
      totalGasCostUsd: settled.gasCostUsd,
      notes: [
        ...leftNotes(
          { amount: left[0], token: token0, price: firstPrice },
          { amount: left[1], token: token1, price: secondPrice },
        ),
        ...worth.after,
        ...settled.warnings,
        ...priceNotes([pool.token0, price0], [pool.token1, price1]),
      ],
    }
  }
  const answer = await context.execute(intent, shape, { begin: reading })
  await remember(context, chain, moves)
  return answer
})

const apartNote =
  'Close, swap and open are transactions of their own here, each may fail alone; batch_lp_operations does a rebalance as one where the policy names a batch delegate.'

/**
 * What the engine holds against what a swap to the range's ratio leaves in the wallet; to three digits, so that equal plans say the same.
 * Without a swap more than that is left, as asked for.
 */
function keepsBack(
  { closed, opened: { pool }, swap }: RebalancePreview,
  prices: MoveFigures['prices'],
): Pick<Intent, 'keepsBack'> {
  if (swap === null) return {}
  const { token0, token1 } = pool
  const swapped = (token: Token) => (token.address === swap.tokenIn.address ? -swap.amountIn : swap.amountOut)
  const ofUsd = sumUsd(
    valueUsd(closed.amount0 + closed.fees0 + swapped(token0), token0, prices[0]),
    valueUsd(closed.amount1 + closed.fees1 + swapped(token1), token1, prices[1]),
  )
  const tokens = [token0.address, token1.address]
  return ofUsd === null || !(ofUsd > 0) ? {} : { keepsBack: { tokens, ofUsd: Number(ofUsd.toPrecision(3)) } }
}

/** What of a token is in the wallet more than before: of a move, what it did not put back. */
function changeOf(token: Token, { deltas }: Pick<Settled, 'deltas'>): bigint {
  return deltas.find((delta) => isAddressEqual(delta.token, token.address))?.amount ?? 0n
}

type Left = { readonly amount: bigint; readonly token: Token; readonly price: UsdPrice | null }

function leftNotes(...sides: readonly Left[]): readonly string[] {
  const left = sides.filter(({ amount }) => amount > 0n)
  if (left.length === 0) return []
  const parts = left.map(
    ({ amount, token }) => `${shortAmount(tokenAmount(amount, token), 'down')} ${tokenLabel(token)}`,
  )
  const worthUsd = sumUsd(...left.map(({ amount, token, price }) => valueUsd(amount, token, price)))
  const worth = worthUsd === null ? '' : `, worth about ${usd(worthUsd)} USD`
  return [`What the new range does not take is in the wallet: ${parts.join(' and ')}${worth}.`]
}

/** What a move costs against what it earns: in sentences before and after it, and for the engine, which adds the gas. */
type Worthwhile = {
  readonly why: readonly string[]
  readonly after: readonly string[]
  readonly intent: Pick<Intent, 'earnsBack'>
}

async function worthwhile(
  position: Position,
  preview: RebalancePreview,
  figures: MoveFigures,
  { figuresWithinMs }: Pick<WriteContext, 'figuresWithinMs'>,
): Promise<Worthwhile> {
  const worth = await moveWorth(position, preview, { ...figures, withinMs: figuresWithinMs })
  const { swapUsd, dailyUsd, oldDailyUsd, notes } = worth
  if (dailyUsd === null || oldDailyUsd === null || swapUsd === null) return { why: [], after: notes, intent: {} }
  const earns = `The new range would earn about ${usd(dailyUsd)} USD a day in fees if it traded as in the last 7 days, the old one about ${usd(oldDailyUsd)}.`
  const moreUsd = dailyUsd - oldDailyUsd
  const lowers = moreUsd > 0 ? [] : [`The move raises no income: it is about ${usd(-moreUsd)} USD a day less.`]
  const costs =
    preview.swap === null ? 'Nothing is swapped.' : `The swap costs about ${usd(swapUsd)} USD in fees and price impact.`
  const why = [costs, earns, ...lowers]
  // In cents, so that equal plans are the same while a price moves a little.
  const earnsBack = { costUsd: Number(usd(swapUsd)), moreUsdPerDay: Number(usd(moreUsd)) }
  return { why, after: [...why, ...notes], intent: { earnsBack } }
}

function usd(amount: number): string {
  return amount.toFixed(2)
}

export const migratePosition = writeTool({
  name: 'migrate_position',
  title: 'Migrate position to v4',
  description:
    "Moves a v3 position of the agent wallet into the v4 pool of its pair and fee, keeping its range, in one transaction. Needs the operator's trading API key and the v4 pool. The rest and all fees come to the wallet.",
  scope: 'write:liquidity',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    positionId: positionIdInput,
    chain: chainInput,
    outputHooks: addressInput.optional().describe('Of the v4 pool; default none'),
    slippageTolerance: wholeNumber(1, 5000, 'whole basis points from 1 to 5000')
      .default(50)
      .describe('Basis points, cap 500'),
  }),
  output: z.object({
    ...tradeResult,
    oldPositionId: z.string(),
    newPositionId: z.string(),
    version: z.string(),
    pool: poolSummaryResult,
    amount0Migrated: z.string(),
    amount1Migrated: z.string(),
    token0Symbol: documented(z.string()),
    token1Symbol: documented(z.string()),
    hooks: z.string().nullable(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const { positionId, outputHooks, slippageTolerance } = input
  const planned = await context.liquidity.planMigrate(
    chain,
    () => ownPosition(chain, { version: 'v3', positionId }, context),
    {
      hooks: outputHooks === undefined || outputHooks === zeroAddress ? null : outputHooks,
      slippageBps: slippageTolerance,
      deadline: deadlineOf(undefined, context),
      recipient: context.wallet.address,
    },
  )
  const { pool, position } = planned.preview
  return context.execute(planned.intent, async (settled) => {
    const { positionId: newPositionId, amount0, amount1 } = await planned.decode(settled)
    const home = [position.pool.token0, position.pool.token1].flatMap((token) => {
      const arrived = settled.deltas.find((delta) => isAddressEqual(delta.token, token.address))
      if (arrived === undefined || arrived.amount <= 0n) return []
      return [`${shortAmount(tokenAmount(arrived.amount, token), 'down')} ${tokenLabel(token)}`]
    })
    return {
      ...tradeStamp(chain, planned.intent, settled),
      oldPositionId: positionId,
      newPositionId,
      version: 'v4',
      pool: poolSummary(pool),
      amount0Migrated: tokenAmount(amount0, pool.token0),
      amount1Migrated: tokenAmount(amount1, pool.token1),
      ...symbolsOf(pool.token0, pool.token1),
      hooks: pool.hooks,
      notes: [
        ...(planned.notes ?? []),
        ...settled.warnings,
        ...(home.length === 0 ? [] : [`What the new position did not take is in the wallet: ${home.join(' and ')}.`]),
      ],
    }
  })
})
