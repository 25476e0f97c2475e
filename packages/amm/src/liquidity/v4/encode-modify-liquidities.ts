import { encodeFunctionData, type Hex } from 'viem'
import { v4PositionManagerAbi } from '../../abis/v4-position-manager.ts'
import { type ActionStep, encodeActions } from './encode-actions.ts'

/** Calldata of PositionManager's `modifyLiquidities` over the given actions. */
export function encodeModifyLiquidities(steps: readonly ActionStep[], deadline: number): Hex {
  return encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'modifyLiquidities',
    args: [encodeActions(steps), BigInt(deadline)],
  })
}
