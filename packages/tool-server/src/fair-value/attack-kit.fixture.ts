import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Devnet } from '@svc/devnet'
import { sqrtPriceFromPrice, getTickAtSqrtPrice } from '@svc/lp-math'
import type { ReferencePool } from '@svc/wallet/core'
import { type Address, createTestClient, http, parseAbi, parseUnits } from 'viem'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { type ChainActor, createChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { v3PoolAddress } from '@svc/amm/liquidity'
import { openWorld, type World, type WorldOptions } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'

export const strict = { version: 1, allowlist: { mode: 'strict' } } as const

/**
 * A server as it is by default for a wallet that has done more than such a server lets it: `act` is carried out before, under limits of
 * `mostUsd`, by a server with another state.
 */
export async function openAfter<Outcome>(
  devnet: Devnet,
  act: (world: World) => Promise<Outcome>,
  { mostUsd = 1_000_000, funds = {}, policy = strict }: BeforeOptions = {},
): Promise<{ readonly world: World; readonly outcome: Outcome }> {
  const most = `${mostUsd}`
  const limitsUsd = { perTransaction: most, perSession: most, daily: most }
  const before = await openWorld(devnet, { policy: { version: 1, limitsUsd, approvalThresholdUsd: null }, funds })
  const outcome = await act(before)
  await before.close()
  const again = { dataDir: await mkdtemp(join(tmpdir(), 'tools-')), privateKey: before.again.privateKey }
  return { world: await openWorld(devnet, { again, policy }), outcome }
}

type BeforeOptions = Pick<WorldOptions, 'policy'> & {
  readonly mostUsd?: number
  readonly funds?: NonNullable<WorldOptions['funds']>
}

/** What wallet and prices of the market outside make, in dollars. */
export async function worthOf(world: World): Promise<number> {
  const usd = world.devnet.market.prices()
  const symbols = ['ETH', 'WETH', 'USDC', 'USDT', 'DAI', 'WBTC'] as const
  const held = await Promise.all(symbols.map((symbol) => world.balance(symbol)))
  const decimals = { ETH: 18, WETH: 18, USDC: 6, USDT: 6, DAI: 18, WBTC: 8 }
  return symbols.reduce((sum, symbol, at) => sum + (Number(held[at]) / 10 ** decimals[symbol]) * usd[symbol], 0)
}

/** A stranger with some 30 million dollars. */
export async function openStranger(devnet: Devnet): Promise<ChainActor> {
  const stranger = await createChainActor(devnet, devnet.accounts[9]!.address)
  await devnet.fund(stranger.address, { ETH: '1000', WETH: '3000', USDC: '10000000', USDT: '2000000', WBTC: '100' })
  return stranger
}

/** A v4 pool of WETH and USDC with a stranger's hook, at the market's price. */
export async function openHooked(devnet: Devnet, stranger: ChainActor, hook: Address): Promise<void> {
  const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => devnet.tokens.find((one) => one.symbol === symbol)!.address)
  const key = v4Key(weth!, usdc!, 3_000, 60, hook)
  const isFirst = key.currency0 === weth
  const price = isFirst ? sqrtPriceFromPrice('3000', 18, 6) : sqrtPriceFromPrice((1 / 3_000).toFixed(18), 6, 18)
  await stranger.initializeV4(key, price)
}

export function testClient(devnet: Devnet) {
  // Hundreds of blocks at once take long on a busy machine.
  return createTestClient({ mode: 'anvil', transport: http(devnet.rpcUrl, { timeout: 120_000 }) })
}

/** The next block comes 12 seconds after the newest. */
export async function nextIn(devnet: Devnet, actor: ChainActor, seconds = 12): Promise<void> {
  const { timestamp } = await actor.client.getBlock()
  await testClient(devnet).setNextBlockTimestamp({ timestamp: timestamp + BigInt(seconds) })
}

/** So many blocks of 12 seconds. */
export async function passBlocks(devnet: Devnet, actor: ChainActor, count: number): Promise<void> {
  const { timestamp } = await actor.client.getBlock()
  if (count > 1) {
    // The first of those mined at once comes at the time that is set, each other one after the interval.
    await testClient(devnet).setNextBlockTimestamp({ timestamp: timestamp + 12n })
    await testClient(devnet).mine({ blocks: count - 1, interval: 12 })
  }
  // What mining took itself is in the times of those blocks.
  const { timestamp: newest } = await actor.client.getBlock()
  await devnet.mineTo(Math.max(Number(timestamp) + count * 12, Number(newest) + 1))
}

/** The server's clock goes with the chain's. */
export async function syncClock(world: World): Promise<void> {
  const { timestamp } = await world.client.getBlock()
  world.clock.offsetMs = Number(timestamp) * 1000 - Date.now()
}

export type Range = { readonly low: number; readonly high: number; readonly wbtc: string; readonly usdc: string }

