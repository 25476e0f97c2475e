import { describe, expect, test } from 'vitest'
import { erfc, normalCdf, scaledErfc, inverseNormalCdf, studentDeviate } from './normal.ts'
import { normalDensity } from '../closed-form/expected-il.ts'

// x, erfc(x), e^(x²)·erfc(x), computed with 40 digits.
const ERFC = [
  [-6, 2, 8622463094230390],
  [-2.5, 1.999593047982555, 1035.814842972623],
  [-0.5, 1.5204998778130465, 1.952360489182557],
  [-0.46875, 1.492613473217938, 1.859402416871422],
  [-1e-10, 1.000000000112838, 1.000000000112838],
  [0, 1, 1],
  [0.1, 0.887537083981715, 0.8964569799691267],
  [0.46875, 0.507386526782062, 0.6320696892495561],
  [0.46876, 0.5073774688931535, 0.6320643311493123],
  [1, 0.15729920705028513, 0.427583576155807],
  [2, 0.004677734981047266, 0.25539567631050575],
  [3.999, 1.554474949099499e-8, 0.1370318485982712],
  [4.001, 1.5290782173248732e-8, 0.13696708158271878],
  [5, 1.537459794428035e-12, 0.11070463773306863],
  [10, 2.088487583762545e-45, 0.05614099274382259],
  [20, 5.395865611607901e-176, 0.02817434874105132],
  [26, 5.663192408856143e-296, 0.021683584850562907],
] as const

// A probability and its quantile, computed with 40 digits.
const QUANTILES = [
  [1e-300, -37.0470962993612],
  [1e-100, -21.273453560965326],
  [1e-20, -9.262340089798407],
  [1e-12, -7.034483825301132],
  [0.001, -3.0902323061678136],
  [0.05, -1.6448536269514726],
  [0.0749, -1.4402382675279637],
  [0.0751, -1.43882539275254],
  [0.2, -0.8416212335729142],
  [0.7, 0.5244005127080407],
  [0.925, 1.4395314709384561],
  [0.95, 1.6448536269514722],
  [0.999999, 4.753424308817087],
] as const

describe('the normal distribution', () => {
  test.each(ERFC)('erfc and its scaled form at %d', (x, plain, scaled) => {
    expect(Math.abs(erfc(x) / plain - 1)).toBeLessThan(2e-15)
    expect(Math.abs(scaledErfc(x) / scaled - 1)).toBeLessThan(2e-15)
    expect(Math.abs(normalCdf(-x * Math.SQRT2) / (plain / 2) - 1)).toBeLessThan(1e-12)
  })

  test.each(QUANTILES)('the quantile of %d', (probability, quantile) => {
    expect(Math.abs(inverseNormalCdf(probability) / quantile - 1)).toBeLessThan(2e-15)
    expect(Math.abs(normalCdf(quantile) / probability - 1)).toBeLessThan(1e-12)
  })

  test('at the ends and in the middle', () => {
    expect([erfc(40), erfc(-40), normalCdf(Number.POSITIVE_INFINITY)]).toEqual([0, 2, 1])
    expect([normalCdf(0), normalCdf(Number.NEGATIVE_INFINITY)]).toEqual([0.5, 0])
    expect([inverseNormalCdf(0), inverseNormalCdf(0.5), inverseNormalCdf(1)]).toEqual([
      Number.NEGATIVE_INFINITY,
      0,
      Number.POSITIVE_INFINITY,
    ])
    expect(normalDensity(0)).toBeCloseTo(1 / Math.sqrt(2 * Math.PI), 16)
    expect(normalDensity(2)).toBeCloseTo(0.05399096651318806, 16)
  })

  test.each([Number.NaN, -1e-9, 1.000001])('refuses %d as a probability', (probability) => {
    expect(() => inverseNormalCdf(probability)).toThrow(expect.objectContaining({ code: 'PROBABILITY_OUT_OF_RANGE' }))
  })
})

// Of printed tables: 95 and 99.9 % of both sides.
test.each([
  [1.95996, 6, 2.4469],
  [1.95996, 9, 2.2622],
  [1.95996, 29, 2.0452],
  [3.29053, 7, 5.4079],
  [3.29053, 29, 3.6594],
  [-1.95996, 9, -2.2622],
  [0, 9, 0],
])('%f of a normal error is, of %i degrees of freedom, %f', (normal, freedom, t) => {
  expect(Math.abs(studentDeviate(normal, freedom) - t)).toBeLessThan(0.015 * Math.abs(t) + 1e-9)
})

test.each([0, -1, Number.NaN])('refuses %d degrees of freedom', (freedom) => {
  expect(() => studentDeviate(2, freedom)).toThrow(expect.objectContaining({ code: 'COUNT_OUT_OF_RANGE' }))
})
