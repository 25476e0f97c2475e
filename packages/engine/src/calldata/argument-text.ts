import {
  type Address,
  hexToString,
  isAddress,
  isAddressEqual,
  isHex,
  size,
  slice,
  zeroAddress,
  type AbiParameter,
  parseAbiParameters,
} from 'viem'
import { dynamicFeeFlag } from '@svc/amm/liquidity'
import { printable } from '@svc/runtime'
import type { AmmDeployment } from '@svc/wallet/core'

/**
 * One argument of a call for a person: numbers in the smallest units the contract takes, deadlines as times, and what
 * the AMM's contracts take to stand for something else with what it stands for (constants of v4-periphery's and the
 * universal router's `ActionConstants`). `functionName` as `v4Actions` and `routerCommands` call it, else the contract's own.
 */
export function argumentText(functionName: string, argument: string, value: unknown): string {
  const meaning = meaningOf(functionName, argument, value)
  const text = valueText(argument, value)
  return meaning === null ? text : `${text}, ${meaning}`
}

/**
 * Of which token the amounts among a function's arguments are, by the names that the AMM's own interfaces give them. What
 * the arguments do not say by themselves (a position's tokens, for example) is left out, never guessed.
 */
export function argumentTokens(
  functionName: string,
  args: ReadonlyMap<string, unknown>,
  contract: { readonly token: Address | null; readonly wrappedNative: Address },
): Readonly<Record<string, Address>> {
  const ends = endsOf(args.get('path'), functionName)
  const sources: Readonly<Record<string, Address | null>> = {
    '0': addressIn(args, 'token0', 'currency0'),
    '1': addressIn(args, 'token1', 'currency1'),
    A: addressIn(args, 'tokenA'),
    B: addressIn(args, 'tokenB'),
    ETH: contract.wrappedNative,
    Token: addressIn(args, 'token'),
    In: addressIn(args, 'tokenIn', 'currencyIn', inOfPool(args)) ?? ends?.first ?? null,
    Out: addressIn(args, 'tokenOut', 'currencyOut', outOfPool(args)) ?? ends?.last ?? null,
    '': addressIn(args, 'token', 'currency') ?? (/wrap/i.test(functionName) ? contract.wrappedNative : contract.token),
  }
  return Object.fromEntries(
    [...args].flatMap(([name, value]) => {
      const side = typeof value === 'bigint' ? amountName.exec(name)?.[1] : undefined
      const token = side === undefined ? null : (sources[side] ?? null)
      return token === null ? [] : [[name, token]]
    }),
  )
}

function meaningOf(functionName: string, argument: string, value: unknown): string | null {
  if (typeof value === 'bigint') {
    if (argument === 'amountDelta') return value === 0n ? 'which settles what it earned' : 'which ends the order'
    if (argument === 'amountRequested' && value === 0n) return 'which stands for all that is owed'
    if (argument === 'minHopPriceX36' && value === 0n) return 'no bound'
    if (value === 0n && takesDebt.has(`${functionName} ${argument}`)) return 'which stands for everything owed'
    if (value === wholeBalance && takesBalance.has(`${functionName} ${argument}`)) {
      return 'which stands for all that the contract holds'
    }
    if (functionName === 'decrease liquidity' && argument === 'liquidity' && value === 0n) return 'fees alone'
    return null
  }
  if (argument === 'metadataValue' && isHex(value)) return `which says ${printable(hexToString(value), longestText)}`
  if (typeof value === 'string' && value.startsWith(jsonUri)) {
    const held = Buffer.from(value.slice(jsonUri.length), 'base64').toString()
    return `which holds ${printable(held, longestFile)}`
  }
  if (argument === 'fee' && value === dynamicFeeFlag) return 'the hook decides it'
  if (!isHex(value) || value.length !== zeroAddress.length) return null
  if (isRecipient.test(argument)) return aliases[value.toLowerCase()] ?? null
  if (!isAddressEqual(value, zeroAddress)) return null
  if (/^(?:currency(?:0|1|In|Out)?|intermediateCurrency)$/.test(argument)) return 'the native currency'
  return argument === 'hooks' ? 'none' : null
}

/** Amounts of which 0 means the whole open debt or credit of the caller. */
const takesDebt: ReadonlySet<string> = new Set([
  'settle amount',
  'take amount',
  'swap exact in, one pool amountIn',
  'swap exact in amountIn',
  'swap exact out, one pool amountOut',
  'swap exact out amountOut',
])

/** Amounts of which 2^255 means the contract's whole balance. */
const takesBalance: ReadonlySet<string> = new Set([
  'settle amount',
  'wrap amount',
  'unwrap amount',
  'wrap native amount',
  'v3 swap exact in amountIn',
  'v2 swap exact in amountIn',
])
const wholeBalance = 1n << 255n

