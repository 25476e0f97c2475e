import { isRecord } from '@svc/runtime'
import type { RegistryForm } from '@svc/wallet/core'
import {
  type Abi,
  type AbiParameter,
  type Address,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  hexToBytes,
  isAddress,
  isAddressEqual,
} from 'viem'
import {
  permit2NonceAbi,
  rewardDistributorAbi,
  settlerCallAbi,
  twammOrderAbi,
  universalRouterAbi,
  v2RouterAbi,
  v3PositionManagerAbi,
  v3SwapRouter02Abi,
  v4PositionManagerAbi,
  vaultCallAbi,
  wrappedNativeAbi,
} from '@svc/amm/abis'
import { readOpenCalldata } from '@svc/amm/cross-chain'
import {
  callCodec,
  type CallCodec,
  increasesPosition,
  type ManagerCommand,
  managerCommands,
  mintsPosition,
  routerCommands,
  v4Actions,
  v4Unlock,
  handleRegistryAbi,
  identityRegistryAbi,
} from './calldata-forms.ts'
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
  managers: PositionManagers = {},
): CalldataReading | null {
  try {
    if (surface === 'crossChainSettler') return readOpenOrder(data)
    const parts = readFunction(surfaces[surface], data, { target, managers, depth: 0 })
    const positions = parts.filter(({ values }) => typeof values['tokenId'] === 'bigint')
    const nested = nestedIn(parts)
    if (surface === 'twammHook') requireOwnOrders(target, parts)
    return {
      deadlines: parts.flatMap(({ values }) => (typeof values['deadline'] === 'bigint' ? [values['deadline']] : [])),
      recipients: callRecipients(surface, target, parts, wrappedNative),
      positionIds: positions.filter(({ manager }) => manager === undefined).map(tokenIdOf),
      removesLiquidity: parts.some(removesLiquidity),
      // Shares of a vault are minted, too, and are no position.
      deposits: surface === 'vault' ? [] : callDeposits(parts, wrappedNative),
      ...(nested === null ? {} : { nested }),
    }
  } catch {
    return null
  }
}

