import { describeRefusals } from '../refusals.fixture.ts'
import { getTickData } from './get-tick-data.ts'

const pool = '0xd0b53D9277642d899DF5C87A3966A349A798F224'

describeRefusals(
  getTickData,
  { pool, chain: 'base' },
  {
    pool: 'pool',
    chain: 'chain',
    version: 'rangedVersion',
    aroundPct: 'aroundPct',
    tickLower: 'tick',
    tickUpper: 'tick',
    maxTicks: 'maxTicks',
  },
)
