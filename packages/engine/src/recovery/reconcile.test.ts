import type { Chain } from '@svc/wallet/core'
import { expect, test } from 'vitest'
import type { Engine } from '../context/engine.ts'
import { reconcile } from './reconcile.ts'

test('asks the store once for all chains, and looks at none that holds nothing of ours', async () => {
  let asked = 0
  const unsettledChains = async () => {
    asked += 1
    return new Set([99])
  }
  const list = () => [1, 10, 8453].map((id) => ({ id }) as Chain)
  // Whatever else was touched would throw.
  const engine = { transactions: { unsettledChains }, chains: { list } } as unknown as Engine
  const inTurn = () => Promise.reject(new Error('Nothing waits for its turn.'))
  expect(await reconcile(engine, { inFlight: new Set(), reported: new Set(), inTurn })).toEqual({
    chains: [],
    failed: [],
  })
  expect(asked).toBe(1)
})
