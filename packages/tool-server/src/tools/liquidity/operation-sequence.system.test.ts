import { useDevnet } from '@svc/devnet/testing'
import { expect, test } from 'vitest'
import { playSequence } from './operation-sequence.fixture.ts'

const devnet = useDevnet()

// 500 of them: npm run bench -- sequences.
test('whatever is done to liquidity in whatever order, what went in comes out within fees, slippage and gas', async () => {
  const { outcomes, gainedUsd } = await playSequence(devnet(), { seed: 1, length: 36 })
  const done = outcomes.filter(({ refusal }) => refusal === null).map(({ operation }) => operation)
  expect(done.length).toBeGreaterThan(30)
  expect(new Set(done.map(({ tool }) => tool))).toEqual(
    new Set([
      'add_liquidity',
      'increase_liquidity',
      'collect_fees',
      'compound_fees',
      'rebalance_position',
      'remove_liquidity',
      'execute_swap',
    ]),
  )
  // Some dollars of gas and fees, of a hundred thousand.
  expect(Math.abs(gainedUsd)).toBeLessThan(500)
})
