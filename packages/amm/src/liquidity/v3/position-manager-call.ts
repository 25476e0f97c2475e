import { encodeFunctionData, type Address, type Hex } from 'viem'
import type { Intent } from '../../intent.ts'
import { v3PositionManagerAbi } from '../../abis/v3.ts'

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
