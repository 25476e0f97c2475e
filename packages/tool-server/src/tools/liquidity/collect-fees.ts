import * as z from 'zod'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import { ownPricedPosition } from '../own-position.ts'
import { collectParams } from '../position-params.ts'
import { chainInput, deadlineOf, positionIdInput } from '../params.ts'
import { notesResult, priceNotes, tokenAmount, usdResult, writeResult, writeStamp } from '../results.ts'

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
