/** Exchanges the two sides of amounts when the caller's order is not the pool's. Its own inverse. */
export function flip<Amount>(inverted: boolean, amounts: { amount0: Amount; amount1: Amount }): typeof amounts {
  return inverted ? { amount0: amounts.amount1, amount1: amounts.amount0 } : amounts
}
