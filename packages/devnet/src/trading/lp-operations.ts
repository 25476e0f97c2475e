import type { Chain } from '@svc/wallet/core'
import {
  type Address,
  encodeAbiParameters,
  keccak256,
  maxUint128,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem'
import { type ChainClient, connect } from '../chain/chain-client.ts'
import {
  buildClaim,
  buildDecrease,
  buildDeposit,
  type BuildingFor,
  type BuiltCall,
  type CallTerms,
} from './build-call.ts'
import type { ClaimFeesBody, LpCreateBody, LpDecreaseBody, LpIncreaseBody } from './requests.ts'

/** The same calls as of the older dialect, once the chain was asked for what that one is given. */
export async function buildClaimFees(
  world: BuildingFor,
  { tokenId, ...body }: ClaimFeesBody,
  terms: CallTerms,
): Promise<BuiltCall> {
  const held = await readPosition(world, body, tokenId)
  const { position, owed } = held
  const common = { tokenId: Number(tokenId), position, walletAddress: body.walletAddress, chainId: body.chainId }
  return buildClaim(
    world.sdks,
    world.chain,
    body.protocol === 'V4' ? { protocol: 'V4', ...common } : { protocol: 'V3', ...common, ...owed },
    terms,
  )
}

export async function buildLpDecrease(
  world: BuildingFor,
  { nftTokenId, liquidityPercentageToDecrease, slippageTolerance = 0.5, ...body }: LpDecreaseBody,
  terms: CallTerms,
): Promise<BuiltCall> {
  const { position, owed, liquidity: positionLiquidity, state } = await readPosition(world, body, nftTokenId)
  const common = {
    tokenId: Number(nftTokenId),
    position,
    walletAddress: body.walletAddress,
    chainId: body.chainId,
    liquidityPercentageToDecrease,
    positionLiquidity,
    slippageTolerance,
    ...state,
  }
  return buildDecrease(
    world.sdks,
    world.chain,
    body.protocol === 'V4' ? { protocol: 'V4', ...common } : { protocol: 'V3', ...common, ...owed },
    terms,
  )
}

export async function buildLpIncrease(world: BuildingFor, body: LpIncreaseBody, terms: CallTerms): Promise<BuiltCall> {
  const { position, state } = await readPosition(world, body, body.nftTokenId)
  const named = { ...position, pool: { ...position.pool, token0: body.token0Address, token1: body.token1Address } }
  const wire = bothAmounts(world, body, { position: named, ...state })
  return buildDeposit(world.sdks, world.chain, { ...wire, tokenId: Number(body.nftTokenId) }, terms)
}

export async function buildLpCreate(world: BuildingFor, body: LpCreateBody, terms: CallTerms): Promise<BuiltCall> {
  const { sdks, chain } = world
  if ('newPool' in body) {
    const { token0Address: token0, token1Address: token1, initialPrice, ...key } = body.newPool
    const position = { pool: { token0, token1, ...key }, ...body.tickBounds }
    const tick = sdks.v3.TickMath.getTickAtSqrtRatio(new sdks.core.Fraction(initialPrice).quotient)
    const opened = { position, poolLiquidity: '0', currentTick: tick, sqrtRatioX96: initialPrice }
    const { poolLiquidity: _, currentTick: __, sqrtRatioX96: ___, ...wire } = bothAmounts(world, body, opened)
    return buildDeposit(sdks, chain, { ...wire, initialPrice }, terms)
  }
  const { token0Address: token0, token1Address: token1, poolReference } = body.existingPool
  const key = await keyOf(world, body.protocol, { token0, token1, poolReference })
  const state = await stateOf(world, body.protocol, key)
  const position = { pool: { ...key, token0, token1 }, ...body.tickBounds }
  return buildDeposit(sdks, chain, bothAmounts(world, body, { position, ...state }), terms)
}

type Key = {
  readonly token0: string
  readonly token1: string
  readonly fee: number
  readonly tickSpacing: number
  readonly hooks?: string | undefined
}

type Placed = {
  readonly position: { readonly pool: Key; readonly tickLower: number; readonly tickUpper: number }
} & PoolState

type PoolState = { readonly poolLiquidity: string; readonly currentTick: number; readonly sqrtRatioX96: string }

/** The amount that was not given, by the vendor's own arithmetic. */
function bothAmounts(
  { sdks: { core, v3 }, chain }: BuildingFor,
  body: Omit<LpIncreaseBody, 'token0Address' | 'token1Address' | 'nftTokenId'>,
  placed: Placed,
) {
  const { pool, ...ticks } = placed.position
  const { tokenAddress, amount } = body.independentToken
  // Prices and ranges do not know what the tokens are called, only which of them is the first; this fee takes any tick.
  const token = (digit: string) => new core.Token(chain.id, `0x${digit.repeat(40)}`, 18)
  const state = [placed.sqrtRatioX96, placed.poolLiquidity, placed.currentTick] as const
  const of = { pool: new v3.Pool(token('1'), token('2'), 100, ...state), ...ticks }
  const { mintAmounts } =
    tokenAddress === pool.token0
      ? v3.Position.fromAmount0({ ...of, amount0: amount, useFullPrecision: body.protocol === 'V4' })
      : v3.Position.fromAmount1({ ...of, amount1: amount })
  const { protocol, walletAddress, chainId, slippageTolerance = 0.5, deadline } = body
  return {
    ...placed,
    protocol,
    walletAddress,
    chainId,
    slippageTolerance,
    amount0: mintAmounts.amount0.toString(),
    amount1: mintAmounts.amount1.toString(),
    ...(deadline === undefined ? {} : { deadline }),
  }
}

function clientOf({ rpcUrl }: BuildingFor): ChainClient {
  if (rpcUrl === null) throw new TypeError('a chain is needed that can be read')
  return connect(rpcUrl)
}

async function readPosition(
  world: BuildingFor,
  { protocol, walletAddress }: { readonly protocol: 'V3' | 'V4'; readonly walletAddress: string },
  id: string,
) {
  const client = clientOf(world)
  const { v3, v4 } = world.chain.amm
  if (v3 === undefined || v4 === undefined) throw new TypeError('the chain has not both versions')
  const args = [BigInt(id)] as const
  const nothingOwed = {
    expectedTokenOwed0RawAmount: '0',
    expectedTokenOwed1RawAmount: '0',
    collectAsWETH: true as const,
  }
  if (protocol === 'V4') {
    const address = v4.positionManager
    const [[key, info], liquidity] = await Promise.all([
      client.readContract({ address, abi, functionName: 'getPoolAndPositionInfo', args }),
      client.readContract({ address, abi, functionName: 'getPositionLiquidity', args }),
    ])
    const tickAt = (shift: bigint) => Number(BigInt.asIntN(24, info >> shift))
    const pool = { ...key, token0: key.currency0, token1: key.currency1 }
    const position = { pool: poolOf(pool), tickLower: tickAt(8n), tickUpper: tickAt(32n) }
    return {
      position,
      owed: nothingOwed,
      liquidity: `${liquidity}`,
      state: await stateOf(world, protocol, position.pool),
    }
  }
  const address = v3.positionManager
  const collect = {
    tokenId: args[0],
    recipient: walletAddress as Address,
    amount0Max: maxUint128,
    amount1Max: maxUint128,
  }
  const account = walletAddress as Address
  const [[, , token0, token1, fee, tickLower, tickUpper, liquidity], { result: owed }] = await Promise.all([
    client.readContract({ address, abi, functionName: 'positions', args }),
    client.simulateContract({ address, abi, functionName: 'collect', args: [collect], account }),
  ])
  const position = { pool: { token0, token1, fee, tickSpacing: spacings[fee] ?? 1 }, tickLower, tickUpper }
  return {
    position,
    owed: { ...nothingOwed, expectedTokenOwed0RawAmount: `${owed[0]}`, expectedTokenOwed1RawAmount: `${owed[1]}` },
    liquidity: `${liquidity}`,
    state: await stateOf(world, protocol, position.pool),
  }
}

function poolOf({ token0, token1, fee, tickSpacing, hooks }: Key): Key {
  return { token0, token1, fee, tickSpacing, hooks }
}

const spacings: Readonly<Record<number, number>> = { 100: 1, 500: 10, 3000: 60, 10_000: 200 }

/** Of v3 the pool says it; an id of v4 is the hash of a key, here of a customary one. */
async function keyOf(
  world: BuildingFor,
  protocol: 'V3' | 'V4',
  {
    token0,
    token1,
    poolReference,
  }: { readonly token0: string; readonly token1: string; readonly poolReference: string },
): Promise<Key> {
  if (protocol === 'V3') {
    const pool = poolReference as Address
    const fee = await clientOf(world).readContract({ address: pool, abi, functionName: 'fee' })
    return { token0, token1, fee, tickSpacing: spacings[fee] ?? 1 }
  }
  for (const [fee, tickSpacing] of Object.entries(spacings)) {
    const key = { token0, token1, fee: Number(fee), tickSpacing, hooks: zeroAddress }
    if (poolIdOf(key) === poolReference.toLowerCase()) return key
  }
  throw new TypeError('a pool of a key that is not customary')
}

function poolIdOf({ token0, token1, fee, tickSpacing, hooks = zeroAddress }: Key) {
  const values = [token0 as Address, token1 as Address, fee, tickSpacing, hooks as Address] as const
  return keccak256(encodeAbiParameters(keyParameters, values))
}

const keyParameters = parseAbiParameters('address, address, uint24, int24, address')

async function stateOf(world: BuildingFor, protocol: 'V3' | 'V4', key: Key): Promise<PoolState> {
  const client = clientOf(world)
  const { v3, v4 } = world.chain.amm
  if (v3 === undefined || v4 === undefined) throw new TypeError('the chain has not both versions')
  if (protocol === 'V4') {
    const [address, args] = [v4.stateView, [poolIdOf(key)] as const]
    const [[price, tick], liquidity] = await Promise.all([
      client.readContract({ address, abi, functionName: 'getSlot0', args }),
      client.readContract({ address, abi, functionName: 'getLiquidity', args }),
    ])
    return { poolLiquidity: `${liquidity}`, currentTick: tick, sqrtRatioX96: `${price}` }
  }
  const tokens = [wrapped(world.chain, key.token0), wrapped(world.chain, key.token1), key.fee] as const
  const pool = await client.readContract({ address: v3.factory, abi, functionName: 'getPool', args: tokens })
  const [[price, tick], liquidity] = await Promise.all([
    client.readContract({ address: pool, abi, functionName: 'slot0' }),
    client.readContract({ address: pool, abi, functionName: 'liquidity' }),
  ])
  return { poolLiquidity: `${liquidity}`, currentTick: tick, sqrtRatioX96: `${price}` }
}

function wrapped({ wrappedNative }: Chain, token: string): Address {
  return token === zeroAddress ? wrappedNative.address : (token as Address)
}

const abi = parseAbi([
  'function positions(uint256 tokenId) view returns (uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint128 liquidity, uint256 growth0, uint256 growth1, uint128 owed0, uint128 owed1)',
  'struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }',
  'function collect(CollectParams params) payable returns (uint256 amount0, uint256 amount1)',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function getPoolAndPositionInfo(uint256 tokenId) view returns (PoolKey poolKey, uint256 info)',
  'function getPositionLiquidity(uint256 tokenId) view returns (uint128 liquidity)',
  'function getPool(address one, address other, uint24 fee) view returns (address pool)',
  'function fee() view returns (uint24 fee)',
  'function slot0() view returns (uint160 sqrtPriceX96, int24 tick, uint16 index, uint16 count, uint16 next, uint8 feeProtocol, bool unlocked)',
  'function liquidity() view returns (uint128 liquidity)',
  'function getSlot0(bytes32 id) view returns (uint160 sqrtPriceX96, int24 tick, uint24 protocolFee, uint24 lpFee)',
  'function getLiquidity(bytes32 id) view returns (uint128 liquidity)',
])