const isRecipient = /^(?:recipient|to)$/
const aliases: Readonly<Record<string, string>> = {
  '0x0000000000000000000000000000000000000001': 'which stands for the caller',
  '0x0000000000000000000000000000000000000002': 'which stands for the contract itself',
}

function valueText(name: string, value: unknown): string {
  if ((name === 'deadline' || name === 'expiration') && typeof value === 'bigint' && value < endOfTimes) {
    return new Date(Number(value) * 1_000).toISOString()
  }
  if (name === 'proofs' && Array.isArray(value)) return `${value.length}, not shown`
  if (Array.isArray(value)) return `[${value.map((item) => valueText('', item)).join(', ')}]`
  if (isHex(value) && value.length > longestBytes) return `${value.slice(0, longestBytes)}... (${size(value)} bytes)`
  if (typeof value === 'string') return isHex(value) ? value : printable(value, longestText)
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(([member, its]) => `${member} ${argumentText('', member, its)}`)
    return `{${members.join('; ')}}`
  }
  return typeof value === 'bigint' ? `${value}` : JSON.stringify(value)
}

/** How a file of an agent stands in its own URI. */
const jsonUri = 'data:application/json;base64,'

const longestBytes = 66
const longestText = 200
const longestFile = 1_000
/** Seconds that still fit a date. */
const endOfTimes = 1n << 40n

const amountName = /^(?:(?:min|max)A|a)mount(0|1|A|B|ETH|Token|In|Out|)(?:Desired|Min|Minimum|Max|Maximum)?$/

function addressIn(args: ReadonlyMap<string, unknown>, ...names: readonly string[]): Address | null {
  for (const name of names) {
    const value = args.get(name)
    if (typeof value === 'string' && isAddress(value, { strict: false })) return value
  }
  return null
}

/** Which currency of a v4 pool goes in: `zeroForOne` says which way the swap goes. */
function inOfPool(args: ReadonlyMap<string, unknown>): string {
  return args.get('zeroForOne') === true ? 'currency0' : args.get('zeroForOne') === false ? 'currency1' : ''
}

function outOfPool(args: ReadonlyMap<string, unknown>): string {
  return args.get('zeroForOne') === true ? 'currency1' : args.get('zeroForOne') === false ? 'currency0' : ''
}

/**
 * A list of addresses in v2; in v3 bytes that begin and end with one, the token that is bought first where the output is exact; in v4 a
 * list of hops, each with what comes out of it, or goes into it where the output is exact.
 */
function endsOf(path: unknown, functionName: string): { readonly first: Address; readonly last: Address } | null {
  const ends: readonly unknown[] = Array.isArray(path)
    ? [currencyOf(path[0]), currencyOf(path.at(-1))]
    : isHex(path) && size(path) >= addressBytes * 2
      ? [slice(path, 0, addressBytes), slice(path, -addressBytes)]
      : []
  const [first, last] = boughtFirst.has(functionName) ? ends.toReversed() : ends
  if (typeof first !== 'string' || typeof last !== 'string') return null
  return isAddress(first, { strict: false }) && isAddress(last, { strict: false }) ? { first, last } : null
}

/** Whose path of v3 begins with the token that is bought. */
const boughtFirst: ReadonlySet<string> = new Set(['exactOutput', 'v3 swap exact out'])

function currencyOf(hop: unknown): unknown {
  const isHop = typeof hop === 'object' && hop !== null && 'intermediateCurrency' in hop
  return isHop ? hop.intermediateCurrency : hop
}

const addressBytes = 20

/** A part of a v4 or universal router call. Parameters are `null` where the layout is not known. */
export type NamedPart = { readonly name: string; readonly parameters: readonly AbiParameter[] | null }

/** What `modifyLiquidities` and the v4 command of the universal router carry. */
export const v4Unlock = parseAbiParameters('bytes actions, bytes[] params')

const poolKey = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const pathKey =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'

/**
 * Actions of v4, by the constants and layouts of v4-periphery's `Actions` and `CalldataDecoder`, as the chain's universal
 * router reads them: version 2.1.0 added bounds per hop to swaps by path, 2.1.1 to those through one pool.
 */
export function v4Actions(version: RouterVersion | null): ReadonlyMap<number, NamedPart> {
  return version === null ? plainActions : actionsByVersion[version]
}

export type RouterVersion = NonNullable<AmmDeployment['universalRouter']>['version']

