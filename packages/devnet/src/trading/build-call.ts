import { createRequire } from 'node:module'
import type * as SdkCore from '@uniswap/sdk-core'
import type * as RouterSdk from '@uniswap/universal-router-sdk'
import type * as V3Sdk from '@uniswap/v3-sdk'
import type * as V4Sdk from '@uniswap/v4-sdk'
import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, type Hex, parseAbi, zeroAddress } from 'viem'
import type { ClaimBody, DecreaseBody as AnyDecreaseBody, DepositBody } from './requests.ts'
import type { NativeCurrency, Percent, Token } from '@uniswap/sdk-core'

/** What a transaction is made with beside the request: a fault of the stand-in changes some of it. */
export type CallTerms = {
  readonly recipient: string
  /** Unix seconds. */
  readonly deadline: number
  /**
   * As of an old state: a claim of v3 asks for half of what is owed, which is all that the state knew of; what has a deadline is
   * past it.
   */
  readonly isStale: boolean
}

/** What transactions are built with. */
export type BuildingFor = {
  readonly sdks: Sdks
  readonly chain: Chain
  /** Of the chain; `null` where it is not read. */
  readonly rpcUrl: string | null
}

/** The calls of a claim, built by the vendor's SDKs; nothing of ours encodes it but the stale one of v3, which they would not build. */
export function buildClaim(sdks: Sdks, chain: Chain, body: ClaimBody, terms: CallTerms): BuiltCall {
  return body.protocol === 'V3' ? claimV3(sdks, chain, body, terms) : claimV4(sdks, chain, body, terms)
}

export type BuiltCall = { readonly to: string; readonly data: Hex; readonly value: string }

type ClaimV3 = Extract<ClaimBody, { readonly protocol: 'V3' }>
type ClaimV4 = Extract<ClaimBody, { readonly protocol: 'V4' }>

function claimV3({ core, v3 }: Sdks, chain: Chain, body: ClaimV3, terms: CallTerms): BuiltCall {
  if (chain.amm.v3 === undefined) throw new TypeError('the chain has no v3')
  const to = chain.amm.v3.positionManager
  const { expectedTokenOwed0RawAmount: owed0, expectedTokenOwed1RawAmount: owed1 } = body
  if (terms.isStale) {
    const [amount0Max, amount1Max] = [BigInt(owed0) / 2n, BigInt(owed1) / 2n]
    const recipient = terms.recipient as Hex
    const args = [{ tokenId: BigInt(body.tokenId), recipient, amount0Max, amount1Max }] as const
    return { to, data: encodeFunctionData({ abi: collectAbi, functionName: 'collect', args }), value: '0x00' }
  }
  const { calldata, value } = v3.NonfungiblePositionManager.collectCallParameters({
    tokenId: body.tokenId,
    ...payoutV3(core, body, terms),
  })
  return { to, data: calldata as Hex, value }
}

function payoutV3({ CurrencyAmount, Token }: Sdks['core'], body: ClaimV3, { recipient }: CallTerms) {
  const { expectedTokenOwed0RawAmount: owed0, expectedTokenOwed1RawAmount: owed1, position } = body
  const owed = (address: string, amount: string) =>
    CurrencyAmount.fromRawAmount(new Token(body.chainId, address, 18), amount)
  return {
    expectedCurrencyOwed0: owed(position.pool.token0, owed0),
    expectedCurrencyOwed1: owed(position.pool.token1, owed1),
    recipient,
  }
}

function claimV4(sdks: Sdks, chain: Chain, body: ClaimV4, terms: CallTerms): BuiltCall {
  const { core, v3, v4 } = sdks
  if (chain.amm.v4 === undefined) throw new TypeError('the chain has no v4')
  // A claim moves no price, so any price of the pool makes the same calldata.
  const state = { price: v3.TickMath.getSqrtRatioAtTick(0).toString(), liquidity: '0', tick: 0 }
  const { calldata, value } = v4.V4PositionManager.collectCallParameters(positionV4(sdks, body, '1', state), {
    tokenId: body.tokenId,
    recipient: terms.recipient,
    slippageTolerance: new core.Percent(0, 1),
    deadline: deadlineOf(terms),
  })
  return { to: chain.amm.v4.positionManager, data: calldata as Hex, value }
}

export function deadlineOf({ deadline, isStale }: CallTerms): number {
  return isStale ? deadline - 86_400 : deadline
}

/** The calls of a removal, built by the vendor's SDKs. */
export function buildDecrease(sdks: Sdks, chain: Chain, body: DecreaseBody, terms: CallTerms): BuiltCall {
  return body.protocol === 'V3' ? decreaseV3(sdks, chain, body, terms) : decreaseV4(sdks, chain, body, terms)
}

