import { describeRefusals } from '../refusals.fixture.ts'
import { getVaultInfo } from './vault-reads.ts'

const vault = '0x1F98431c8aD98523631AE4a59f267346ea31F984'

describeRefusals(
  getVaultInfo,
  { vault, chain: 'base' },
  { vault: 'address', chain: 'chain', wallet: 'address', days: 'days' },
)
