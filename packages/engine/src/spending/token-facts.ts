import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import type { PricedTokens } from './spend-value.ts'

/** What is known of a token: by the prices that were looked up, else by the chain's own list. */
export function tokenFacts(token: Address, { priced, chain }: TokenContext): TokenFacts | undefined {
  const entry = priced.get(token.toLowerCase())?.token
  if (entry !== undefined) return { ...entry, isListed: entry.listed || entry.isNative }
  if (isAddressEqual(token, zeroAddress)) return { ...chain.nativeCurrency, isListed: true }
  const listed = [...chain.tokens, chain.wrappedNative].find(({ address }) => isAddressEqual(address, token))
  return listed === undefined ? undefined : { ...listed, isListed: true }
}

export type TokenContext = { readonly priced: PricedTokens; readonly chain: Chain }

export type TokenFacts = { readonly symbol: string; readonly decimals: number; readonly isListed: boolean }
