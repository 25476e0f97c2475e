import type { BandReport } from '@svc/tool-server/policy'
import type { PriceSources } from '@svc/wallet/core'

/** The price sources of a token as a policy file names them. */
export type PolicySources = PriceSources & { readonly expectedUsd?: ExpectedUsd }

/** Decimal US dollars of one whole token between which it leaves without a person, where pools alone price it. */
export type ExpectedUsd = { readonly low: string; readonly high: string }

/**
 * Between which prices a person is asked to expect a token that pools alone price: half to double of what they say now. What was
 * expected before stays as long as their price lies within.
 */
export function expectedUsd({ midUsd }: Pick<BandReport, 'midUsd'>, known: ExpectedUsd | undefined): ExpectedUsd {
  const usd = Number(midUsd)
  if (known !== undefined && Number(known.low) <= usd && usd <= Number(known.high)) return known
  return { low: threeDigits(usd / 2), high: threeDigits(usd * 2) }
}

/** Decimal, at most 18 places; at least the smallest price that a policy can name. */
function threeDigits(usd: number): string {
  const places = Math.min(18, Math.max(0, 2 - Math.floor(Math.log10(usd))))
  const text = Number(usd.toPrecision(3)).toFixed(places)
  return places > 0 ? text.replace(/\.?0+$/, '') : text
}
