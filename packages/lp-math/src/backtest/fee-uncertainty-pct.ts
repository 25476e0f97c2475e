/**
 * How far replayed fees may lie from what the position earned, in percent of them: 35 times the span of a bar over the width of the
 * range, both in ticks, each bar weighted by the fees it brought; at most 100.
 *
 * What a bar cannot tell is which part of its trade fell into the range. The factor was set on the minutes of a real pool (USDC/WETH
 * 0.05 %, five days, four ranges from 1 % to 27 % wide): of their fees in bars of 5 minutes to a day 19 of 20 lie within this
 * bound of those by minutes; the other one, hours over a range 8 % wide, is off by 4.5 % where 3.6 % is said.
 */
export function feeUncertaintyPct(spanOverWidth: number): number {
  return Math.min(100, 35 * spanOverWidth)
}
