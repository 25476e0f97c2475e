import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { erc20Abi } from '../../abis/tokens.ts'
import type { BlockTime, RpcPool, Token } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { readAtHead, query, readQuery } from '../../rpc/query.ts'
import { v3Tiers } from './find-pools-of-pairs.ts'
import { v2PairAddress, v3PoolAddress } from './pool-address.ts'
import { sortPair } from './pool-state.ts'

/**
 * Who holds most of a token among its pools against the wrapped native token and dollar tokens, and how much, at the newest block where none
 * is named. Where pools stand is known without asking; of v4 one contract holds all.
 *
 * @throws ToolError `RPC_*`
 */
export async function findHolder(
  { rpc }: { readonly rpc: Pick<RpcPool, 'client' | 'head' | 'seenHead'> },
  chain: Chain,
  token: Pick<Token, 'address'>,
  at?: BlockTime,
): Promise<Holder | null> {
  const candidates = candidatesOf(chain, token)
  const balances = query(
    candidates.map((holder) => contractRead(token.address, erc20Abi, 'balanceOf', [holder])),
    (found) => found,
  )
  const { head, result } =
    at === undefined
      ? await readAtHead(rpc, chain, balances)
      : { head: at, result: await readQuery(rpc.client(chain), chain, balances, at.number) }
  const held = candidates.map((address, index) => ({ address, units: result[index] ?? 0n, at: head }))
  const [most] = held.filter(({ units }) => units > 0n).toSorted((a, b) => (a.units > b.units ? -1 : 1))
  return most ?? null
}

export type Holder = { readonly address: Address; readonly units: bigint; readonly at: BlockTime }

function candidatesOf({ tokens, wrappedNative, amm: { v2, v3, v4 } }: Chain, token: Pick<Token, 'address'>) {
  const dollars = tokens.filter((row) => row.usdPegged === true)
  const quotes = new Map([wrappedNative, ...dollars].map((quote) => [quote.address, quote]))
  quotes.delete(token.address)
  const pairs = [...quotes.values()].map((quote) => sortPair(token, quote))
  return [
    ...(v2 ? pairs.map(([one, other]) => v2PairAddress(v2, one.address, other.address)) : []),
    ...(v3
      ? pairs.flatMap(([one, other]) => v3Tiers.map((fee) => v3PoolAddress(v3, one.address, other.address, fee)))
      : []),
    ...(v4 ? [v4.poolManager] : []),
  ]
}
