import {
  type Abi,
  type AbiFunction,
  AbiFunctionSignatureNotFoundError,
  type AbiParameter,
  concatHex,
  decodeAbiParameters,
  encodeAbiParameters,
  type Hex,
  parseAbiParameters,
  slice,
  toFunctionSelector,
  type Address,
  parseAbi,
} from 'viem'
import { v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import { positionPermitAbi } from '@svc/amm/liquidity'
import { type Chain, identityRegistries, type RegistryForm } from '@svc/wallet/core'

/** Adds to a position of v4. */
export const increasesPosition = parseAbiParameters(
  'uint256 tokenId, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, bytes hookData',
)
const decreasesPosition = parseAbiParameters('uint256 tokenId, uint256 liquidity')
/** Opens a position of v4. */
export const mintsPosition = parseAbiParameters([
  'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address recipient, bytes hookData',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

/**
 * Actions of v4: parameters where one of them matters here, `null` where none does. Clear-or-take is not among them: it
 * may leave what is owed to the caller behind.
 */
export const v4Actions = new Map<number, readonly AbiParameter[] | null>([
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
  [0x15, parseAbiParameters('uint256 amount')], // wrap
  [0x16, parseAbiParameters('uint256 amount')], // unwrap
])

/** What `modifyLiquidities` and the v4 command of the universal router carry. */
export const v4Unlock = parseAbiParameters('bytes actions, bytes[] params')

/** Commands of the universal router that are read. The flag that lets a command fail is not among them. */
export const routerCommands = new Map<number, readonly AbiParameter[] | 'v4Actions'>([
  [0x00, parseAbiParameters('address recipient, uint256 amountIn, uint256 amountOutMin, bytes path, bool payerIsUser')],
  [0x01, parseAbiParameters('address recipient, uint256 amountOut, uint256 amountInMax, bytes path, bool payerIsUser')],
  [
    0x09,
    parseAbiParameters('address recipient, uint256 amountOut, uint256 amountInMax, address[] path, bool payerIsUser'),
  ],
  [0x02, parseAbiParameters('address token, address recipient, uint160 amount')],
  [0x04, parseAbiParameters('address token, address recipient, uint256 amountMin')],
  [
    0x08,
    parseAbiParameters('address recipient, uint256 amountIn, uint256 amountOutMin, address[] path, bool payerIsUser'),
  ],
  [0x0b, parseAbiParameters('address recipient, uint256 amount')],
  [0x0c, parseAbiParameters('address recipient, uint256 amountMin')],
  [0x10, 'v4Actions'],
])

export type ManagerCommand = {
  readonly version: 'v3' | 'v4'
  readonly calls: CallCodec
  readonly functions: ReadonlySet<string>
}

/** A right over a position, by a signature. */
const permits: ManagerCommand = { version: 'v3', calls: callCodec(positionPermitAbi), functions: new Set(['permit']) }

/**
 * Commands by which the universal router calls a position manager, as far as a migration needs them. A permit alone may fail: what
 * comes after it then fails, but where the right is given already.
 */
export const managerCommands: ReadonlyMap<number, ManagerCommand> = new Map<number, ManagerCommand>([
  [0x11, permits],
  [0x91, permits],
  [
    0x12,
    {
      version: 'v3',
      calls: callCodec(v3PositionManagerAbi),
      functions: new Set(['decreaseLiquidity', 'collect', 'burn']),
    },
  ],
  [0x14, { version: 'v4', calls: callCodec(v4PositionManagerAbi), functions: new Set(['modifyLiquidities']) }],
])

/**
 * The calls of a contract as bytes. Its functions are hashed once, with the first call that is read: to look through an ABI for each costs
 * a hash for every function that stands before the one that is called.
 */
export function callCodec(abi: Abi): CallCodec {
  let bySelector: ReadonlyMap<Hex, AbiFunction> | null = null
  return {
    abi,
    decode(data) {
      bySelector ??= functionsOf(abi)
      const selector = slice(data, 0, 4)
      const item = bySelector.get(selector)
      if (item === undefined) throw new AbiFunctionSignatureNotFoundError(selector, { docsPath: 'decodeFunctionData' })
      const args = item.inputs.length === 0 ? [] : decodeAbiParameters(item.inputs, slice(data, 4))
      return { item, args, canonical: concatHex([selector, encodeAbiParameters(item.inputs, args)]) }
    },
  }
}

export type CallCodec = {
  readonly abi: Abi
  /** Throws on bytes that are no call of the contract. */
  decode(data: Hex): DecodedCall
}

export type DecodedCall = {
  readonly item: AbiFunction
  readonly args: readonly unknown[]
  /** The same call encoded again. */
  readonly canonical: Hex
}

/** Of two functions with one selector the first counts. */
function functionsOf(abi: Abi): ReadonlyMap<Hex, AbiFunction> {
  const functions = abi.filter((item): item is AbiFunction => item.type === 'function')
  return new Map(functions.toReversed().map((item) => [toFunctionSelector(item), item]))
}

/**
 * What the wallet may call of an ERC-8004 identity registry (version 2 of its contracts): nothing that hands an agent on,
 * approves somebody for it or says who it is paid at.
 */
export const identityRegistryAbi = parseAbi([
  'struct MetadataEntry { string metadataKey; bytes metadataValue; }',
  'function register(string agentURI, MetadataEntry[] metadata) returns (uint256 agentId)',
  'function register(string agentURI) returns (uint256 agentId)',
  'function setAgentURI(uint256 agentId, string newURI)',
  'function setMetadata(uint256 agentId, string metadataKey, bytes metadataValue)',
])

/** What the wallet may call of a registry from before ERC-8004. */
export const handleRegistryAbi = parseAbi([
  'function register(string handle, string metadataURI, uint8 interfaceType) returns (uint256 agentId)',
])

/** Where agents of a chain are registered: what its row says, else the table, as far as that supports the chain. */
export function registryOf(chain: Pick<Chain, 'id' | 'identityRegistry'>): Registry | null {
  if (chain.identityRegistry !== undefined) return chain.identityRegistry
  const row = Object.hasOwn(identityRegistries, chain.id) ? identityRegistries[chain.id] : undefined
  if (row === undefined || row.identity === null || row.support === 'pending') return null
  return { address: row.identity, form: row.form }
}

type Registry = { readonly address: Address; readonly form: RegistryForm }
