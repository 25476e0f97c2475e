import { type Address, encodePacked, keccak256, type PublicClient } from 'viem'
import { v3PoolAbi } from '../amm-abis.fixture.ts'
import type { PoolState, PositionState, TickState } from './pool-state.ts'

const multicallAddress = '0xcA11bde05977b3631167028862bE2a173976CA11'

/**
 * A v3 pool's state as its contract stores it: all that the given state has, and besides the `touched` ticks, which have no record in the
 * contract if they are not in the result.
 */
export async function readPoolState(
  client: Pick<PublicClient, 'multicall' | 'readContract'>,
  address: Address,
  like: PoolState,
  touched: ReadonlySet<number>,
): Promise<PoolState> {
  const pool = { address, abi: v3PoolAbi } as const
  const many = { multicallAddress, allowFailure: false, batchSize: 100_000 } as const
  const [slot0, liquidity, growth0, growth1, protocolFees] = await client.multicall({
    ...many,
    contracts: [
      { ...pool, functionName: 'slot0' },
      { ...pool, functionName: 'liquidity' },
      { ...pool, functionName: 'feeGrowthGlobal0X128' },
      { ...pool, functionName: 'feeGrowthGlobal1X128' },
      { ...pool, functionName: 'protocolFees' },
    ],
  })
  const tickList = [...touched].sort((a, b) => a - b)
  const tickReads = tickList.map((tick) => ({ ...pool, functionName: 'ticks', args: [tick] }) as const)
  const keys = [...like.positions.keys()]
  const positionReads = keys.map((key) => ({ ...pool, functionName: 'positions', args: [storageKey(key)] }) as const)
  const records = Array.from({ length: slot0[4] }, (_, index) => BigInt(index))
  const observationReads = records.map(
    (index) => ({ address, abi: v3PoolAbi, functionName: 'observations', args: [index] }) as const,
  )
  const [ticks, positions, observations] = await Promise.all([
    client.multicall({ ...many, contracts: tickReads }),
    client.multicall({ ...many, contracts: positionReads }),
    client.multicall({ ...many, contracts: observationReads }),
  ])
  const read = tickList.map((tick, index) => toTick(tick, ticks[index]!))
  return {
    feePips: like.feePips,
    tickSpacing: like.tickSpacing,
    sqrtPriceX96: slot0[0],
    tick: slot0[1],
    liquidity,
    feeGrowthGlobal0X128: growth0,
    feeGrowthGlobal1X128: growth1,
    protocolFees0: protocolFees[0],
    protocolFees1: protocolFees[1],
    feeProtocol: slot0[5],
    observationIndex: slot0[2],
    observationCardinality: slot0[3],
    observationCardinalityNext: slot0[4],
    observations: observations.map(
      ([blockTimestamp, tickCumulative, secondsPerLiquidityCumulativeX128, initialized]) => ({
        blockTimestamp,
        tickCumulative,
        secondsPerLiquidityCumulativeX128,
        initialized,
      }),
    ),
    ticks: read.filter((tick) => tick !== null),
    positions: new Map(keys.map((key, index) => [key, toPosition(positions[index]!)])),
  }
}

/** The words of the bitmap that hold these ticks, as the contract stores them and as they follow from a state. */
export async function readBitmap(
  client: Pick<PublicClient, 'multicall'>,
  address: Address,
  { ticks, tickSpacing }: PoolState,
  touched: ReadonlySet<number>,
): Promise<{ stored: readonly bigint[]; implied: readonly bigint[] }> {
  const words = [...new Set([...touched].map((tick) => (tick / tickSpacing) >> 8))]
  const implied = new Map(words.map((word) => [word, 0n]))
  for (const { tick } of ticks) {
    const place = tick / tickSpacing
    implied.set(place >> 8, (implied.get(place >> 8) ?? 0n) | (1n << BigInt(place & 255)))
  }
  const read = { address, abi: v3PoolAbi, functionName: 'tickBitmap' } as const
  const contracts = words.map((word) => ({ ...read, args: [word] }) as const)
  const stored = await client.multicall({ multicallAddress, allowFailure: false, contracts })
  return { stored, implied: words.map((word) => implied.get(word)!) }
}

function storageKey(key: string): `0x${string}` {
  const [owner, lower, upper] = key.split(':')
  return keccak256(encodePacked(['address', 'int24', 'int24'], [owner as Address, Number(lower), Number(upper)]))
}

type TickRecord = readonly [bigint, bigint, bigint, bigint, bigint, bigint, number, boolean]

/** Null where the whole record is zero. */
function toTick(tick: number, record: TickRecord): TickState | null {
  if (record.every((value) => !value)) return null
  const [liquidityGross, liquidityNet, growth0, growth1, tickCumulativeOutside, perLiquidity, secondsOutside, bit] =
    record
  if (!bit) throw new Error(`The contract keeps a record of tick ${tick}, which is not initialised`)
  return {
    tick,
    liquidityGross,
    liquidityNet,
    feeGrowthOutside0X128: growth0,
    feeGrowthOutside1X128: growth1,
    tickCumulativeOutside,
    secondsPerLiquidityOutsideX128: perLiquidity,
    secondsOutside,
  }
}

function toPosition(record: readonly [bigint, bigint, bigint, bigint, bigint]): PositionState {
  const [liquidity, feeGrowthInside0LastX128, feeGrowthInside1LastX128, tokensOwed0, tokensOwed1] = record
  return { liquidity, feeGrowthInside0LastX128, feeGrowthInside1LastX128, tokensOwed0, tokensOwed1 }
}
