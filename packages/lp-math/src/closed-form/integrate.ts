/**
 * Integral of a smooth function, by the Gauss-Legendre rule of 16 points in each of `panels` equal parts.
 * Source of the points: Abramowitz and Stegun, Handbook of Mathematical Functions, 25.4.29 and table 25.4.
 */
export function integrate(f: (x: number) => number, lower: number, upper: number, panels: number): number {
  const half = (upper - lower) / (2 * panels)
  let sum = 0
  for (let panel = 0; panel < panels; panel += 1) {
    const middle = lower + (2 * panel + 1) * half
    for (let point = 0; point < POINTS.length; point += 2) {
      const step = half * (POINTS[point] ?? 0)
      sum += (POINTS[point + 1] ?? 0) * (f(middle - step) + f(middle + step))
    }
  }
  return sum * half
}

/** Point and weight on -1 to 1; each point stands for its mirror image too. */
const POINTS = Float64Array.of(
  0.09501250983763744,
  0.1894506104550685,
  0.2816035507792589,
  0.18260341504492358,
  0.45801677765722737,
  0.16915651939500254,
  0.6178762444026438,
  0.14959598881657674,
  0.755404408355003,
  0.12462897125553388,
  0.8656312023878318,
  0.09515851168249279,
  0.9445750230732326,
  0.062253523938647894,
  0.9894009349916499,
  0.027152459411754096,
)
