import type { Chain } from '@svc/wallet/core'
import type { Token } from '@uniswap/sdk-core'
import { type Hex, zeroAddress } from 'viem'
import { type BuiltCall, type CallTerms, nativeOf, type Sdks } from './build-call.ts'
import type { MigrateBody } from './requests.ts'

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
