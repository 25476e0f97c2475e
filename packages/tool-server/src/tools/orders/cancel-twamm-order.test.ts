import { describeRefusals } from '../refusals.fixture.ts'
import { cancelTwammOrder } from './twamm-orders.ts'

describeRefusals(
  cancelTwammOrder,
  { orderId: `0x${'1'.repeat(64)}`, pool: `0x${'2'.repeat(64)}`, chain: 'base' },
  { orderId: 'planHash', pool: 'planHash', chain: 'chain' },
)
