import { amountsForV2Burn, LpMathError } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { PairShare, Pool } from '../../ports.ts'
import { contractRead } from '../../rpc/contract-read.ts'
import { joinQueries, query, type Query } from '../../rpc/query.ts'
import { readQuery } from '../../rpc/read-query.ts'
import { erc20Abi } from '../../abis/tokens.ts'
import { v2FactoryAbi, v2PairAbi } from '../../abis/v2.ts'
import { requireDeployment } from '../planning/require-deployment.ts'
import type { ReadPorts } from '../read-ports.ts'
import { supplyWithFee } from './supply-with-fee.ts'

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
  const queries = joinQueries(pairs.map((pair) => shareQuery(factory, pair, owner)))
  return readQuery(ports.rpc.client(chain), chain, queries, first.blockNumber)
}

function shareQuery(factory: Address, pool: Pool, owner: Address): Query<PairShare | null> {
  const reads = [
    contractRead(pool.id, v2PairAbi, 'balanceOf', [owner]),
    contractRead(pool.id, v2PairAbi, 'totalSupply', []),
    contractRead(pool.id, v2PairAbi, 'kLast', []),
    contractRead(factory, v2FactoryAbi, 'feeTo', []),
    contractRead(pool.token0.address, erc20Abi, 'balanceOf', [pool.id]),
    contractRead(pool.token1.address, erc20Abi, 'balanceOf', [pool.id]),
  ] as const
  return query(reads, ([shares, totalSupply, kLast, feeTo, balance0, balance1]) => {
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
