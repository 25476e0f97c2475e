import {
  type Abi,
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { universalRouterAbi, v2RouterAbi, v3PositionManagerAbi, v3SwapRouter02Abi } from '@svc/amm/abis'
import { v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { ActionStep } from '../../../amm/src/liquidity/v4/v4-action.ts'
import type { PoolKey } from '@svc/amm/liquidity'
import type { Intent, IntentCall, TokenQuantity } from '@svc/amm'
import { laterDeadline } from '../../../engine/src/fixtures/intents.fixture.ts'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'

/** An intent as a tool that has turned hands it in: honest in form, with calldata of its own choice. */
export function craftedIntent(pipeline: Pipeline, calls: readonly Calldata[], sums: Sums): Intent {
  const { spends = [], receives = [] } = sums
  const [first] = calls
  const via = first?.via ?? 'erc20'
  const approved = spends.filter(({ token }) => token !== zeroAddress)
  return {
    chainId: pipeline.chain.id,
    calls: calls.map(({ to, data, valueWei = 0n }): IntentCall => ({ to, data, valueWei, label: 'swap' })),
    atomicity: calls.length > 1 ? 'sequential' : 'single',
    spends,
    receives,
    approvals: approved.map(({ token, amount }) => ({ token, amount, spender: first!.to, via, revokeAfter: true })),
    riskTier: 'routine',
    slippageBps: 50,
    deadline: Number(laterDeadline(0)),
    recipients: [pipeline.wallet],
    why: 'swap',
  }
}

export type Calldata = Pick<IntentCall, 'to' | 'data'> & {
  readonly valueWei?: bigint
  readonly via?: 'erc20' | 'permit2'
}

type Sums = {
  readonly spends?: readonly TokenQuantity[]
  readonly receives?: readonly TokenQuantity[]
}

export function sum(pipeline: Pipeline, symbol: string, amount: bigint): TokenQuantity {
  return { token: pipeline.token(symbol), amount }
}

/** SwapRouter02, several functions in one multicall. */
export function swapRouter(
  pipeline: Pipeline,
  steps: readonly Hex[],
  valueWei = 0n,
  deadline = laterDeadline(0),
): Calldata {
  const args = [deadline, steps] as const
  const data = encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'multicall', args })
  return { to: pipeline.chain.amm.v3!.swapRouter02, data, valueWei }
}

export function v3Step(functionName: string, args: readonly unknown[]): Hex {
  const abi: Abi = v3SwapRouter02Abi
  return encodeFunctionData({ abi, functionName, args })
}

export function v3Single(pipeline: Pipeline, swap: V3Single): Hex {
  const params = {
    tokenIn: pipeline.token(swap.tokenIn),
    tokenOut: pipeline.token(swap.tokenOut),
    fee: swap.fee ?? 500,
    recipient: swap.recipient ?? pipeline.wallet,
    amountIn: swap.amountIn,
    amountOutMinimum: swap.least,
    sqrtPriceLimitX96: 0n,
  }
  return v3Step('exactInputSingle', [params])
}

type V3Single = {
  readonly tokenIn: string
  readonly tokenOut: string
  readonly fee?: number
  readonly recipient?: Address
  readonly amountIn: bigint
  readonly least: bigint
}

/** Addresses and fees by turns; addresses by our handle. */
export function v3Path(pipeline: Pipeline, parts: readonly (string | number)[]): Hex {
  return v3PathOf(...parts.map((part) => (typeof part === 'number' ? part : pipeline.token(part))))
}

/** One function of the v2 router. */
export function v2Call(pipeline: Pipeline, functionName: string, args: readonly unknown[], valueWei = 0n): Calldata {
  const abi: Abi = v2RouterAbi
  return { to: pipeline.chain.amm.v2!.router, data: encodeFunctionData({ abi, functionName, args }), valueWei }
}

/** Functions of the v3 position manager in one multicall. */
export function positionManager(pipeline: Pipeline, steps: readonly Hex[], valueWei = 0n): Calldata {
  const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [steps] })
  return { to: pipeline.chain.amm.v3!.positionManager, data, valueWei }
}

export type Command = readonly [command: number, input: Hex]

/** Commands of the universal router; what is spent is pulled through Permit2. */
export function universal(pipeline: Pipeline, commands: readonly Command[], valueWei = 0n): Calldata {
  const bytes = concatHex(commands.map(([command]) => numberToHex(command, { size: 1 })))
  const args = [bytes, commands.map(([, input]) => input), laterDeadline(0)] as const
  const data = encodeFunctionData({ abi: universalRouterAbi, functionName: 'execute', args })
  return { to: pipeline.chain.amm.universalRouter!.address, data, valueWei, via: 'permit2' }
}

export const routerItself: Address = '0x0000000000000000000000000000000000000002'
export const callerItself: Address = '0x0000000000000000000000000000000000000001'
/** `CONTRACT_BALANCE` of the universal router. */
export const wholeBalance = 2n ** 255n

export const command = {
  v3In: (recipient: Address, amountIn: bigint, least: bigint, path: Hex, payerIsUser = true): Command => [
    0x00,
    encodeAbiParameters(parseAbiParameters('address, uint256, uint256, bytes, bool'), [
      recipient,
      amountIn,
      least,
      path,
      payerIsUser,
    ]),
  ],
  v2In: (recipient: Address, amountIn: bigint, least: bigint, path: readonly Address[]): Command => [
    0x08,
    encodeAbiParameters(parseAbiParameters('address, uint256, uint256, address[], bool'), [
      recipient,
      amountIn,
      least,
      path,
      true,
    ]),
  ],
  sweep: (token: Address, recipient: Address, least: bigint): Command => [
    0x04,
    encodeAbiParameters(parseAbiParameters('address, address, uint256'), [token, recipient, least]),
  ],
  wrap: (recipient: Address, amount: bigint): Command => [0x0b, recipientAndAmount(recipient, amount)],
  unwrap: (recipient: Address, least: bigint): Command => [0x0c, recipientAndAmount(recipient, least)],
  v4: (steps: Hex): Command => [0x10, steps],
} as const

/** v4 in the form of universal router 2.1.0: one pool. */
export function v4SingleSwap(key: PoolKey, zeroForOne: boolean, amountIn: bigint, least: bigint): ActionStep {
  const form = parseAbiParameters([
    'Single single',
    'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }',
    'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  ])
  const single = { poolKey: key, zeroForOne, amountIn, amountOutMinimum: least, hookData: '0x' } as const
  return { action: 0x06, data: encodeAbiParameters(form, [single]) }
}

/** Pays v4 all that the router holds of a token. */
export function settleFromRouter(token: Address): ActionStep {
  const data = encodeAbiParameters(parseAbiParameters('address, uint256, bool'), [token, wholeBalance, false])
  return { action: 0x0b, data }
}

/** A v4 pool without hooks, its currencies sorted. */
export function v4Key(
  one: Address,
  other: Address,
  fee: number,
  tickSpacing: number,
  hooks: Address = zeroAddress,
): PoolKey {
  const [currency0, currency1] = BigInt(one) < BigInt(other) ? [one, other] : [other, one]
  return { currency0, currency1, fee, tickSpacing, hooks }
}

function recipientAndAmount(recipient: Address, amount: bigint): Hex {
  return encodeAbiParameters(parseAbiParameters('address, uint256'), [recipient, amount])
}
