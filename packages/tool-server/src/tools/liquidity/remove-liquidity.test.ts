import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, refusedFields } from '../refusals.fixture.ts'
import { removeLiquidity } from './remove-liquidity.ts'
describeRefusals(
  removeLiquidity,
  { positionId: '12', chain: 'base' },
  {
    positionId: 'positionId',
    chain: 'chain',
    percentage: 'percentage',
    version: 'anyVersion',
    collectFees: 'flag',
    slippageBps: 'exitSlippage',
    deadlineSeconds: 'deadline',
  },
)

test('remove_liquidity names a v2 position by its pair and the others by their id', async () => {
  const pair = '0x88A43bbDF9D098eEC7bCEda4e2494615dfD9bB9C'
  expect(await refusedFields(removeLiquidity, { positionId: '12', chain: 'base', version: 'v2' })).toEqual([
    'positionId',
  ])
  expect((await refusalOf(removeLiquidity, { positionId: pair, chain: 'base' })).details).toEqual([
    expect.objectContaining({ field: 'positionId', message: expect.stringMatching(/call again with version v2$/) }),
  ])
  await expect(refusalOf(removeLiquidity, { positionId: pair, chain: 'base', version: 'v2' })).rejects.toThrow(
    'liquidity.pairShare was touched',
  )
})
