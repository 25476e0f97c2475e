import type { MarketPorts, Pool, TickRow, BlockTime, RpcPool, Token } from '../../ports.ts'
import { getAmountsForLiquidity, getSqrtPriceAtTick, MAX_TICK, MIN_TICK } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { slice, type Address } from 'viem'
import { erc20Abi } from '../../abis/tokens.ts'
import { contractRead } from '../../rpc/contract-function.ts'
import { readSurely, readAtHead, query, readQuery } from '../../rpc/query.ts'
import { unknownVersion } from '../../ports/pools.ts'
import { v3Tiers } from './read-pool.ts'
import { v2PairAddress, v3PoolAddress } from './pool-address.ts'
import { sortPair } from './pool-state.ts'

/**
 * What a pool holds, in smallest units and its own order: the reserves of a v2 pair, the token balances of a v3 pool
 * (uncollected fees included). All v4 pools share one contract, so there the amounts follow from the liquidity at each
 * price: exact within a factor of seven of the current price, beyond it as if the liquidity at the edge went on.
 */
export async function readPoolAmounts(
  ports: Pick<MarketPorts, 'rpc' | 'liquidity'>,
  chain: Chain,
  pool: Pool,
): Promise<PoolAmounts> {
  if (pool.version === 'v2') return { amount0: pool.reserve0 ?? 0n, amount1: pool.reserve1 ?? 0n }
  if (pool.version === 'v3') return readBalances(ports, chain, pool)
  if (pool.version !== 'v4') throw unknownVersion(pool.version)
  const lower = Math.max(MIN_TICK, pool.tick - ticksEachSide)
  const upper = Math.min(MAX_TICK, pool.tick + ticksEachSide)
  return amountsInTicks(pool, await ports.liquidity.ticks(chain, pool, lower, upper))
}

export type PoolAmounts = { readonly amount0: bigint; readonly amount1: bigint }

/** 1.0001^20000 is a little over 7. */
const ticksEachSide = 20_000

async function readBalances(ports: Pick<MarketPorts, 'rpc'>, chain: Chain, pool: Pool): Promise<PoolAmounts> {
  const client = ports.rpc.client(chain)
  const holder: Address = slice(pool.id, 0, 20)
  const balance = (token: Address) =>
    readSurely(client, contractRead(token, erc20Abi, 'balanceOf', [holder]), pool.blockNumber)
  const [amount0, amount1] = await Promise.all([balance(pool.token0.address), balance(pool.token1.address)])
  return { amount0, amount1 }
}

/**
 * What liquidity holds from one tick to another, at the price of the pool.
 *
 * @param rows every initialised tick between them, ascending
 */
export function amountsInTicks(
  pool: Pick<Pool, 'tick' | 'liquidity' | 'sqrtPriceX96'>,
  rows: readonly TickRow[],
  { from, to }: { readonly from: number; readonly to: number } = { from: MIN_TICK, to: MAX_TICK },
): PoolAmounts {
  const active = activeLiquidity(pool, rows)
  const first = rows[0]
  const belowFirst = first === undefined ? pool.liquidity : (active[0] ?? 0n) - first.liquidityNet
  const starts = [from, ...rows.map((row) => row.tick)]
  const liquidities = [belowFirst, ...active]
  let total = { amount0: 0n, amount1: 0n }
  for (const [index, start] of starts.entries()) {
    const liquidity = liquidities[index] ?? 0n
    const end = starts[index + 1] ?? to
    if (liquidity <= 0n || start >= end) continue
    const held = getAmountsForLiquidity(
      pool.sqrtPriceX96,
      getSqrtPriceAtTick(start),
      getSqrtPriceAtTick(end),
      liquidity,
      false,
    )
    total = { amount0: total.amount0 + held.amount0, amount1: total.amount1 + held.amount1 }
  }
  return total
}

/**
 * Liquidity in force from each initialised tick up to the next one, in the order of `rows`, which must be ascending and
 * without gaps around the current tick. Walks out from the pool's in-range liquidity by `liquidityNet` (v3 whitepaper 6.3).
 */
export function activeLiquidity(pool: Pick<Pool, 'tick' | 'liquidity'>, rows: readonly TickRow[]): readonly bigint[] {
  const firstAbove = rows.findIndex((row) => row.tick > pool.tick)
  const split = firstAbove === -1 ? rows.length : firstAbove
  let above = pool.liquidity
  const upper = rows.slice(split).map((row) => (above += row.liquidityNet))
  let below = pool.liquidity
  const lower = rows
    .slice(0, split)
    .reverse()
    .map((row) => {
      const active = below
      below -= row.liquidityNet
      return active
    })
  return [...lower.reverse(), ...upper]
}

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
