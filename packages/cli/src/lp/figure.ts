/** Ten digits: more than any figure of a model is worth, and the same on every machine. */
export function figure(value: number): number {
  return Number(value.toPrecision(10)) + 0
}
