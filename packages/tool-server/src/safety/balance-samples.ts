import type { Outflow } from '@svc/store'

/** What a wallet held on one chain at a time: worth in millionths of a US dollar by lower-case token address. */
export type BalanceSample = {
  /** Unix milliseconds, from before it was read. */
  readonly at: number
  readonly worth: ReadonlyMap<string, bigint>
  /** Of native currency, in wei. */
  readonly nativeWei: bigint
}

/**
 * Whether the wallet holds less now than at some time within the window, less what went out on record since, by more than
 * `maxDropPct`. Only tokens with a price at both times are compared, and nothing is said about less than a dollar. What is
 * reserved counts as gone, for it may be.
 */
export function hasFallen(
  samples: readonly BalanceSample[],
  now: BalanceSample,
  outflows: readonly Outflow[],
  maxDropPct: number,
): boolean {
  return samples.some((then) => {
    const both = [...then.worth.keys()].filter((token) => now.worth.has(token))
    const went = outflows.filter(({ settledAt }) => settledAt === null || settledAt >= then.at)
    const expected = sumOf(both, then) - went.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)
    return expected >= oneDollar && sumOf(both, now) * 100n < expected * BigInt(100 - maxDropPct)
  })
}

/**
 * Whether native currency alone has fallen so, other than by what went out on record: amounts and gas, all of it taken as
 * native currency. Both times at the price of now, so that a price that falls is no loss. Nothing is said without one.
 */
export function nativeHasFallen(
  samples: readonly BalanceSample[],
  nowWei: bigint,
  outflows: readonly Outflow[],
  maxDropPct: number,
  worth: (wei: bigint) => bigint | null,
): boolean {
  const left = worth(nowWei)
  return samples.some(({ at, nativeWei }) => {
    const held = worth(nativeWei)
    if (held === null || left === null) return false
    const went = outflows.filter(({ settledAt }) => settledAt === null || settledAt >= at)
    const expected = held - went.reduce((sum, { usdMicros }) => sum + usdMicros, 0n)
    return expected >= oneDollar && left * 100n < expected * BigInt(100 - maxDropPct)
  })
}

/**
 * Adds a sample to those that later ones are held against, the oldest first. Of each thirtieth of the window the highest
 * stays, so that the file stays small; what is older than the window, or lies in the future of a clock set back, goes.
 */
export function withSample(
  samples: readonly BalanceSample[],
  sample: BalanceSample,
  windowMs: number,
): readonly BalanceSample[] {
  const kept = samplesWithin(samples, sample.at, windowMs)
  const slotMs = windowMs / 30
  const before = kept.at(-1)
  if (before === undefined || Math.floor(before.at / slotMs) !== Math.floor(sample.at / slotMs))
    return [...kept, sample]
  return total(before) >= total(sample) ? kept : [...kept.slice(0, -1), sample]
}

export function samplesWithin(
  samples: readonly BalanceSample[],
  now: number,
  windowMs: number,
): readonly BalanceSample[] {
  return samples.filter(({ at }) => at > now - windowMs && at <= now)
}

const oneDollar = 1_000_000n

function sumOf(tokens: readonly string[], { worth }: BalanceSample): bigint {
  return tokens.reduce((sum, token) => sum + (worth.get(token) ?? 0n), 0n)
}

function total({ worth }: BalanceSample): bigint {
  return [...worth.values()].reduce((sum, usdMicros) => sum + usdMicros, 0n)
}
