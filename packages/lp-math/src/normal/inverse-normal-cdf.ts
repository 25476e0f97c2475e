import { LpMathError } from '../lp-math-error.ts'

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
