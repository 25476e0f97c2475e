import { isRecord } from '@svc/runtime'

/** What a contract says of itself as a token; its text as it stands there, which is nothing to show yet. */
export type TokenFacts = { readonly decimals: number; readonly symbol: string | null; readonly name: string | null }

/**
 * Where such facts are kept beyond the process and shared by several: the store of servers that only read. It may lose entries, and
 * what it gives is held against `readFacts`.
 */
export type TokenStore = {
  read(of: TokenOf): Promise<string | null>
  /** What is there already is replaced. */
  keep(of: TokenOf, content: string): Promise<void>
}

/** `address` in lower case. */
export type TokenOf = { readonly chainId: number; readonly address: string }

/** With more decimals, one whole token does not fit into 256 bits. */
export const mostDecimals = 77

export function contentOf({ decimals, symbol, name }: TokenFacts): string {
  return JSON.stringify({ decimals, symbol, name })
}

/** `null` for a content that says no such facts. */
export function readFacts(content: string | null): TokenFacts | null {
  const { decimals, symbol, name } = parsed(content)
  const areDecimals = typeof decimals === 'number' && Number.isInteger(decimals) && decimals >= 0
  if (!areDecimals || decimals > mostDecimals || !isText(symbol) || !isText(name)) return null
  return { decimals, symbol, name }
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string'
}

function parsed(content: string | null): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(content ?? 'null')
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
