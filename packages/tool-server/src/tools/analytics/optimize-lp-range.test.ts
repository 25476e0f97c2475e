import { describeRefusals } from '../refusals.fixture.ts'
import { optimizeLpRange } from './optimize-lp-range.ts'

describeRefusals(
  optimizeLpRange,
  { token0: 'WETH', token1: 'USDC', chain: 'base', amount: '1000' },
  {
    token0: 'token',
    token1: 'token',
    chain: 'chain',
    amount: 'usdAmount',
    fee: 'fee',
    pool: 'pool',
    horizonDays: 'horizonDays',
    riskTolerance: 'riskTolerance',
    simulations: 'simulations',
    volatilitySource: 'volatilitySource',
    seed: 'seed',
  },
)
