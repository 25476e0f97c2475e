import { expOfSquare } from './exp-of-square.ts'
import { scaledErfc } from './scaled-erfc.ts'

/**
 * The complementary error function 2/√π · ∫ from x to ∞ of e^(-t²) dt, to about 1e-15 of its value.
 * Source: W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23 (1969), 631-637.
 */
export function erfc(x: number): number {
  const y = Math.abs(x)
  const tail = y > NO_DOUBLE_BEYOND ? 0 : scaledErfc(y) / expOfSquare(y)
  return x < 0 ? 2 - tail : tail
}

const NO_DOUBLE_BEYOND = 26.6
