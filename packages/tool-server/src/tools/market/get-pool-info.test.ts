import { describeRefusals } from '../refusals.fixture.ts'
import { getPoolInfo } from './get-pool-info.ts'

describeRefusals(
  getPoolInfo,
  { token0: 'WETH', token1: 'USDC', fee: 500, chain: 'base' },
  {
    pool: 'pool',
    token0: 'token',
    token1: 'token',
    fee: 'anyFee',
    chain: 'chain',
    version: 'anyVersion',
  },
)
