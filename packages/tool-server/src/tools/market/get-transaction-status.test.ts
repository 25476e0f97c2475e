import { describeRefusals } from '../refusals.fixture.ts'
import { getTransactionStatus } from './transactions.ts'

describeRefusals(
  getTransactionStatus,
  { txHash: `0x${'1'.repeat(64)}`, chain: 'base' },
  { txHash: 'hash', chain: 'chain' },
)
