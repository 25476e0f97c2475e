import { sixDigits } from '../tools/figure.ts'

/**
 * An answer with its figures to six digits: more would only cost whoever reads them. Whole numbers stay as they are, and so do amounts,
 * which are text. Sums of dollars must follow from their parts to the cent, so dollars keep the hundredth of a cent where six digits say
 * less; not those that say what a market is like, of which nothing is a sum.
 */
export function toldFigures<Answer>(answer: Answer): Answer {
  return told(answer, '') as Answer
}

function told(value: unknown, name: string): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : toldNumber(value, name)
  if (Array.isArray(value)) return value.map((item) => told(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member, told(inner, member)]))
}

function toldNumber(value: number, name: string): number {
  const isSummed = /usd$/i.test(name) && !ofMarkets.test(name)
  return isSummed && Math.abs(value) >= 100 ? Number(value.toFixed(4)) : sixDigits(value)
}

const ofMarkets = /^(?:tvl|volume|liquidity|price|native)/
