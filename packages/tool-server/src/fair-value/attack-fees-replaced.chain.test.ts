import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { erc20Abi, v3PositionManagerAbi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { type Address, encodeFunctionData, type Hex, maxUint256, numberToHex, parseUnits } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { donorAbi, donorCode, openConcentrated, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it.each([
  ['', false],
  [', nor where others were collected before', true],
])(
  'G4: fees that are gone with the block that paid them are not made up for out of the wallet%s',
  async (_where, isCollected) => {
    world = await openUnlimited()
    const stranger = await openStranger(devnet())
    const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.0305', usdc: '2750' })
    const opened = await world.call('add_liquidity', {
      token0: 'WBTC',
      token1: 'USDC',
      fee: 500,
      version: 'v3',
      priceLower: 60_000,
      priceUpper: 130_000,
      amount0: '0.05',
    })
    const donor: Address = '0x00000000000000000000000000000000d0d0d0d0'
    const node = testClient(devnet())
    await node.setCode({ address: donor, bytecode: donorCode })
    await devnet().fund(donor, { WBTC: '4', USDC: '360000' })
    const donation = [pool.id, pool.wbtc, parseUnits('1.5', 8), pool.usdc, parseUnits('135000', 6)] as const
    if (isCollected) {
      await stranger.write(donor, donorAbi, 'donate', donation)
      await node.mine({ blocks: 3 })
    }
    await limit()
    await syncClock(world)
    if (isCollected) await world.call('collect_fees', { positionId: opened.text('positionId'), version: 'v3' })
    const before = [await world.balance('USDC'), await world.balance('WBTC')]
    // In the newest block; the real one would be paid by a transaction that another of the same nonce replaces.
    await stranger.write(donor, donorAbi, 'donate', donation)
    const approvals: Hex[] = []
    let sent = 0
    world.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
      sent += 1
      const [raw] = body.match(/0x02[0-9a-f]+/) ?? []
      if (sent <= 2) approvals.push(raw as Hex)
      if (sent === 1) await node.setAutomine(false)
      if (sent === 3)
        await node.request({ method: 'anvil_reorg', params: [2, approvals.map((one) => [one, 0])] } as never)
      const answer = await fetch(input, init)
      if (sent === 2) {
        await node.mine({ blocks: 1 })
        await node.setAutomine(true)
      }
      return answer
    }
    const compound = { positionId: opened.text('positionId'), swapToRatio: false }
    expect(await world.refuse('compound_fees', compound)).toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    const after = [await world.balance('USDC'), await world.balance('WBTC')]
    const left = Number(before[0]! - after[0]!) / 1e6 + (Number(before[1]! - after[1]!) / 1e8) * 90_000
    expect(left).toBeLessThan(250)
  },
)

it.each([
  ['compound_fees', { swapToRatio: false }],
  ['increase_liquidity', { amount0: '118' }],
])(
  'G13: nor does %s add what the wallet holds to a position that another block gave to somebody else',
  async (tool, more) => {
    world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
    const stranger = await openStranger(devnet())
    const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.003', usdc: '270' })
    const { positionManager } = devnet().chain.amm.v3!
    await stranger.approve(positionManager, pool.wbtc, pool.usdc)
    await syncClock(world)
    const donor: Address = '0x00000000000000000000000000000000d0d0d0d0'
    const node = testClient(devnet())
    await node.setCode({ address: donor, bytecode: donorCode })
    await devnet().fund(donor, { WBTC: '10', USDC: '900000' })
    const before = [await world.balance('USDC'), await world.balance('WBTC')]
    const own = { from: stranger.address, gas: '0x4c4b40', maxFeePerGas: '0xba43b7400' } as const
    const raws: Hex[] = []
    let theft: readonly unknown[] = []
    world.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
      const [raw] = body.match(/0x02[0-9a-f]+/) ?? []
      raws.push(raw as Hex)
      const nth = raws.length
      if (nth === 3 || nth === 4) await node.setAutomine(false)
      if (nth === 6) {
        const approvals = raws.slice(3, 5).map((one) => [one, 1])
        await node.request({ method: 'anvil_reorg', params: [2, [...theft, [raws[2], 0], ...approvals]] } as never)
      }
      const answer = await fetch(input, init)
      if (nth === 3) {
        const args = [pool.id, pool.wbtc, parseUnits('8', 8), pool.usdc, parseUnits('720000', 6)] as const
        const data = encodeFunctionData({ abi: donorAbi, functionName: 'donate', args })
        // Those that offer more come first: what lies between is the turn of the mint.
        const { baseFeePerGas } = await stranger.client.getBlock()
        const fees = { maxFeePerGas: numberToHex((baseFeePerGas! * 115n) / 100n), maxPriorityFeePerGas: '0x0' }
        await node.request({ method: 'eth_sendTransaction', params: [{ ...own, ...fees, to: donor, data }] } as never)
      }
      if (nth === 3 || nth === 5) {
        await node.mine({ blocks: 1 })
        await node.setAutomine(true)
      }
      return answer
    }
    const pair = { token0: 'WBTC', token1: 'USDC', fee: 500, version: 'v3' }
    const opened = await world.call('add_liquidity', {
      ...pair,
      priceLower: 60_000,
      priceUpper: 130_000,
      amount0: '0.001',
    })
    const tokenId = BigInt(opened.text('positionId'))
    const ticks = [pool.tickAt(60_000), pool.tickAt(130_000)].toSorted((a, b) => a - b) as [number, number]
    const [token0, token1] = pool.isFirst ? [pool.wbtc, pool.usdc] : [pool.usdc, pool.wbtc]
    const mint = encodeFunctionData({
      abi: v3PositionManagerAbi,
      functionName: 'mint',
      args: [
        {
          token0,
          token1,
          fee: 500,
          tickLower: ticks[0],
          tickUpper: ticks[1],
          amount0Desired: parseUnits('10', pool.isFirst ? 5 : 6),
          amount1Desired: parseUnits('10', pool.isFirst ? 6 : 5),
          amount0Min: 0n,
          amount1Min: 0n,
          recipient: stranger.address,
          deadline: maxUint256,
        },
      ],
    })
    // Only who may collect of a position can compound it.
    const allow = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [world.wallet, tokenId] })
    theft = [mint, allow].map((data) => [{ ...own, maxPriorityFeePerGas: '0x0', to: positionManager, data }, 0])
    await world.call(tool, { positionId: opened.text('positionId'), ...more }).catch(() => 'refused')
    const after = [await world.balance('USDC'), await world.balance('WBTC')]
    const left = Number(before[0]! - after[0]!) / 1e6 + (Number(before[1]! - after[1]!) / 1e8) * 90_000
    const positions = { address: positionManager, abi: v3PositionManagerAbi } as const
    const owner = await world.client.readContract({ ...positions, functionName: 'ownerOf', args: [tokenId] })
    expect(owner).toBe(world.wallet)
    expect(left).toBeLessThan(500)
  },
)

