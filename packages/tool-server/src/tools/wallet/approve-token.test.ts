import { expect, test } from 'vitest'
import { describeRefusals, refusedFields } from '../refusals.fixture.ts'
import { approveToken } from './approve-token.ts'
const spender = '0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1'

describeRefusals(
  approveToken,
  { token: 'USDC', spender, amount: '0', chain: 'base' },
  { token: 'token', spender: 'address', amount: 'amount', chain: 'chain' },
)

test('approve_token refuses what cannot be approved', async () => {
  const args = { token: 'USDC', spender, amount: '1', chain: 'base' }
  expect(await refusedFields(approveToken, { ...args, token: 'ETH' })).toEqual(['token'])
  expect(await refusedFields(approveToken, { ...args, spender: '0x0000000000000000000000000000000000000000' })).toEqual(
    ['spender'],
  )
  expect(await refusedFields(approveToken, { ...args, amount: '1.0000001' })).toEqual(['amount'])
})