type DecreaseBody = Exclude<AnyDecreaseBody, { readonly protocol: 'V2' }>
type DecreaseV3 = Extract<DecreaseBody, { readonly protocol: 'V3' }>
type DecreaseV4 = Extract<DecreaseBody, { readonly protocol: 'V4' }>

function decreaseV3({ core, v3 }: Sdks, chain: Chain, body: DecreaseV3, terms: CallTerms): BuiltCall {
  if (chain.amm.v3 === undefined) throw new TypeError('the chain has no v3')
  const { pool, tickLower, tickUpper } = body.position
  const token = (address: string) => new core.Token(body.chainId, address, 18)
  const position = new v3.Position({
    pool: new v3.Pool(
      token(pool.token0),
      token(pool.token1),
      pool.fee,
      body.sqrtRatioX96,
      body.poolLiquidity,
      body.currentTick,
    ),
    liquidity: body.positionLiquidity,
    tickLower,
    tickUpper,
  })
  const { calldata, value } = v3.NonfungiblePositionManager.removeCallParameters(position, {
    ...removalOf(core, body, terms),
    collectOptions: payoutV3(core, body, terms),
  })
  return { to: chain.amm.v3.positionManager, data: calldata as Hex, value }
}

/** The SDK pays the sender of a removal of v4, whoever that is; a removal for somebody else is put together from its actions. */
function decreaseV4(sdks: Sdks, chain: Chain, body: DecreaseV4, terms: CallTerms): BuiltCall {
  const { core, v4 } = sdks
  if (chain.amm.v4 === undefined) throw new TypeError('the chain has no v4')
  const to = chain.amm.v4.positionManager
  const state = { price: body.sqrtRatioX96, liquidity: body.poolLiquidity, tick: body.currentTick }
  const position = positionV4(sdks, body, body.positionLiquidity, state)
  if (terms.recipient !== body.walletAddress) {
    const { liquidityPercentage, slippageTolerance } = removalOf(core, body, terms)
    const liquidity = liquidityPercentage.multiply(body.positionLiquidity).quotient.toString()
    const least = positionV4(sdks, body, liquidity, state).burnAmountsWithSlippage(slippageTolerance)
    const planner = new v4.V4PositionPlanner()
    planner.addDecrease(`${body.tokenId}`, liquidity, least.amount0.toString(), least.amount1.toString())
    planner.addTakePair(position.pool.currency0, position.pool.currency1, terms.recipient)
    const data = v4.V4PositionManager.encodeModifyLiquidities(planner.finalize(), `${terms.deadline}`)
    return { to, data: data as Hex, value: '0x00' }
  }
  const { calldata, value } = v4.V4PositionManager.removeCallParameters(position, removalOf(core, body, terms))
  return { to, data: calldata as Hex, value }
}

function removalOf({ Percent }: Sdks['core'], body: DecreaseBody, terms: CallTerms) {
  const percent = (share: number) => new Percent(Math.round(share * 1_000_000), 100_000_000)
  return {
    tokenId: body.tokenId,
    liquidityPercentage: percent(body.liquidityPercentageToDecrease),
    slippageTolerance: percent(body.slippageTolerance),
    deadline: deadlineOf(terms),
  }
}

/** The calls that open a position or add to one, built by the vendor's SDKs. For somebody else, more goes into a position of theirs. */
export function buildDeposit(sdks: Sdks, chain: Chain, body: DepositBody, terms: CallTerms): BuiltCall {
  const { Percent, Fraction } = sdks.core
  const opening = 'initialPrice' in body ? body.initialPrice : null
  const state =
    'initialPrice' in body
      ? {
          price: body.initialPrice,
          liquidity: '0',
          tick: sdks.v3.TickMath.getTickAtSqrtRatio(new Fraction(body.initialPrice).quotient),
        }
      : { price: body.sqrtRatioX96, liquidity: body.poolLiquidity, tick: body.currentTick }
  const own = 'tokenId' in body ? body.tokenId : null
  const tokenId = own !== null && terms.recipient !== body.walletAddress ? 1 : own
  const limits = {
    slippageTolerance: new Percent(Math.round(body.slippageTolerance * 1_000_000), 100_000_000),
    deadline: deadlineOf({ ...terms, deadline: body.deadline ?? terms.deadline }),
  }
  const into = tokenId === null ? { recipient: terms.recipient, createPool: opening !== null } : { tokenId }
  return body.protocol === 'V3'
    ? depositV3(sdks, chain, body, { state, into, limits })
    : depositV4(sdks, chain, body, {
        state,
        into: opening === null ? into : { ...into, sqrtPriceX96: opening },
        limits,
      })
}

