import { expect, test } from 'vitest'
import { rangeAnswer } from '../answers.fixture.ts'
import { rangeFigures } from './range-figures.ts'

test('the net stands with its own error, which is not that of the fees, and so does that of every range and the volatility', () => {
  const { facts, tables, method } = rangeFigures(rangeAnswer, 30)
  const detailOf = (label: string) => facts.find((fact) => fact.label === label)?.detail
  expect(detailOf('Fees a year')).toBe('± 9.6, 95 %: 19 to 99: trade may change')
  expect(detailOf('Net a year')).toBe('± 17, 95 %: -23 to 63: fees less LVR less gas')
  const nets = tables[0]?.rows.map((row) => row.at(-1))
  expect(nets).toEqual(['+10 ± 17', '+10 ± 16', '-21 ± 38', '-2 ± 28', '+10 ± 16', '+7 ± 9', '+2 ± 3'])
  expect(method).toContain('Volatility 62.0 % ± 7.1 a year')
})

test('prices of ranges show as much as the narrowest is wide, also where the price is one', () => {
  const range = (priceLower: number, priceUpper: number) => ({
    ...rangeAnswer.candidateRanges[0]!,
    priceLower,
    priceUpper,
  })
  const stable = { ...rangeAnswer, currentPrice: 1, candidateRanges: [range(0.9993, 1.0007), range(0.95, 1.05)] }
  const rows = rangeFigures({ ...stable, optimalRange: { ...rangeAnswer.optimalRange, ...range(0.98, 1.02) } }, 30)
    .tables[0]?.rows
  expect(rows?.map((row) => row.slice(1, 3))).toEqual([
    ['0.9800', '1.0200'],
    ['0.9993', '1.0007'],
    ['0.9500', '1.0500'],
  ])
})

test('fees of nothing are not said to be known to the cent', () => {
  const projections = { ...rangeAnswer.projections, expectedFeeApr: 0, feeUncertaintyPct: 100 }
  const { facts } = rangeFigures({ ...rangeAnswer, projections }, 30)
  expect(facts.find(({ label }) => label === 'Fees a year')).toMatchObject({
    value: '0 %',
    detail: 'none were earned: trade may change',
  })
})

test('the time in range and the loss stand with what the volatility leaves open, and LVR stands beside them', () => {
  const { facts, tables } = rangeFigures(rangeAnswer, 30)
  const factOf = (label: string) => facts.find((fact) => fact.label === label)
  expect(factOf('Time in range')).toMatchObject({ value: '80.0 %', detail: '± 1.2 by the volatility; of 30 days' })
  expect(factOf('Impermanent loss')?.detail).toBe('± 0.19 by the volatility; expected in 30 days')
  expect(factOf('LVR a year')).toMatchObject({ value: '31 %', detail: expect.stringContaining('gas 0.4 %') })
  expect(tables[0]?.columns).toContain('LVR, % a year')
  expect(tables[0]?.rows[0]?.slice(3)).toEqual(['80.0 % ± 1.2', '41.20', '-1.32 ± 0.19', '31.0', '+10 ± 17'])
})

test('the heading says when no range is expected to pay', () => {
  const losing = { expectedNetApr: -0.1 }
  const { candidateRanges, projections } = rangeAnswer
  const candidates = candidateRanges.map((one) => ({ ...one, ...losing }))
  const lost = { ...rangeAnswer, projections: { ...projections, ...losing }, candidateRanges: candidates }
  expect(rangeFigures(lost, 30).heading).toBe('WETH/USDC on Ethereum, fee 0.05 %: no range is expected to pay')
  expect(rangeFigures({ ...lost, candidateRanges }, 30).heading).toBe('WETH/USDC on Ethereum, fee 0.05 %')
})

test('every column of a table has one precision', () => {
  const placesOf = (cell: string) => /\.(\d+)/.exec(cell)?.[1]?.length ?? 0
  for (const { caption, columns, rows } of rangeFigures(rangeAnswer, 30).tables.slice(0, 2)) {
    for (const [index, column] of columns.entries()) {
      const places = rows.map((row) => row[index] ?? '').filter((cell) => /\d/.test(cell) && index > 0)
      expect(new Set(places.map(placesOf)).size, `${caption}: ${column}`).toBeLessThanOrEqual(1)
    }
  }
})
