import {
  type Abi,
  type AbiParameter,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  parseAbiParameters,
} from 'viem'
import {
  rewardDistributorAbi,
  universalRouterAbi,
  v2RouterAbi,
  v3PositionManagerAbi,
  v3SwapRouter02Abi,
  v4PositionManagerAbi,
} from '@svc/amm/abis'
import { positionPermitAbi } from '@svc/amm/liquidity'
import type { Surface } from '../calldata/call-recipients.ts'
import { type ActionForm, routerCommands, type RouterVersion, v4Actions } from './part-forms.ts'
import { upstreamRefusal } from '@svc/amm/upstream'

/**
 * Takes calldata apart to its last function, router command and v4 action, each with its arguments by name. Every level
 * is encoded again and must come out byte for byte, so that nothing is hidden behind it or read differently by the
 * contract. Throws `UNSAFE_TRANSACTION` with the reason.
 */
export function readParts(surface: UpstreamSurface, version: RouterVersion, data: Hex): readonly Part[] {
  return readFunction(abis[surface], version, data.toLowerCase() as Hex, 0)
}

export type UpstreamSurface = Exclude<Surface, 'twammHook' | 'wrappedNative' | 'identityRegistry' | 'handleRegistry'>

export function isUpstreamSurface(surface: Surface): surface is UpstreamSurface {
  return Object.hasOwn(abis, surface)
}

export type Part = { readonly name: string; readonly args: Readonly<Record<string, unknown>> }

const abis: Readonly<Record<UpstreamSurface, Abi>> = {
  v2Router: v2RouterAbi,
  v3PositionManager: v3PositionManagerAbi,
  v3SwapRouter02: v3SwapRouter02Abi,
  v4PositionManager: v4PositionManagerAbi,
  universalRouter: universalRouterAbi,
  rewardDistributor: rewardDistributorAbi,
}

const deepestNesting = 3

function readFunction(abi: Abi, version: RouterVersion, data: Hex, depth: number): readonly Part[] {
  if (depth > deepestNesting) throw upstreamRefusal('it nests calls too deeply')
  const { functionName, args } = decodeCall(abi, data)
  const item = abi.find((entry) => entry.type === 'function' && entry.name === functionName)
  if (item?.type !== 'function' || item.stateMutability === 'view' || item.stateMutability === 'pure') {
    throw upstreamRefusal('it calls a function that moves nothing', { function: functionName })
  }
  const own: Part = { name: functionName, args: named(item.inputs, args) }
  if (functionName === 'multicall') {
    const inner = listOf(own.args['data']).flatMap((call) => readFunction(abi, version, call, depth + 1))
    return [own, ...inner]
  }
  if (functionName === 'modifyLiquidities') return [own, ...readActions(hexOf(own.args['unlockData']), version)]
  if (functionName !== 'execute') return [own]
  return [own, ...readCommands(hexOf(own.args['commands']), listOf(own.args['inputs']), version)]
}

function decodeCall(abi: Abi, data: Hex): { readonly functionName: string; readonly args: readonly unknown[] } {
  let decoded: { readonly functionName: string; readonly args?: readonly unknown[] | undefined }
  try {
    decoded = decodeFunctionData({ abi, data })
  } catch (cause) {
    throw unknownPart('a function', data.slice(0, 10), cause)
  }
  const { functionName, args = [] } = decoded
  requireSame(encodeFunctionData({ abi, functionName, args }), data, functionName)
  return { functionName, args }
}

function readCommands(commands: Hex, inputs: readonly Hex[], version: RouterVersion): readonly Part[] {
  const bytes = hexToBytes(commands)
  if (bytes.length !== inputs.length) throw upstreamRefusal('its commands and inputs differ in number')
  return [...bytes].flatMap((command, index) => {
    const input = hexOf(inputs[index])
    const managed = managerCommands.get(command)
    if (managed !== undefined) return readManagerCall(managed, version, input, command)
    if (command === v4SwapCommand) return readActions(input, version)
    const form = routerCommands.get(command)
    if (form === undefined) throw unknownCommand(command)
    return [readForm(form, input)]
  })
}

