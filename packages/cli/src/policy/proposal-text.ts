import type { JudgedPool } from '@svc/amm/prices'
import { printable } from './policy-place.ts'
import type { TokenProposal } from './propose-token.ts'
import { shortUsd, witnessLine } from './weighed-lines.ts'

/** What would be written and why, for the person who is asked. */
export function proposalText(proposal: TokenProposal): string {
  const { chain, token, blockNumber, pools, sources } = proposal
  const { feed } = sources
  // Any contract can call itself anything.
  const symbol = token.isListed ? printable(token.symbol) : `"${printable(token.symbol)}"`
  const listed = token.isListed
    ? `on the list of ${chain.name}, whose sources these replace`
    : `not on the list of ${chain.name}`
  const found = pools.length === 0 ? ['  none against a listed token that has a price'] : pools.flatMap(poolLines)
  return [
    `token       ${symbol} ${token.address}, ${token.decimals} decimals, ${listed}`,
    `pools       at block ${blockNumber}, deepest first`,
    ...found,
    ...(feed === undefined
      ? ['feed        none']
      : [
          `feed        ${feed.address}, at least every ${feed.heartbeatSeconds} s and at ${feed.deviationBps} bps` +
            (proposal.isFeedKept ? ', as before' : ''),
        ]),
    ...priceLines(proposal),
    ...expectedLines(sources),
    '',
  ].join('\n')
}

function poolLines({ candidate, record, doubt }: JudgedPool): readonly string[] {
  const { row, quote, depthUsd, depthSeconds, usd } = candidate
  const head = `${row.version} ${row.fee / 10_000} % against ${printable(quote.symbol)}`
  const over = depthSeconds === null ? 'now' : `over ${Math.round(depthSeconds / 60)} min`
  const depth = `${whole(depthUsd.tokenSide)} USD of it and ${whole(depthUsd.quoteSide)} USD of ${printable(quote.symbol)} ${over}`
  const traded = record === null ? '' : `, ${tradedText(record.volume7dUsd)} in 7 days`
  const verdict = doubt === null ? 'propose' : 'pass over'
  return [
    `  ${verdict.padEnd(9)} ${head}  ${row.id}`,
    `            ${depth}${traded}; says ${shortUsd(`${usd}`)} USD`,
    ...(doubt === null ? [] : [`            ${doubt}`]),
  ]
}

function tradedText(volumeUsd: number | null): string {
  return volumeUsd === null ? 'an unknown sum traded' : `${whole(volumeUsd)} USD traded`
}

function priceLines({ band, maxPriceBandBps, poolPricedUsd }: TokenProposal): readonly string[] {
  if (band === null) return ['price       none: these sources say nothing now']
  const { basis, depthUsd, widthBps, witnesses } = band
  const notes = [
    ...(widthBps > maxPriceBandBps
      ? [`wider than maxPriceBandBps (${maxPriceBandBps}): nothing is spent of it while its sources lie so far apart`]
      : []),
    ...(basis === 'pools'
      ? [
          `by pools alone: without a person a day moves ${whole(Number(depthUsd) / 10)} USD of it at most, and ${whole(poolPricedUsd)} USD of all such tokens (poolPricedUsd)`,
        ]
      : []),
    ...(basis === 'cold'
      ? ['nothing remembers these prices yet: until then a day spends at most coldStartUsd at them']
      : []),
  ]
  return [
    `price       ${shortUsd(band.lowUsd)} to ${shortUsd(band.highUsd)} USD, ${widthBps} bps wide`,
    ...witnesses.map(witnessLine),
    ...notes.map((note) => `            ${note}`),
  ]
}

function expectedLines({ expectedUsd }: TokenProposal['sources']): readonly string[] {
  if (expectedUsd === undefined) return []
  const { low, high } = expectedUsd
  return [
    `expected    ${low} to ${high} USD`,
    '            by pools alone: at other prices none of it leaves without a person, since somebody may have pushed them',
  ]
}

function whole(usd: number): string {
  return Math.round(usd).toLocaleString('en-US')
}
