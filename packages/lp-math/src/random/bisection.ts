/**
 * The order in which a Brownian path is laid through its knots once its ends are known, breadth first: the middle knot of each interval
 * between knots that are known, the longest intervals before the shorter.
 *
 * @param knots - rising steps, the first of them 0, the last the end
 * @param deviation - standard deviation at the end
 */
export function bisection(steps: Int32Array, deviation: number): Bisection {
  const end = steps.at(-1) ?? 0
  const count = steps.length - 2
  const knots = new Int32Array(3 * Math.max(count, 0))
  const weights = new Float64Array(2 * Math.max(count, 0))
  const intervals: [number, number][] = [[0, count + 1]]
  let row = 0
  for (const [first, last] of intervals) {
    if (last - first < 2) continue
    const middle = (first + last) >> 1
    const [left = 0, point = 0, right = 0] = [first, middle, last].map((knot) => steps[knot])
    knots.set([first, middle, last], 3 * row)
    weights[2 * row] = (point - left) / (right - left)
    weights[2 * row + 1] = deviation * Math.sqrt(((point - left) * (right - point)) / ((right - left) * end))
    intervals.push([first, middle], [middle, last])
    row += 1
  }
  return { knots, weights }
}

export type Bisection = {
  /** Row by row three indices of knots: one that is known, the one that is laid, one that is known. */
  readonly knots: Int32Array
  /** Row by row how far the laid knot stands from the first to the second known one, and its deviation, given them. */
  readonly weights: Float64Array
}
