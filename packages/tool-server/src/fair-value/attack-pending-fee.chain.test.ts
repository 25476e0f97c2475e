import type { Devnet } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import { getTickAtSqrtPrice, sqrtPriceFromAmounts } from '@svc/lp-math'
import { erc20Abi, v3PositionManagerAbi } from '@svc/amm/abis'
import { v2PairAddress } from '@svc/amm/liquidity'
import { type Address, parseAbi, parseUnits, zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ChainActor, createChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
let stranger: ChainActor
beforeEach(async () => {
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  stranger = await openStranger(devnet())
  await devnet().fund(stranger.address, { DAI: '200000' })
})
afterEach(() => world.close())

const feeToAbi = parseAbi([
  'function feeToSetter() view returns (address)',
  'function setFeeTo(address feeTo)',
  'function sync()',
])

/** Whether the protocol takes a sixth of what pairs of the chain's v2 earn. */
async function chargeProtocolFee(chain: Devnet, isOn: boolean): Promise<void> {
  const { factory } = chain.chain.amm.v2!
  const { client } = stranger
  const setter = await client.readContract({ address: factory, abi: feeToAbi, functionName: 'feeToSetter' })
  const governor = await createChainActor(chain, setter)
  await governor.write(factory, feeToAbi, 'setFeeTo', [isOn ? chain.accounts[7]!.address : zeroAddress])
  await syncClock(world)
}

const decimalsOf = { USDC: 6, USDT: 6, DAI: 18 } as const
type Stable = keyof typeof decimalsOf
const units = (symbol: Stable, amount: string) => parseUnits(amount, decimalsOf[symbol])

function pairWith(other: Stable): { readonly pair: Address; readonly usdc: Address; readonly token: Address } {
  const [usdc, token] = [world.address('USDC'), world.address(other)]
  const sorted = BigInt(usdc) < BigInt(token) ? ([usdc, token] as const) : ([token, usdc] as const)
  return { pair: v2PairAddress(devnet().chain.amm.v2!, ...sorted), usdc, token }
}

/** Gives both tokens to the pair for nothing, so that its shares are worth more. */
async function donate(other: Stable, amount: string): Promise<void> {
  const { pair, usdc, token } = pairWith(other)
  await stranger.write(usdc, erc20Abi, 'transfer', [pair, units('USDC', amount)])
  await stranger.write(token, erc20Abi, 'transfer', [pair, units(other, amount)])
  await stranger.write(pair, feeToAbi, 'sync', [])
  await syncClock(world)
}

/** Trades there and back until the fees have made the shares worth some hundredths more. */
async function earnFees(other: Stable, rounds: number): Promise<void> {
  const { usdc, token } = pairWith(other)
  for (let round = 0; round < rounds; round += 1) {
    const [one, two] = round % 2 === 0 ? [usdc, token] : [token, usdc]
    const held = await stranger.balanceOf(two)
    await stranger.swapV2([one, two], units(round % 2 === 0 ? 'USDC' : other, '1000'))
    await stranger.swapV2([two, one], (await stranger.balanceOf(two)) - held)
  }
  await syncClock(world)
}

describe('G13: a v2 pair that owes the protocol a sixth of what it has grown by', () => {
  it('has shares that nobody sells to the agent for more than a burn gives', async () => {
    await chargeProtocolFee(devnet(), true)
    const { pair, usdc, token } = pairWith('USDT')
    await stranger.addV2(usdc, token, units('USDC', '20'), units('USDT', '20'))
    await donate('USDT', '1480')
    await sellShares(pair, usdc)
    await world.close()
    world = await openWorld(devnet(), { policy: { version: 1 } })
    await syncClock(world)
    const before = await worthOf(world)
    const buy = { tokenIn: 'USDC', tokenOut: pair, amount: '245', version: 'v3', slippageBps: 50 }
    expect(await world.refuse('execute_swap', buy)).toMatchObject({ code: 'PRICE_IMPACT_EXCEEDED' })
    expect(before - (await worthOf(world))).toBeLessThan(1)
  })

  it('keeps nobody in by gifts that raise what it owes', async () => {
    await chargeProtocolFee(devnet(), true)
    const { pair } = pairWith('DAI')
    await world.call('add_liquidity', { token0: 'USDC', token1: 'DAI', version: 'v2', amount0: '120', amount1: '120' })
    await donate('DAI', '52')
    const before = await worthOf(world)
    await world.call('remove_liquidity', { positionId: pair, version: 'v2' })
    expect((await worthOf(world)) - before).toBeGreaterThan(300)
  })

  it.each([
    [true, 'USDT'],
    [false, 'DAI'],
  ] as const)(
    'that has earned some hundredths in fees takes deposits and gives them back, fee on: %s',
    async (isOn, other) => {
      await chargeProtocolFee(devnet(), isOn)
      const { pair, usdc, token } = pairWith(other)
      await stranger.addV2(usdc, token, units('USDC', '1000'), units(other, '1000'))
      await earnFees(other, 20)
      const deposit = { token0: 'USDC', token1: other, version: 'v2', amount0: '50' }
      await world.call('add_liquidity', deposit)
      await earnFees(other, 20)
      await syncClock(world)
      await world.call('add_liquidity', deposit)
      await earnFees(other, 10)
      const before = await worthOf(world)
      await world.call('remove_liquidity', { positionId: pair, version: 'v2', slippageBps: 50 })
      expect((await worthOf(world)) - before).toBeGreaterThan(200)
    },
  )
})

it('G13: a strict list lets shares of listed tokens be given back without minimums', async () => {
  const { pair, usdc, token } = pairWith('DAI')
  await stranger.addV2(usdc, token, units('USDC', '1000'), units('DAI', '1000'))
  await syncClock(world)
  await world.call('add_liquidity', { token0: 'USDC', token1: 'DAI', version: 'v2', amount0: '50' })
  const before = await worthOf(world)
  await world.call('remove_liquidity', { positionId: pair, version: 'v2', slippageBps: 10_000 })
  expect((await worthOf(world)) - before).toBeGreaterThan(95)
})

/** A v3 pool of the stranger's own, all of it his shares at the part of the reserves that they seem to be. */
async function sellShares(pair: Address, usdc: Address): Promise<void> {
  const { positionManager } = devnet().chain.amm.v3!
  const shares = await stranger.balanceOf(pair)
  const supply = await stranger.client.readContract({ address: pair, abi: erc20Abi, functionName: 'totalSupply' })
  const worth = (units('USDC', '3000') * shares) / supply
  const isFirst = BigInt(pair) < BigInt(usdc)
  const [token0, token1] = isFirst ? [pair, usdc] : [usdc, pair]
  const sqrtPriceX96 = isFirst
    ? sqrtPriceFromAmounts({ amount0: shares, amount1: worth })
    : sqrtPriceFromAmounts({ amount0: worth, amount1: shares })
  const create = [token0, token1, 100, sqrtPriceX96] as const
  await stranger.write(positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', create)
  const tick = getTickAtSqrtPrice(sqrtPriceX96)
  const range = isFirst ? { tickLower: tick + 1, tickUpper: tick + 21 } : { tickLower: tick - 20, tickUpper: tick }
  const [amount0Desired, amount1Desired] = isFirst ? [shares, 0n] : [0n, shares]
  await stranger.mintV3({ token0, token1, fee: 100, ...range, amount0Desired, amount1Desired })
}
