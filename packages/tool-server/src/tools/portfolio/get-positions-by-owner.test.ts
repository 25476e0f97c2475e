import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, untouchedWorld } from '../refusals.fixture.ts'
import { getPositionsByOwner } from './positions.ts'
describeRefusals(
  getPositionsByOwner,
  { chain: 'base' },
  {
    owner: 'address',
    chain: 'chain',
    versions: 'versions',
    includeClosed: 'flag',
    limit: 'limit',
    cursor: 'cursor',
  },
)

test('get_positions_by_owner asks for an address where the server has no wallet', async () => {
  const refusal = await refusalOf(getPositionsByOwner, { chain: 'base' }, { ...untouchedWorld(), agentAddress: null })
  expect(refusal.details).toEqual([expect.objectContaining({ field: 'owner', accepted: 'an address' })])
})
