import {
  type Abi,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  type Hex,
  hexToBytes,
  parseAbiParameters,
} from 'viem'
import { universalRouterAbi } from '../adapters/liquidity/abis/universal-router.ts'
import { v2RouterAbi } from '../adapters/liquidity/abis/v2-router.ts'
import { v3PositionManagerAbi } from '../adapters/liquidity/abis/v3-position-manager.ts'
import { v3SwapRouter02Abi } from '../adapters/liquidity/abis/v3-swap-router02.ts'
import { v4PositionManagerAbi } from '../adapters/liquidity/abis/v4-position-manager.ts'
import { wrappedNativeAbi } from '../adapters/liquidity/abis/wrapped-native.ts'

/**
 * Reads what a call to one of the AMM's contracts is made of, through multicalls, v4 actions and router commands: every
 * address that would receive something, every deadline. Returns `null` for anything it does not know to
 * the last part; such a call is not signed. Recipients that mean the caller or the contract itself are left out.
 */
export function readCalldata(surface: Surface, target: Address, data: Hex): CalldataReading | null {
  try {
    const parts = readFunction(surfaces[surface], data, 0)
    const own = new Set([target.toLowerCase(), ...surfaces[surface].ownRecipients])
    return {
      deadlines: parts.deadlines,
      recipients: parts.recipients.filter((recipient) => !own.has(recipient.toLowerCase())),
    }
  } catch {
    return null
  }
}

/** The kinds of contracts whose calldata is read. */
export type Surface =
  | 'v2Router'
  | 'v3PositionManager'
  | 'v3SwapRouter02'
  | 'v4PositionManager'
  | 'universalRouter'
  | 'wrappedNative'

export type CalldataReading = {
  readonly recipients: readonly Address[]
  /** Unix seconds. */
  readonly deadlines: readonly bigint[]
}

/** The functions of a kind of contract, as they are read here. */
export function surfaceAbi(surface: Surface): Abi {
  return surfaces[surface].abi
}

type SurfaceRules = {
  readonly abi: Abi
  /** Addresses that stand for the caller or for the contract itself. */
  readonly ownRecipients: readonly string[]
}

const zero = '0x0000000000000000000000000000000000000000'
/** `MSG_SENDER` and `ADDRESS_THIS` of the newer routers. */
const stands = ['0x0000000000000000000000000000000000000001', '0x0000000000000000000000000000000000000002']

const surfaces: Readonly<Record<Surface, SurfaceRules>> = {
  v2Router: { abi: v2RouterAbi, ownRecipients: [] },
  v3PositionManager: { abi: v3PositionManagerAbi, ownRecipients: [zero] },
  v3SwapRouter02: { abi: v3SwapRouter02Abi, ownRecipients: stands },
  v4PositionManager: { abi: v4PositionManagerAbi, ownRecipients: stands },
  universalRouter: { abi: universalRouterAbi, ownRecipients: stands },
  wrappedNative: { abi: wrappedNativeAbi, ownRecipients: [] },
}

/** Actions of v4: parameters where one of them is a recipient, `null` where none is. */
const v4Actions = new Map<number, readonly AbiParameter[] | null>([
  [0x00, null], // increase liquidity
  [0x01, null], // decrease liquidity
  [
    0x02,
    parseAbiParameters([
      'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address recipient, bytes hookData',
      'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
    ]),
  ],
  [0x03, null], // burn
  [0x06, null], // swap exact in, single
  [0x07, null], // swap exact in
  [0x08, null], // swap exact out, single
  [0x09, null], // swap exact out
  [0x0b, null], // settle
  [0x0c, null], // settle all
  [0x0d, null], // settle pair
  [0x0e, parseAbiParameters('address currency, address recipient, uint256 amount')],
  [0x0f, null], // take all: to the caller
  [0x11, parseAbiParameters('address currency0, address currency1, address recipient')],
  [0x12, null], // close currency: with the caller
  [0x13, null], // clear or take: to the caller
  [0x14, parseAbiParameters('address currency, address recipient')],
  [0x15, null], // wrap
  [0x16, null], // unwrap
])

const v4Swap = parseAbiParameters('bytes actions, bytes[] params')

