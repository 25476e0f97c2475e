import { isRecord } from '@svc/runtime'
import type { RegistryForm } from '@svc/wallet/core'
import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  isAddress,
  isAddressEqual,
  parseAbiParameters,
} from 'viem'
import {
  rewardDistributorAbi,
  twammOrderAbi,
  universalRouterAbi,
  v2RouterAbi,
  v3PositionManagerAbi,
  v3SwapRouter02Abi,
  v4PositionManagerAbi,
  wrappedNativeAbi,
} from '@svc/amm/abis'
import { handleRegistryAbi, identityRegistryAbi } from './identity-registries.ts'
import { type CalldataDeposit, callDeposits } from './call-deposits.ts'
import { type CalldataPart, callRecipients, type Surface } from './call-recipients.ts'

/**
 * Reads what a call to one of the AMM's contracts is made of, through multicalls, v4 actions and router commands: every
 * address that would receive something, every deadline, every position it names, every deposit it makes. Returns `null`
 * for anything it does not know to the last part; such a call is not signed. What means the caller is left out. The contract itself is a recipient
 * like any other, for what it keeps anybody can take, unless the same call pays that out again.
 */
export function readCalldata(
  surface: Surface,
  target: Address,
  data: Hex,
  wrappedNative: Address,
): CalldataReading | null {
  try {
    const parts = readFunction(surfaces[surface], data, 0)
    if (surface === 'twammHook') requireOwnOrders(target, parts)
    return {
      deadlines: parts.flatMap(({ values }) => (typeof values['deadline'] === 'bigint' ? [values['deadline']] : [])),
      recipients: callRecipients(surface, target, parts, wrappedNative),
      positionIds: parts.flatMap(({ values }) => (typeof values['tokenId'] === 'bigint' ? [values['tokenId']] : [])),
      removesLiquidity: parts.some(removesLiquidity),
      deposits: callDeposits(parts, wrappedNative),
    }
  } catch {
    return null
  }
}

/** How each form of an identity registry is called here. */
export const registrySurfaces = {
  'erc8004-v1': 'identityRegistry',
  'handle-v0': 'handleRegistry',
} as const satisfies Record<RegistryForm, Surface>

export type CalldataReading = {
  readonly recipients: readonly Address[]
  /** Unix seconds. */
  readonly deadlines: readonly bigint[]
  /** Positions of the called position manager that it changes. */
  readonly positionIds: readonly bigint[]
  readonly removesLiquidity: boolean
  /** In the order in which they are made. */
  readonly deposits: readonly CalldataDeposit[]
}

/** The functions of a kind of contract, as they are read here. */
export function surfaceAbi(surface: Surface): Abi {
  return surfaces[surface].abi
}

type SurfaceRules = { readonly abi: Abi }

const surfaces: Readonly<Record<Surface, SurfaceRules>> = {
  v2Router: { abi: v2RouterAbi },
  v3PositionManager: { abi: v3PositionManagerAbi },
  v3SwapRouter02: { abi: v3SwapRouter02Abi },
  v4PositionManager: { abi: v4PositionManagerAbi },
  universalRouter: { abi: universalRouterAbi },
  wrappedNative: { abi: wrappedNativeAbi },
  twammHook: { abi: twammOrderAbi },
  identityRegistry: { abi: identityRegistryAbi },
  handleRegistry: { abi: handleRegistryAbi },
  rewardDistributor: { abi: rewardDistributorAbi },
}

const increasesPosition = parseAbiParameters(
  'uint256 tokenId, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, bytes hookData',
)
const decreasesPosition = parseAbiParameters('uint256 tokenId, uint256 liquidity')
const mintsPosition = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address recipient, bytes hookData',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

/**
 * Actions of v4: parameters where one of them matters here, `null` where none does. Clear-or-take is not among them: it
 * may leave what is owed to the caller behind.
 */
