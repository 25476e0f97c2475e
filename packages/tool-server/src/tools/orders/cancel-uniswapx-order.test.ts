import { describeRefusals } from '../refusals.fixture.ts'
import { cancelUniswapxOrder } from './signed-orders.ts'

describeRefusals(
  cancelUniswapxOrder,
  { orderId: `0x${'1'.repeat(64)}`, chain: 'base' },
  { orderId: 'planHash', chain: 'chain' },
)
