import { type CompoundOutcome, type Settled, tokenLabel } from '@svc/amm'
import * as z from 'zod'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import { ownPricedPosition } from '../own-position.ts'
import { compoundParams } from '../position-params.ts'
import { chainInput, deadlineOf, positionIdInput } from '../params.ts'
import {
  notesResult,
  onceMined,
  priceNotes,
  symbolsOf,
  symbolsResult,
  tokenAmount,
  usdResult,
  tradeResult,
  tradeStamp,
} from '../results.ts'

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
