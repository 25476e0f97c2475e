import { describeRefusals } from '../refusals.fixture.ts'
import { getPoolsByTokenPair } from './pools.ts'

describeRefusals(
  getPoolsByTokenPair,
  { token0: 'WETH', token1: 'USDC', chain: 'base' },
  {
    token0: 'token',
    token1: 'token',
    chain: 'chain',
    version: 'anyVersion',
    hooks: 'address',
    limit: 'limit',
    cursor: 'cursor',
  },
)
