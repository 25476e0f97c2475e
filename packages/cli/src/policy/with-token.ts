import type { Address } from 'viem'
import type { PolicySources } from './policy-sources.ts'

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