type DepositTerms<Into> = {
  readonly state: PoolState
  readonly into: Into
  readonly limits: { readonly slippageTolerance: Percent; readonly deadline: number }
}

type IntoPosition = { readonly recipient: string; readonly createPool: boolean } | { readonly tokenId: number }

/** A side that is paid natively goes by the zero address, at the place of its wrapped form. */
function depositV3(
  { core, v3 }: Sdks,
  chain: Chain,
  { position: { pool, tickLower, tickUpper }, amount0, amount1 }: DepositBody,
  { state, into, limits }: DepositTerms<IntoPosition>,
): BuiltCall {
  if (chain.amm.v3 === undefined) throw new TypeError('the chain has no v3')
  const isNative = [pool.token0, pool.token1].includes(zeroAddress)
  const token = (address: string) =>
    new core.Token(chain.id, address === zeroAddress ? chain.wrappedNative.address : address, 18)
  const [token0, token1] = [token(pool.token0), token(pool.token1)]
  const position = v3.Position.fromAmounts({
    pool: new v3.Pool(token0, token1, pool.fee, state.price, state.liquidity, state.tick),
    tickLower,
    tickUpper,
    amount0,
    amount1,
    useFullPrecision: false,
  })
  const { calldata, value } = v3.NonfungiblePositionManager.addCallParameters(position, {
    ...into,
    ...limits,
    ...(isNative ? { useNative: nativeOf(core, pool.token0 === zeroAddress ? token0 : token1) } : {}),
  })
  return { to: chain.amm.v3.positionManager, data: calldata as Hex, value }
}

/** The SDK knows the wrapped currency of public chains alone. */
export function nativeOf(core: Sdks['core'], wrapped: Token): NativeCurrency {
  return Object.create(core.Ether.onChain(wrapped.chainId), { wrapped: { value: wrapped } }) as NativeCurrency
}

function depositV4(
  sdks: Sdks,
  chain: Chain,
  body: DepositBody,
  { state, into, limits }: DepositTerms<IntoPosition & { readonly sqrtPriceX96?: string }>,
): BuiltCall {
  if (chain.amm.v4 === undefined) throw new TypeError('the chain has no v4')
  const { tickLower, tickUpper } = body.position
  const pool = poolV4(sdks, body, state)
  const { amount0, amount1 } = body
  const position = sdks.v4.Position.fromAmounts({
    pool,
    tickLower,
    tickUpper,
    amount0,
    amount1,
    useFullPrecision: true,
  })
  const { currency0 } = pool
  const { calldata, value } = sdks.v4.V4PositionManager.addCallParameters(position, {
    ...into,
    ...limits,
    ...(currency0.isNative ? { useNative: currency0 } : {}),
  })
  return { to: chain.amm.v4.positionManager, data: calldata as Hex, value }
}

function positionV4(sdks: Sdks, body: ClaimV4, liquidity: string, state: PoolState) {
  const { tickLower, tickUpper } = body.position
  return new sdks.v4.Position({ pool: poolV4(sdks, body, state), liquidity, tickLower, tickUpper })
}

function poolV4({ core, v4 }: Sdks, { chainId, position: { pool } }: OfPool, { price, ...state }: PoolState) {
  const currency = (address: string) =>
    address === zeroAddress ? core.Ether.onChain(chainId) : new core.Token(chainId, address, 18)
  const [one, other] = [currency(pool.token0), currency(pool.token1)]
  const { fee, tickSpacing, hooks = zeroAddress } = pool
  return new v4.Pool(one, other, fee, tickSpacing, hooks, price, state.liquidity, state.tick)
}

type OfPool = Pick<DepositBody, 'chainId' | 'position'>

type PoolState = { readonly price: string; readonly liquidity: string; readonly tick: number }

const collectAbi = parseAbi([
  'struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function collect(CollectParams params) payable returns (uint256 amount0, uint256 amount1)',
])

/** The vendor's own builders of calldata. Their ES modules are for bundlers; Node loads the CommonJS ones, in some 300 ms. */
export function loadSdks(): Sdks {
  const load = createRequire(import.meta.url)
  return {
    core: load('@uniswap/sdk-core') as typeof SdkCore,
    v3: load('@uniswap/v3-sdk') as typeof V3Sdk,
    v4: load('@uniswap/v4-sdk') as typeof V4Sdk,
    router: load('@uniswap/universal-router-sdk') as typeof RouterSdk,
  }
}

export type Sdks = {
  readonly core: typeof SdkCore
  readonly v3: typeof V3Sdk
  readonly v4: typeof V4Sdk
  readonly router: typeof RouterSdk
}
