import { describeRefusals } from '../refusals.fixture.ts'
import { getVolumeHistory } from './history.ts'

describeRefusals(
  getVolumeHistory,
  { token0: 'WETH', token1: 'USDC', fee: 500, chain: 'base' },
  {
    pool: 'pool',
    token0: 'token',
    token1: 'token',
    fee: 'anyFee',
    chain: 'chain',
    version: 'anyVersion',
    start: 'time',
    end: 'time',
    interval: 'interval',
  },
)
