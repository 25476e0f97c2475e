/**
 * Mean and variance of the logarithm of a mean of `count` squares of standard normal numbers: digamma(count/2) - ln(count/2) and
 * trigamma(count/2). By recurrence to 8 and the asymptotic series beyond (Abramowitz and Stegun 6.3.18, 6.4.12), to 1e-8; `count` above 0.
 */
export function logChiSquareMean(count: number): number {
  const half = count / 2
  let [at, shift] = [half, 0]
  for (; at < 8; at += 1) shift -= 1 / at
  return shift + Math.log(at / half) - 1 / (2 * at) - 1 / (12 * at ** 2) + 1 / (120 * at ** 4) - 1 / (252 * at ** 6)
}

/** See {@link logChiSquareMean}. */
export function logChiSquareVariance(count: number): number {
  let [at, sum] = [count / 2, 0]
  for (; at < 8; at += 1) sum += 1 / at ** 2
  return sum + 1 / at + 1 / (2 * at ** 2) + 1 / (6 * at ** 3) - 1 / (30 * at ** 5) + 1 / (42 * at ** 7)
}
