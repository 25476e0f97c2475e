import { chainAccess, type Config } from '@svc/tool-server'
import {
  bandReport,
  type BandReport,
  dailyValueCaps,
  openReads,
  parsePolicy,
  type PolicyFile,
} from '@svc/engine/policy'
import { type JudgedPool, proposeSources } from '@svc/amm/prices'
import type { UsdFeed } from '@svc/wallet/core'
import type { TokenRequest } from './token-words.ts'
import { expectedUsd, type PolicySources, namedSources, withToken } from './edit-policy.ts'
import { printable } from './policy-place.ts'
import { shortUsd, witnessLine } from './weighed-lines.ts'

/**
 * What a policy file would say with a token added, what was found of its pools, and what the sources say now. Throws
 * `ToolError` for a token or a feed that is none, a chain that does not answer, and a file that would not be valid.
 */
export async function proposeToken(
  { chain, address, feed }: TokenRequest,
  { config, file, production }: ProposalPlace,
): Promise<TokenProposal> {
  const written = file?.written ?? {}
  const before = parsePolicy(written, { production })
  const { tokens, ...ports } = openReads(chainAccess(config), { memory: null, policy: () => before })
  const token = await tokens.byAddress(chain, address)
  const found = await proposeSources({ chain, token, feed }, { ...ports, tokens })
  const known = namedSources(written, chain.id, address)
  const kept = feed === null ? keptFeed(known, { chain, address, feed }) : null
  const priced: PolicySources = { ...(kept === null ? {} : { feed: kept }), ...found.sources }
  const change = { chainId: chain.id, token: token.address, isListed: token.listed }
  const policy = parsePolicy(withToken(written, { ...change, sources: priced }).written, { production })
  const caps = dailyValueCaps(policy)
  const price = await openReads(chainAccess(config), { memory: null, policy: () => policy }).prices.usd(chain, token)
  const band = price?.band == null ? null : bandReport(price.band)
  const isByPools = band !== null && band.basis !== 'feed'
  const expected = isByPools ? expectedUsd(band, known.expectedUsd) : known.expectedUsd
  const sources = { ...priced, ...(expected === undefined ? {} : { expectedUsd: expected }) }
  const changed = withToken(written, { ...change, sources })
  parsePolicy(changed.written, { production })
  return {
    chain: { id: chain.id, name: chain.name },
    token: { address: token.address, symbol: token.symbol, decimals: token.decimals, isListed: token.listed },
    blockNumber: `${found.blockNumber}`,
    pools: found.pools,
    sources,
    isFeedKept: kept !== null,
    band,
    maxPriceBandBps: policy.maxPriceBandBps,
    poolPricedUsd: Number(caps.poolPriced) / 1e6,
    speculativeUsd: Number(caps.speculative) / 1e6,
    ...changed,
  }
}

export type ProposalPlace = {
  readonly config: Config
  /** `null` where there is no policy file. */
  readonly file: PolicyFile | null
  readonly production: boolean
}

export type TokenProposal = {
  readonly chain: { readonly id: number; readonly name: string }
  readonly token: {
    readonly address: string
    readonly symbol: string
    readonly decimals: number
    /** Whether the chain's own list holds it. */
    readonly isListed: boolean
  }
  readonly blockNumber: string
  /** Every pool that was found, with the reason where it is passed over. */
  readonly pools: readonly JudgedPool[]
  readonly sources: PolicySources
  /** Whether the feed is the one that held before. */
  readonly isFeedKept: boolean
  /** With these sources in place; `null` where they say nothing. */
  readonly band: BandReport | null
  readonly maxPriceBandBps: number
  /** What a day moves of all tokens that pools alone price, without a person. */
  readonly poolPricedUsd: number
  /** What a day buys of tokens without a named source. */
  readonly speculativeUsd: number
  /** The content of the policy file, and whether it is another than before. */
  readonly written: Readonly<Record<string, unknown>>
  readonly isChanged: boolean
}

/** A person vouched for it before: it stays until another is named. */
function keptFeed({ feed: named }: PolicySources, { chain, address }: TokenRequest): UsdFeed | null {
  if (named !== undefined) return named
  const rows = [chain.wrappedNative, ...chain.tokens].filter((row) => row.address === address)
  const row = rows.find(({ priceSources }) => priceSources?.feed !== undefined)?.priceSources?.feed
  if (row === undefined) return null
  const { address: feed, heartbeatSeconds, deviationBps, decimals } = row
  return { address: feed, heartbeatSeconds, deviationBps, decimals }
}

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
