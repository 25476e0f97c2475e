/**
 * A scale in round steps, about five of them, over these values, and over 0 by default. Throws nothing: without an extent
 * it is 1 long.
 */
export function niceScale(values: readonly number[], { withZero = true } = {}): Scale {
  const held = withZero || values.length === 0 ? [0, ...values] : values
  const low = Math.min(...held)
  const high = Math.max(...held)
  const interval = roundStep((high - low || 1) / 5)
  const min = interval * Math.floor(low / interval)
  const max = interval * Math.ceil(high / interval)
  return { min, max: max > min ? max : min + 5 * interval, interval }
}

export type Scale = { readonly min: number; readonly max: number; readonly interval: number }

/** The next of 1, 2, 2.5 and 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const times = [1, 2, 2.5, 5].find((one) => one * power >= least * (1 - 1e-9)) ?? 10
  return times * power
}
