import { describeRefusals } from '../refusals.fixture.ts'
import { vaultWithdraw } from './vault-writes.ts'

describeRefusals(
  vaultWithdraw,
  { vault: '0x7b79995e5f793A07Bc00c21412e50Ecae098E7f9', chain: 'base' },
  { vault: 'address', amount: 'amountForm', chain: 'chain', slippageBps: 'exitSlippage' },
)
