import { expect, test } from 'vitest'
import { logChiSquareMean, logChiSquareVariance } from './volatility-ahead.ts'

const eulerGamma = 0.5772156649015329

test.each([
  [1, -eulerGamma - Math.log(2), Math.PI ** 2 / 2],
  [2, -eulerGamma, Math.PI ** 2 / 6],
  [4, 1 - eulerGamma - Math.log(2), Math.PI ** 2 / 6 - 1],
])(
  'the logarithm of a mean of %i squares has the mean and variance that the polygamma functions tell',
  (n, mean, variance) => {
    expect(logChiSquareMean(n)).toBeCloseTo(mean, 8)
    expect(logChiSquareVariance(n)).toBeCloseTo(variance, 8)
  },
)
