import { expect, test } from 'vitest'
import { describeRefusals, refusalOf } from '../refusals.fixture.ts'
import { getPosition } from './positions.ts'

describeRefusals(
  getPosition,
  { positionId: '0', chain: 'base' },
  { positionId: 'positionId', chain: 'chain', version: 'rangedVersion' },
)

test("get_position says of a pair's address where shares of v2 are shown and taken out", async () => {
  const positionId = '0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C'
  const { details } = await refusalOf(getPosition, { positionId, chain: 'base' })
  expect(details).toEqual([
    expect.objectContaining({
      field: 'positionId',
      message: expect.stringMatching(/get_positions_by_owner shows them, remove_liquidity .* version v2$/),
    }),
  ])
})
