import {
  type AbiParameter,
  decodeAbiParameters,
  encodeAbiParameters,
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
import { callCodec, type CallCodec, type DecodedCall } from './calldata-forms.ts'
import type { Surface } from './call-recipients.ts'
import { upstreamRefusal } from '@svc/amm/upstream'
import type { AmmDeployment } from '@svc/wallet/core'

/**
 * Takes calldata apart to its last function, router command and v4 action, each with its arguments by name. Every level
 * is encoded again and must come out byte for byte, so that nothing is hidden behind it or read differently by the
 * contract. Throws `UNSAFE_TRANSACTION` with the reason.
 */
export function readParts(surface: UpstreamSurface, version: RouterVersion, data: Hex): readonly Part[] {
  return readFunction(surfaces[surface], version, data.toLowerCase() as Hex, 0)
}

export type UpstreamSurface = Exclude<
  Surface,
  'twammHook' | 'vault' | 'permit2' | 'crossChainSettler' | 'wrappedNative' | 'identityRegistry' | 'handleRegistry'
>

export function isUpstreamSurface(surface: Surface): surface is UpstreamSurface {
  return Object.hasOwn(surfaces, surface)
}

export type Part = { readonly name: string; readonly args: Readonly<Record<string, unknown>> }

const surfaces: Readonly<Record<UpstreamSurface, CallCodec>> = {
  v2Router: callCodec(v2RouterAbi),
  v3PositionManager: callCodec(v3PositionManagerAbi),
  v3SwapRouter02: callCodec(v3SwapRouter02Abi),
  v4PositionManager: callCodec(v4PositionManagerAbi),
  universalRouter: callCodec(universalRouterAbi),
  rewardDistributor: callCodec(rewardDistributorAbi),
}

const deepestNesting = 3

function readFunction(codec: CallCodec, version: RouterVersion, data: Hex, depth: number): readonly Part[] {
  if (depth > deepestNesting) throw upstreamRefusal('it nests calls too deeply')
  const { item, args } = decodeCall(codec, data)
  const { name: functionName } = item
  if (item.stateMutability === 'view' || item.stateMutability === 'pure') {
    throw upstreamRefusal('it calls a function that moves nothing', { function: functionName })
  }
  const own: Part = { name: functionName, args: named(item.inputs, args) }
  if (functionName === 'multicall') {
    const inner = listOf(own.args['data']).flatMap((call) => readFunction(codec, version, call, depth + 1))
    return [own, ...inner]
  }
  if (functionName === 'modifyLiquidities') return [own, ...readActions(hexOf(own.args['unlockData']), version)]
  if (functionName !== 'execute') return [own]
  return [own, ...readCommands(hexOf(own.args['commands']), listOf(own.args['inputs']), version)]
}

function decodeCall(codec: CallCodec, data: Hex): DecodedCall {
  let decoded: DecodedCall
  try {
    decoded = codec.decode(data)
  } catch (cause) {
    throw unknownPart('a function', data.slice(0, 10), cause)
  }
  requireSame(decoded.canonical, data, decoded.item.name)
  return decoded
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

type ManagerCommand = { readonly calls: CallCodec; readonly functions: ReadonlySet<string> }

const permits: ManagerCommand = { calls: callCodec(positionPermitAbi), functions: new Set(['permit']) }

/** What the universal router calls position managers with. Whether a permit may fail makes no difference here. */
const managerCommands: ReadonlyMap<number, ManagerCommand> = new Map<number, ManagerCommand>([
  [0x11, permits],
  [0x91, permits],
  [0x12, { calls: callCodec(v3PositionManagerAbi), functions: new Set(['decreaseLiquidity', 'collect', 'burn']) }],
  [0x14, { calls: callCodec(v4PositionManagerAbi), functions: new Set(['modifyLiquidities']) }],
])

function readManagerCall(
  { calls, functions }: ManagerCommand,
  version: RouterVersion,
  input: Hex,
  command: number,
): readonly Part[] {
  const decoded = attempt(() => calls.decode(input))
  if (decoded === null || !functions.has(decoded.item.name)) throw unknownCommand(command)
  return readFunction(calls, version, input, 1)
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

/** A router command or v4 action that may stand in a transaction built upstream, with the names of its parameters. */
type ActionForm = { readonly name: string; readonly parameters: readonly AbiParameter[] }

type RouterVersion = NonNullable<AmmDeployment['universalRouter']>['version']

/**
 * Commands of the universal router (Commands.sol). Left out, and so refused: permits, transfers out of it, shares of
 * the payment (PAY_PORTION), sub-plans, bridges, and any command that may fail silently. What draws a token out of the wallet into the router
 * is of our own plans alone. Calls of the position managers are read like
 * calls of their own.
 */
const routerCommands: ReadonlyMap<number, ActionForm> = new Map([
  form(0x00, 'V3_SWAP_EXACT_IN', 'address recipient, uint256 amountIn, uint256 least, bytes path, bool payerIsUser'),
  form(0x01, 'V3_SWAP_EXACT_OUT', 'address recipient, uint256 amountOut, uint256 most, bytes path, bool payerIsUser'),
  form(
    0x09,
    'V2_SWAP_EXACT_OUT',
    'address recipient, uint256 amountOut, uint256 most, address[] path, bool payerIsUser',
  ),
  form(0x02, 'PERMIT2_TRANSFER_FROM', 'address token, address recipient, uint160 amount'),
  form(0x04, 'SWEEP', 'address token, address recipient, uint256 least'),
  form(
    0x08,
    'V2_SWAP_EXACT_IN',
    'address recipient, uint256 amountIn, uint256 least, address[] path, bool payerIsUser',
  ),
  form(0x0b, 'WRAP_ETH', 'address recipient, uint256 amount'),
  form(0x0c, 'UNWRAP_WETH', 'address recipient, uint256 least'),
])

/** Actions of v4 (Actions.sol); the forms of swaps differ between versions of the router. */
function v4Actions(version: RouterVersion): ReadonlyMap<number, ActionForm> {
  const hopOfSingle = version === '2.1.1' ? ' uint256 minHopPriceX36;' : ''
  const hopsOfPath = version === '2.0' ? '' : ' uint256[] minHopPriceX36;'
  return new Map([
    ...plainActions,
    form(0x06, 'v4.swapSingle', [
      'Single single',
      `struct Single { PoolKey key; bool zeroForOne; uint128 amountIn; uint128 least;${hopOfSingle} bytes hookData; }`,
      poolKey,
    ]),
    form(0x07, 'v4.swapPath', [
      'ByPath byPath',
      `struct ByPath { address currencyIn; PathKey[] path;${hopsOfPath} uint128 amountIn; uint128 least; }`,
      pathKey,
    ]),
    form(0x08, 'v4.swapSingleOut', [
      'Single single',
      `struct Single { PoolKey key; bool zeroForOne; uint128 amountOut; uint128 most;${hopOfSingle} bytes hookData; }`,
      poolKey,
    ]),
    form(0x09, 'v4.swapPathOut', [
      'ByPath byPath',
      `struct ByPath { address currencyOut; PathKey[] path;${hopsOfPath} uint128 amountOut; uint128 most; }`,
      pathKey,
    ]),
  ])
}

const poolKey = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const pathKey =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'
const modify = 'uint256 tokenId, uint256 liquidity, uint128 bound0, uint128 bound1, bytes hookData'

const plainActions: readonly (readonly [number, ActionForm])[] = [
  form(0x00, 'v4.increase', modify),
  form(0x01, 'v4.decrease', modify),
  form(0x02, 'v4.mint', [
    'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 bound0, uint128 bound1, address recipient, bytes hookData',
    poolKey,
  ]),
  form(0x0b, 'v4.settle', 'address token, uint256 amount, bool payerIsUser'),
  form(0x0c, 'v4.settleAll', 'address token, uint256 most'),
  form(0x0d, 'v4.settlePair', 'address token, address otherToken'),
  form(0x0e, 'v4.take', 'address token, address recipient, uint256 amount'),
  form(0x0f, 'v4.takeAll', 'address token, uint256 least'),
  form(0x11, 'v4.takePair', 'address token, address otherToken, address recipient'),
  form(0x12, 'v4.close', 'address token'),
  form(0x14, 'v4.sweep', 'address token, address recipient'),
  form(0x16, 'v4.unwrap', 'uint256 amount'),
]

function form(code: number, name: string, parameters: string | readonly string[]): readonly [number, ActionForm] {
  const parsed: readonly AbiParameter[] = parseAbiParameters(parameters as string)
  return [code, { name, parameters: parsed }]
}
