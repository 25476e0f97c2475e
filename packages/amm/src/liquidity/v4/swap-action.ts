import type { AmmDeployment } from '@svc/wallet/core'
import { encodeAbiParameters, isAddressEqual, maxUint128, parseAbiParameters } from 'viem'
import type { Quote, Token } from '../../ports.ts'
import { refuseField } from '../planning/refusals.ts'
import type { ActionStep } from './v4-action.ts'
import { poolKeyOf } from './pool-key.ts'

/**
 * The action that swaps an exact input along a route: single for one pool, by path for more. Universal router 2.1.0 added
 * bounds per hop to the path form, 2.1.1 to the single form too. They are left open here, because the minimum of the whole
 * swap binds; but a router reads another form than its own as garbage.
 *
 * @throws ToolError `VALIDATION_FAILED` for an amount that does not fit the calldata.
 */
export function swapAction(
  version: NonNullable<AmmDeployment['universalRouter']>['version'],
  quote: Quote,
  path: readonly [Token, ...Token[]],
  least: bigint,
): ActionStep {
  if (quote.amountIn > maxUint128) {
    throw refuseField('amount', 'The amount is larger than v4 can swap.', 'an amount below 2^128 smallest units')
  }
  const [first, ...more] = quote.route
  if (!first) throw new TypeError('a route has at least one pool')
  const [tokenIn, ...passed] = path
  const amounts = { amountIn: quote.amountIn, amountOutMinimum: least }
  if (more.length === 0) {
    const zeroForOne = isAddressEqual(first.pool.token0.address, tokenIn.address)
    const single = {
      poolKey: poolKeyOf(first.pool),
      zeroForOne,
      ...amounts,
      minHopPriceX36: 0n,
      hookData: '0x',
    } as const
    const data =
      version === '2.1.1'
        ? encodeAbiParameters(singleWithHopPrice, [single])
        : encodeAbiParameters(singleParameters, [single])
    return { action: 0x06, data }
  }
  const hops = quote.route.map(({ pool }, index) => {
    const { fee, tickSpacing, hooks } = poolKeyOf(pool)
    const intermediateCurrency = passed[index]?.address ?? tokenIn.address
    return { intermediateCurrency, fee, tickSpacing, hooks, hookData: '0x' } as const
  })
  const byPath = { currencyIn: tokenIn.address, path: hops, ...amounts, minHopPriceX36: [] }
  const data =
    version !== '2.0' ? encodeAbiParameters(pathWithHopPrices, [byPath]) : encodeAbiParameters(pathParameters, [byPath])
  return { action: 0x07, data }
}

const poolKey = 'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }'
const pathKey =
  'struct PathKey { address intermediateCurrency; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }'

const singleParameters = parseAbiParameters([
  'Single single',
  'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }',
  poolKey,
])
const singleWithHopPrice = parseAbiParameters([
  'Single single',
  'struct Single { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; uint256 minHopPriceX36; bytes hookData; }',
  poolKey,
])
const pathParameters = parseAbiParameters([
  'ByPath byPath',
  'struct ByPath { address currencyIn; PathKey[] path; uint128 amountIn; uint128 amountOutMinimum; }',
  pathKey,
])
const pathWithHopPrices = parseAbiParameters([
  'ByPath byPath',
  'struct ByPath { address currencyIn; PathKey[] path; uint256[] minHopPriceX36; uint128 amountIn; uint128 amountOutMinimum; }',
  pathKey,
])
