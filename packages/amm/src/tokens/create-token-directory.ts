import { type Address, getAddress, isAddress, isAddressEqual, zeroAddress } from 'viem'
import { ToolError } from '../tool-error.ts'
import type { Chain, ChainToken } from '@svc/wallet/core'
import type { RpcPool, Token, TokenDirectory } from '../ports.ts'
import { createSharedReads } from '../create-shared-reads.ts'
import { readToken, unlistedToken, contentOf, readFacts, type TokenFacts, type TokenStore } from './read-token.ts'

export { printableText, type TokenOf, type TokenStore, withBareTokens } from './read-token.ts'
export { suspectAdvice, suspicions } from './suspicions.ts'

/**
 * Tokens by symbol and address. A symbol only ever means a token of the chain's own list or the native currency, whatever
 * contracts on the chain call themselves; other tokens are reached by address, and their text is data of a stranger. That includes
 * the tokens of the policy, of which the operator vouched for the address.
 */
export function createTokenDirectory(options: {
  readonly chains: readonly Chain[]
  readonly rpc: RpcPool
  /** Addresses of tokens that the policy lists on a chain, as it holds now; none unless given. */
  readonly policyTokens?: (chainId: number) => readonly Address[]
  /** Where other processes keep what they read, too: only for one that never writes to a chain. Nothing unless given. */
  readonly shared?: TokenStore | null
}): TokenDirectory {
  const { policyTokens = () => [], shared = null } = options
  const unlisted = new Map<string, Token>()
  const underway = createSharedReads<Token>()
  const searchable = new Map(options.chains.map((chain) => [chain.id, searchableTokens(listedTokens(chain), chain)]))

  async function byAddress(chain: Chain, address: Address): Promise<Token> {
    const listed = listedTokens(chain).find((token) => isAddressEqual(token.address, address))
    if (listed !== undefined) return listed
    const key = `${chain.id}:${address.toLowerCase()}`
    const known = unlisted.get(key)
    if (known !== undefined) return known
    // Whoever is at one block hears it from the endpoint of that.
    return underway.read(`${key} ${options.rpc.nameOfView?.(chain) ?? ''}`, async () => {
      const facts = await factsOf(chain, address)
      if (facts === null) throw new ToolError('TOKEN_NOT_FOUND', 'No token contract stands at this address.')
      const token = unlistedToken(getAddress(address), facts)
      if (unlisted.size >= mostUnlisted) unlisted.clear()
      unlisted.set(key, token)
      return token
    })
  }

  async function factsOf(chain: Chain, address: Address): Promise<TokenFacts | null> {
    const of = { chainId: chain.id, address: address.toLowerCase() }
    // What is kept only saves work: where it cannot be read, written or understood, the contract is asked.
    const kept = shared === null ? null : readFacts(await shared.read(of).catch(() => null))
    if (kept !== null) return kept
    const facts = await readToken(options.rpc.client(chain), getAddress(address))
    if (facts !== null) void shared?.keep(of, contentOf(facts)).catch(() => undefined)
    return facts
  }

  const isOwn = (chain: Chain, address: Address) =>
    listedTokens(chain).some((token) => isAddressEqual(token.address, address))

  async function listedByPolicy(chain: Chain): Promise<readonly Token[]> {
    const addresses = policyTokens(chain.id).filter((address) => !isOwn(chain, address))
    const tokens = await Promise.all(addresses.map((address) => byAddress(chain, address).catch(unlessNone)))
    return tokens.filter((token) => token !== null)
  }

  return {
    byAddress,
    listedByPolicy,
    isNamedByPolicy: ({ id }) => policyTokens(id).length > 0,
    isListed: (chain, address) =>
      isOwn(chain, address) || policyTokens(chain.id).some((listed) => isAddressEqual(listed, address)),
    async resolve(chain, symbolOrAddress, field) {
      if (!/^0x/i.test(symbolOrAddress)) return bySymbol(chain, symbolOrAddress, field)
      const address = parseAddress(symbolOrAddress, field)
      try {
        return await byAddress(chain, address)
      } catch (error) {
        if (!(error instanceof ToolError) || error.code !== 'TOKEN_NOT_FOUND') throw error
        throw new ToolError('TOKEN_NOT_FOUND', error.message, { details: [{ field, message: 'no token there' }] })
      }
    },
    async search(query, chain, limit) {
      const chains = chain === null ? options.chains : [chain]
      const unread: Chain[] = []
      const named = chains
        .filter(({ id }) => policyTokens(id).length > 0)
        .map(async (one) => {
          const added = await listedByPolicy(one).catch(() => (unread.push(one), []))
          return searchableTokens(added, one)
        })
      const own = chains.map((one) => searchable.get(one.id) ?? searchableTokens(listedTokens(one), one))
      return { found: searchTokens([...own, ...(await Promise.all(named))], query, limit), unread }
    },
    wrapped: (chain) => fromList(chain.wrappedNative),
  }
}

