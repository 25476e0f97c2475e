import { printable } from '@svc/runtime'
import type { StoredPlan } from '../operations/stored-plan.ts'

/** A deposit as it may be shown: its pool, and prices in the caller's order of tokens. */
export function describeDeposit(deposit: StoredPlan['deposits'][number]): DescribedDeposit {
  const { version, pool, feePct, token0, token1, currentPrice, share0Pct, createsPool } = deposit
  const [symbol0, symbol1] = [shownSymbol(token0), shownSymbol(token1)]
  const unit = `${symbol1} per ${symbol0}`
  const fee = feePct === null ? 'a fee that its hook decides' : `${feePct} %`
  const place = version === 'v2' ? 'pair' : 'pool'
  const created = createsPool ? ', which is created' : ''
  return {
    into: `${whatOf(deposit)} the ${version} ${place} ${symbol0}/${symbol1} at ${fee}${created}`,
    pool: printable(pool, 66),
    range: rangeText(deposit, unit),
    price: `${numberText(currentPrice)} ${unit}${createsPool ? ' to begin with' : ''}`,
    split: `${numberText(share0Pct)} % ${symbol0}, ${numberText(Number((100 - share0Pct).toFixed(1)))} % ${symbol1}`,
  }
}

export type DescribedDeposit = {
  /** For example `a new position in the v3 pool WETH/USDC at 0.05 %`. */
  readonly into: string
  /** The whole address or id. */
  readonly pool: string
  readonly range: string
  /** When it was planned, or at which it is created. */
  readonly price: string
  /** How its value is divided at that price. */
  readonly split: string
}

/** A symbol as it may be shown: in quotes unless the chain's own list has it, for any contract can call itself anything. */
export function shownSymbol({ symbol, isListed }: { readonly symbol: string; readonly isListed: boolean }): string {
  const shown = printable(symbol, 24)
  return isListed ? shown : `"${shown.replaceAll('"', '\\"')}"`
}

function whatOf({ kind, version, positionId }: StoredPlan['deposits'][number]): string {
  if (kind === 'increase') return `more of position ${printable(positionId ?? 'unknown', 80)} in`
  return version === 'v2' ? 'shares of' : 'a new position in'
}

function rangeText({ priceLower, priceUpper }: StoredPlan['deposits'][number], unit: string): string {
  if (priceLower === null && priceUpper === null) return 'all prices'
  if (priceLower === null) return `up to ${numberText(priceUpper ?? 0)} ${unit}`
  return priceUpper === null
    ? `from ${numberText(priceLower)} ${unit} up`
    : `${numberText(priceLower)} to ${numberText(priceUpper)} ${unit}`
}

function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 6 })
}
