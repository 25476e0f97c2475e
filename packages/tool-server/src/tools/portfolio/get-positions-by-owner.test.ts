import { describeRefusals } from '../refusals.fixture.ts'
import { getPositionsByOwner } from './get-positions-by-owner.ts'

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
