import { type Address, getAddress, parseAbi, parseUnits, zeroAddress } from 'viem'
import { createChainActor, type ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { World } from './chain-world.fixture.ts'

/** Gives the wallet so many positions on each version, each of a range of its own, in the 0.05 % pools of WETH or ETH and USDC. */
export async function givePositions(world: World, perVersion: number): Promise<void> {
  const { devnet, wallet } = world
  const giver = await createChainActor(devnet, devnet.accounts[3]!.address)
  await devnet.fund(giver.address, { ETH: '1000', WETH: '500', USDC: '3000000' })
  const { v3, v4 } = devnet.chain.amm
  const [token0, token1] = [world.address('USDC'), world.address('WETH')].toSorted((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1,
  ) as [Address, Address]
  const pool = await findPool(world, 'v3')
  const tick = await tickOf(world, pool)
  const desired = (token: Address) => (token === world.address('USDC') ? parseUnits('3000', 6) : parseUnits('1', 18))
  for (let index = 0; index < perVersion; index += 1) {
    const range = { tickLower: tick - 10 * (60 + index), tickUpper: tick + 10 * (60 + index) }
    const amounts = { amount0Desired: desired(token0), amount1Desired: desired(token1) }
    const id = await giver.mintV3({ token0, token1, fee: 500, ...range, ...amounts })
    await hand(giver, v3!.positionManager, wallet, id)
  }
  const key = {
    currency0: zeroAddress,
    currency1: world.address('USDC'),
    fee: 500,
    tickSpacing: 10,
    hooks: zeroAddress,
  }
  const nativeTick = (await world.call('get_pool_state', { pool: await findPool(world, 'v4') })).number('tick')
  const middle = Math.round(nativeTick / 10) * 10
  for (let index = 0; index < perVersion; index += 1) {
    const id = await giver.mintV4(key, middle - 10 * (60 + index), middle + 10 * (60 + index), 10n ** 15n)
    await hand(giver, v4!.positionManager, wallet, id)
  }
}

/** Gives one position away. */
export async function hand(from: ChainActor, manager: Address, to: Address, id: bigint): Promise<void> {
  await from.write(manager, nft, 'transferFrom', [from.address, to, id])
}

const nft = parseAbi(['function transferFrom(address from, address to, uint256 id)'])

/** The 0.05 % pool of USDC with WETH on v3, with native currency on v4. */
export async function findPool(world: World, version: 'v3' | 'v4'): Promise<string> {
  const pair = { token0: version === 'v3' ? 'WETH' : 'ETH', token1: 'USDC', version }
  const found = await world.call('get_pools_by_token_pair', pair)
  const pool = found.list('items').find((one) => one.number('fee') === 500)
  return pool!.text('poolAddress')
}

async function tickOf(world: World, pool: string): Promise<number> {
  const abi = parseAbi(['function slot0() view returns (uint160, int24 tick, uint16, uint16, uint16, uint8, bool)'])
  const [, tick] = await world.client.readContract({ address: getAddress(pool), abi, functionName: 'slot0' })
  return Math.round(tick / 10) * 10
}
