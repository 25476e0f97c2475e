import * as z from 'zod'
import { describePosition } from '../../analysis/position/describe-position.ts'
import { sumUsd } from '../../analysis/value-usd.ts'
import { readTool } from '../../tool.ts'
import { pricesAlongside } from '../own-position.ts'
import { addressInput, anyVersionInput, chainInput, cursorInput, limitInput, requireAddress } from '../params.ts'
import { blockResult, blockStamp, notesResult, pageOf, positionResult, usdResult } from '../results.ts'

export const getPositionsByOwner = readTool({
  name: 'get_positions_by_owner',
  title: 'Positions of an owner',
  description:
    'Liquidity positions of an address, by default the agent wallet, as get_position shows them, v2 shares too, with totals; closed ones if asked.',
  scope: 'read:portfolio',
  input: z.strictObject({
    owner: addressInput.optional().describe('Default: the agent wallet'),
    chain: chainInput,
    versions: z.array(anyVersionInput).min(1).max(3).default(['v2', 'v3', 'v4']),
    includeClosed: z.boolean().default(false),
    limit: limitInput,
    cursor: cursorInput,
  }),
  output: z.object({
    ...blockResult,
    owner: z.string(),
    items: z.array(z.object(positionResult)),
    totals: z.object({ positions: z.int(), valueUsd: usdResult, feesUsd: usdResult }),
    nextCursor: z.string().nullable(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const owner = requireAddress(input.owner, context.agentAddress, 'owner')
  const versions = [...new Set(input.versions)]
  const found = await context.liquidity.positionsByOwner(chain, owner, versions, pricesAlongside(chain, context))
  const head = await context.rpc.head(chain)
  const kept = found.items.filter(
    (position) =>
      input.includeClosed ||
      position.version === 'v2' ||
      position.liquidity > 0n ||
      position.fees0 > 0n ||
      position.fees1 > 0n,
  )
  const all = await Promise.all(kept.map((position) => describePosition(context, chain, position)))
  const page = pageOf(all, input.limit, input.cursor)
  return {
    ...blockStamp(chain, context, head.number),
    owner,
    items: page.items,
    totals: {
      positions: all.length,
      valueUsd: sumUsd(...all.map((position) => position.valueUsd)),
      feesUsd: sumUsd(...all.map((position) => position.feesUsd)),
    },
    nextCursor: page.nextCursor,
    notes: found.complete ? [] : ['Older v3 and v4 positions may be missing; get_position shows one by its id.'],
  }
})
