import { findChain, type Chain } from '@svc/wallet/core'
import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import type { Flags } from '../parse-words-and-flags.ts'
import { parseWordsAndFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'

/** What the words after `svc policy add-token` say, before the settings are known. */
export function readTokenWords(argv: readonly string[]): TokenWords {
  const { words, flags } = parseWordsAndFlags(argv, flagNames)
  const [chain, token, more] = words
  if (chain === undefined || token === undefined || more !== undefined) {
    throw new UsageError(
      'svc policy add-token takes CHAIN and TOKEN: a name or id of a chain, and the address of a token',
    )
  }
  return { chain, token, flags }
}

export type TokenWords = {
  readonly chain: string
  readonly token: string
  readonly flags: Flags<(typeof flagNames)['values'][number], (typeof flagNames)['switches'][number]>
}

const flagNames = {
  values: ['feed', 'heartbeat', 'deviation-bps', 'data-dir', 'policy'],
  switches: ['yes', 'json', 'production'],
} as const

/** What they mean on the chains of a server. Throws `UsageError` naming every word that is off. */
export function readTokenRequest({ chain: named, token, flags }: TokenWords, chains: readonly Chain[]): TokenRequest {
  const chain = findChain(chains, named)
  const address = tokenOf(token, chain)
  const feed = feedOf(flags)
  const problems = [
    ...(chain === undefined ? [`CHAIN: accepted: ${chains.map(({ name }) => name).join(', ')}, or an id of one`] : []),
    ...(address === null
      ? ['TOKEN: accepted: the address of a token, with a right checksum if any, or a listed symbol']
      : []),
    ...feed.problems,
  ]
  if (problems.length > 0 || chain === undefined || address === null) {
    throw new UsageError(['svc policy add-token: these words are off', ...problems].join('\n  '))
  }
  return { chain, address, feed: feed.row }
}

export type TokenRequest = { readonly chain: Chain; readonly address: Address; readonly feed: WantedFeed | null }

export type WantedFeed = { readonly address: Address; readonly heartbeatSeconds: number; readonly deviationBps: number }

/** A symbol means a token of the chain's own list alone; native currency is priced by its wrapped token. */
function tokenOf(text: string, chain: Chain | undefined): Address | null {
  if (!/^0x/i.test(text)) {
    const rows = chain === undefined ? [] : [chain.wrappedNative, ...chain.tokens]
    return rows.find(({ symbol }) => symbol.toLowerCase() === text.toLowerCase())?.address ?? null
  }
  return addressOf(text)
}

function addressOf(text: string): Address | null {
  const isLowerCase = text === text.toLowerCase()
  if (!isAddress(text, { strict: !isLowerCase }) || text.toLowerCase() === zeroAddress) return null
  return getAddress(text)
}

function feedOf(flags: TokenWords['flags']): { readonly row: WantedFeed | null; readonly problems: readonly string[] } {
  const { feed, heartbeat, 'deviation-bps': deviation } = flags
  if (feed === undefined) {
    const alone = (['heartbeat', 'deviation-bps'] as const).filter((name) => flags[name] !== undefined)
    return { row: null, problems: alone.map((name) => `--${name}: only beside --feed`) }
  }
  const row = {
    address: addressOf(feed),
    heartbeatSeconds: wholeOf(heartbeat, 1, 86_400),
    deviationBps: wholeOf(deviation, 0, 10_000),
  }
  const problems = [
    ...(row.address === null ? ['--feed: accepted: the address of a Chainlink aggregator'] : []),
    ...(row.heartbeatSeconds === null ? ['--heartbeat: accepted beside --feed: whole seconds from 1 to 86400'] : []),
    ...(row.deviationBps === null ? ['--deviation-bps: accepted beside --feed: a whole number from 0 to 10000'] : []),
  ]
  const { address, heartbeatSeconds, deviationBps } = row
  if (address === null || heartbeatSeconds === null || deviationBps === null) return { row: null, problems }
  return { row: { address, heartbeatSeconds, deviationBps }, problems }
}

function wholeOf(text: string | undefined, min: number, max: number): number | null {
  if (text === undefined || !/^\d{1,9}$/.test(text)) return null
  const number = Number(text)
  return number >= min && number <= max ? number : null
}
