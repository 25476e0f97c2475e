/**
 * How far replayed fees may lie from what the position earned, in percent of them: the span of a bar in percent of the width of the
 * range, both in ticks, each bar weighted by the fees it brought; at most 100.
 *
 * What a bar cannot tell is which part of its trade fell into the range. On the minutes of a real pool (USDC/WETH 0.05 %, five days),
 * in bars of 5 minutes, 15 minutes, an hour, four hours and a day alike, the fees of at least 19 of 20 ranges, 1 to 50 % wide and
 * placed anywhere about the prices seen, lie within this bound of those by minutes.
 */
export function feeUncertaintyPct(spanOverWidth: number): number {
  return Math.min(100, 100 * spanOverWidth)
}
