import { describeRefusals } from '../refusals.fixture.ts'
import { rebalancePosition } from './move-position.ts'

describeRefusals(
  rebalancePosition,
  { positionId: '12', chain: 'base' },
  {
    positionId: 'positionId',
    chain: 'chain',
    token0: 'token',
    version: 'rangedVersion',
    priceLower: 'priceLower',
    priceUpper: 'priceUpper',
    rangeStrategy: 'rangeStrategy',
    swapToRatio: 'flag',
    slippageBps: 'slippage',
    deadlineSeconds: 'deadline',
  },
)
