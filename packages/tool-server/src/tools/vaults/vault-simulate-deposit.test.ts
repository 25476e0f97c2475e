import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, refusedFields, untouchedWorld } from '../refusals.fixture.ts'
import { vaultSimulateDeposit } from './vault-reads.ts'

const asked = { vault: '0x1F98431c8aD98523631AE4a59f267346ea31F984', chain: 'base', amount: '1' }

describeRefusals(vaultSimulateDeposit, asked, {
  vault: 'address',
  amount: 'amountForm',
  chain: 'chain',
  owner: 'address',
})

test('vault_simulate_deposit takes no amount of nothing', async () => {
  expect(await refusedFields(vaultSimulateDeposit, { ...asked, amount: '0.0' })).toEqual(['amount'])
})

test('vault_simulate_deposit asks for an owner where the server has no wallet', async () => {
  const refusal = await refusalOf(vaultSimulateDeposit, asked, { ...untouchedWorld(), agentAddress: null })
  expect(refusal.details).toEqual([expect.objectContaining({ field: 'owner', accepted: 'an address' })])
})
