import { describeRefusals } from '../refusals.fixture.ts'
import { claimTwammOrder } from './twamm-orders.ts'

describeRefusals(
  claimTwammOrder,
  { orderId: `0x${'1'.repeat(64)}`, pool: `0x${'2'.repeat(64)}`, chain: 'base' },
  { orderId: 'planHash', pool: 'planHash', chain: 'chain' },
)
