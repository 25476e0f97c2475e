import { concat, encodeAbiParameters, numberToHex, parseAbiParameters, type Hex } from 'viem'

/**
 * Encodes the steps that v4's PositionManager (`modifyLiquidities`) and the universal router (`V4_SWAP`) run inside one
 * unlock of the pool manager: one byte per action beside the action's own parameters (Actions and CalldataDecoder of
 * v4-periphery).
 */
export function encodeActions(steps: readonly ActionStep[]): Hex {
  const actions = concat(steps.map(({ action }) => numberToHex(action, { size: 1 })))
  return encodeAbiParameters(parseAbiParameters('bytes actions, bytes[] params'), [
    actions,
    steps.map(({ data }) => data),
  ])
}

/** One action with its encoded parameters, as the functions of `v4Action` make them. */
export type ActionStep = { readonly action: number; readonly data: Hex }
