import type { Chain } from '@svc/wallet/core'
import {
  type Address,
  encodeAbiParameters,
  getAddress,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { type ChainClient, connect } from '../chain/chain-client.ts'
import type { BuiltCall, CallTerms, Sdks } from './build-call.ts'
import type { QuoteBody, SwapBody } from './requests.ts'

/**
 * The best trade over the pools of a pair, in a quote of the documented form: one pool, or halves through two of them where that
 * gives more. Quoters on the chain say what a pool pays. `null` where none does.
 */
export async function quoteSwap(chain: Chain, rpcUrl: string | null, body: QuoteBody, isStale: boolean) {
  if (rpcUrl === null) throw new TypeError('a chain is needed that can be read')
  const client = connect(rpcUrl)
  const asked = { chain, client, body }
  if (body.type === 'EXACT_OUTPUT') return quoteOutput(asked, isStale)
  const amountIn = BigInt(body.amount)
  const [whole, halves] = await Promise.all([bestFirst(asked, amountIn), bestFirst(asked, amountIn / 2n)])
  const [best] = whole
  if (best === undefined) return null
  const [one, other] = halves.filter(({ pool }) => pool.type !== 'v4-pool')
  const rest = amountIn - amountIn / 2n
  const split =
    one === undefined || other === undefined || one.amountOut + other.amountOut <= best.amountOut
      ? null
      : [one, { ...other, amountIn: rest }]
  const legs = split ?? [best]
  const amountOut = legs.reduce((sum, leg) => sum + leg.amountOut, 0n)
  // An old quote is of a better day.
  const output = isStale ? (amountOut * 11n) / 10n : amountOut
  return {
    chainId: chain.id,
    swapper: body.swapper,
    tradeType: 'EXACT_INPUT',
    slippage: body.slippageTolerance,
    input: { token: body.tokenIn, amount: body.amount },
    output: { token: body.tokenOut, amount: `${output}`, recipient: body.swapper },
    route: legs.map((leg) => [{ ...leg.pool, amountIn: `${leg.amountIn}`, amountOut: `${scaled(leg, isStale)}` }]),
  }
}

/** The one pool of v2 or v3 that takes least for an output. `null` where none brings it. */
async function quoteOutput({ chain, client, body }: Asked, isStale: boolean) {
  const amountOut = BigInt(body.amount)
  const legs = await Promise.all([
    ...(body.protocols.includes('V2') ? [unlessRefused(v2Leg({ chain, client, body }, amountOut))] : []),
    ...(body.protocols.includes('V3')
      ? feeTiers.map(([fee]) => unlessRefused(v3Leg({ chain, client, body }, amountOut, fee)))
      : []),
  ])
  const [best] = legs.filter((leg) => leg !== null).toSorted((a, b) => (b.amountIn < a.amountIn ? 1 : -1))
  if (best === undefined) return null
  const amountIn = isStale ? (best.amountIn * 10n) / 11n : best.amountIn
  return {
    chainId: chain.id,
    swapper: body.swapper,
    tradeType: 'EXACT_OUTPUT',
    slippage: body.slippageTolerance,
    input: { token: body.tokenIn, amount: `${amountIn}` },
    output: { token: body.tokenOut, amount: body.amount, recipient: body.swapper },
    route: [[{ ...best.pool, amountIn: `${amountIn}`, amountOut: body.amount }]],
  }
}

function scaled({ amountOut }: Leg, isStale: boolean): bigint {
  return isStale ? (amountOut * 11n) / 10n : amountOut
}

/** The calls of a swap as it was quoted, built by the vendor's SDK. */
export function buildSwap(
  { core, router }: Sdks,
  chain: Chain,
  { quote, deadline }: SwapBody,
  terms: CallTerms,
): BuiltCall {
  if (chain.amm.universalRouter === undefined) throw new TypeError('the chain has no universal router')
  // The SDK knows the wrapped currency of public chains alone.
  core.WETH9[chain.id] ??= new core.Token(chain.id, chain.wrappedNative.address, 18)
  const trade = router.RouterTradeAdapter.fromClassicQuote({
    tokenIn: quote.input.token,
    tokenOut: quote.output.token,
    tradeType: core.TradeType[quote.tradeType],
    route: quote.route,
  } as Parameters<typeof router.RouterTradeAdapter.fromClassicQuote>[0])
  const isOfV4 = quote.route.flat().some(({ type }) => type === 'v4-pool')
  const { calldata, value } = router.SwapRouter.swapCallParameters(trade, {
    slippageTolerance: new core.Percent(Math.round(quote.slippage * 1_000_000), 100_000_000),
    recipient: terms.recipient,
    deadlineOrPreviousBlockhash: `${deadline ?? terms.deadline}`,
    // The local chain's router reads routes through v4 as 2.1.1 does, and all else as 2.0.
    urVersion: isOfV4 ? router.UniversalRouterVersion.V2_1_1 : router.UniversalRouterVersion.V2_0,
  })
  return { to: chain.amm.universalRouter.address, data: calldata as Hex, value }
}

type Asked = { readonly chain: Chain; readonly client: ChainClient; readonly body: QuoteBody }

/** What a pool pays for an amount, and the pool as a quote names it. */
type Leg = {
  readonly pool: Readonly<Record<string, unknown>> & { readonly type: string }
  readonly amountIn: bigint
  readonly amountOut: bigint
}

/** Every pool of the pair that pays anything, the best first. */
async function bestFirst(asked: Asked, amountIn: bigint): Promise<readonly Leg[]> {
  const { protocols } = asked.body
  const legs = await Promise.all([
    ...(protocols.includes('V2') ? [unlessRefused(v2Leg(asked, amountIn))] : []),
    ...(protocols.includes('V3') ? feeTiers.map(([fee]) => unlessRefused(v3Leg(asked, amountIn, fee))) : []),
    ...(protocols.includes('V4') ? feeTiers.map((tier) => unlessRefused(v4Leg(asked, amountIn, tier))) : []),
  ])
  return legs.filter((leg) => leg !== null).toSorted((a, b) => (b.amountOut > a.amountOut ? 1 : -1))
}

const feeTiers = [
  [100, 1],
  [500, 10],
  [3000, 60],
  [10_000, 200],
] as const

async function unlessRefused(leg: Promise<Leg | null>): Promise<Leg | null> {
  return leg.catch(() => null)
}

/** @param amount on the side that the request names */
async function v2Leg({ chain, client, body }: Asked, amount: bigint): Promise<Leg | null> {
  if (chain.amm.v2 === undefined) return null
  const [tokenIn, tokenOut] = [wrapped(chain, body.tokenIn), wrapped(chain, body.tokenOut)]
  const { factory, router } = chain.amm.v2
  const pair = await client.readContract({ address: factory, abi, functionName: 'getPair', args: [tokenIn, tokenOut] })
  const read = { address: pair, abi } as const
  const functionName = body.type === 'EXACT_INPUT' ? 'getAmountsOut' : 'getAmountsIn'
  const [[reserve0, reserve1], token0, [amountIn = 0n, amountOut = 0n]] = await Promise.all([
    client.readContract({ ...read, functionName: 'getReserves' }),
    client.readContract({ ...read, functionName: 'token0' }),
    client.readContract({ address: router, abi, functionName, args: [amount, [tokenIn, tokenOut]] }),
  ])
  const [first, second] = token0 === tokenIn ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  const reserves = {
    reserve0: { token: named(chain, first), quotient: `${reserve0}` },
    reserve1: { token: named(chain, second), quotient: `${reserve1}` },
  }
  const ends = { tokenIn: named(chain, tokenIn), tokenOut: named(chain, tokenOut) }
  return { pool: { type: 'v2-pool', address: pair, ...ends, ...reserves }, amountIn, amountOut }
}

async function v3Leg({ chain, client, body }: Asked, amount: bigint, fee: number): Promise<Leg | null> {
  if (chain.amm.v3 === undefined) return null
  const { factory, quoterV2 } = chain.amm.v3
  const [tokenIn, tokenOut] = [wrapped(chain, body.tokenIn), wrapped(chain, body.tokenOut)]
  const pool = await client.readContract({
    address: factory,
    abi,
    functionName: 'getPool',
    args: [tokenIn, tokenOut, fee],
  })
  const params = { tokenIn, tokenOut, fee, sqrtPriceLimitX96: 0n }
  const quoter = { address: quoterV2, abi }
  const isInput = body.type === 'EXACT_INPUT'
  const asked = isInput
    ? client.simulateContract({
        ...quoter,
        functionName: 'quoteExactInputSingle',
        args: [{ ...params, amountIn: amount }],
      })
    : client.simulateContract({ ...quoter, functionName: 'quoteExactOutputSingle', args: [{ ...params, amount }] })
  const [[sqrtPriceX96, tick], liquidity, { result }] = await Promise.all([
    client.readContract({ address: pool, abi, functionName: 'slot0' }),
    client.readContract({ address: pool, abi, functionName: 'liquidity' }),
    asked,
  ])
  const [amountIn, amountOut] = isInput ? [amount, result[0]] : [result[0], amount]
  const state = { sqrtRatioX96: `${sqrtPriceX96}`, liquidity: `${liquidity}`, tickCurrent: `${tick}`, fee: `${fee}` }
  const ends = { tokenIn: named(chain, tokenIn), tokenOut: named(chain, tokenOut) }
  return { pool: { type: 'v3-pool', address: pool, ...ends, ...state }, amountIn, amountOut }
}

async function v4Leg(
  { chain, client, body }: Asked,
  amountIn: bigint,
  [fee, tickSpacing]: (typeof feeTiers)[number],
): Promise<Leg | null> {
  if (chain.amm.v4 === undefined) return null
  const { quoter, stateView } = chain.amm.v4
  const [tokenIn, tokenOut] = [getAddress(body.tokenIn), getAddress(body.tokenOut)]
  const zeroForOne = BigInt(tokenIn) < BigInt(tokenOut)
  const [currency0, currency1] = zeroForOne ? [tokenIn, tokenOut] : [tokenOut, tokenIn]
  const key = { currency0, currency1, fee, tickSpacing, hooks: zeroAddress }
  const id = keccak256(encodeAbiParameters(keyParameters, [key]))
  const params = { poolKey: key, zeroForOne, exactAmount: amountIn, hookData: '0x' } as const
  const [[sqrtPriceX96, tick], liquidity, { result }] = await Promise.all([
    client.readContract({ address: stateView, abi: v4Abi, functionName: 'getSlot0', args: [id] }),
    client.readContract({ address: stateView, abi: v4Abi, functionName: 'getLiquidity', args: [id] }),
    client.simulateContract({ address: quoter, abi: v4Abi, functionName: 'quoteExactInputSingle', args: [params] }),
  ])
  const state = { sqrtRatioX96: `${sqrtPriceX96}`, liquidity: `${liquidity}`, tickCurrent: `${tick}` }
  const ends = { tokenIn: named(chain, tokenIn), tokenOut: named(chain, tokenOut) }
  const pool = { type: 'v4-pool', ...ends, ...state, fee: `${fee}`, tickSpacing: `${tickSpacing}`, hooks: zeroAddress }
  return { pool, amountIn, amountOut: result[0] }
}

function wrapped(chain: Chain, token: string): Address {
  return token === zeroAddress ? chain.wrappedNative.address : getAddress(token)
}

function named({ id: chainId }: Chain, address: Address) {
  return { chainId, address, symbol: 'T', decimals: '18' }
}

const keyParameters = parseAbiParameters([
  'PoolKey key',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
])

const abi = parseAbi([
  'function getPair(address one, address other) view returns (address pair)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 at)',
  'function token0() view returns (address token)',
  'function getAmountsOut(uint256 amountIn, address[] path) view returns (uint256[] amounts)',
  'function getAmountsIn(uint256 amountOut, address[] path) view returns (uint256[] amounts)',
  'struct SingleOutput { address tokenIn; address tokenOut; uint256 amount; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactOutputSingle(SingleOutput params) returns (uint256 amountIn, uint160 priceAfter, uint32 crossed, uint256 gasUsed)',
  'function getPool(address one, address other, uint24 fee) view returns (address pool)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 index, uint16 count, uint16 next, uint8 feeProtocol, bool unlocked)',
  'function liquidity() view returns (uint128 liquidity)',
  'struct SingleParams { address tokenIn; address tokenOut; uint256 amountIn; uint24 fee; uint160 sqrtPriceLimitX96; }',
  'function quoteExactInputSingle(SingleParams params) returns (uint256 amountOut, uint160 priceAfter, uint32 crossed, uint256 gasUsed)',
])

const v4Abi = parseAbi([
  'function getSlot0(bytes32 id) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)',
  'function getLiquidity(bytes32 id) view returns (uint128 liquidity)',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct SingleParams { PoolKey poolKey; bool zeroForOne; uint128 exactAmount; bytes hookData; }',
  'function quoteExactInputSingle(SingleParams params) returns (uint256 amountOut, uint256 gasUsed)',
])
