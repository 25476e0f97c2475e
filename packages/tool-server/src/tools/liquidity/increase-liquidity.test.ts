import { describeRefusals } from '../refusals.fixture.ts'
import { increaseLiquidity } from './increase-liquidity.ts'

describeRefusals(
  increaseLiquidity,
  { positionId: '12', amount0: '1', chain: 'base' },
  {
    positionId: 'positionId',
    amount0: 'amountForm',
    amount1: 'amountForm',
    chain: 'chain',
    version: 'rangedVersion',
    payNative: 'flag',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)
