/**
 * The steps between the first and the last, each with the knots that stand nearest before and behind it and how far it stands between
 * them; together those that scatter alike, given these knots.
 *
 * @param knots - rising steps, the first of them 0, the last the end
 */
export function stepClasses(knots: Int32Array): StepClass[] {
  const end = knots.at(-1) ?? 0
  const classes = new Map<number, StepPlace[]>()
  let behind = 1
  for (let step = 1; step < end; step += 1) {
    const isKnot = knots[behind] === step
    const [left, right] = [behind - 1, isKnot ? behind + 1 : behind]
    if (isKnot) behind += 1
    const [from, to] = [knots[left] ?? 0, knots[right] ?? end]
    const share = ((step - from) * (to - step)) / ((to - from) * end)
    const places = classes.get(share) ?? []
    places.push({ left, right, toRight: (step - from) / (to - from) })
    classes.set(share, places)
  }
  return Array.from(classes, ([share, places]) => ({ share, places }))
}

export type StepClass = {
  /** Variance of a step, given its knots, over that of the end. */
  readonly share: number
  readonly places: readonly StepPlace[]
}

export type StepPlace = {
  /** Index of a knot. */
  readonly left: number
  readonly right: number
  /** 0 at the left knot, 1 at the right. */
  readonly toRight: number
}
