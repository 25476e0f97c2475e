import type { AmmDeployment } from '@svc/wallet/core'
import { type AbiParameter, parseAbiParameters } from 'viem'

/** A router command or v4 action that may stand in a transaction built upstream, with the names of its parameters. */
export type ActionForm = { readonly name: string; readonly parameters: readonly AbiParameter[] }

export type RouterVersion = NonNullable<AmmDeployment['universalRouter']>['version']

/**
 * Commands of the universal router (Commands.sol). Left out, and so refused: exact outputs, permits, transfers, shares of
 * the payment (PAY_PORTION), sub-plans, bridges, and any command that may fail silently. Calls of the position managers are read like
 * calls of their own.
 */
export const routerCommands: ReadonlyMap<number, ActionForm> = new Map([
  form(0x00, 'V3_SWAP_EXACT_IN', 'address recipient, uint256 amountIn, uint256 least, bytes path, bool payerIsUser'),
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
export function v4Actions(version: RouterVersion): ReadonlyMap<number, ActionForm> {
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
      'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }',
    ]),
  ])
}

const poolKey = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
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
