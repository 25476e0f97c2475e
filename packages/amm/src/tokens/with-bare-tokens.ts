import { getAddress } from 'viem'
import type { Token, TokenDirectory } from '../ports.ts'
import { ToolError } from '../tool-error.ts'

/**
 * A directory in which a contract that says no decimals is still a token, bare: in smallest units, its address for a symbol. For
 * what a wallet holds already, so that neither a stranger's gift nor a token whose author breaks it hides a position or keeps
 * its owner from leaving.
 */
export function withBareTokens<MarketPorts extends { readonly tokens: Pick<TokenDirectory, 'byAddress'> }>(
  ports: MarketPorts,
): MarketPorts {
  const byAddress: TokenDirectory['byAddress'] = async (chain, address) => {
    try {
      return await ports.tokens.byAddress(chain, address)
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== 'TOKEN_NOT_FOUND') throw error
      return bareToken(getAddress(address))
    }
  }
  return { ...ports, tokens: { ...ports.tokens, byAddress } }
}

/** Its decimals are not known, so it must never be given a price. */
export function isBare({ symbol, address }: Token): boolean {
  return symbol === address
}

function bareToken(address: Token['address']): Token {
  return { address, symbol: address, name: '', decimals: 0, isNative: false, listed: false, usdPegged: false }
}
