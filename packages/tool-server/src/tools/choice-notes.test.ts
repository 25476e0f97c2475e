import { liquidityProfile } from '@svc/lp-math'
import { expect, test } from 'vitest'
import { pickRange } from '../analysis/range/pick-range.ts'
import { choiceNotes } from './format-choice.ts'

const free = { amountUsd: 10_000, gasCostUsd: null }

/** The choice for a pool whose only figure that matters here is what it pays. */
function notesAt(feesPerDay: number, target = 0.8) {
  const market = {
    model: { price: 2_000, sigma: 0.8, drift: 0, years: 30 / 365 },
    profile: liquidityProfile({
      ticks: [],
      tick: 0,
      liquidity: 10n ** 20n,
      decimals0: 18,
      decimals1: 18,
      inverted: false,
    }),
    feesPerDay,
    fee: 0.0005,
    blockSeconds: 12,
    value: 10_000,
    gasCost: 0,
    tickSpacing: 10,
    decimals0: 18,
    decimals1: 18,
  }
  const pace = { perDay: feesPerDay, ofLast7Days: feesPerDay, standardError: 0 }
  return choiceNotes(pickRange({ market, targetTimeInRange: target, doubts: { pace, sigmaError: 0 } }), free)
}

test('says that every range loses, and which loses least', () => {
  expect(notesAt(1)).toEqual([
    expect.stringMatching(
      /^Fees are not expected to pay for LVR and gas in any range: the chosen one loses\. "(best net|full)" loses least, -\d+\.\d\d % net a year\.$/,
    ),
  ])
})

test('says which range is expected to earn more than the chosen one, and by how much', () => {
  const [first, ...others] = notesAt(10_000)
  expect(others).toEqual([])
  expect(first).toMatch(
    /^".+" is expected to earn more than the chosen range, [\d.]+ % net a year against -?[\d.]+ % net/,
  )
})

test('says nothing where none earns more', () => {
  const range = { netApr: 5 } as Parameters<typeof choiceNotes>[0]['optimal']
  expect(choiceNotes({ optimal: range, candidates: [{ ...range, netApr: 5.001, label: 'best net' }] }, free)).toEqual(
    [],
  )
})

test('says of a range that leans what the even one is expected to earn', () => {
  const range = (lower: number, upper: number, netApr: number) =>
    ({ netApr, bounds: { lower, upper } }) as Parameters<typeof choiceNotes>[0]['optimal']
  const leansFrom = range(1_600, 2_500, 3)
  const note = (lower: number, upper: number) =>
    choiceNotes(
      { optimal: range(lower, upper, 5), candidates: [{ ...range(1, 2, 4), label: 'best net' }], leansFrom },
      free,
    )
  expect(note(1_700, 3_000)).toEqual([
    'The chosen range reaches farther above the price than to the other side: 5.00 % net a year, against 3.00 % net a year of the even range, 1600 to 2500.',
  ])
  expect(note(1_200, 2_300)).toEqual([expect.stringContaining('farther below the price')])
})

test.each([
  ['a tenth of the amount and of the fees of a year says nothing', 1_000, 100, []],
  ['over a tenth of the amount', 1_001, 101, ['10.0 % of the amount']],
  [
    'over a tenth of the fees of a year',
    51,
    5,
    ['10.2 % of the fees that the chosen range is expected to earn in a year'],
  ],
  [
    'over both',
    2_000,
    50,
    ['20.0 % of the amount', '40.0 % of the fees that the chosen range is expected to earn in a year'],
  ],
  ['without fees the amount alone counts', 1_500, 0, ['15.0 % of the amount']],
  ['unknown gas is not weighed', null, 5, []],
] as const)('gas to open and close: %s', (_, gasCostUsd, feeApr, shares) => {
  const optimal = { netApr: 5, feeApr } as Parameters<typeof choiceNotes>[0]['optimal']
  const choice = { optimal, candidates: [{ ...optimal, label: 'best net' }] }
  const note = `Gas to open and close, ${gasCostUsd} USD, is ${shares.join(' and ')}: it costs the same whatever the amount, so that a larger one bears it better.`
  expect(choiceNotes(choice, { amountUsd: 10_000, gasCostUsd })).toEqual(shares.length === 0 ? [] : [note])
})
