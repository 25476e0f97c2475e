import type { Chain } from '@svc/wallet/core'
import { type Address, slice } from 'viem'
import type { Liquidity, Token, TokenDirectory } from '../../ports.ts'

/** A contract that holds a token: its deepest pool against the wrapped native token or else against a dollar token. */
export async function findHolder(
  ports: { readonly tokens: Pick<TokenDirectory, 'byAddress'>; readonly liquidity: Pick<Liquidity, 'findPools'> },
  chain: Chain,
  token: Token,
): Promise<Address | null> {
  const dollars = chain.tokens.filter((row) => row.usdPegged === true).map((row) => row.address)
  for (const address of [chain.wrappedNative.address, ...dollars]) {
    if (address === token.address) continue
    const [pool] = await ports.liquidity.findPools(chain, token, await ports.tokens.byAddress(chain, address))
    if (pool !== undefined) return pool.version === 'v4' ? (chain.amm.v4?.poolManager ?? null) : slice(pool.id, 0, 20)
  }
  return null
}
