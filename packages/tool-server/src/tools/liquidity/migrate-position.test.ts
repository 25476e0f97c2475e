import { createLiquidity } from '@svc/amm/liquidity'
import { expect, test } from 'vitest'
import { describeRefusals, refusalOf, untouchedWorld } from '../refusals.fixture.ts'
import { migratePosition } from './move-position.ts'

const valid = { positionId: '12', chain: 'base' }

describeRefusals(migratePosition, valid, {
  positionId: 'positionId',
  chain: 'chain',
  outputHooks: 'address',
  slippageTolerance: 'slippage',
})

test('migrate_position needs the key of the trading API, says who sets it, and reads nothing without it', async () => {
  const world = untouchedWorld()
  const liquidity = createLiquidity({ rpc: world.rpc, tokens: world.tokens })
  const refusal = await refusalOf(migratePosition, valid, { ...world, liquidity })
  expect(refusal).toMatchObject({ code: 'API_KEY_NOT_CONFIGURED', retryable: false })
  expect(refusal.suggestion).toContain('SVC_TRADING_API_KEY')
})
