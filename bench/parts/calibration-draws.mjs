/** Trades of an hour in which `mean` are to be expected. */
export function drawPoisson(mean, random) {
  if (mean > 50) return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.normal()))
  const share = random.uniform()
  let count = 0
  let probability = Math.exp(-mean)
  for (let sum = probability; share > sum && count < 400; sum += probability) {
    count += 1
    probability *= mean / count
  }
  return count
}

/** Gamma of scale 1. Source: Marsaglia and Tsang, "A simple method for generating gamma variables", ACM Trans. Math. Softw. 26 (2000). */
export function drawGamma(shape, random) {
  if (shape < 1) return drawGamma(shape + 1, random) * random.uniform() ** (1 / shape)
  const d = shape - 1 / 3
  for (;;) {
    const normal = random.normal()
    const cube = (1 + normal / Math.sqrt(9 * d)) ** 3
    if (cube <= 0) continue
    if (Math.log(random.uniform()) < normal ** 2 / 2 + d - d * cube + d * Math.log(cube)) return d * cube
  }
}
