import { describe, expect, it } from 'vitest'
import { lossPct, type Worth } from '../value/mined-loss.ts'
import { asPermitted } from './hold-against-simulation.ts'

/** Amounts in cents: a dollar token, a three-dollar token, and one nobody prices. */
const worth: Worth = (token, amount) => (token === 'odd' ? null : amount * 10_000n * (token === 'three' ? 3n : 1n))
const moved = (amounts: Readonly<Record<string, bigint>>) => new Map(Object.entries(amounts))

it.each([
  ['as simulated', { one: -300_00n, three: 100_00n }, { one: -300_00n, three: 100_00n }, 0],
  ['less arrives', { one: -300_00n, three: 100_00n }, { one: -300_00n, three: 80_00n }, 20],
  ['more leaves', { one: -300_00n, three: 100_00n }, { one: -360_00n, three: 100_00n }, 20],
  ['nothing arrives', { one: -300_00n, three: 100_00n }, { one: -300_00n }, 100],
  ['another token leaves', { one: -300_00n, three: 100_00n }, { one: -300_00n, three: 100_00n, two: -30_00n }, 10],
  ['more arrives', { one: -300_00n, three: 100_00n }, { one: -300_00n, three: 150_00n }, 0],
  [
    'a position gives more of one and less of the other',
    { one: 300_00n, three: 100_00n },
    { one: 450_00n, three: 50_00n },
    0,
  ],
  ['only dust is missing', { one: 99n }, { one: 0n }, 0],
  ['something leaves a call that moves nothing', {}, { one: -2_00n }, Infinity],
  ['a token without a price, as simulated', { odd: 7n }, { odd: 7n }, 0],
  ['a token without a price brings less', { odd: 10n, one: -5_00n }, { odd: 8n, one: -5_00n }, 0],
  ['a token without a price leaves unasked', {}, { odd: -1n }, 0],
] as const)('%s', (_what, simulated, real, pct) => {
  expect(lossPct(moved(simulated), moved(real), worth)).toBe(pct)
})

describe('beside what a deposit may take', () => {
  const may = (token: string) => ({ one: 300_00n, three: 100_00n })[token] ?? 0n
  const pct = (simulated: Readonly<Record<string, bigint>>, real: Readonly<Record<string, bigint>>) =>
    lossPct(asPermitted(moved(simulated), moved(real), may), moved(real), worth)

  it.each([
    ['the other of its tokens leaves', { one: -2_00n }, { three: -100_00n }, 0],
    ['more of it leaves than may', { one: -2_00n }, { one: -2_00n, three: -150_00n }, 49],
    [
      'a third leaves beside it, and what was not taken makes up for none of it',
      { one: -300_00n },
      { three: -100_00n, two: -300_00n },
      100,
    ],
    ['it takes as much as simulated', { three: -200_00n }, { three: -200_00n }, 0],
    ['more leaves than simulated, which was more than may', { three: -200_00n }, { three: -300_00n }, 50],
  ] as const)('%s', (_what, simulated, real, lost) => {
    expect(pct(simulated, real)).toBe(lost)
  })
})