it('G9: fees of the newest block that another block does not pay keep no way home closed', async () => {
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' } } })
  const stranger = await openStranger(devnet())
  const pool = await openConcentrated(devnet(), { low: 81_000, high: 100_000, wbtc: '0.003', usdc: '270' })
  await syncClock(world)
  const opened = await world.call('add_liquidity', {
    token0: 'WBTC',
    token1: 'USDC',
    fee: 500,
    version: 'v3',
    priceLower: 60_000,
    priceUpper: 130_000,
    amount0: '0.0012',
  })
  const positionId = opened.text('positionId')
  const donor: Address = '0x00000000000000000000000000000000d0d0d0d0'
  const node = testClient(devnet())
  await node.setCode({ address: donor, bytecode: donorCode })
  await devnet().fund(donor, { WBTC: '0.1', USDC: '9000' })
  const sums = [pool.wbtc, parseUnits('0.0001', 8), pool.usdc, parseUnits('10', 6)] as const
  await stranger.write(donor, donorAbi, 'donate', [pool.id, ...sums])
  await node.mine({ blocks: 3 })
  await stranger.write(donor, donorAbi, 'donate', [pool.id, ...sums])
  await syncClock(world)
  let isReplaced = false
  world.network.fetch = async (input, init) => {
    const isSending = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')
    if (isSending && !isReplaced) {
      isReplaced = true
      await node.request({ method: 'anvil_reorg', params: [1, []] } as never)
    }
    return fetch(input, init)
  }
  await world.call('collect_fees', { positionId, version: 'v3' })
  world.network.fetch = fetch
  await syncClock(world)
  await world.call('remove_liquidity', { positionId, version: 'v3', slippageBps: 10_000 })
})

function openUnlimited(): Promise<World> {
  const all = '1000000'
  const limitsUsd = { perTransaction: all, perSession: all, daily: all }
  return openWorld(devnet(), { policy: { version: 1, limitsUsd, approvalThresholdUsd: null } })
}

/** The same wallet on a state of its own, under the limits that hold where a policy names none. */
async function limit(): Promise<void> {
  const { privateKey } = world.again
  await world.close()
  const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
  world = await openWorld(devnet(), {
    again: { dataDir, privateKey },
    policy: { version: 1, allowlist: { mode: 'strict' } },
  })
}
