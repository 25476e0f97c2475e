import { ToolError } from '../tool-error.ts'
import type { Chain } from '@svc/wallet/core'
import type { Alongside, Liquidity, PairShare, Pool, Position, TickRow, ReadPorts } from '../ports.ts'
import { requireDeployment } from './planning/refusals.ts'
import { readV3Positions } from './v3/read-positions.ts'
import { readV4Positions } from './v4/read-positions.ts'
import type { Address } from 'viem'
import { collectedIn, collectRefusals } from './plan-collect-all.ts'
import { readPool, readPoolAtHead, findPoolsAtHead } from './pools/read-pool.ts'
import { readPairShares } from './v2/read-pair-shares.ts'
import { withBareTokens } from '../tokens/read-token.ts'
import { createSharedReads } from '../create-shared-reads.ts'
import {
  createPositionMemory,
  type PositionMemory,
  readPositionsAgain,
  positionsByOwner,
} from './positions/read-positions.ts'
import { quote } from './quotes/quote.ts'
import { createBlockTimes } from './swaps/block-at.ts'
import { readSwaps } from './swaps/read-swaps.ts'
import { createTickMemory, readTicks } from './ticks/read-ticks.ts'
import { createEventMemory, readV3PositionEvents } from './v3/read-position-events.ts'
import { readV4PositionEvents } from './v4/read-position-events.ts'

/** The reading members of `Liquidity`. */
export type LiquidityReads = Omit<Liquidity, `plan${string}`>

/** Reads of pools, positions and quotes straight from the AMM contracts. Every answer is of one block. */
export function createLiquidityReads(ports: ReadPorts): LiquidityReads {
  const held = withBareTokens(ports)
  const [blockTimes, tickMemory, positionMemory] = [createBlockTimes(), createTickMemory(), createPositionMemory()]
  const eventMemory = createEventMemory()
  const [sharedPools, sharedTicks] = [createSharedReads<readonly Pool[]>(), createSharedReads<readonly TickRow[]>()]
  const swaps: LiquidityReads['swaps'] = (chain, pool, ...period) =>
    readSwaps(ports, blockTimes, chain, pool, ...period)
  const position: LiquidityReads['position'] = (...asked) => readPosition(held, positionMemory, ...asked)
  return {
    async findPools(chain, tokenA, tokenB, versions = ['v2', 'v3', 'v4']) {
      // Who is at one block has to be answered at that.
      const name = [chain.id, ports.rpc.nameOfView?.(chain), tokenA.address, tokenB.address, ...versions].join()
      return sharedPools.read(name, async () => {
        const { pools } = await findPoolsAtHead(ports, chain, [{ tokens: [tokenA, tokenB], versions }])
        return pools[0] ?? []
      })
    },
    pool: (chain, reference) => readPool(ports, chain, reference),
    ticks(chain, pool, tickLower, tickUpper) {
      const name = [chain.id, ports.rpc.nameOfView?.(chain), pool.blockNumber, pool.id, tickLower, tickUpper].join()
      return sharedTicks.read(name, () => readTicks(ports, chain, pool, tickLower, tickUpper, tickMemory))
    },
    swaps,
    position,
    positions: (chain, asked) => readPositionsAgain(held, chain, asked),
    async positionEvents(chain, position, alongside) {
      const underway =
        'reading' in position
          ? position
          : { ...position, blockNumber: position.pool.blockNumber, reading: Promise.resolve(position) }
      const read = {
        v3: () => readV3PositionEvents(ports, chain, underway, { alongside, memory: eventMemory }),
        v4: () => readV4PositionEvents({ ...ports, swaps }, chain, underway, alongside),
      }
      return read[underway.version]()
    },
    pairShare: (chain, pair, owner, alongside) => readPairShare(held, chain, pair, owner, alongside),
    positionsByOwner: (chain, owner, versions, alongside) =>
      positionsByOwner(held, chain, owner, { versions, alongside, memory: positionMemory }),
    quote: (chain, request) => quote(ports, chain, request),
    collectRefusals: (chain, positions, deadline) => collectRefusals(ports, chain, positions, deadline),
    collectedIn: (chain, mined) => collectedIn({ ...ports, position }, chain, mined),
  }
}

/** @throws ToolError `POOL_NOT_FOUND`, `POSITION_NOT_FOUND` where the owner holds nothing, `VERSION_NOT_DEPLOYED`, `RPC_*` */
async function readPairShare(
  ports: ReadPorts,
  chain: Chain,
  pair: Address,
  owner: Address,
  alongside?: Alongside,
): Promise<PairShare> {
  const { pool, head } = await readPoolAtHead(ports, chain, { version: 'v2', id: pair })
  alongside?.([pool.token0, pool.token1], head)
  const [share] = await readPairShares(ports, chain, [pool], owner)
  if (share) return share
  throw new ToolError('POSITION_NOT_FOUND', 'The owner holds no share of this pair.', {
    details: [{ field: 'positionId', message: 'no share of this pair' }],
  })
}

/** @throws ToolError `POSITION_NOT_FOUND`, `VALIDATION_FAILED`, `VERSION_NOT_DEPLOYED`, `RPC_*` */
async function readPosition(
  ports: ReadPorts,
  memory: PositionMemory,
  ...[chain, version, positionId, reading = {}]: Parameters<LiquidityReads['position']>
): Promise<Position> {
  const id = parsePositionId(positionId)
  requireDeployment(chain, version)
  const read = { v3: readV3Positions, v4: readV4Positions }[version]
  const { alongside, before = memory.position(chain, version, String(id)) } = reading
  const [position] = await read(ports, chain, [id], { alongside, before: () => before })
  if (position) {
    memory.keepPosition(chain, position)
    return position
  }
  throw new ToolError(
    'POSITION_NOT_FOUND',
    `No ${version} position with this id stands on ${chain.name}; one that was burnt, as migrate_position does, cannot be read any more.`,
    {
      details: [
        { field: 'positionId', message: 'unknown position', accepted: 'an id as get_positions_by_owner shows it' },
      ],
    },
  )
}

/** The id of a v3 or v4 position as a number. @throws ToolError `VALIDATION_FAILED` for anything but plain decimal digits. */
export function parsePositionId(text: string, field = 'positionId'): bigint {
  const id = /^(0|[1-9]\d{0,77})$/.test(text) ? BigInt(text) : null
  if (id !== null && id < 2n ** 256n) return id
  throw new ToolError('VALIDATION_FAILED', `${field} is no position id.`, {
    details: [{ field, message: 'not a position id', accepted: 'the decimal token id of the position' }],
  })
}
