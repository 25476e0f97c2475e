/**
 * The tokens whose symbol, name or address holds the query, best first: the symbol itself, its beginning, a part of it,
 * then a part of the name or the address. ASCII letters match in either case.
 */
export function searchTokens<Found extends SearchableToken>(
  tokens: readonly Found[],
  query: string,
  limit: number,
): readonly Found[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return []
  return tokens
    .map((token) => ({ token, rank: rankOf(token, wanted) }))
    .filter(({ rank }) => rank < misses)
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, Math.max(0, limit))
    .map(({ token }) => token)
}

type SearchableToken = { readonly symbol: string; readonly name: string; readonly address: string }

const misses = 4

function rankOf(token: SearchableToken, wanted: string): number {
  const symbol = token.symbol.toLowerCase()
  if (symbol === wanted) return 0
  if (symbol.startsWith(wanted)) return 1
  if (symbol.includes(wanted)) return 2
  return token.name.toLowerCase().includes(wanted) || token.address.toLowerCase() === wanted ? 3 : misses
}
