import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi, v2RouterAbi, v3PositionManagerAbi } from '@svc/amm/abis'
import { v2PairAddress } from '@svc/amm/liquidity'
import { getTickAtSqrtPrice, sqrtPriceFromAmounts } from '@svc/lp-math'
import { type Address, encodeFunctionData, type Hex, maxUint256, parseAbi, parseUnits } from 'viem'
import { expect, it } from 'vitest'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { beforeSending, methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock, testClient, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
const pairAbi = parseAbi(['function sync()', 'function skim(address to)'])

it('G13: a gift to a pair between simulation and block, taken back by a burn, uses up no budget and opens no breaker', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const v2 = devnet().chain.amm.v2!
  const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
  const pair = v2PairAddress(v2, ...(BigInt(usdc) < BigInt(usdt) ? ([usdc, usdt] as const) : ([usdt, usdc] as const)))
  await stranger.addV2(usdc, usdt, parseUnits('1000', 6), parseUnits('1000', 6))
  await syncClock(world)
  const before = await worthOf(world)
  beforeSending(world, 3, async () => {
    for (const token of [usdc, usdt]) await stranger.write(token, erc20Abi, 'transfer', [pair, parseUnits('2000', 6)])
    await stranger.write(pair, pairAbi, 'sync', [])
  })
  await world.call('add_liquidity', { token0: 'USDC', token1: 'USDT', version: 'v2', amount0: '60', amount1: '60' })
  const shares = await stranger.balanceOf(pair)
  await stranger.write(pair, erc20Abi, 'approve', [v2.router, maxUint256])
  const burn = [usdc, usdt, shares, 0n, 0n, stranger.address, maxUint256] as const
  await stranger.write(v2.router, v2RouterAbi, 'removeLiquidity', burn)
  await syncClock(world)
  const safety = await world.call('check_safety_status')
  expect(safety.data).toMatchObject({ breaker: { open: false } })
  expect(Number(safety.at('valueUsd.lossAtMost.used'))).toBeLessThan(1)
  await world.call('remove_liquidity', { positionId: pair, version: 'v2' })
  expect(before - (await worthOf(world))).toBeLessThan(3)
  await world.close()
})

it('G13: what lies in a pair beside its reserves while a deposit is simulated makes up for no price that is off', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const v2 = devnet().chain.amm.v2!
  const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
  const pair = v2PairAddress(v2, ...(BigInt(usdc) < BigInt(usdt) ? ([usdc, usdt] as const) : ([usdt, usdc] as const)))
  await stranger.addV2(usdc, usdt, parseUnits('5000', 6), parseUnits('1500000', 6))
  await syncClock(world)
  const before = await worthOf(world)
  // The pair stands at its market price only once somebody takes in what lies there, and who gave it takes it out again.
  await stranger.write(usdc, erc20Abi, 'transfer', [pair, parseUnits('1495000', 6)])
  beforeSending(world, 1, async () => {
    await stranger.write(pair, pairAbi, 'skim', [stranger.address])
  })
  const deposit = { token0: 'USDC', token1: 'USDT', version: 'v2', amount0: '0.4' }
  expect(await world.refuse('add_liquidity', deposit)).toMatchObject({ code: 'POOL_PRICE_OFF_MARKET' })
  expect(before - (await worthOf(world))).toBeLessThan(1)
  await world.close()
})

it('G9: both tokens that lie in a pair beside its reserves while a deposit is simulated, and no longer in its block, open no breaker', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
  const sorted = BigInt(usdc) < BigInt(usdt) ? ([usdc, usdt] as const) : ([usdt, usdc] as const)
  const pair = v2PairAddress(devnet().chain.amm.v2!, ...sorted)
  await stranger.addV2(usdc, usdt, parseUnits('1000', 6), parseUnits('1000', 6))
  await syncClock(world)
  for (const token of [usdc, usdt]) await stranger.write(token, erc20Abi, 'transfer', [pair, parseUnits('60', 6)])
  beforeSending(world, 3, async () => {
    await stranger.write(pair, pairAbi, 'skim', [stranger.address])
  })
  await world.call('add_liquidity', { token0: 'USDC', token1: 'USDT', version: 'v2', amount0: '60', amount1: '60' })
  world.network.fetch = fetch
  expect((await world.call('check_safety_status')).at('breaker')).toMatchObject({ open: false })
  await world.close()
})

