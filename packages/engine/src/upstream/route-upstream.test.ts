import { createLiquidity } from '@svc/amm/liquidity'
import { createRpcPool } from '@svc/amm/rpc'
import { createTokenDirectory } from '@svc/amm/tokens'
import { expect, test } from 'vitest'
import { routeUpstream } from './route-upstream.ts'

test('without a key for the trading API liquidity stays what it was', () => {
  const rpc = createRpcPool({ urls: () => [], now: Date.now })
  const own = createLiquidity({ rpc, tokens: createTokenDirectory({ chains: [], rpc, policyTokens: () => [] }) })
  const policy = () => {
    throw new Error('nothing is guarded')
  }
  expect(routeUpstream(own, { tradingApi: null, policy })).toBe(own)
})
