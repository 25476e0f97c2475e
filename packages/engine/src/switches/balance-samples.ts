import type { Outflow, TokenAmounts } from '@svc/store'

/** What a wallet held on one chain at a time. */
export type BalanceSample = {
  /** Unix milliseconds, from before it was read. */
  readonly at: number
  /** Smallest units by lower-case token address, native currency under the zero address. */
  readonly amounts: TokenAmounts
  /** The newest block by then; absent in samples of earlier versions. */
  readonly block?: { readonly number: bigint; readonly hash: string } | undefined
}

/** Millionths of a US dollar at the price of now; `null` for a token that is left out, such as one without a price. */
export type WorthNow = (token: string, amount: bigint) => bigint | null

/**
 * Whether the wallet holds less now than at some time within the window, less what went out on record since, by more than
 * `maxDropPct`. Both times, and what went out, count at the price of now, so that a price that moves is no fall. Nothing is
 * said about less than a dollar. What is reserved counts as gone, for it may be, at what it was booked as where that is more:
 * fees that rise are booked in dollars alone. So are outflows without amounts: gas at the price of now, and what was settled
 * before amounts were kept, in dollars of its time.
 */
export function hasFallen(
  samples: readonly BalanceSample[],
  now: BalanceSample,
  outflows: readonly Outflow[],
  maxDropPct: number,
  worth: WorthNow,
): boolean {
  return samples.some((then) => {
    const both = (amounts: TokenAmounts) =>
      new Map([...amounts].filter(([token]) => then.amounts.has(token) && now.amounts.has(token)))
    const went = outflows
      .filter(({ settledAt }) => settledAt === null || settledAt >= then.at)
      .map(({ usdMicros, amounts, settledAt }) => {
        if (amounts === null) return usdMicros
        const atNow = total(both(amounts), worth)
        return settledAt === null && usdMicros > atNow ? usdMicros : atNow
      })
    const expected = total(both(then.amounts), worth) - went.reduce((sum, usdMicros) => sum + usdMicros, 0n)
    return expected >= oneDollar && total(both(now.amounts), worth) * 100n < expected * BigInt(100 - maxDropPct)
  })
}

/**
 * Adds a sample to those that later ones are held against, the oldest first. Of each thirtieth of the window the one that is
 * worth most now stays, so that the file stays small; what is older than the window, or lies in the future of a clock set
 * back, goes.
 */
export function withSample(
  samples: readonly BalanceSample[],
  sample: BalanceSample,
  windowMs: number,
  worth: WorthNow,
): readonly BalanceSample[] {
  const kept = samplesWithin(samples, sample.at, windowMs)
  const slotMs = windowMs / 30
  const before = kept.at(-1)
  if (before === undefined || Math.floor(before.at / slotMs) !== Math.floor(sample.at / slotMs))
    return [...kept, sample]
  return total(before.amounts, worth) >= total(sample.amounts, worth) ? kept : [...kept.slice(0, -1), sample]
}

export function samplesWithin(
  samples: readonly BalanceSample[],
  now: number,
  windowMs: number,
): readonly BalanceSample[] {
  return samples.filter(({ at }) => at > now - windowMs && at <= now)
}

const oneDollar = 1_000_000n

function total(amounts: TokenAmounts, worth: WorthNow): bigint {
  return [...amounts].reduce((sum, [token, amount]) => sum + (worth(token, amount) ?? 0n), 0n)
}
