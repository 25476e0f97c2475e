import { sixDigits } from '../tools/figure.ts'

/**
 * An answer with its figures to six digits: more would only cost whoever reads them. Whole numbers stay as they are, and so do amounts,
 * which are text. Sums of dollars must follow from their parts to the cent, so dollars keep the hundredth of a cent where six digits say
 * less; not those that say what a market is like, of which nothing is a sum.
 */
export function roundFigures<Answer>(answer: Answer): Answer {
  return roundWithin(answer, '') as Answer
}

function roundWithin(value: unknown, name: string): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : roundNumber(value, name)
  if (Array.isArray(value)) return value.map((item) => roundWithin(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, roundWithin(inner, member)]))
}

function roundNumber(value: number, name: string): number {
  return isSummed(name) && Math.abs(value) >= 100 ? Number(value.toFixed(4)) : sixDigits(value)
}

/** Whether a member holds dollars of which others are the sum; what a market holds, trades or costs is no such part. */
export function isSummed(name: string): boolean {
  return /usd$/i.test(name) && !ofMarket.test(name)
}

const ofMarket = /^(?:tvl|volume|liquidity|price|native)/
