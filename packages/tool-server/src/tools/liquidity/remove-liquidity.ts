import * as z from 'zod'
import { type Exit, remember } from '../../analysis/memory/episodes.ts'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import { writeTool } from '../../tool.ts'
import { priced, ownedLiquidity, removableIdProblem, removeParams } from '../own-position.ts'
import { chainInput, deadlineOf } from '../params.ts'
import {
  notesResult,
  priceNotes,
  symbolsOf,
  symbolsResult,
  tokenAmount,
  usdResult,
  writeResult,
  writeStamp,
} from '../results.ts'

const input = z
  .strictObject({ positionId: z.string().describe('Id; v2: pair address'), chain: chainInput, ...removeParams })
  .superRefine((value, check) => {
    const message = removableIdProblem(value)
    if (message !== null) check.addIssue({ code: 'custom', path: ['positionId'], message })
  })

export const removeLiquidity = writeTool({
  name: 'remove_liquidity',
  title: 'Remove liquidity',
  description:
    'Takes all or a percentage of the liquidity out of a v2, v3 or v4 position, with its fees unless collectFees is false. Pays the agent wallet only.',
  scope: 'write:liquidity',
  destructive: true,
  idempotent: false,
  input,
  output: z.object({
    ...writeResult,
    positionId: z.string(),
    percentageRemoved: z.number(),
    ...symbolsResult,
    amount0Received: z.string(),
    amount1Received: z.string(),
    amount0ReceivedUsd: usdResult,
    amount1ReceivedUsd: usdResult,
    feesCollected: z.object({ amount0: z.string(), amount1: z.string(), totalUsd: usdResult }),
    totalReceivedUsd: usdResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const {
    held: position,
    price0,
    price1,
  } = await priced(chain, context, (alongside) => ownedLiquidity(chain, input, context, alongside))
  const { token0, token1 } = position.pool
  const planned = await context.liquidity.planRemove(chain, position, {
    percentage: input.percentage,
    collectFees: input.collectFees,
    slippageBps: input.slippageBps ?? context.defaults.slippageBps,
    deadline: deadlineOf(input.deadlineSeconds, context),
    recipient: context.wallet.address,
    keptReceipts: context.keptReceipts(),
  })
  let exit: Exit | null = null
  const answer = await context.execute(planned.intent, async (settled) => {
    const got = await planned.decode(settled)
    exit = { position, got, percentage: input.percentage, settled, price0, price1 }
    const amount0ReceivedUsd = valueUsd(got.amount0, token0, price0)
    const amount1ReceivedUsd = valueUsd(got.amount1, token1, price1)
    const feesUsd = sumUsd(valueUsd(got.fees0, token0, price0), valueUsd(got.fees1, token1, price1))
    return {
      ...writeStamp(chain, planned.intent, settled),
      positionId: position.positionId,
      percentageRemoved: input.percentage,
      ...symbolsOf(token0, token1),
      amount0Received: tokenAmount(got.amount0, token0),
      amount1Received: tokenAmount(got.amount1, token1),
      amount0ReceivedUsd,
      amount1ReceivedUsd,
      feesCollected: {
        amount0: tokenAmount(got.fees0, token0),
        amount1: tokenAmount(got.fees1, token1),
        totalUsd: feesUsd,
      },
      totalReceivedUsd: sumUsd(amount0ReceivedUsd, amount1ReceivedUsd, feesUsd),
      notes: [...(planned.notes ?? []), ...settled.warnings, ...priceNotes([token0, price0], [token1, price1])],
    }
  })
  await remember(context, chain, { exits: exit === null ? [] : [exit] })
  return answer
})
