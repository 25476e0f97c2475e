import { chains, Secret } from '@svc/wallet/core'
import { createRewards } from '@svc/amm/rewards'
import { openTrading } from '@svc/engine'
import { parsePolicy } from '../../../../engine/src/policy/policy.ts'
import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, refusedFields, untouchedWorld } from '../refusals.fixture.ts'
import { claimLpRewards } from './fees-and-rewards.ts'

const valid = { chain: 'base', tokens: ['USDC'] }

describeRefusals(claimLpRewards, valid, { chain: 'chain', tokens: 'tokens', distributor: 'address' })

test('claim_lp_rewards wants at least one token, and the distributor of the chain', async () => {
  expect(await refusedFields(claimLpRewards, { ...valid, tokens: [] })).toEqual(['tokens'])
  const other = '0x1111111111111111111111111111111111111111'
  const { details } = await refusalOf(claimLpRewards, { ...valid, distributor: other })
  expect(details).toEqual([expect.objectContaining({ field: 'distributor', accepted: expect.stringMatching(/^0x/) })])
})

test('claim_lp_rewards needs the key of the trading API, and names who sets it', async () => {
  const world = untouchedWorld()
  const rewards = createRewards({ rpc: world.rpc, chains, url: 'https://proofs.example' })
  const refusal = await refusalOf(claimLpRewards, valid, { ...world, rewards })
  expect(refusal).toMatchObject({ code: 'API_KEY_NOT_CONFIGURED', retryable: false })
  expect(refusal.suggestion).toContain('SVC_TRADING_API_KEY')
})

test('claim_lp_rewards says of the newer dialect that no repeat helps, and which setting does', async () => {
  const world = untouchedWorld()
  const tradingApi = { apiKey: new Secret('k'), url: 'http://127.0.0.1:9', dialect: 'lp' } as const
  const trading = await openTrading({ tradingApi, policy: () => parsePolicy({}, { production: false }) })
  const rewards = createRewards({ rpc: world.rpc, chains, url: 'https://proofs.example', trading })
  expect(rewards.cannotClaim).toBe('dialect')
  const refusal = await refusalOf(claimLpRewards, valid, { ...world, rewards })
  expect(refusal).toMatchObject({ code: 'TRADING_API_REFUSED', retryable: false })
  expect(refusal.suggestion).toContain('SVC_TRADING_API_DIALECT to v1')
})