/** Whom an order pays at the other end, and until when. */
function readOpenOrder(data: Hex): CalldataReading {
  const { recipient, fillDeadline } = readOpenCalldata(data)
  return {
    recipients: [recipient],
    deadlines: [BigInt(fillDeadline)],
    positionIds: [],
    removesLiquidity: false,
    deposits: [],
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
  /** Absent where the universal router calls no position manager. */
  readonly nested?: NestedCalls
}

/** What the universal router does with position managers of the chain. */
export type NestedCalls = {
  readonly managers: readonly Address[]
  readonly positions: readonly { readonly contract: Address; readonly id: bigint }[]
  /** The arguments of each permit, by name. */
  readonly permits: readonly CalldataPart['values'][]
  /** Positions of v3 that are burnt. */
  readonly burnt: readonly bigint[]
}

/** Of the chain; none where it lacks the version. */
export type PositionManagers = { readonly v3?: Address | undefined; readonly v4?: Address | undefined }

/** The functions of a kind of contract, as they are read here. */
export function surfaceAbi(surface: Surface): Abi {
  return surfaces[surface].abi
}

const cancelAbi = permit2NonceAbi.filter(({ name }) => name === 'invalidateUnorderedNonces')

const surfaces: Readonly<Record<Surface, CallCodec>> = {
  v2Router: callCodec(v2RouterAbi),
  v3PositionManager: callCodec(v3PositionManagerAbi),
  v3SwapRouter02: callCodec(v3SwapRouter02Abi),
  v4PositionManager: callCodec(v4PositionManagerAbi),
  universalRouter: callCodec(universalRouterAbi),
  wrappedNative: callCodec(wrappedNativeAbi),
  twammHook: callCodec(twammOrderAbi),
  identityRegistry: callCodec(identityRegistryAbi),
  handleRegistry: callCodec(handleRegistryAbi),
  rewardDistributor: callCodec(rewardDistributorAbi),
  vault: callCodec(vaultCallAbi),
  // What uses nonces up, so that nobody fills an order: whatever else it can do is done by signatures.
  permit2: callCodec(cancelAbi),
  crossChainSettler: callCodec(settlerCallAbi),
}

const deepestNesting = 3

/** Where a function stands: in a call of the target, and how deep. */
type Place = { readonly target: Address; readonly managers: PositionManagers; readonly depth: number }

function readFunction(codec: CallCodec, data: Hex, place: Place): readonly CalldataPart[] {
  if (place.depth > deepestNesting) throw new RangeError('nested too deeply')
  const { item, args, canonical } = codec.decode(data)
  requireSame(canonical, data)
  const fitting = codec.abi.filter(
    (other) => other.type === 'function' && other.name === item.name && other.inputs.length === args.length,
  )
  // Overloads are distinguished by how much they take, and a view function has no business in a transaction.
  if (fitting.length > 1) throw new TypeError('ambiguous')
  if (item.stateMutability === 'view' || item.stateMutability === 'pure') throw new TypeError('view')
  const own = { name: item.name, values: namedValues(item.inputs, args) }
  if (setsAgentWallet(own)) throw new RangeError('the registry alone keeps this key')
  return [own, ...innerParts(codec, item.name, args, place)]
}

function innerParts(codec: CallCodec, name: string, args: readonly unknown[], place: Place): readonly CalldataPart[] {
  const deeper = { ...place, depth: place.depth + 1 }
  if (name === 'multicall')
    return args.filter(isHexList).flatMap((calls) => calls.flatMap((call) => readFunction(codec, call, deeper)))
  if (name === 'modifyLiquidities') return readV4Actions(requireHex(args[0]))
  if (name === 'execute') return readRouterCommands(requireHex(args[0]), requireHexList(args[1]), deeper)
  return []
}

function readV4Actions(unlockData: Hex): readonly CalldataPart[] {
  const [actions, params] = decodeAbiParameters(v4Unlock, unlockData)
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

function readRouterCommands(commands: Hex, inputs: readonly Hex[], place: Place): readonly CalldataPart[] {
  const bytes = hexToBytes(commands)
  if (bytes.length !== inputs.length) throw new RangeError('commands and inputs differ in number')
  return [...bytes].flatMap((command, index) => {
    const managed = managerCommands.get(command)
    if (managed !== undefined) return readManagerCall(managed, requireHex(inputs[index]), place)
    const parameters = routerCommands.get(command)
    if (parameters === undefined) throw new RangeError('unknown command')
    const input = requireHex(inputs[index])
    if (parameters === 'v4Actions') return readV4Actions(input)
    const values = namedValues(parameters, decodeAbiParameters(parameters, input))
    return [{ name: `router ${command.toString(16).padStart(2, '0')}`, values }]
  })
}

function readManagerCall(
  { version, calls, functions }: ManagerCommand,
  call: Hex,
  place: Place,
): readonly CalldataPart[] {
  const manager = place.managers[version]
  if (manager === undefined) throw new TypeError('no such position manager')
  const [own, ...inner] = readFunction(calls, call, place)
  if (own === undefined || !functions.has(own.name)) throw new TypeError('no call for the router')
  return [own, ...inner].map((part) => Object.assign(part, { manager, values: withNames(part.values, manager, place) }))
}

/** What a position manager of v4 calls the caller is the router there, not the wallet. */
function withNames(values: CalldataPart['values'], manager: Address, { target }: Place): CalldataPart['values'] {
  const { recipient } = values
  if (typeof recipient !== 'string' || BigInt(recipient) > 2n) return values
  return { ...values, recipient: BigInt(recipient) === 1n ? target : manager }
}

function nestedIn(parts: readonly CalldataPart[]): NestedCalls | null {
  const managed = parts.flatMap((part) => (part.manager === undefined ? [] : [{ ...part, contract: part.manager }]))
  if (managed.length === 0) return null
  return {
    managers: [...new Set(managed.map(({ contract }) => contract))],
    positions: managed
      .filter(({ values }) => typeof values['tokenId'] === 'bigint')
      .map((part) => ({ contract: part.contract, id: tokenIdOf(part) })),
    permits: managed.filter(({ name }) => name === 'permit').map(({ values }) => values),
    burnt: managed.filter(({ name }) => name === 'burn').map(tokenIdOf),
  }
}

function tokenIdOf({ values: { tokenId } }: CalldataPart): bigint {
  if (typeof tokenId !== 'bigint') throw new TypeError('no position')
  return tokenId
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
