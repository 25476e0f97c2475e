import { v3PositionManagerAbi, v4PositionManagerAbi } from '@svc/amm/abis'
import { sqrtPriceFromPrice } from '@svc/lp-math'
import { useDevnet } from '@svc/devnet/testing'
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  erc721Abi,
  type Hex,
  maxUint128,
  maxUint256,
  parseUnits,
} from 'viem'
import { afterEach, expect, it } from 'vitest'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { donorAbi, donorCode, openConcentrated, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/**
 * The newest block, which gave the wallet a position, and that of its allowances are replaced, just when the call is signed, by two in which
 * the stranger did something else.
 */
function replaceBlocks(approvalCount: number, instead: readonly { to: Address; data: Hex }[], from: Address): void {
  const node = testClient(devnet())
  const own = { from, gas: '0x4c4b40', maxFeePerGas: '0xba43b7400', maxPriorityFeePerGas: '0x0' } as const
  const raws: Hex[] = []
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
    const [raw] = body.match(/0x02[0-9a-f]+/) ?? []
    raws.push(raw as Hex)
    const nth = raws.length
    if (nth === 1) await node.setAutomine(false)
    if (nth === approvalCount + 1) {
      const others = instead.map((one) => [{ ...own, ...one }, 0])
      const approvals = raws.slice(0, approvalCount).map((one) => [one, 1])
      await node.request({ method: 'anvil_reorg', params: [2, [...others, ...approvals]] } as never)
    }
    const answer = await fetch(input, init)
    if (nth === approvalCount) {
      await node.mine({ blocks: 1 })
      await node.setAutomine(true)
    }
    return answer
  }
}

async function heldUsd(): Promise<number> {
  return Number(await world.balance('USDC')) / 1e6 + (Number(await world.balance('WBTC')) / 1e8) * 90_000
}

it('G13: fees of a v3 position that was given only now, and whose owner had approved the wallet before, are not settled', async () => {
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.003', usdc: '270' })
  const { positionManager } = devnet().chain.amm.v3!
  const donor: Address = '0x00000000000000000000000000000000d0d0d0d0'
  const node = testClient(devnet())
  await node.setCode({ address: donor, bytecode: donorCode })
  await devnet().fund(donor, { WBTC: '2', USDC: '180000' })
  const ticks = [pool.tickAt(60_000), pool.tickAt(130_000)].toSorted((a, b) => a - b) as [number, number]
  const tokenId = await pool.mint(stranger, ticks, { wbtc: '1', usdc: '90000' })
  const donation = [pool.id, pool.wbtc, parseUnits('0.9', 8), pool.usdc, parseUnits('81000', 6)] as const
  await stranger.write(donor, donorAbi, 'donate', donation)
  await stranger.write(positionManager, erc721Abi, 'approve', [world.wallet, tokenId])
  await node.mine({ blocks: 3 })
  await stranger.write(positionManager, erc721Abi, 'transferFrom', [stranger.address, world.wallet, tokenId])
  await syncClock(world)
  const before = await heldUsd()
  const all = { tokenId, recipient: stranger.address, amount0Max: maxUint128, amount1Max: maxUint128 }
  const collect = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'collect', args: [all] })
  replaceBlocks(2, [{ to: positionManager, data: collect }], stranger.address)
  const outcome = await world
    .call('compound_fees', { positionId: `${tokenId}`, swapToRatio: false })
    .then(() => 'carried out')
    .catch((error: unknown) => `refused ${error instanceof Error ? error.message.slice(0, 300) : ''}`)
  const owner = await stranger.client.readContract({
    address: positionManager,
    abi: erc721Abi,
    functionName: 'ownerOf',
    args: [tokenId],
  })
  const left = before - (await heldUsd())
  expect({ outcome, left: Math.round(left), isTheirs: owner === stranger.address }).toMatchObject({ left: 0 })
})

