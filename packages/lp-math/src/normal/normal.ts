import { LpMathError } from '../lp-math-error.ts'

/** Probability that a standard normal number lies below `x`: to 1e-15 of its value, times x² far out in the lower tail. */
export function normalCdf(x: number): number {
  return erfc(-x * Math.SQRT1_2) / 2
}

/** e^(x²) without the digits that rounding x² costs: the square is split into an exact part and a small rest. */
export function expOfSquare(x: number): number {
  const head = Math.trunc(x * 16) / 16
  return Math.exp(head * head) * Math.exp((x - head) * (x + head))
}

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

/**
 * The scaled complementary error function e^(x²)·erfc(x), exact to about 1e-15 of its value: it stays in reach where erfc itself is
 * below the smallest double, and grows beyond the largest double below about -26.6.
 * Source: W. J. Cody, "Rational Chebyshev approximations for the error function", Mathematics of Computation 23 (1969), 631-637.
 */
export function scaledErfc(x: number): number {
  const y = Math.abs(x)
  if (y <= SMALL) return Math.exp(x * x) * (1 - smallErf(x))
  const scaled = y <= MIDDLE ? middleScaledErfc(y) : largeScaledErfc(y)
  return x > 0 ? scaled : 2 * expOfSquare(y) - scaled
}

const SMALL = 0.46875

const MIDDLE = 4
const ONE_OVER_SQRT_PI = 0.5641895835477563

/** erf on |x| <= 0.46875. */
function smallErf(x: number): number {
  const s = x * x
  const top =
    (((0.18577770618460315 * s + 3.1611237438705655) * s + 113.86415415105016) * s + 377.485237685302) * s +
    3209.3775891384694
  const bottom = (((s + 23.601290952344122) * s + 244.02463793444417) * s + 1282.6165260773723) * s + 2844.236833439171
  return (x * top) / bottom
}

function middleScaledErfc(y: number): number {
  let top = 2.1531153547440383e-8 * y + 0.5641884969886701
  top = top * y + 8.883149794388377
  top = top * y + 66.11919063714163
  top = top * y + 298.6351381974001
  top = top * y + 881.952221241769
  top = top * y + 1712.0476126340707
  top = top * y + 2051.0783778260716
  top = top * y + 1230.3393547979972
  let bottom = y + 15.744926110709835
  bottom = bottom * y + 117.6939508913125
  bottom = bottom * y + 537.1811018620099
  bottom = bottom * y + 1621.3895745666903
  bottom = bottom * y + 3290.7992357334597
  bottom = bottom * y + 4362.619090143247
  bottom = bottom * y + 3439.3676741437216
  bottom = bottom * y + 1230.3393548037495
  return top / bottom
}

function largeScaledErfc(y: number): number {
  const s = 1 / (y * y)
  let top = 0.016315387137302097 * s + 0.30532663496123236
  top = top * s + 0.36034489994980445
  top = top * s + 0.12578172611122926
  top = top * s + 0.016083785148742275
  top = top * s + 0.0006587491615298378
  let bottom = s + 2.568520192289822
  bottom = bottom * s + 1.8729528499234673
  bottom = bottom * s + 0.5279051029514285
  bottom = bottom * s + 0.06051834131244132
  bottom = bottom * s + 0.0023352049762686918
  return (ONE_OVER_SQRT_PI - (s * top) / bottom) / y
}

/**
 * The standard normal number below which lies the share `probability`, to about 1e-15; -Infinity at 0 and Infinity at 1.
 * Source: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution", Applied Statistics 37 (1988), 477-484.
 * @throws LpMathError `PROBABILITY_OUT_OF_RANGE` outside 0 to 1.
 */
export function inverseNormalCdf(probability: number): number {
  if (!(probability >= 0 && probability <= 1)) {
    throw new LpMathError('PROBABILITY_OUT_OF_RANGE', 'A probability is a number within 0 and 1.')
  }
  const q = probability - 0.5
  if (Math.abs(q) <= 0.425) return centralQuantile(q)
  const tail = Math.min(probability, 1 - probability)
  if (tail === 0) return q < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY
  const r = Math.sqrt(-Math.log(tail))
  const quantile = r <= 5 ? nearTailQuantile(r - 1.6) : farTailQuantile(r - 5)
  return q < 0 ? -quantile : quantile
}

/**
 * The deviate of Student's t that is as unlikely as a normal one, for an error that is itself out of few values. Source: Wallace 1959,
 * "Bounds on normal approximations to Student's and the chi-square distributions", solved for t: within 0.03 of `normal` from 6 degrees
 * of freedom on.
 *
 * @param freedom - how many values the error is out of, less one
 * @throws LpMathError `COUNT_OUT_OF_RANGE` below 1
 */
export function studentDeviate(normal: number, freedom: number): number {
  if (!(freedom >= 1)) throw new LpMathError('COUNT_OUT_OF_RANGE', 'freedom is at least 1.')
  const scaled = (normal * (8 * freedom + 3)) / (8 * freedom + 1)
  return Math.sign(normal) * Math.sqrt(freedom * Math.expm1((scaled * scaled) / freedom))
}

function centralQuantile(q: number): number {
  const r = 0.180625 - q * q
  let top = 2509.0809287301227 * r + 33430.57558358813
  top = top * r + 67265.7709270087
  top = top * r + 45921.95393154987
  top = top * r + 13731.69376550946
  top = top * r + 1971.5909503065513
  top = top * r + 133.14166789178438
  top = top * r + 3.3871328727963665
  let bottom = 5226.495278852854 * r + 28729.085735721943
  bottom = bottom * r + 39307.89580009271
  bottom = bottom * r + 21213.794301586597
  bottom = bottom * r + 5394.196021424751
  bottom = bottom * r + 687.1870074920579
  bottom = bottom * r + 42.31333070160091
  bottom = bottom * r + 1
  return (q * top) / bottom
}

function nearTailQuantile(r: number): number {
  let top = 0.0007745450142783414 * r + 0.022723844989269184
  top = top * r + 0.2417807251774506
  top = top * r + 1.2704582524523684
  top = top * r + 3.6478483247632045
  top = top * r + 5.769497221460691
  top = top * r + 4.630337846156546
  top = top * r + 1.4234371107496835
  let bottom = 1.0507500716444169e-9 * r + 0.0005475938084995345
  bottom = bottom * r + 0.015198666563616457
  bottom = bottom * r + 0.14810397642748008
  bottom = bottom * r + 0.6897673349851
  bottom = bottom * r + 1.6763848301838038
  bottom = bottom * r + 2.053191626637759
  bottom = bottom * r + 1
  return top / bottom
}

function farTailQuantile(r: number): number {
  let top = 2.0103343992922881e-7 * r + 2.7115555687434876e-5
  top = top * r + 0.0012426609473880784
  top = top * r + 0.026532189526576124
  top = top * r + 0.29656057182850487
  top = top * r + 1.7848265399172913
  top = top * r + 5.463784911164114
  top = top * r + 6.657904643501103
  let bottom = 2.0442631033899397e-15 * r + 1.421511758316446e-7
  bottom = bottom * r + 1.8463183175100548e-5
  bottom = bottom * r + 0.0007868691311456133
  bottom = bottom * r + 0.014875361290850615
  bottom = bottom * r + 0.1369298809227358
  bottom = bottom * r + 0.599832206555888
  bottom = bottom * r + 1
  return top / bottom
}
