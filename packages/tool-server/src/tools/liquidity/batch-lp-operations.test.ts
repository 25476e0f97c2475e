import { describe, expect, test } from 'vitest'
import { describeRefusals, refusalOf, refusedFields } from '../refusals.fixture.ts'
import { batchLpOperations } from './batch-lp-operations.ts'

describeRefusals(
  batchLpOperations,
  { operations: [{ type: 'collect', positionId: '12' }], chain: 'base' },
  { operations: 'operations', chain: 'chain' },
)

describe('an operation that is refused', () => {
  const collect = { type: 'collect', positionId: '12' }

  test('is named with the member that is wrong', async () => {
    const add = { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '1,5', rangeStrategy: 'wide' }
    const operations = [
      collect,
      { type: 'remove', positionId: '13' },
      { ...collect, positionId: '14' },
      { type: 'add', params: add },
    ]
    expect(await refusalOf(batchLpOperations, { operations, chain: 'base' })).toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: 'operations[3].params.amount0', path: 'operations.3.params.amount0' }],
    })
  })

  test('says which members its tool has not', async () => {
    const operations = [{ ...collect, params: { recipient: '0x0000000000000000000000000000000000000b0b' } }]
    expect(await refusedFields(batchLpOperations, { operations, chain: 'base' })).toEqual([
      'operations[0].params.recipient',
    ])
  })

  test('has no chain of its own', async () => {
    const operations = [{ ...collect, chain: 'ethereum' }]
    expect(await refusedFields(batchLpOperations, { operations, chain: 'base' })).toEqual(['operations[0].chain'])
  })

  test('may name no position that an earlier one names; the same id of another version is another position', async () => {
    const twice = [collect, { type: 'remove', positionId: '12', params: { percentage: 50 } }]
    expect(await refusedFields(batchLpOperations, { operations: twice, chain: 'base' })).toEqual([
      'operations[1].positionId',
    ])
    const { details } = await refusalOf(batchLpOperations, { operations: twice, chain: 'base' })
    expect(JSON.stringify(details)).toContain('each position once; remove, rebalance and compound take its fees too')
    const apart = [collect, { ...collect, params: { version: 'v4' } }]
    await expect(refusalOf(batchLpOperations, { operations: apart, chain: 'base' })).rejects.toThrow('was touched')
  })
})
