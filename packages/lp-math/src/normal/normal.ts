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
