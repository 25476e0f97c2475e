/**
 * Probability that a Brownian bridge touches neither of two walls, told by the distances of its ends from them: the sum over the
 * images of its end in both walls. Exact where a step is long against the distance of the walls, too.
 *
 * Source: D. R. Cox and H. D. Miller, "The Theory of Stochastic Processes" (1965), section 5.7; one wall alone gives the familiar
 * 1 - exp(-2 x y / variance).
 *
 * @param fromLower - distance of the start from the lower wall, positive, perhaps infinite; the other distances likewise
 */
export function bridgeStays(
  fromLower: number,
  toLower: number,
  fromUpper: number,
  toUpper: number,
  variance: number,
): number {
  const touches = decay(fromLower * toLower, variance) + decay(fromUpper * toUpper, variance)
  const width = fromLower + fromUpper
  const spread = width * width
  if (spread >= far * variance) return Math.max(1 - touches, 0)
  if (spread < 0.1 * variance) return 0
  const rise = toLower - fromLower
  let sum = 1 - touches
  for (let image = 1; spread * (image - 1) * image < far * variance; image += 1) {
    const shift = image * width
    sum += decay(shift * (shift + rise), variance) + decay(shift * (shift - rise), variance)
    sum -= decay((fromLower + shift) * (toLower + shift), variance)
    sum -= decay((fromUpper + shift) * (toUpper + shift), variance)
  }
  return Math.min(Math.max(sum, 0), 1)
}

/** Beyond so many variances a term is below 1e-9, a thousandth of any sampling error. */
const far = 10.5

function decay(area: number, variance: number): number {
  return area < far * variance ? Math.exp((-2 * area) / variance) : 0
}