it('G13: shares of a pair are worth no more than it held before the newest blocks, which others may replace', async () => {
  const world = await openWorld(devnet(), { policy: { version: 1 } })
  const stranger = await openStranger(devnet())
  const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
  const pair = v2PairAddress(
    devnet().chain.amm.v2!,
    ...(BigInt(usdc) < BigInt(usdt) ? ([usdc, usdt] as const) : ([usdt, usdc] as const)),
  )
  await stranger.addV2(usdc, usdt, parseUnits('20', 6), parseUnits('20', 6))
  await sellShares(stranger, pair, usdc)
  for (const token of [usdc, usdt]) await stranger.write(token, erc20Abi, 'transfer', [pair, parseUnits('5000', 6)])
  await testClient(devnet()).mine({ blocks: 3 })
  await stranger.write(pair, pairAbi, 'sync', [])
  await syncClock(world)
  const node = testClient(devnet())
  const before = await worthOf(world)
  const raws: Hex[] = []
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
    const [raw] = body.match(/0x02[0-9a-f]+/) ?? []
    raws.push(raw as Hex)
    if (raws.length === 2) {
      const skim = encodeFunctionData({ abi: pairAbi, functionName: 'skim', args: [stranger.address] })
      const own = { from: stranger.address, to: pair, data: skim, gas: '0x4c4b40', maxFeePerGas: '0xba43b7400' }
      const others = [
        [{ ...own, maxPriorityFeePerGas: '0x0' }, 0],
        [raws[0], 1],
      ]
      await node.request({ method: 'anvil_reorg', params: [2, others] } as never)
    }
    return fetch(input, init)
  }
  await world
    .call('execute_swap', { tokenIn: 'USDC', tokenOut: pair, amount: '240', version: 'v3', slippageBps: 50 })
    .catch(() => 'refused')
  const shares = await stranger.client.readContract({
    address: pair,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [world.wallet],
  })
  const supply = await stranger.client.readContract({ address: pair, abi: erc20Abi, functionName: 'totalSupply' })
  const inPair = await stranger.client.readContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'balanceOf',
    args: [pair],
  })
  const sharesUsd = (2 * Number((inPair * shares * 1_000_000n) / supply)) / 1e12
  const lost = before - (await worthOf(world)) - sharesUsd
  world.network.fetch = fetch
  expect(lost).toBeLessThan(41)
  await world.close()
})

/** A v3 pool of the stranger's own, all of it his shares at the part of what the pair will seem to hold. */
async function sellShares(stranger: ChainActor, pair: Address, usdc: Address): Promise<void> {
  const { positionManager } = devnet().chain.amm.v3!
  const supply = await stranger.client.readContract({ address: pair, abi: erc20Abi, functionName: 'totalSupply' })
  const shares = ((await stranger.balanceOf(pair)) * 9n) / 10n
  const worth = (parseUnits('10040', 6) * shares) / supply
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

it.each([
  { opened: '1', first: '999', amount: '60', later: '400' },
  { opened: '0.05', first: '1000', amount: '100', later: '2000' },
  { opened: '0.0012', first: '199', amount: '100', later: '300' },
])(
  'G9: a gift between simulation and block to a pair of few, dear shares opens no breaker and uses up no budget ($opened)',
  async ({ opened, first, amount, later }) => {
    const world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
    const stranger = await openStranger(devnet())
    const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
    const pair = v2PairAddress(
      devnet().chain.amm.v2!,
      ...(BigInt(usdc) < BigInt(usdt) ? ([usdc, usdt] as const) : ([usdt, usdc] as const)),
    )
    const give = async (amount: string) => {
      for (const token of [usdc, usdt]) await stranger.write(token, erc20Abi, 'transfer', [pair, parseUnits(amount, 6)])
      await stranger.write(pair, pairAbi, 'sync', [])
    }
    await stranger.addV2(usdc, usdt, parseUnits(opened, 6), parseUnits(opened, 6))
    await give(first)
    await syncClock(world)
    beforeSending(world, 3, () => give(later))
    await world.call('add_liquidity', {
      token0: 'USDC',
      token1: 'USDT',
      version: 'v2',
      amount0: amount,
      amount1: amount,
    })
    world.network.fetch = fetch
    await syncClock(world)
    const safety = await world.call('check_safety_status')
    expect(safety.data).toMatchObject({ breaker: { open: false } })
    expect(Number(safety.text('valueUsd.lossAtMost.used'))).toBeLessThan(2)
    await world.close()
  },
)