type ManagerCommand = { readonly abi: Abi; readonly functions: ReadonlySet<string> }

/** What the universal router calls position managers with. */
const managerCommands: ReadonlyMap<number, ManagerCommand> = new Map<number, ManagerCommand>([
  [0x11, { abi: positionPermitAbi, functions: new Set(['permit']) }],
  [0x12, { abi: v3PositionManagerAbi, functions: new Set(['decreaseLiquidity', 'collect', 'burn']) }],
  [0x14, { abi: v4PositionManagerAbi, functions: new Set(['modifyLiquidities']) }],
])

function readManagerCall(
  { abi, functions }: ManagerCommand,
  version: RouterVersion,
  input: Hex,
  command: number,
): readonly Part[] {
  const { functionName } = attempt(() => decodeFunctionData({ abi, data: input })) ?? { functionName: '' }
  if (!functions.has(functionName)) throw unknownCommand(command)
  return readFunction(abi, version, input, 1)
}

function unknownCommand(command: number): Error {
  return unknownPart('a router command', `0x${command.toString(16).padStart(2, '0')}`)
}

/** `null` for calldata that is none of the functions. */
function attempt<Value>(decode: () => Value): Value | null {
  try {
    return decode()
  } catch {
    return null
  }
}

const v4SwapCommand = 0x10
const unlockForm = parseAbiParameters('bytes actions, bytes[] params')

function readActions(unlockData: Hex, version: RouterVersion): readonly Part[] {
  const [actions, params] = decodeExactly(unlockForm, unlockData, 'v4 actions')
  const bytes = hexToBytes(hexOf(actions))
  const list = listOf(params)
  if (bytes.length !== list.length) throw upstreamRefusal('its v4 actions and parameters differ in number')
  return [...bytes].map((action, index) => {
    const form = v4Actions(version).get(action)
    if (form === undefined) throw unknownPart('a v4 action', `0x${action.toString(16).padStart(2, '0')}`)
    return readForm(form, hexOf(list[index]))
  })
}

function readForm({ name, parameters }: ActionForm, data: Hex): Part {
  return { name, args: named(parameters, decodeExactly(parameters, data, name)) }
}

function decodeExactly(parameters: readonly AbiParameter[], data: Hex, name: string): readonly unknown[] {
  let values: readonly unknown[]
  try {
    values = decodeAbiParameters(parameters, data)
  } catch (cause) {
    throw unknownPart('the parameters of', name, cause)
  }
  requireSame(encodeAbiParameters(parameters, values), data, name)
  return values
}

/** Bytes behind the arguments, offsets of one's own choice, dirty upper bits: none of them survives being encoded again. */
function requireSame(again: Hex, data: Hex, name: string): void {
  if (again.toLowerCase() === data.toLowerCase()) return
  throw upstreamRefusal('its bytes are not the canonical encoding of what they say', { part: name })
}

/** Arguments by name; a single tuple stands for its members. */
function named(parameters: readonly AbiParameter[], values: readonly unknown[]): Readonly<Record<string, unknown>> {
  const [only] = values
  if (parameters.length === 1 && parameters[0]?.type === 'tuple') return only as Readonly<Record<string, unknown>>
  return Object.fromEntries(parameters.map((parameter, index) => [parameter.name ?? `${index}`, values[index]]))
}

function unknownPart(what: string, which: string, cause?: unknown): Error {
  const refusal = upstreamRefusal(`it holds ${what} ${which} that is not known here`, { part: which })
  if (cause !== undefined) refusal.cause = cause
  return refusal
}

function listOf(value: unknown): readonly Hex[] {
  if (!Array.isArray(value)) throw upstreamRefusal('it holds something that cannot be read')
  return value.map(hexOf)
}

function hexOf(value: unknown): Hex {
  if (typeof value !== 'string' || !value.startsWith('0x')) {
    throw upstreamRefusal('it holds something that cannot be read')
  }
  return value as Hex
}
