import type { Chain } from '@svc/wallet/core'
import { numberToHex } from 'viem'
import { expect, test } from 'vitest'
import type { Token, ReadPorts } from '../../ports.ts'
import { turnsTaken } from '../../../../runtime/src/turns-taken.fixture.ts'
import { findPoolsOfPairs } from './read-pool.ts'

test('where the pools of many pairs stand is not worked out in one turn of the event loop', async () => {
  const token = (id: number) => ({ address: numberToHex(id, { size: 20 }), isNative: false }) as Token
  const pairs = Array.from({ length: 50 }, (_, index) => ({
    tokens: [token(index + 1), token(1_000)] as const,
    versions: ['v2', 'v3', 'v4'] as const,
  }))
  const ports = { rpc: { client: () => ({}) } } as object as ReadPorts
  // Nothing is deployed there, so nothing is asked.
  const chain = { id: 1, amm: {} } as Chain
  const { turns, result } = await turnsTaken(() => findPoolsOfPairs(ports, chain, pairs, 7n))
  expect(result).toEqual(pairs.map(() => []))
  expect(turns).toBeGreaterThanOrEqual(4)
})
