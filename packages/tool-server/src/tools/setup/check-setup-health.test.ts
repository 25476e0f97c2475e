import { describeRefusals } from '../refusals.fixture.ts'
import { checkSetupHealth } from './check-setup-health.ts'

describeRefusals(checkSetupHealth, {}, { verbose: 'flag' })
