import * as z from 'zod'
import { isAddressEqual, zeroAddress } from 'viem'
import { shortAmount, tokenLabel } from '@svc/amm'
import { documented } from '../../analysis/documented.ts'
import { writeTool } from '../../tool.ts'
import { ownPosition } from '../own-position.ts'
import { addressInput, chainInput, deadlineOf, positionIdInput, wholeNumber } from '../params.ts'
import {
  notesResult,
  poolSummary,
  poolSummaryResult,
  symbolsOf,
  tokenAmount,
  tradeResult,
  tradeStamp,
} from '../results.ts'

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
