import { describeRefusals } from '../refusals.fixture.ts'
import { vaultRebalance } from './vault-writes.ts'

describeRefusals(
  vaultRebalance,
  { vault: '0x7b79995e5f793A07Bc00c21412e50Ecae098E7f9', chain: 'base' },
  { vault: 'address', chain: 'chain' },
)
