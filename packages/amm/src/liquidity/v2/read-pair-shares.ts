import { amountsForV2Burn, LpMathError, v2ProtocolFeeLiquidity } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Address, zeroAddress } from 'viem'
import type { Alongside, BlockTime, PairShare, Pool, Token, ReadPorts } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { joinQueries, knownQuery, mapQuery, query, type Query, readQuery } from '../../rpc/query.ts'
import { erc20Abi } from '../../abis/tokens.ts'
import { v2FactoryAbi, v2PairAbi } from '../../abis/v2.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { poolOf, v2PairQuery } from '../pools/pool-state.ts'

/**
 * What an owner holds of v2 pairs that were just read, at the pairs' block; `null` where nothing. Amounts are what a burn would
 * pay out, to the unit: a share of what the pair really holds, the protocol's part of the growth taken out.
 *
 * @throws ToolError `VERSION_NOT_DEPLOYED`, `RPC_*`
 */
export async function readPairShares(
  ports: ReadPorts,
  chain: Chain,
  pairs: readonly Pool[],
  owner: Address,
): Promise<readonly (PairShare | null)[]> {
  const [first] = pairs
  if (first === undefined) return []
  const { factory } = requireDeployment(chain, 'v2')
  const asked = joinQueries(
    pairs.map((pool) => mapQuery(shareQuery(factory, placeOf(pool), owner), (shareOf) => shareOf(pool))),
  )
  return readQuery(ports.rpc.client(chain), chain, asked, first.blockNumber)
}

/**
 * The same of pairs that are still to be read, at a block; those that hold nothing are left out.
 *
 * @throws as `readPairShares` does.
 */
export async function readSharesOf(
  ports: ReadPorts,
  chain: Chain,
  pairs: readonly PairTokens[],
  {
    owner,
    at,
    alongside,
  }: { readonly owner: Address; readonly at: BlockTime; readonly alongside?: Alongside | undefined },
): Promise<readonly PairShare[]> {
  if (pairs.length === 0) return []
  const { factory } = requireDeployment(chain, 'v2')
  const queries = pairs.map(({ pair, tokens }) => {
    alongside?.(tokens, at)
    const [{ address: token0 }, { address: token1 }] = tokens
    const state = v2PairQuery(pair, knownQuery({ token0, token1 }))
    return mapQuery(joinQueries([state, shareQuery(factory, { pair, tokens }, owner)] as const), ([found, shareOf]) =>
      found === null ? null : shareOf(poolOf(found, tokens, at.number)),
    )
  })
  const shares = await readQuery(ports.rpc.client(chain), chain, joinQueries(queries), at.number)
  return shares.filter((share) => share !== null)
}

/** Where a pair of tokens stands, these in its order. */
export type PairTokens = { readonly pair: Address; readonly tokens: readonly [Token, Token] }

function placeOf({ id, token0, token1 }: Pool): PairTokens {
  return { pair: id, tokens: [token0, token1] }
}

/**
 * The shares that a mint or burn of this moment counts with: all that there are, and those that the pair mints to the receiver of
 * the protocol's fee first, where its factory names one. Between two mints or burns they are a sixth of what trades and gifts added,
 * so a share is worth less than the part of the supply that it is. Source: UniswapV2Pair `_mintFee`.
 */
export function supplyWithFee({ reserve0, reserve1, totalSupply, kLast }: PairCounts, feeTo: Address): bigint {
  return feeTo === zeroAddress
    ? totalSupply
    : totalSupply + v2ProtocolFeeLiquidity(reserve0, reserve1, kLast, totalSupply)
}

function shareQuery(
  factory: Address,
  { pair, tokens: [token0, token1] }: PairTokens,
  owner: Address,
): Query<(pool: Pool) => PairShare | null> {
  const reads = [
    contractRead(pair, v2PairAbi, 'balanceOf', [owner]),
    contractRead(pair, v2PairAbi, 'totalSupply', []),
    contractRead(pair, v2PairAbi, 'kLast', []),
    contractRead(factory, v2FactoryAbi, 'feeTo', []),
    contractRead(token0.address, erc20Abi, 'balanceOf', [pair]),
    contractRead(token1.address, erc20Abi, 'balanceOf', [pair]),
  ] as const
  return query(reads, ([shares, totalSupply, kLast, feeTo, balance0, balance1]) => (pool) => {
    if (shares === null || totalSupply === null || kLast === null) return null
    if (feeTo === null || balance0 === null || balance1 === null || shares === 0n) return null
    const reserves = { reserve0: pool.reserve0 ?? 0n, reserve1: pool.reserve1 ?? 0n }
    const burnSupply = supplyWithFee({ ...reserves, totalSupply, kLast }, feeTo)
    const amounts = burnAmounts(shares, balance0, balance1, burnSupply)
    return { version: 'v2', positionId: pool.id, owner, pool, shares, burnSupply, ...amounts }
  })
}

/** Shares too small to burn are worth nothing. */
function burnAmounts(shares: bigint, balance0: bigint, balance1: bigint, totalSupply: bigint) {
  try {
    return amountsForV2Burn(shares, balance0, balance1, totalSupply)
  } catch (error) {
    if (error instanceof LpMathError) return { amount0: 0n, amount1: 0n }
    throw error
  }
}

/** What a pair answers; `kLast` is the product of its reserves after the last mint or burn, 0 without a fee. */
type PairCounts = {
  readonly reserve0: bigint
  readonly reserve1: bigint
  readonly totalSupply: bigint
  readonly kLast: bigint
}
