import {
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  type Log,
  toEventSelector,
} from 'viem'
import { v3PositionManagerAbi } from '../../abis/v3.ts'
import type { Intent, IntentCall, Settled } from '../../intent.ts'

/** Calls of the position manager as one `multicall` of it, those that are such themselves taken apart. */
export function mergePositionManagerCalls(manager: Address, calls: readonly IntentCall[]): IntentCall {
  const args = [calls.flatMap(({ data }) => functionsIn(data))] as const
  const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args })
  return { to: manager, data, valueWei: 0n, label: `${calls.length} operations` }
}

/** One call to NonfungiblePositionManager: the step itself, or its `multicall` around several. */
export function positionManagerCall(
  positionManager: Address,
  steps: readonly Hex[],
  valueWei: bigint,
  label: string,
): Pick<Intent, 'calls' | 'atomicity'> {
  const [only, ...more] = steps
  const isSingle = only !== undefined && more.length === 0
  const data = isSingle
    ? only
    : encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [steps] })
  return { calls: [{ to: positionManager, data, valueWei, label }], atomicity: isSingle ? 'single' : 'multicall' }
}

/**
 * What such a call did, by the calls it was made of: the manager writes one log of its own at the end of each function that changes a
 * position, so every log up to it belongs to that function.
 */
export function settledByManager(settled: Settled, manager: Address, calls: readonly IntentCall[]): readonly Settled[] {
  const { main } = settled
  const parts: Log[][] = calls.map(() => [])
  const ends = calls.map(({ data }) => functionsIn(data).filter((one) => ending.has(functionNameOf(one))).length)
  let [part, seen] = [0, 0]
  for (const log of main.logs) {
    parts[part]?.push(log)
    if (!isAddressEqual(log.address, manager) || !endOf.has(log.topics[0] ?? '0x')) continue
    seen += 1
    if (seen < (ends[part] ?? 0)) continue
    part += 1
    seen = 0
  }
  return parts.map((logs) => partOf(settled, logs))
}

function partOf(settled: Settled, logs: readonly Log[]): Settled {
  const main = { ...settled.main, logs }
  return { ...settled, main, calls: [main], transactions: [main] }
}

const ending: ReadonlySet<string> = new Set(['mint', 'increaseLiquidity', 'decreaseLiquidity', 'collect'])

const endOf: ReadonlySet<Hex> = new Set(
  [
    'IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
    'DecreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
    'Collect(uint256 indexed tokenId, address recipient, uint256 amount0, uint256 amount1)',
  ].map((signature) => toEventSelector(signature)),
)

function functionsIn(data: Hex): readonly Hex[] {
  const { functionName, args } = decodeFunctionData({ abi: v3PositionManagerAbi, data })
  return functionName === 'multicall' ? args[0].flatMap(functionsIn) : [data]
}

function functionNameOf(data: Hex): string {
  return decodeFunctionData({ abi: v3PositionManagerAbi, data }).functionName
}
