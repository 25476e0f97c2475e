import { describeRefusals } from '../refusals.fixture.ts'
import { provisionWallet } from './provision-wallet.ts'

describeRefusals(provisionWallet, { chain: 'base' }, { chain: 'chain' })