const v4Actions = new Map<number, readonly AbiParameter[] | null>([
  [0x00, increasesPosition],
  [0x01, decreasesPosition],
  [0x02, mintsPosition],
  [0x03, parseAbiParameters('uint256 tokenId')], // burn
  [0x06, null], // swap exact in, single
  [0x07, null], // swap exact in
  [0x08, null], // swap exact out, single
  [0x09, null], // swap exact out
  [0x0b, parseAbiParameters('address currency, uint256 amount, bool payerIsUser')], // settle
  [0x0c, null], // settle all
  [0x0d, null], // settle pair
  [0x0e, parseAbiParameters('address currency, address recipient, uint256 amount')],
  [0x0f, null], // take all: to the caller
  [0x11, parseAbiParameters('address currency0, address currency1, address recipient')],
  [0x12, null], // close currency: with the caller
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

function readFunction(rules: SurfaceRules, data: Hex, depth: number): readonly CalldataPart[] {
  if (depth > deepestNesting) throw new RangeError('nested too deeply')
  const { functionName, args = [] } = decodeFunctionData({ abi: rules.abi, data })
  requireSame(encodeFunctionData({ abi: rules.abi, functionName, args }), data)
  const fitting = rules.abi.filter(
    (item): item is AbiFunction =>
      item.type === 'function' && item.name === functionName && item.inputs.length === args.length,
  )
  const [definition] = fitting
  // Overloads are distinguished by how much they take, and a view function has no business in a transaction.
  if (definition === undefined || fitting.length > 1) throw new TypeError('ambiguous')
  if (definition.stateMutability === 'view' || definition.stateMutability === 'pure') throw new TypeError('view')
  const own = { name: functionName, values: namedValues(definition.inputs, args) }
  if (setsAgentWallet(own)) throw new RangeError('the registry alone keeps this key')
  return [own, ...innerParts(rules, functionName, args, depth)]
}

function innerParts(
  rules: SurfaceRules,
  name: string,
  args: readonly unknown[],
  depth: number,
): readonly CalldataPart[] {
  if (name === 'multicall')
    return args.filter(isHexList).flatMap((calls) => calls.flatMap((call) => readFunction(rules, call, depth + 1)))
  if (name === 'modifyLiquidities') return readV4Actions(requireHex(args[0]))
  if (name === 'execute') return readRouterCommands(requireHex(args[0]), requireHexList(args[1]))
  return []
}

function readV4Actions(unlockData: Hex): readonly CalldataPart[] {
  const [actions, params] = decodeAbiParameters(v4Swap, unlockData)
  const bytes = hexToBytes(actions)
  if (bytes.length !== params.length) throw new RangeError('actions and parameters differ in number')
  return [...bytes].map((action, index) => {
    const parameters = v4Actions.get(action)
    if (parameters === undefined) throw new RangeError('unknown action')
    const name = `v4 ${action.toString(16).padStart(2, '0')}`
    if (parameters === null) return { name, values: {} }
    const data = requireHex(params[index])
    const values = decodeAbiParameters(parameters, data)
    if (parameters === increasesPosition || parameters === mintsPosition) {
      requireSame(encodeAbiParameters(parameters, values), data)
    }
    return { name, values: namedValues(parameters, values) }
  })
}

function readRouterCommands(commands: Hex, inputs: readonly Hex[]): readonly CalldataPart[] {
  const bytes = hexToBytes(commands)
  if (bytes.length !== inputs.length) throw new RangeError('commands and inputs differ in number')
  return [...bytes].flatMap((command, index) => {
    const parameters = routerCommands.get(command)
    if (parameters === undefined) throw new RangeError('unknown command')
    const input = requireHex(inputs[index])
    if (parameters === 'v4Actions') return readV4Actions(input)
    const values = namedValues(parameters, decodeAbiParameters(parameters, input))
    return [{ name: `router ${command.toString(16).padStart(2, '0')}`, values }]
  })
}

/** Values by the names of their parameters, those of tuples beside the others. */
function namedValues(parameters: readonly AbiParameter[], values: readonly unknown[]): CalldataPart['values'] {
  const entries = parameters.flatMap((parameter, index) => {
    const value = values[index]
    if (parameter.type === 'tuple' && 'components' in parameter && isRecord(value)) {
      const members = parameter.components.map((component) => value[component.name ?? ''])
      return Object.entries(namedValues(parameter.components, members))
    }
    return [[parameter.name ?? '', value] as const]
  })
  return Object.fromEntries(entries)
}

/** A v3 position pays out what it was freed of with a later collect; in v4 a burn frees all that is left. */
function removesLiquidity({ name, values }: CalldataPart): boolean {
  if (name === 'v4 03') return true
  return (name === 'decreaseLiquidity' || name === 'v4 01') && values['liquidity'] !== 0n
}

/** Who an agent is paid at stands under a key of its own, which is not for metadata to set. */
function setsAgentWallet({ values }: CalldataPart): boolean {
  const { metadata, metadataKey } = values
  const entries: readonly unknown[] = Array.isArray(metadata) ? metadata : []
  const keys = [metadataKey, ...entries.map((entry) => (isRecord(entry) ? entry['metadataKey'] : undefined))]
  return keys.includes('agentWallet')
}

function isHexList(value: unknown): value is readonly Hex[] {
  return Array.isArray(value)
}

/** What other bytes decode to as well, the contract may read differently. */
function requireSame(again: Hex, data: Hex): void {
  if (again.toLowerCase() !== data.toLowerCase()) throw new TypeError('not the encoding of what it says')
}

function requireHexList(value: unknown): readonly Hex[] {
  if (!isHexList(value)) throw new TypeError('not a list')
  return value
}

function requireHex(value: unknown): Hex {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new TypeError('not bytes')
  return value as Hex
}

/**
 * Throws unless calls to a TWAMM hook are of a form that is made here: orders in a pool of this very hook, updates that settle or end
 * an order and never add to it, claims of all that is owed.
 */
function requireOwnOrders(hook: Address, parts: readonly CalldataPart[]): void {
  for (const { name, values } of parts) {
    const { hooks, amountDelta, amountRequested } = values
    if (name === 'claimTokens' ? amountRequested !== 0n : !isSame(hooks, hook)) throw new RangeError('not of this hook')
    if (name === 'updateOrder' && amountDelta !== 0n && amountDelta !== -1n) throw new RangeError('adds to an order')
  }
}

function isSame(value: unknown, address: Address): boolean {
  return typeof value === 'string' && isAddress(value, { strict: false }) && isAddressEqual(value, address)
}
