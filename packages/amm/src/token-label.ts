import type { Token } from './ports.ts'

/** How a token is called in our own sentences: text of an unlisted one is data and never becomes prose. */
export function tokenLabel(token: Token): string {
  return token.listed || token.isNative ? token.symbol : token.address
}
