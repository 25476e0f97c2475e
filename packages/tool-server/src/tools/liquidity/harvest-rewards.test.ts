import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, refusedFields } from '../refusals.fixture.ts'
import { harvestRewards } from './fees-and-rewards.ts'

describeRefusals(
  harvestRewards,
  { chain: 'base' },
  {
    chain: 'chain',
    wallet: 'address',
    targetToken: 'token',
    positionIds: 'positionIds',
    includeRewards: 'flag',
    slippageBps: 'slippage',
    minHarvestUsd: 'minHarvestUsd',
  },
)

test('no ids are not all, and more than fifty are too many', async () => {
  const ids = Array.from({ length: 51 }, (_, index) => `${index + 1}`)
  for (const positionIds of [[], ids]) {
    expect(await refusedFields(harvestRewards, { chain: 'base', positionIds })).toEqual(['positionIds'])
  }
  const refusal = await refusalOf(harvestRewards, { chain: 'base', positionIds: [] })
  expect(refusal.details[0]?.message).toContain('leave it out for all')
})

test('another wallet is refused before anything is read, unless it is only looked at', async () => {
  const wallet = '0x2222222222222222222222222222222222222222'
  expect(await refusedFields(harvestRewards, { chain: 'base', wallet })).toEqual(['wallet'])
})
