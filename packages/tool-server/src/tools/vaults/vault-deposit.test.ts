import { describeRefusals } from '../refusals.fixture.ts'
import { vaultDeposit } from './vault-writes.ts'

describeRefusals(
  vaultDeposit,
  { vault: '0x7b79995e5f793A07Bc00c21412e50Ecae098E7f9', amount: '1', chain: 'base' },
  { vault: 'address', amount: 'amountForm', chain: 'chain', slippageBps: 'slippage' },
)
