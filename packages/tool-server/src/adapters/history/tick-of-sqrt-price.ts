/** The tick of a sqrt price (Q64.96) with its fraction: v3 whitepaper eq. 6.1 solved for i. */
export function tickOfSqrtPrice(sqrtPriceX96: bigint): number {
  return (2 * (Math.log(Number(sqrtPriceX96)) - logQ96)) / Math.log(1.0001)
}

const logQ96 = 96 * Math.LN2
