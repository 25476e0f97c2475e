import type { Percent as PercentOf, Token } from '@uniswap/sdk-core'
import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, type Hex, parseAbi, toHex, zeroAddress } from 'viem'
import { type BuiltCall, type CallTerms, deadlineOf, type Sdks, nativeOf } from './build-call.ts'
import type { DecreaseBody, PairDepositBody, MigrateBody } from './requests.ts'

/** A deposit into a v2 pair: the SDKs build none, so the vendor's router is called as it is published. */
export function addToPair({ core }: Sdks, chain: Chain, body: PairDepositBody, terms: CallTerms): BuiltCall {
  const { token0, token1 } = body.position.pool
  const slippage = percentOf(core, body.slippageTolerance)
  const sideOf = (token: string, amount: string): Side => ({
    token: token as Hex,
    amount: BigInt(amount),
    least: lessOf(slippage, amount),
  })
  const sides = [sideOf(token0, body.amount0), sideOf(token1, body.amount1)] as const
  const deadline = deadlineOf({ ...terms, deadline: body.deadline ?? terms.deadline })
  const end = [terms.recipient as Hex, BigInt(deadline)] as const
  const [one, other] = sides[0].token === zeroAddress ? [sides[1], sides[0]] : sides
  const isNative = other.token === zeroAddress
  const data = isNative
    ? encodeFunctionData({
        abi: routerAbi,
        functionName: 'addLiquidityETH',
        args: [one.token, one.amount, one.least, other.least, ...end],
      })
    : encodeFunctionData({
        abi: routerAbi,
        functionName: 'addLiquidity',
        args: [one.token, other.token, one.amount, other.amount, one.least, other.least, ...end],
      })
  return { to: routerOf(chain), data, value: toHex(isNative ? other.amount : 0n) }
}

type Side = { readonly token: Hex; readonly amount: bigint; readonly least: bigint }

type PairDecrease = Extract<DecreaseBody, { readonly protocol: 'V2' }>

/** Shares of a v2 pair given back, the native side as its wrapped form. */
export function removeFromPair({ core }: Sdks, chain: Chain, body: PairDecrease, terms: CallTerms): BuiltCall {
  const { token0, token1 } = body.position.pool
  const part = percentOf(core, body.liquidityPercentageToDecrease)
  const slippage = percentOf(core, body.slippageTolerance)
  const partOf = (amount: string) => part.multiply(amount).quotient.toString()
  const least = (amount: string) => lessOf(slippage, partOf(amount))
  const data = encodeFunctionData({
    abi: routerAbi,
    functionName: 'removeLiquidity',
    args: [
      token0 as Hex,
      token1 as Hex,
      BigInt(partOf(body.positionLiquidity)),
      least(body.liquidity0),
      least(body.liquidity1),
      terms.recipient as Hex,
      BigInt(deadlineOf(terms)),
    ],
  })
  return { to: routerOf(chain), data, value: toHex(0n) }
}

function routerOf({ amm: { v2 } }: Chain): string {
  if (v2 === undefined) throw new TypeError('the chain has no v2')
  return v2.router
}

function percentOf({ Percent }: Sdks['core'], percent: number): PercentOf {
  return new Percent(Math.round(percent * 1_000_000), 100_000_000)
}

function lessOf(slippage: PercentOf, amount: string): bigint {
  return BigInt(slippage.multiply(-1).add(1).multiply(amount).quotient.toString())
}

/** Of Router02. */
const routerAbi = parseAbi([
  'function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB, uint256 liquidity)',
  'function addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline) payable returns (uint256 amountToken, uint256 amountETH, uint256 liquidity)',
  'function removeLiquidity(address tokenA, address tokenB, uint256 liquidity, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline) returns (uint256 amountA, uint256 amountB)',
])

/** The calls of a migration, built by the vendor's SDKs: all is taken out of v3 and handed to v4's position manager, which opens the other. */
export function buildMigrate(sdks: Sdks, chain: Chain, body: MigrateBody, terms: CallTerms): BuiltCall {
  const { core, v3, v4, router } = sdks
  if (chain.amm.v4 === undefined || chain.amm.universalRouter === undefined) throw new TypeError('the chain has no v4')
  const { positionManager } = chain.amm.v4
  const currencies = currenciesOf(sdks, chain, body)
  const [token0, token1] = currencies.input
  const { pool: from, tickLower, tickUpper } = body.inputPosition
  const state = [body.inputSqrtRatioX96, body.inputPoolLiquidity, body.inputCurrentTick] as const
  const inputPosition = new v3.Position({
    pool: new v3.Pool(token0, token1, from.fee, ...state),
    liquidity: body.inputPositionLiquidity,
    tickLower,
    tickUpper,
  })
  const { pool: into, ...ticks } = body.outputPosition
  const [currency0, currency1] = currencies.output
  const { fee, tickSpacing, hooks = zeroAddress } = into
  const target = [body.outputSqrtRatioX96, body.outputPoolLiquidity, body.outputCurrentTick] as const
  const outputPosition = v4.Position.fromAmounts({
    pool: new v4.Pool(currency0, currency1, fee, tickSpacing, hooks, ...target),
    ...ticks,
    amount0: body.amount0,
    amount1: body.amount1,
    useFullPrecision: true,
  })
  const owed = (token: Token, amount: string) => core.CurrencyAmount.fromRawAmount(token, amount)
  const limits = {
    slippageTolerance: new core.Percent(Math.round(body.slippageTolerance * 1_000_000), 100_000_000),
    deadline: terms.isStale ? terms.deadline - 86_400 : terms.deadline,
  }
  const { calldata, value } = router.SwapRouter.migrateV3ToV4CallParameters(
    {
      inputPosition,
      outputPosition,
      v3RemoveLiquidityOptions: {
        ...limits,
        tokenId: body.tokenId,
        liquidityPercentage: new core.Percent(100, 100),
        burnToken: true,
        collectOptions: {
          expectedCurrencyOwed0: owed(token0, body.expectedTokenOwed0RawAmount),
          expectedCurrencyOwed1: owed(token1, body.expectedTokenOwed1RawAmount),
          recipient: positionManager,
        },
      },
      v4AddLiquidityOptions: {
        ...limits,
        recipient: terms.recipient,
        migrate: true,
        ...(currencies.native === null ? {} : { useNative: currencies.native }),
      },
    },
    positionManager,
  )
  return { to: chain.amm.universalRouter.address, data: calldata as Hex, value }
}

function currenciesOf({ core }: Sdks, chain: Chain, { inputPosition, outputPosition }: MigrateBody) {
  const { token0, token1 } = inputPosition.pool
  const input = [new core.Token(chain.id, token0, 18), new core.Token(chain.id, token1, 18)] as const
  if (outputPosition.pool.token0 !== zeroAddress) return { input, output: input, native: null }
  const wrapped = input.find(({ address }) => address === chain.wrappedNative.address)
  const other = input.find((token) => token !== wrapped)
  if (wrapped === undefined || other === undefined) throw new TypeError('a position of other tokens')
  const native = nativeOf(core, wrapped)
  return { input, output: [native, other] as const, native }
}
