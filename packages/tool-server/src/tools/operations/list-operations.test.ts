import { expect, test } from 'vitest'
import { describeRefusals } from '../refusals.fixture.ts'
import { listOperations } from './operations.ts'

describeRefusals(listOperations, {}, { state: 'operationState', limit: 'limit' })

test('ten are listed unless more are asked for: a page stays short', () => {
  expect(listOperations.input.parse({})).toEqual({ limit: 10 })
})
