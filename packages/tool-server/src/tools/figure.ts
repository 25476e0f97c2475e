/** Six digits: what a model or a person does with a figure. */
export function sixDigits(value: number): number {
  return Number(value.toPrecision(6)) + 0
}

/** Ten digits: more than any figure of a model is worth, and the same on every machine. Adding 0 makes a negative zero a plain one. */
export function figure(value: number): number {
  return Number(value.toPrecision(10)) + 0
}
