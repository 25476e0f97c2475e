/** e^(x²) without the digits that rounding x² costs: the square is split into an exact part and a small rest. */
export function expOfSquare(x: number): number {
  const head = Math.trunc(x * 16) / 16
  return Math.exp(head * head) * Math.exp((x - head) * (x + head))
}