it('G13: nor are those of a v4 position that was given only now', async () => {
  const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' }, batchDelegate } })
  const stranger = await openStranger(devnet())
  const { positionManager } = devnet().chain.amm.v4!
  const market = devnet().market.prices().ETH
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const key = v4Key(weth, usdc, 100_000, 60)
  const isFirst = key.currency0.toLowerCase() === weth.toLowerCase()
  await stranger.initializeV4(
    key,
    isFirst ? sqrtPriceFromPrice(`${market}`, 18, 6) : sqrtPriceFromPrice((1 / market).toFixed(18), 6, 18),
  )
  const { tick } = await tickOf(key, stranger)
  const place = Math.round(tick / 60) * 60
  const tokenId = await stranger.mintV4(key, place - 3_000, place + 3_000, 12n * 10n ** 16n)
  for (let round = 0; round < 2; round += 1) {
    const held = await stranger.balanceOf(weth)
    await stranger.swapV4(key, !isFirst, parseUnits('30000', 6))
    const extra = round === 1 ? parseUnits('0.7', 18) : 0n
    await stranger.swapV4(key, isFirst, (await stranger.balanceOf(weth)) - held + extra)
  }
  await testClient(devnet()).mine({ blocks: 3 })
  await stranger.write(positionManager, erc721Abi, 'transferFrom', [stranger.address, world.wallet, tokenId])
  await syncClock(world)
  const heldNow = async () =>
    Number(await world.balance('USDC')) / 1e6 + (Number(await world.balance('WETH')) / 1e18) * market
  const before = await heldNow()
  const decrease = encodeAbiParameters(
    ['uint256', 'uint256', 'uint128', 'uint128', 'bytes'].map((type) => ({ type })),
    [tokenId, 0n, 0n, 0n, '0x'] as never,
  )
  const take = encodeAbiParameters(
    [{ type: 'address' }, { type: 'address' }, { type: 'address' }],
    [key.currency0, key.currency1, stranger.address],
  )
  const actions = encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes[]' }], ['0x0111', [decrease, take]])
  const collect = encodeFunctionData({
    abi: v4PositionManagerAbi,
    functionName: 'modifyLiquidities',
    args: [actions, maxUint256],
  })
  const approve = encodeFunctionData({ abi: erc721Abi, functionName: 'approve', args: [world.wallet, tokenId] })
  const node = testClient(devnet())
  const own = {
    from: stranger.address,
    gas: '0x4c4b40',
    maxFeePerGas: '0xba43b7400',
    maxPriorityFeePerGas: '0x0',
  } as const
  let isReplaced = false
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    if (methodsIn(body).includes('eth_sendRawTransaction') && !isReplaced) {
      isReplaced = true
      const others = [collect, approve].map((data) => [{ ...own, to: positionManager, data }, 0])
      // One block alone.
      await node.request({ method: 'anvil_reorg', params: [1, others] } as never)
    }
    return fetch(input, init)
  }
  const outcome = await world
    .call('compound_fees', { positionId: `${tokenId}`, version: 'v4' })
    .then((answer) => JSON.stringify(answer.data))
    .catch((error: unknown) => `refused ${error instanceof Error ? error.message.slice(0, 600) : ''}`)
  const owner = await stranger.client.readContract({
    address: positionManager,
    abi: erc721Abi,
    functionName: 'ownerOf',
    args: [tokenId],
  })
  const left = before - (await heldNow())
  expect({ outcome, left: Math.round(left), isTheirs: owner === stranger.address }).toMatchObject({ left: 0 })
})

it('G13: what is added to a position that was given only now goes to nobody else', async () => {
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.003', usdc: '270' })
  const { positionManager } = devnet().chain.amm.v3!
  const ticks = [pool.tickAt(60_000), pool.tickAt(130_000)].toSorted((a, b) => a - b) as [number, number]
  const tokenId = await pool.mint(stranger, ticks, { wbtc: '1', usdc: '90000' })
  await testClient(devnet()).mine({ blocks: 3 })
  await stranger.write(positionManager, erc721Abi, 'transferFrom', [stranger.address, world.wallet, tokenId])
  await syncClock(world)
  const before = await heldUsd()
  replaceBlocks(2, [], stranger.address)
  const outcome = await world
    .call('increase_liquidity', { positionId: `${tokenId}`, version: 'v3', amount0: pool.isFirst ? '0.0012' : '108' })
    .then(() => 'carried out')
    .catch((error: unknown) => `refused ${error instanceof Error ? error.message.slice(0, 300) : ''}`)
  const left = before - (await heldUsd())
  expect({ outcome, left: Math.round(left) }).toMatchObject({ left: 0 })
})

async function tickOf(
  key: ReturnType<typeof v4Key>,
  { client }: Awaited<ReturnType<typeof openStranger>>,
): Promise<{ readonly tick: number }> {
  const { poolIdOf } = await import('@svc/amm/liquidity')
  const { v4StateViewAbi } = await import('@svc/amm/abis')
  const [, tick] = await client.readContract({
    address: devnet().chain.amm.v4!.stateView,
    abi: v4StateViewAbi,
    functionName: 'getSlot0',
    args: [poolIdOf(key)],
  })
  return { tick }
}