/** Commands of the universal router that are read. The flag that lets a command fail is not among them. */
const routerCommands = new Map<number, readonly AbiParameter[] | 'v4Actions'>([
  [0x00, parseAbiParameters('address recipient, uint256 amountIn, uint256 amountOutMin, bytes path, bool payerIsUser')],
  [0x04, parseAbiParameters('address token, address recipient, uint256 amountMin')],
  [
    0x08,
    parseAbiParameters('address recipient, uint256 amountIn, uint256 amountOutMin, address[] path, bool payerIsUser'),
  ],
  [0x0b, parseAbiParameters('address recipient, uint256 amount')],
  [0x0c, parseAbiParameters('address recipient, uint256 amountMin')],
  [0x10, 'v4Actions'],
])

const deepestNesting = 3

function readFunction(rules: SurfaceRules, data: Hex, depth: number): CalldataReading {
  if (depth > deepestNesting) throw new RangeError('nested too deeply')
  const { functionName, args = [] } = decodeFunctionData({ abi: rules.abi, data })
  const definition = rules.abi.find((item) => item.type === 'function' && item.name === functionName)
  // An overload cannot be told by name alone, and a view function has no business in a transaction.
  if (definition?.type !== 'function' || definition.inputs.length !== args.length) throw new TypeError('ambiguous')
  if (definition.stateMutability === 'view' || definition.stateMutability === 'pure') throw new TypeError('view')
  const own = readParameters(definition.inputs, args)
  return join([own, ...innerParts(rules, functionName, args, depth)])
}

function innerParts(
  rules: SurfaceRules,
  name: string,
  args: readonly unknown[],
  depth: number,
): readonly CalldataReading[] {
  if (name === 'multicall')
    return args.filter(isHexList).flatMap((calls) => calls.map((call) => readFunction(rules, call, depth + 1)))
  if (name === 'modifyLiquidities') return [readV4Actions(requireHex(args[0]))]
  if (name === 'execute') return readRouterCommands(requireHex(args[0]), requireHexList(args[1]))
  return []
}

function readV4Actions(unlockData: Hex): CalldataReading {
  const [actions, params] = decodeAbiParameters(v4Swap, unlockData)
  const bytes = hexToBytes(actions)
  if (bytes.length !== params.length) throw new RangeError('actions and parameters differ in number')
  return join(
    [...bytes].map((action, index) => {
      const parameters = v4Actions.get(action)
      if (parameters === undefined) throw new RangeError('unknown action')
      if (parameters === null) return readParameters([], [])
      return readParameters(parameters, decodeAbiParameters(parameters, requireHex(params[index])))
    }),
  )
}

function readRouterCommands(commands: Hex, inputs: readonly Hex[]): readonly CalldataReading[] {
  const bytes = hexToBytes(commands)
  if (bytes.length !== inputs.length) throw new RangeError('commands and inputs differ in number')
  return [...bytes].map((command, index) => {
    const parameters = routerCommands.get(command)
    if (parameters === undefined) throw new RangeError('unknown command')
    const input = requireHex(inputs[index])
    if (parameters === 'v4Actions') return readV4Actions(input)
    return readParameters(parameters, decodeAbiParameters(parameters, input))
  })
}

/** Picks the values of parameters named as a recipient or a deadline, at any depth of tuples. */
function readParameters(parameters: readonly AbiParameter[], values: readonly unknown[]): CalldataReading {
  const parts = parameters.map((parameter, index): CalldataReading => {
    const value = values[index]
    const isRecipient = parameter.type === 'address' && (parameter.name === 'recipient' || parameter.name === 'to')
    const isDeadline = parameter.name === 'deadline' && typeof value === 'bigint'
    if (parameter.type === 'tuple' && 'components' in parameter && isRecord(value)) {
      const members = parameter.components.map((component) => value[component.name ?? ''])
      return readParameters(parameter.components, members)
    }
    return { recipients: isRecipient ? [requireHex(value)] : [], deadlines: isDeadline ? [value] : [] }
  })
  return join(parts)
}

function join(parts: readonly CalldataReading[]): CalldataReading {
  return {
    recipients: parts.flatMap((part) => part.recipients),
    deadlines: parts.flatMap((part) => part.deadlines),
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHexList(value: unknown): value is readonly Hex[] {
  return Array.isArray(value)
}

function requireHexList(value: unknown): readonly Hex[] {
  if (!isHexList(value)) throw new TypeError('not a list')
  return value
}

function requireHex(value: unknown): Hex {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new TypeError('not bytes')
  return value as Hex
}
