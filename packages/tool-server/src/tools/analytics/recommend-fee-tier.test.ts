import { describeRefusals } from '../refusals.fixture.ts'
import { recommendFeeTier } from './recommend-fee-tier.ts'

describeRefusals(
  recommendFeeTier,
  { token0: 'WETH', token1: 'USDC', chain: 'base' },
  { token0: 'token', token1: 'token', chain: 'chain' },
)
