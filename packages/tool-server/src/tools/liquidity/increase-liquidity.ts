import { type Amounts, getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import type { Position, Settled } from '@svc/amm'
import { writeTool } from '../../tool.ts'
import type { WriteContext } from '../../tool-context.ts'
import { isSecondToken, ownPricedPosition } from '../own-position.ts'
import {
  amountInput,
  amountOf,
  chainInput,
  deadlineInput,
  deadlineOf,
  invalidField,
  positionIdInput,
  rangedVersionInput,
  slippageInput,
  tokenInput,
} from '../params.ts'
import {
  inOrder,
  notesResult,
  onceMined,
  priceNotes,
  symbolsOf,
  symbolsResult,
  tokenAmount,
  usdResult,
  writeResult,
  writeStamp,
} from '../results.ts'

export const increaseLiquidity = writeTool({
  name: 'increase_liquidity',
  title: 'Increase liquidity',
  description:
    'Adds tokens to a v3 or v4 position of the agent wallet, some blocks (a minute at most) after it came. amount0 is of token0; without token0, of the first token get_position shows. v4 may take more of one token than given: 10 % in narrow at 50 bps.',
  scope: 'write:liquidity',
  destructive: true,
  idempotent: false,
  input: z.strictObject({
    positionId: positionIdInput,
    token0: tokenInput.optional(),
    amount0: amountInput,
    amount1: amountInput.optional().describe('Else matched'),
    chain: chainInput,
    version: rangedVersionInput.default('v3'),
    payNative: z.boolean().default(false).describe('v3: pay the wrapped side natively'),
    slippageBps: slippageInput,
    deadlineSeconds: deadlineInput,
  }),
  output: z.object({
    ...writeResult,
    positionId: z.string(),
    ...symbolsResult,
    amount0Added: z.string(),
    amount1Added: z.string(),
    newTotalAmount0: z.string(),
    newTotalAmount1: z.string(),
    newTotalValueUsd: usdResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const first = input.token0 === undefined ? null : await context.tokens.resolve(chain, input.token0, 'token0')
  const { held: position, ...prices } = await ownPricedPosition(chain, input, context)
  const inverted = first !== null && isSecondToken(first, position, context.tokens.wrapped(chain))
  const [token0, token1] = inOrder(inverted, position.pool.token0, position.pool.token1)
  const [price0, price1] = inOrder(inverted, prices.price0, prices.price1)
  const amount0 = amountOf(input.amount0, token0, 'amount0')
  const amount1 = input.amount1 === undefined ? null : amountOf(input.amount1, token1, 'amount1')
  if (amount0 === 0n && (amount1 ?? 0n) === 0n) {
    throw invalidField('amount0', 'Nothing would be added.', 'an amount above 0, or an amount1 above 0 beside it')
  }
  const planned = await context.liquidity.planIncrease(chain, position, {
    inverted,
    amount0,
    amount1,
    payNative: input.payNative,
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds, context),
    kept: context.keptDeposits()[0],
  })
  const after = positionAfter(chain, position, context)
  const reading = onceMined((mined) => Promise.all([planned.decode(mined), after.read(mined)]))
  const shape = async (settled: Settled) => {
    const [added, now] = await reading(settled)
    const total = totalAfter(position, now, added.liquidity)
    const [added0, added1] = inOrder(inverted, added.amount0, added.amount1)
    const [total0, total1] = inOrder(inverted, total.amount0, total.amount1)
    return {
      ...writeStamp(chain, planned.intent, settled),
      positionId: position.positionId,
      ...symbolsOf(token0, token1),
      amount0Added: tokenAmount(added0, token0),
      amount1Added: tokenAmount(added1, token1),
      newTotalAmount0: tokenAmount(total0, token0),
      newTotalAmount1: tokenAmount(total1, token1),
      newTotalValueUsd: sumUsd(valueUsd(total0, token0, price0), valueUsd(total1, token1, price1)),
      notes: [
        ...(planned.notes ?? []),
        ...settled.warnings,
        ...(position.liquidity === 0n ? [wasEmpty] : []),
        ...total.notes,
        ...priceNotes([token0, price0], [token1, price1]),
      ],
    }
  }
  return context.execute(planned.intent, shape, { beside: () => after.look(), begin: reading })
})

/**
 * What the whole position holds after the call, read anew: another call may have changed it while this one waited for its
 * turn. Read once the transaction is mined, so a failure must not lose the result: then it is what was known before, plus
 * what was added, and a note says so.
 */
function totalAfter(before: Position, after: Position | null, added: bigint): Total {
  if (after !== null) return { amount0: after.amount0, amount1: after.amount1, notes: [] }
  const [lower, upper] = [getSqrtPriceAtTick(before.tickLower), getSqrtPriceAtTick(before.tickUpper)]
  const liquidity = before.liquidity + added
  return { ...getAmountsForLiquidity(before.pool.sqrtPriceX96, lower, upper, liquidity, false), notes: [staleTotal] }
}

type Total = Amounts & { readonly notes: readonly string[] }

const wasEmpty =
  'The position held nothing before this call and is open again, in the range it was opened with. add_liquidity opens one in another range.'

const staleTotal =
  'The position could not be read after the transaction: newTotal members are its state before the call plus what was added, at the price before it.'

/**
 * Reads the position as it is after the transaction, beside its receipt where that is mined by then: `null` when the chain does not answer,
 * or answers with a block before the transaction.
 */
function positionAfter(chain: Chain, before: Position, context: WriteContext) {
  const { version, positionId } = before
  const readNow = () => context.liquidity.position(chain, version, positionId, { before }).catch(() => null)
  let seen: Position | null = null
  return {
    async look(): Promise<void> {
      seen = await readNow()
    },
    async read({ main }: Settled): Promise<Position | null> {
      const isAfter = (position: Position | null) => position !== null && position.pool.blockNumber >= main.blockNumber
      const position = isAfter(seen) ? seen : await readNow()
      return isAfter(position) ? position : null
    },
  }
}
