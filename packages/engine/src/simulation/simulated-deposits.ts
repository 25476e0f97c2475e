import {
  getLiquidityForAmounts,
  getSqrtPriceAtTick,
  LpMathError,
  sqrtPriceFromAmounts,
  unpackPositionInfo,
} from '@svc/lp-math'
import { BaseError, decodeFunctionResult, size, slice, zeroAddress } from 'viem'
import { v2PairAbi, v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import type { IntentDeposit } from '@svc/amm'
import type { CalledDeposit, DepositReads, Read } from '../calldata/pool-identity.ts'
import type { SimulatedResult } from './asset-changes.ts'

/** What a simulation shows of a deposit, as the chain answers and not as the intent says. */
export type SimulatedDeposit = {
  readonly declared: IntentDeposit
  /** The pool's sqrt price just before the transaction and just after it; `null` where it has none. */
  readonly priceBefore: bigint | null
  readonly priceAfter: bigint | null
  /** Pool and range of the position that grows; `null` for a mint, and where there is no such position. */
  readonly position: PositionFacts | null
  /** What v3 gives for the amounts at that price and v4 is given; `null` for shares of a pair, which arrive as a token. */
  readonly liquidity: bigint | null
}

export type PositionFacts = Pick<
  IntentDeposit,
  'token0' | 'token1' | 'fee' | 'tickSpacing' | 'hooks' | 'tickLower' | 'tickUpper'
>

/** What is asked before the transaction of a deposit; after it the price alone. */
export function readsBefore(reads: DepositReads): readonly Read[] {
  return reads.position === null ? [reads.price] : [reads.price, reads.position]
}

/** Reads the answers in the order in which {@link readsBefore} asks. */
export function simulatedDeposit(
  { declared }: CalledDeposit,
  [price, position]: readonly SimulatedResult[],
  after: SimulatedResult | undefined,
): SimulatedDeposit {
  const [priceBefore, priceAfter] = [priceOf(declared, price), priceOf(declared, after)]
  return {
    declared,
    priceBefore,
    priceAfter,
    position: positionOf(declared, position),
    liquidity: liquidityOf(declared, priceBefore ?? priceAfter),
  }
}

function priceOf({ version }: IntentDeposit, simulated: SimulatedResult | undefined): bigint | null {
  if (simulated === undefined || !simulated.ok || size(simulated.returnData) < 32) return null
  const data = simulated.returnData
  if (version !== 'v2') {
    // What both answer begins with it, whatever forks put behind.
    const sqrtPriceX96 = BigInt(slice(data, 0, 32))
    return sqrtPriceX96 === 0n ? null : sqrtPriceX96
  }
  return attempt(() => {
    const [amount0, amount1] = decodeFunctionResult({ abi: v2PairAbi, functionName: 'getReserves', data })
    return sqrtPriceFromAmounts({ amount0, amount1 })
  })
}

function positionOf(
  { version, tickSpacing }: IntentDeposit,
  simulated: SimulatedResult | undefined,
): SimulatedDeposit['position'] {
  if (simulated === undefined || !simulated.ok) return null
  const data = simulated.returnData
  return attempt(() => {
    if (version === 'v3') {
      const read = decodeFunctionResult({ abi: v3PositionManagerAbi, functionName: 'positions', data })
      const [, , token0, token1, fee, tickLower, tickUpper] = read
      return { token0, token1, fee, tickSpacing, hooks: null, tickLower, tickUpper }
    }
    const [key, info] = decodeFunctionResult({
      abi: v4PositionManagerAbi,
      functionName: 'getPoolAndPositionInfo',
      data,
    })
    const { tickLower, tickUpper } = unpackPositionInfo(info)
    const hooks = key.hooks === zeroAddress ? null : key.hooks
    const { currency0: token0, currency1: token1, fee } = key
    return { token0, token1, fee, tickSpacing: key.tickSpacing, hooks, tickLower, tickUpper }
  })
}

function liquidityOf(declared: IntentDeposit, sqrtPriceX96: bigint | null): bigint | null {
  const { version, tickLower, tickUpper, amount0, amount1, liquidity } = declared
  if (version === 'v4') return liquidity
  if (version === 'v2' || sqrtPriceX96 === null || tickLower === null || tickUpper === null) return null
  return attempt(() =>
    getLiquidityForAmounts(
      sqrtPriceX96,
      getSqrtPriceAtTick(tickLower),
      getSqrtPriceAtTick(tickUpper),
      amount0,
      amount1,
    ),
  )
}

/** `null` for what is no pool's answer. */
function attempt<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof LpMathError || error instanceof BaseError) return null
    throw error
  }
}
