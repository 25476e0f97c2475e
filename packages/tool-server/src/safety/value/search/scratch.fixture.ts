export * from './search.fixture.ts'
export * from './sim-prices.fixture.ts'
export * from './value-guard.fixture.ts'
export * from '../../policy.ts'
