import { describeRefusals } from '../refusals.fixture.ts'
import { getPoolState } from './pool-state.ts'

const pool = '0xd0b53D9277642d899DF5C87A3966A349A798F224'

describeRefusals(getPoolState, { pool, chain: 'base' }, { pool: 'pool', chain: 'chain', version: 'anyVersion' })
