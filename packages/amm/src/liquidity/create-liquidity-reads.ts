import type { Liquidity, Pool, TickRow } from '../ports.ts'
import { withBareTokens } from '../tokens/with-bare-tokens.ts'
import { createSharedReads } from '../create-shared-reads.ts'
import { findPoolsOfPairs } from './pools/find-pools-of-pairs.ts'
import { readPool } from './pools/read-pool.ts'
import { positionsByOwner } from './positions/positions-by-owner.ts'
import { readPairShare } from './positions/read-pair-share.ts'
import { readPosition } from './positions/read-position.ts'
import { quote } from './quotes/quote.ts'
import type { ReadPorts } from './read-ports.ts'
import { createBlockTimes } from './swaps/block-times.ts'
import { readSwaps } from './swaps/read-swaps.ts'
import { readTicks } from './ticks/read-ticks.ts'
import { readV3PositionEvents } from './v3/read-position-events.ts'
import { readV4PositionEvents } from './v4/read-position-events.ts'

/** The reading members of `Liquidity`. */
export type LiquidityReads = Omit<Liquidity, `plan${string}`>

/** Reads of pools, positions and quotes straight from the AMM contracts. Every answer is of one block. */
export function createLiquidityReads(ports: ReadPorts): LiquidityReads {
  const held = withBareTokens(ports)
  const blockTimes = createBlockTimes()
  const [sharedPools, sharedTicks] = [createSharedReads<readonly Pool[]>(), createSharedReads<readonly TickRow[]>()]
  const swaps: LiquidityReads['swaps'] = (chain, pool, ...period) =>
    readSwaps(ports, blockTimes, chain, pool, ...period)
  return {
    async findPools(chain, tokenA, tokenB, versions = ['v2', 'v3', 'v4']) {
      const { number } = await ports.rpc.head(chain)
      const name = [chain.id, number, tokenA.address, tokenB.address, ...versions].join()
      return sharedPools.read(name, async () => {
        const [pools = []] = await findPoolsOfPairs(ports, chain, [{ tokens: [tokenA, tokenB], versions }], number)
        return pools
      })
    },
    pool: (chain, reference) => readPool(ports, chain, reference),
    ticks(chain, pool, tickLower, tickUpper) {
      const name = [chain.id, pool.blockNumber, pool.id, tickLower, tickUpper].join()
      return sharedTicks.read(name, () => readTicks(ports, chain, pool, tickLower, tickUpper))
    },
    swaps,
    position: (chain, version, positionId) => readPosition(held, chain, version, positionId),
    positionEvents: (chain, position) =>
      position.version === 'v3'
        ? readV3PositionEvents(ports, chain, position)
        : readV4PositionEvents({ ...ports, swaps }, chain, position),
    pairShare: (chain, pair, owner) => readPairShare(held, chain, pair, owner),
    positionsByOwner: (chain, owner, versions) => positionsByOwner(held, chain, owner, versions),
    quote: (chain, request) => quote(ports, chain, request),
  }
}