const plainActions: ReadonlyMap<number, NamedPart> = new Map<number, NamedPart>([
  [
    0x00,
    part(
      'increase liquidity',
      'uint256 tokenId, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, bytes hookData',
    ),
  ],
  [
    0x01,
    part(
      'decrease liquidity',
      'uint256 tokenId, uint256 liquidity, uint128 amount0Min, uint128 amount1Min, bytes hookData',
    ),
  ],
  [
    0x02,
    {
      name: 'mint position',
      parameters: parseAbiParameters([
        'PoolKey key, int24 tickLower, int24 tickUpper, uint256 liquidity, uint128 amount0Max, uint128 amount1Max, address recipient, bytes hookData',
        poolKey,
      ]),
    },
  ],
  [0x03, part('burn position', 'uint256 tokenId, uint128 amount0Min, uint128 amount1Min, bytes hookData')],
  [0x06, { name: 'swap exact in, one pool', parameters: null }],
  [0x07, { name: 'swap exact in', parameters: null }],
  [0x08, { name: 'swap exact out, one pool', parameters: null }],
  [0x09, { name: 'swap exact out', parameters: null }],
  [0x0b, part('settle', 'address currency, uint256 amount, bool payerIsUser')],
  [0x0c, part('settle all', 'address currency, uint256 maxAmount')],
  [0x0d, part('settle pair', 'address currency0, address currency1')],
  [0x0e, part('take', 'address currency, address recipient, uint256 amount')],
  [0x0f, part('take all', 'address currency, uint256 minAmount')],
  [0x11, part('take pair', 'address currency0, address currency1, address recipient')],
  [0x12, part('close currency', 'address currency')],
  [0x13, part('clear or take', 'address currency, uint256 amountMax')],
  [0x14, part('sweep', 'address currency, address recipient')],
  [0x15, part('wrap', 'uint256 amount')],
  [0x16, part('unwrap', 'uint256 amount')],
])

const actionsByVersion: Readonly<Record<RouterVersion, ReadonlyMap<number, NamedPart>>> = {
  '2.0': withSwaps({ single: false, path: false }),
  '2.1.0': withSwaps({ single: false, path: true }),
  '2.1.1': withSwaps({ single: true, path: true }),
}

function withSwaps(hopPrices: { readonly single: boolean; readonly path: boolean }): ReadonlyMap<number, NamedPart> {
  const hopPrice: string = hopPrices.single ? ' uint256 minHopPriceX36;' : ''
  const hopPricesOfPath: string = hopPrices.path ? ' uint256[] minHopPriceX36;' : ''
  const single: readonly AbiParameter[] = parseAbiParameters([
    'Single single',
    `struct Single { PoolKey key; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum;${hopPrice} bytes hookData; }`,
    poolKey,
  ] as const)
  const byPath: readonly AbiParameter[] = parseAbiParameters([
    'ByPath byPath',
    `struct ByPath { address currencyIn; PathKey[] path;${hopPricesOfPath} uint128 amountIn; uint128 amountOutMinimum; }`,
    pathKey,
  ] as const)
  const singleOut: readonly AbiParameter[] = parseAbiParameters([
    'Single single',
    `struct Single { PoolKey key; bool zeroForOne; uint128 amountOut; uint128 amountInMaximum;${hopPrice} bytes hookData; }`,
    poolKey,
  ] as const)
  const byPathOut: readonly AbiParameter[] = parseAbiParameters([
    'ByPath byPath',
    `struct ByPath { address currencyOut; PathKey[] path;${hopPricesOfPath} uint128 amountOut; uint128 amountInMaximum; }`,
    pathKey,
  ] as const)
  return new Map<number, NamedPart>([
    ...plainActions,
    [0x06, { name: 'swap exact in, one pool', parameters: single }],
    [0x07, { name: 'swap exact in', parameters: byPath }],
    [0x08, { name: 'swap exact out, one pool', parameters: singleOut }],
    [0x09, { name: 'swap exact out', parameters: byPathOut }],
  ])
}

/** Commands of the universal router, by the constants of its `Commands`. */
export const routerCommands: ReadonlyMap<number, NamedPart> = new Map([
  [
    0x00,
    part('v3 swap exact in', 'address recipient, uint256 amountIn, uint256 amountOutMin, bytes path, bool payerIsUser'),
  ],
  [
    0x01,
    part(
      'v3 swap exact out',
      'address recipient, uint256 amountOut, uint256 amountInMax, bytes path, bool payerIsUser',
    ),
  ],
  [
    0x09,
    part(
      'v2 swap exact out',
      'address recipient, uint256 amountOut, uint256 amountInMax, address[] path, bool payerIsUser',
    ),
  ],
  [0x02, part('draw in', 'address token, address recipient, uint160 amount')],
  [0x04, part('sweep', 'address token, address recipient, uint256 amountMin')],
  [
    0x08,
    part(
      'v2 swap exact in',
      'address recipient, uint256 amountIn, uint256 amountOutMin, address[] path, bool payerIsUser',
    ),
  ],
  [0x0b, part('wrap native', 'address recipient, uint256 amount')],
  [0x0c, part('unwrap native', 'address recipient, uint256 amountMin')],
])

function part(name: string, parameters: string): NamedPart {
  return { name, parameters: parseAbiParameters(parameters) }
}
