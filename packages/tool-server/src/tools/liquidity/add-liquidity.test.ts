import { describeRefusals } from '../refusals.fixture.ts'
import { addLiquidity } from './add-liquidity.ts'

describeRefusals(
  addLiquidity,
  { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '1', chain: 'base', rangeStrategy: 'medium' },
  {
    token0: 'token',
    token1: 'token',
    fee: 'fee',
    amount0: 'amount',
    amount1: 'amount',
    chain: 'chain',
    version: 'anyVersion',
    priceLower: 'price',
    priceUpper: 'price',
    rangeStrategy: 'rangeStrategy',
    hookAddress: 'address',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)