/** A v3 pool WBTC/USDC of honest people around 90,000, whose own oracle reaches back. */
export async function openConcentrated(devnet: Devnet, range: Range): Promise<OwnPool> {
  const [wbtc, usdc] = ['WBTC', 'USDC'].map(
    (symbol) => devnet.tokens.find((one) => one.symbol === symbol)!.address,
  ) as [Address, Address]
  const isFirst = BigInt(wbtc) < BigInt(usdc)
  const [token0, token1] = isFirst ? [wbtc, usdc] : [usdc, wbtc]
  const fee = 500
  const honest = await createChainActor(devnet, devnet.accounts[1]!.address)
  const v3 = devnet.chain.amm.v3!
  const sqrtAt = (price: number) =>
    sqrtPriceFromPrice(`${isFirst ? price : (1 / price).toFixed(18)}`, isFirst ? 8 : 6, isFirst ? 6 : 8)
  const tickAt = (price: number) => Math.round(getTickAtSqrtPrice(sqrtAt(price)) / 10) * 10
  await honest.write(v3.positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', [
    token0,
    token1,
    fee,
    sqrtAt(90_000),
  ])
  const id = v3PoolAddress(v3, token0, token1, fee)
  const growAbi = parseAbi(['function increaseObservationCardinalityNext(uint16 observationCardinalityNext)'])
  await honest.write(id, growAbi, 'increaseObservationCardinalityNext', [150])
  await devnet.fund(honest.address, { WBTC: '30', USDC: '3000000' })
  const mint = async (actor: ChainActor, ticks: readonly [number, number], amounts: Pick<Range, 'wbtc' | 'usdc'>) => {
    const [ofWbtc, ofUsdc] = [parseUnits(amounts.wbtc, 8), parseUnits(amounts.usdc, 6)]
    const [tickLower, tickUpper] = ticks[0] < ticks[1] ? ticks : [ticks[1], ticks[0]]
    const [amount0Desired, amount1Desired] = isFirst ? [ofWbtc, ofUsdc] : [ofUsdc, ofWbtc]
    return actor.mintV3({ token0, token1, fee, tickLower, tickUpper, amount0Desired, amount1Desired })
  }
  await mint(honest, [tickAt(range.low), tickAt(range.high)], range)
  const source: ReferencePool = { version: 'v3', id, quote: usdc, fee }
  return { id, fee, isFirst, wbtc, usdc, tickAt, mint, source }
}

export type OwnPool = {
  readonly id: Address
  readonly fee: number
  /** Whether WBTC is token0, so that its price rises with the tick. */
  readonly isFirst: boolean
  readonly wbtc: Address
  readonly usdc: Address
  tickAt(price: number): number
  mint(actor: ChainActor, ticks: readonly [number, number], amounts: Pick<Range, 'wbtc' | 'usdc'>): Promise<bigint>
  readonly source: ReferencePool
}

/** Donor.sol: lends nothing of a v3 pool and pays it fees all the same. */
export const donorCode =
  '0x608060405234801561001057600080fd5b50600436106100365760003560e01c8063798f08e31461003b578063e9cbafb014610050575b600080fd5b61004e610049366004610213565b610063565b005b61004e61005e36600461026e565b6100ff565b604080516001600160a01b038681166020830152818301869052848116606083015260808083018590528351808403909101815260a08301938490526312439b2f60e21b90935287169163490e6cbc916100c6913091600091829160a4016102ef565b600060405180830381600087803b1580156100e057600080fd5b505af11580156100f4573d6000803e3d6000fd5b505050505050505050565b60008080806101108587018761035a565b9350935093509350836001600160a01b031663a9059cbb33856040518363ffffffff1660e01b81526004016101469291906103a2565b6020604051808303816000875af1158015610165573d6000803e3d6000fd5b505050506040513d601f19601f8201168201806040525081019061018991906103bb565b5060405163a9059cbb60e01b81526001600160a01b0383169063a9059cbb906101b890339085906004016103a2565b6020604051808303816000875af11580156101d7573d6000803e3d6000fd5b505050506040513d601f19601f820116820180604052508101906100f491906103bb565b6001600160a01b038116811461021057600080fd5b50565b600080600080600060a0868803121561022b57600080fd5b8535610236816101fb565b94506020860135610246816101fb565b935060408601359250606086013561025d816101fb565b949793965091946080013592915050565b6000806000806060858703121561028457600080fd5b843593506020850135925060408501356001600160401b038111156102a857600080fd5b8501601f810187136102b957600080fd5b80356001600160401b038111156102cf57600080fd5b8760208284010111156102e157600080fd5b949793965060200194505050565b60018060a01b0385168152836020820152826040820152608060608201526000825180608084015260005b8181101561033757602081860181015160a086840101520161031a565b50600060a0828501015260a0601f19601f83011684010191505095945050505050565b6000806000806080858703121561037057600080fd5b843561037b816101fb565b9350602085013592506040850135610392816101fb565b9396929550929360600135925050565b6001600160a01b03929092168252602082015260400190565b6000602082840312156103cd57600080fd5b815180151581146103dd57600080fd5b939250505056'
export const donorAbi = parseAbi(['function donate(address pool, address t0, uint256 a0, address t1, uint256 a1)'])
