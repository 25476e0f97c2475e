import { describeRefusals } from '../refusals.fixture.ts'
import { searchPools } from './pools.ts'

describeRefusals(
  searchPools,
  { chain: 'base' },
  {
    chain: 'chain',
    token: 'token',
    minTvlUsd: 'usdFloor',
    minVolumeUsd: 'usdFloor',
    sort: 'poolSort',
    limit: 'limit',
    cursor: 'cursor',
  },
)
