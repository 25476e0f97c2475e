import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint128,
  numberToHex,
  parseAbiParameters,
} from 'viem'
import type { Amounts } from '@svc/lp-math'
import { v4PositionManagerAbi } from '../../abis/v4.ts'
import type { PoolKey } from './pool-key.ts'
import { refuseField } from '../planning/refusals.ts'

/** The actions that plans are made of, each with the parameters its decoder expects. Amounts in smallest units. */
export const v4Action = {
  /** Adds liquidity to a position; the maximums bound the principal, fees left out. */
  increase: (tokenId: bigint, liquidity: bigint, most: Bounds): ActionStep => ({
    action: 0x00,
    data: encodeAbiParameters(modifyParameters, [tokenId, liquidity, most.amount0, most.amount1, '0x']),
  }),
  /** Takes liquidity out; the minimums bound the principal. With liquidity 0 it credits the fees alone. */
  decrease: (tokenId: bigint, liquidity: bigint, least: Bounds): ActionStep => ({
    action: 0x01,
    data: encodeAbiParameters(modifyParameters, [tokenId, liquidity, least.amount0, least.amount1, '0x']),
  }),
  mint: (mint: MintStep): ActionStep => ({
    action: 0x02,
    data: encodeAbiParameters(mintParameters, [
      mint.key,
      mint.tickLower,
      mint.tickUpper,
      mint.liquidity,
      mint.most.amount0,
      mint.most.amount1,
      mint.owner,
      '0x',
    ]),
  }),
  /** Pays both debts from the caller. */
  settlePair: (key: PoolKey): ActionStep => ({
    action: 0x0d,
    data: encodeAbiParameters(parseAbiParameters('address, address'), [key.currency0, key.currency1]),
  }),
  /** Pays out both credits. */
  takePair: (key: PoolKey, recipient: Address): ActionStep => ({
    action: 0x11,
    data: encodeAbiParameters(parseAbiParameters('address, address, address'), [
      key.currency0,
      key.currency1,
      recipient,
    ]),
  }),
  /** Pays the caller's debt or takes its credit, whichever stands. */
  close: (currency: Address): ActionStep => ({
    action: 0x12,
    data: encodeAbiParameters(parseAbiParameters('address'), [currency]),
  }),
  /** Gives back to the caller what the contract holds: the native value that was not needed. */
  sweepToCaller: (currency: Address): ActionStep => ({
    action: 0x14,
    data: encodeAbiParameters(parseAbiParameters('address, address'), [currency, callerAlias]),
  }),
  /** Pays the caller's whole debt in a currency, at most `most`. */
  settleAll: (currency: Address, most: bigint): ActionStep => ({
    action: 0x0c,
    data: encodeAbiParameters(parseAbiParameters('address, uint256'), [currency, most]),
  }),
  /** Pays in what the contract itself holds of a currency, before a swap takes it. */
  settleHeld: (currency: Address, amount: bigint): ActionStep => ({
    action: 0x0b,
    data: encodeAbiParameters(parseAbiParameters('address, uint256, bool'), [currency, amount, false]),
  }),
  /** Pays out the whole credit in a currency. */
  takeAllTo: (currency: Address, recipient: Address): ActionStep => take(currency, recipient, openDelta),
  /** Pays out so much of the credit in a currency. */
  takeTo: (currency: Address, recipient: Address, amount: bigint): ActionStep => take(currency, recipient, amount),
} as const

function take(currency: Address, recipient: Address, amount: bigint): ActionStep {
  const form = parseAbiParameters('address, address, uint256')
  return { action: 0x0e, data: encodeAbiParameters(form, [currency, recipient, amount]) }
}

export type Bounds = { readonly amount0: bigint; readonly amount1: bigint }

export type MintStep = {
  readonly key: PoolKey
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidity: bigint
  readonly most: Bounds
  readonly owner: Address
}

/** Refuses amounts that the calldata of v4 cannot hold, naming the larger of the two. Gives them back otherwise. */
export function requireUint128(
  amounts: Amounts,
  fields: { readonly amount0: string; readonly amount1: string },
): Amounts {
  if (amounts.amount0 <= maxUint128 && amounts.amount1 <= maxUint128) return amounts
  const field = amounts.amount0 > amounts.amount1 ? fields.amount0 : fields.amount1
  throw refuseField(field, 'The amount is larger than a v4 pool can hold.', 'an amount below 2^128 smallest units')
}

const modifyParameters = parseAbiParameters(
  'uint256 tokenId, uint256 liquidity, uint128 bound0, uint128 bound1, bytes hookData',
)

const mintParameters = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 most0, uint128 most1, address owner, bytes hookData',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

/** ActionConstants of v4-periphery: the account that called. */
export const callerAlias = '0x0000000000000000000000000000000000000001'
/** ActionConstants of v4-periphery: whatever is owed. */
const openDelta = 0n

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

/** Calldata of PositionManager's `modifyLiquidities` over the given actions. */
export function encodeModifyLiquidities(steps: readonly ActionStep[], deadline: number): Hex {
  return encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'modifyLiquidities',
    args: [encodeActions(steps), BigInt(deadline)],
  })
}
