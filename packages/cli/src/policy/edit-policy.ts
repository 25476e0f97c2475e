import { type Address, parseUnits } from 'viem'
import type { BandReport } from '@svc/engine/policy'
import type { PriceSources } from '@svc/wallet/core'
import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { replaceFileDurably } from '@svc/runtime'

/**
 * The content of a policy file with a token on its list, unless the chain lists it, and with its price sources; every other
 * member stays as it is. `isChanged` is false where the file says the same already, in whatever order.
 */
export function withToken(
  written: unknown,
  { chainId, token, isListed, sources }: TokenChange,
): { readonly written: Readonly<Record<string, unknown>>; readonly isChanged: boolean } {
  const policy = membersOf(written)
  const chain = `${chainId}`
  const allowlist = membersOf(policy['allowlist'])
  const tokens = membersOf(allowlist['tokens'])
  const listed = Array.isArray(tokens[chain]) ? (tokens[chain] as readonly unknown[]) : []
  const isMissing = !isListed && !listed.some((one) => sameText(one, token))
  const all = membersOf(policy['priceSources'])
  const ofChain = membersOf(all[chain])
  const key = Object.keys(ofChain).find((one) => sameText(one, token)) ?? token
  const isSame = sameSources(ofChain[key], sources)
  if (!isMissing && isSame) return { written: policy, isChanged: false }
  return {
    isChanged: true,
    written: {
      ...(Object.keys(policy).length === 0 ? { version: 1 } : policy),
      ...(isMissing ? { allowlist: { ...allowlist, tokens: { ...tokens, [chain]: [...listed, token] } } } : {}),
      priceSources: { ...all, [chain]: { ...ofChain, [key]: sources } },
    },
  }
}

export type TokenChange = {
  readonly chainId: number
  readonly token: Address
  /** Whether the chain's own list holds it. */
  readonly isListed: boolean
  readonly sources: PolicySources
}

/** What a policy file, read as a policy before, names for a token; nothing where it does not. */
export function namedSources(written: unknown, chainId: number, token: Address): PolicySources {
  const ofChain = membersOf(membersOf(membersOf(written)['priceSources'])[`${chainId}`])
  const key = Object.keys(ofChain).find((one) => sameText(one, token))
  return key === undefined ? {} : membersOf(ofChain[key])
}

export function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function sameText(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase()
}

/** Of pools their order says nothing. */
function sameSources(known: unknown, { feed, pools = [], expectedUsd }: PolicySources): boolean {
  if (typeof known !== 'object' || known === null) return false
  const { feed: knownFeed, pools: knownPools = [], expectedUsd: knownExpected } = membersOf(known)
  const texts = (list: readonly unknown[]) => list.map(canonical).toSorted().join()
  if (!Array.isArray(knownPools)) return false
  const isSame = (one: unknown, other: unknown) => canonical(one ?? null) === canonical(other ?? null)
  return isSame(knownFeed, feed) && isSame(knownExpected, expectedUsd) && texts(knownPools) === texts(pools)
}

/** Members by name, addresses and ids in lower case. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) {
    return JSON.stringify(typeof value === 'string' ? value.toLowerCase() : value)
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${members
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${name}:${canonical(member)}`)
    .join()}}`
}

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

/**
 * Puts a new content in place of a policy file at once, mode 0600, and keeps the former beside it as `.bak`. Throws, and
 * changes nothing, where the file is no longer the one that was read.
 *
 * @param sha256 of the file that was read; `null` where there was none
 */
export async function replacePolicy(
  path: string,
  content: unknown,
  sha256: string | null,
): Promise<{ readonly backup: string | null }> {
  // Where the name is a link, what it stands for is replaced.
  const file = await realpath(path).catch(() => path)
  const before = await readFile(file).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  })
  const now = before === null ? null : createHash('sha256').update(before).digest('hex')
  if (now !== sha256)
    throw new Error(`${path} was changed by somebody else meanwhile; nothing was written. Run it again.`)
  const backup = before === null ? null : `${file}.bak`
  if (before !== null && backup !== null) await replaceFileDurably(backup, before.toString('utf8'))
  await replaceFileDurably(file, `${JSON.stringify(content, null, 2)}\n`)
  return { backup }
}