/** What is cached of unlisted tokens; their text and decimals hardly ever change. */
const mostUnlisted = 2_000

/** A symbol in ASCII, as the lists write them; look-alikes from other alphabets are refused, not matched. */
const symbolForm = /^[A-Za-z0-9][A-Za-z0-9._+$-]{0,31}$/

function bySymbol(chain: Chain, symbol: string, field: string): Token {
  const tokens = listedTokens(chain)
  const accepted = tokens.map((token) => token.symbol)
  if (!symbolForm.test(symbol)) {
    throw new ToolError('VALIDATION_FAILED', `${field} is neither a symbol nor an address.`, {
      details: [
        { field, message: 'not a symbol', accepted: 'a listed symbol in plain letters and digits, or an address' },
      ],
    })
  }
  const matches = tokens.filter((token) => token.symbol.toLowerCase() === symbol.toLowerCase())
  const [first, ...others] = matches
  if (first === undefined) {
    throw new ToolError('TOKEN_NOT_FOUND', 'No listed token of this chain has that symbol.', {
      details: [{ field, message: 'unknown symbol', accepted }],
    })
  }
  if (others.length === 0) return first
  throw new ToolError('TOKEN_AMBIGUOUS', 'Several listed tokens of this chain have that symbol.', {
    details: matches.map(({ address, name }) => ({ field, message: 'candidate', address, name })),
  })
}

/**
 * The native currency and the listed tokens. Where the native currency is a token itself and bears its symbol, the token
 * stands for both, because every pool of every version knows it by its address.
 */
function listedTokens(chain: Chain): readonly Token[] {
  const tokens = chain.tokens.map(fromList)
  const { symbol, name, decimals } = chain.nativeCurrency
  if (chain.wrappedNative.symbol === symbol) return tokens
  const native = { address: zeroAddress, symbol, name, decimals, isNative: true, listed: true, usdPegged: false }
  return [native, ...tokens]
}

/** With what a search looks at, which is made once: a search looks at every token of every list. */
function searchableTokens(tokens: readonly Token[], chain: Chain): readonly SearchableToken[] {
  return tokens.map((token) => ({
    token: { ...token, chain },
    symbol: token.symbol.toLowerCase(),
    name: token.name.toLowerCase(),
    address: token.address.toLowerCase(),
  }))
}

function unlessNone(error: unknown): null {
  if (error instanceof ToolError && error.code === 'TOKEN_NOT_FOUND') return null
  throw error
}

function fromList(token: ChainToken): Token {
  const { symbol, name, address, decimals, usdPegged = false } = token
  return { address, symbol, name, decimals, isNative: false, listed: true, usdPegged }
}

/**
 * An address with its EIP-55 checksum. Mixed case must bear a right checksum, all lower case is taken as it is; anything
 * else (look-alikes, blanks, upper case throughout, a missing digit) is refused, never repaired.
 *
 * @throws ToolError `VALIDATION_FAILED` naming `field`
 */
export function parseAddress(text: string, field: string): Address {
  const lowerCase = /^0x[0-9a-f]{40}$/.test(text)
  if (lowerCase || (/^0x[0-9A-Fa-f]{40}$/.test(text) && isAddress(text, { strict: true }))) return getAddress(text)
  throw new ToolError('VALIDATION_FAILED', `${field} is not a valid address.`, {
    details: [
      {
        field,
        message: /^0x[0-9A-Fa-f]{40}$/.test(text) ? 'the checksum is wrong' : 'not an address',
        accepted: '0x and 40 hexadecimal digits, with the EIP-55 checksum or in lower case',
      },
    ],
  })
}

/**
 * The tokens whose symbol, name or address holds the query, best first: the symbol itself, its beginning, a part of it,
 * then a part of the name or the address. ASCII letters match in either case. `*` finds all, in the order of the lists.
 */
function searchTokens(
  lists: readonly (readonly SearchableToken[])[],
  query: string,
  limit: number,
): readonly FoundToken[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return []
  // In lists by rank, which keep the order of the tokens, instead of sorting: nearly none of them matches.
  const found: readonly FoundToken[][] = [[], [], [], []]
  for (const tokens of lists) {
    for (const one of tokens) found[wanted === '*' ? 0 : rankOf(one, wanted)]?.push(one.token)
  }
  return found.flat().slice(0, Math.max(0, limit))
}

type FoundToken = Token & { readonly chain: Chain }

/** A token and its texts in lower case. */
type SearchableToken = {
  readonly token: FoundToken
  readonly symbol: string
  readonly name: string
  readonly address: string
}

/** Beyond those of which there are lists. */
const misses = 4

function rankOf({ symbol, name, address }: SearchableToken, wanted: string): number {
  if (symbol === wanted) return 0
  if (symbol.startsWith(wanted)) return 1
  if (symbol.includes(wanted)) return 2
  return name.includes(wanted) || address === wanted ? 3 : misses
}
