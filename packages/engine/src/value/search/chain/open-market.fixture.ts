import type { Devnet } from '@svc/devnet'
import { getAmountsForLiquidity, getSqrtPriceAtTick } from '@svc/lp-math'
import { type Address, type Hex, numberToHex, parseAbi, zeroAddress } from 'viem'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { type ChainActor, createChainActor } from '../../../../../amm/src/liquidity/chain-actor.fixture.ts'
import { v2PairAddress, v3PoolAddress } from '@svc/amm/liquidity'
import { testClient } from '../../../../../tool-server/src/fair-value/attack-kit.fixture.ts'
import type { Standing, StandingPool, StandingToken } from '../programs/replayable.fixture.ts'

/**
 * Puts what stands at a moment on the local chain: tokens at the addresses that the search knows them by, so that pools sort them
 * alike, and pools of the same depth at the same prices, all by somebody with endless funds.
 */
export async function openMarket(devnet: Devnet, { tokens, pools }: Standing): Promise<ChainMarket> {
  const others = await createChainActor(devnet, devnet.accounts.at(-1)?.address ?? zeroAddress)
  const { v2, v3, v4, universalRouter } = devnet.chain.amm
  const routers = [v2!.router, v3!.swapRouter02, universalRouter!.address, v3!.positionManager, v4!.positionManager]
  const market: ChainMarket = {
    others,
    tokens: new Map(tokens.map((token) => [token.symbol, token])),
    pools: new Map(),
  }
  for (const token of tokens) await placeToken(devnet, token)
  for (const { address } of tokens) {
    await deal(devnet, others.address, address, endless)
    for (const router of routers) await others.approve(router, address)
  }
  for (const pool of pools) market.pools.set(pool.name, await placePool(devnet, market, pool))
  return market
}

export type ChainMarket = {
  /** Who trades and adds for everybody but the agent. */
  readonly others: ChainActor
  /** By symbol. */
  readonly tokens: ReadonlyMap<string, StandingToken>
  /** By the names that programs have for them. */
  readonly pools: Map<string, ChainPool>
}

export type ChainPool = {
  readonly version: 'v2' | 'v3' | 'v4'
  readonly id: Hex
  readonly token0: Address
  readonly token1: Address
  readonly fee: number
  /** `null` for v2. */
  readonly tickSpacing: number | null
}

/** Makes an account hold so much of a token. No block is mined for it. */
export async function deal(devnet: Devnet, owner: Address, token: Address, amount: bigint): Promise<void> {
  await testClient(devnet).request<Deal>({ method: 'anvil_dealERC20', params: [owner, token, numberToHex(amount)] })
}

type Deal = { Method: 'anvil_dealERC20'; Parameters: [Address, Address, Hex]; ReturnType: null }

/** More than anybody trades, and not beyond what a pair can hold. */
const endless = 2n ** 110n

/** The code of a plain token of the chain with as many decimals. */
async function placeToken(devnet: Devnet, { address, decimals }: StandingToken): Promise<void> {
  const alike = devnet.tokens.find((token) => token.decimals === decimals && plain.has(token.symbol))
  if (alike === undefined) throw new TypeError(`The local chain has no plain token of ${decimals} decimals`)
  const { client } = await createChainActor(devnet, address)
  await testClient(devnet).setCode({ address, bytecode: (await client.getCode({ address: alike.address })) ?? '0x' })
}

const plain = new Set(['USDC', 'DAI', 'WBTC'])

async function placePool(devnet: Devnet, { others, tokens }: ChainMarket, pool: StandingPool): Promise<ChainPool> {
  const { v2, v3 } = devnet.chain.amm
  const { version, fee } = pool
  const [token0, token1] = [pool.token0, pool.token1].map((symbol) => tokens.get(symbol)?.address ?? zeroAddress)
  const pair = [token0 ?? zeroAddress, token1 ?? zeroAddress] as const
  const sides = { version, token0: pair[0], token1: pair[1], fee }
  if (pool.version === 'v2') {
    await others.addV2(...pair, BigInt(pool.amount0), BigInt(pool.amount1))
    return { ...sides, id: v2PairAddress(v2!, ...pair), tickSpacing: null }
  }
  const { tickSpacing, positions, cardinality } = pool
  const sqrtPriceX96 = BigInt(pool.sqrtPriceX96)
  const standing = positions.filter(({ liquidity }) => liquidity !== '0')
  if (pool.version === 'v4') {
    const key = { currency0: pair[0], currency1: pair[1], fee, tickSpacing, hooks: zeroAddress }
    const id = await others.initializeV4(key, sqrtPriceX96)
    for (const { tickLower, tickUpper, liquidity } of standing) {
      await others.mintV4(key, tickLower, tickUpper, BigInt(liquidity))
    }
    return { ...sides, id, tickSpacing }
  }
  const opening = [...pair, fee, sqrtPriceX96]
  await others.write(v3!.positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', opening)
  const id = v3PoolAddress(v3!, ...pair, fee)
  // More than the gas of one transaction pays for.
  for (const room of [Math.ceil(cardinality / 2), cardinality]) {
    await others.write(id, oracleAbi, 'increaseObservationCardinalityNext', [room])
  }
  for (const { tickLower, tickUpper, liquidity } of standing) {
    const bounds = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)] as const
    const { amount0, amount1 } = getAmountsForLiquidity(sqrtPriceX96, ...bounds, BigInt(liquidity), true)
    const range = { token0: pair[0], token1: pair[1], fee, tickLower, tickUpper }
    await others.mintV3({ ...range, amount0Desired: amount0, amount1Desired: amount1 })
  }
  return { ...sides, id, tickSpacing }
}

const oracleAbi = parseAbi(['function increaseObservationCardinalityNext(uint16 observationCardinalityNext)'])
