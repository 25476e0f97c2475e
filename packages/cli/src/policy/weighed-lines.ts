import type { PriceReport, ValueReport, WeighedReport, WitnessReport } from '@svc/engine/policy'
import { printable } from './policy-place.ts'

/** How a plan was weighed, for a terminal: what each source says of each token, then what leaves and what comes back. */
export function weighedLines({ prices, failure, blockNumber, value }: WeighedReport): readonly string[] {
  const at = blockNumber === null ? '' : ` at block ${blockNumber}`
  return [
    ...(prices === null ? ['prices      the chain could not be asked'] : [`prices${at}`, ...pricesLines(prices)]),
    ...(value === null ? [] : ['value', ...valueLines(value).map((line) => `  ${line}`)]),
    ...(failure === null ? [] : [`value       not weighed: ${failure.code}: ${printable(failure.message)}`]),
  ]
}

/** Native currency and its wrapped token have one band, which is reported once. */
function pricesLines(prices: readonly PriceReport[]): readonly string[] {
  const groups = new Map<string, PriceReport[]>()
  for (const price of prices) {
    const key = price.band === null ? price.token : JSON.stringify(price.band)
    groups.set(key, [...(groups.get(key) ?? []), price])
  }
  return [...groups.values()].flatMap((group) => priceLines(group))
}

function priceLines(group: readonly PriceReport[]): readonly string[] {
  const [first] = group
  if (first === undefined) return []
  const names = group.map(({ symbol }) => printable(symbol)).join(', ')
  const counts = first.countsUsd === null ? 'limits cannot count it' : `limits count ${shortUsd(first.countsUsd)}`
  const { band } = first
  if (band === null) return [`  ${names}  no trusted price (${first.doubt ?? 'silent'}); ${counts}`]
  const range = `${shortUsd(band.lowUsd)} to ${shortUsd(band.highUsd)} USD`
  return [
    `  ${names}  ${range}, ${band.widthBps} bps wide, by ${bases[band.basis]}; ${counts}`,
    ...band.witnesses.map(witnessLine),
  ]
}

const bases = { feed: 'a feed or peg', pools: 'pools alone', cold: 'prices of the moment alone' } as const

/** One source and its word. */
export function witnessLine({ source, lowUsd, highUsd, counts, note }: WitnessReport): string {
  const says = lowUsd === null || highUsd === null ? 'nothing' : `${shortUsd(lowUsd)} to ${shortUsd(highUsd)}`
  return `    ${(counts ? 'counts' : 'left out').padEnd(9)} ${says.padEnd(24)} ${printable(source)}: ${printable(note)}`
}

function valueLines(value: ValueReport): readonly string[] {
  const { outUsd, inUsd, worst, lossBps, allowedBps, bandBps, priceImpactBps, isExit } = value
  if (isExit) return ['it only brings funds home, which is not held to prices']
  return [
    `leaves ${outUsd} USD, comes back ${inUsd} USD`,
    `at worst ${worst.outUsd} USD and ${worst.inUsd} USD, a loss of ${lossBps} bps of ${allowedBps} allowed (${bandBps} bps of it doubt about prices)`,
    ...(priceImpactBps === null ? [] : [`price impact ${priceImpactBps} bps, fees of the pools left out`]),
    ...value.warnings.map(printable),
  ]
}

/** Eight significant digits: enough to tell two sources apart. */
export function shortUsd(decimal: string): string {
  return Number(decimal).toLocaleString('en-US', { maximumSignificantDigits: 8, useGrouping: false })
}
