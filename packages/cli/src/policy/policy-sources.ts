import type { BandReport } from '@svc/engine/policy'
import type { PriceSources } from '@svc/wallet/core'
import { parseUnits } from 'viem'

/** The price sources of a token as a policy file names them. */
export type PolicySources = PriceSources & { readonly expectedUsd?: ExpectedUsd }

/** Decimal US dollars of one whole token between which it leaves without a person, where pools alone price it. */
export type ExpectedUsd = { readonly low: string; readonly high: string }

/**
 * Between which prices a person is asked to expect a token that pools alone price: half to double of what they say now. What was
 * expected before stays as long as their whole band lies within, as the server asks.
 */
export function expectedUsd({ midUsd, lowUsd, highUsd }: BandEdges, known: ExpectedUsd | undefined): ExpectedUsd {
  const isWithin = known !== undefined && e18(known.low) <= e18(lowUsd) && e18(highUsd) <= e18(known.high)
  if (isWithin) return known
  const usd = Number(midUsd)
  return { low: threeDigits(usd / 2), high: threeDigits(usd * 2) }
}

type BandEdges = Pick<BandReport, 'midUsd' | 'lowUsd' | 'highUsd'>

function e18(decimal: string): bigint {
  return parseUnits(decimal, 18)
}

/** Decimal, at most 18 places, and between the smallest and the largest price that a policy can name. */
function threeDigits(exact: number): string {
  const usd = Math.min(Math.max(exact, 1e-18), 999e9)
  const places = Math.min(18, Math.max(0, 2 - Math.floor(Math.log10(usd))))
  const text = Number(usd.toPrecision(3)).toFixed(places)
  return places > 0 ? text.replace(/\.?0+$/, '') : text
}
