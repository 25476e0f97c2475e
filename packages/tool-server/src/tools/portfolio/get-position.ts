import * as z from 'zod'
import { describePosition } from '../../analysis/position/describe-position.ts'
import { readTool } from '../../tool.ts'
import { positionOfAny, pricesAlongside } from '../own-position.ts'
import { chainInput, positionIdInput, rangedVersionInput } from '../params.ts'
import { blockResult, blockStamp, notesResult, positionResult } from '../results.ts'

export const getPosition = readTool({
  name: 'get_position',
  title: 'Liquidity position',
  description:
    "One v3 or v4 position: owner, range, amounts it would pay out now, fees that wait, value. In the pool's token order. get_positions_by_owner finds ids and v2 shares.",
  scope: 'read:portfolio',
  input: z.strictObject({
    positionId: positionIdInput,
    chain: chainInput,
    version: rangedVersionInput.optional().describe("Else the wallet's"),
  }),
  output: z.object({ ...blockResult, ...positionResult, notes: notesResult }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const position = await positionOfAny(chain, input, context, pricesAlongside(chain, context))
  const described = await describePosition(context, chain, position)
  return {
    ...blockStamp(chain, context, position.pool.blockNumber),
    ...described,
    notes: [
      ...(described.isClosed ? ['The position is closed: all its liquidity was taken out.'] : []),
      ...(described.valueUsd === null ? ['A token of the pool has no trustworthy USD price.'] : []),
    ],
  }
})
