import type { AmmDeployment } from '@svc/wallet/core'
import { type AbiParameter, parseAbiParameters } from 'viem'

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
