import { useDevnet } from '@svc/devnet/testing'
import { type Address, numberToHex } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { rewriting } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { nextIn, openAfter, openHooked, openStranger, strict, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/**
 * A WETH/USDC pool at the market whose hook writes 42,200 empty logs when liquidity is added (16.4 million of gas; the receipt is 15 MB), and in a
 * simulation, which names no price of gas, burns a little more.
 */
async function openTalker(): Promise<Address> {
  const stranger = await openStranger(devnet())
  const hook: Address = '0x00000000000000000000000000000000ab000c00'
  const wasteful: Address = '0x000000000000000000000000000000000000b04e'
  const node = testClient(devnet())
  await node.setCode({ address: wasteful, bytecode: '0xfe' })
  // It answers with the selector that it was asked by, and 0.
  const answer = '60006020526020600060003760406000f3'
  const hex = (value: number, size: number) => numberToHex(value, { size }).slice(2)
  // GASPRICE ISZERO PUSH2 burn JUMPI; 301 rounds for beforeAddLiquidity, 121 for afterAddLiquidity.
  const rounds = `60003560e01c63259982e51461${hex(301 - 121, 2)}0261${hex(121, 2)}01`
  const loopAt = 6 + rounds.length / 2
  const head = `${rounds}5b${'5f5fa0'.repeat(100)}6001900380 61${hex(loopAt, 2)}57${answer}`.replaceAll(' ', '')
  const burn = `5b6000600060006000600073${wasteful.slice(2)}62${hex(10_000_000, 3)}f150${answer}`
  await node.setCode({ address: hook, bytecode: `0x3a1561${hex(6 + head.length / 2, 2)}57${head}${burn}` })
  await openHooked(devnet(), stranger, hook)
  return hook
}

async function cheapGas(): Promise<void> {
  const node = testClient(devnet())
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 20_000_000n })
  await node.mine({ blocks: 1 })
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 20_000_000n })
}

it('G13: an owner leaves also after a call in whose receipt a stranger’s hook wrote more than is read of an answer', async () => {
  const add = async (before: World) => {
    await syncClock(before)
    return before.call('add_liquidity', {
      token0: 'WETH',
      token1: 'USDC',
      fee: 500,
      rangeStrategy: 'medium',
      amount0: '10',
    })
  }
  const { outcome, ...now } = await openAfter(devnet(), add, { policy: strict })
  world = now.world
  const stranger = await openStranger(devnet())
  const positionId = outcome.text('positionId')
  const hookAddress = await openTalker()
  // As on a roll-up, where 16 million of gas cost a dollar.
  const cheap = rewriting('eth_maxPriorityFeePerGas', (answer) => ({ ...answer, result: '0x989680' }))
  world.network.fetch = cheap
  await cheapGas()
  await syncClock(world)
  const deposit = { token0: 'WETH', token1: 'USDC', fee: 3_000, version: 'v4', amount0: '0.0001' }
  const said = await world
    .call('add_liquidity', { ...deposit, hookAddress, rangeStrategy: 'full' })
    .then((answer) => answer.text('status'), String)
  // However long it is, it is read.
  expect(said).toBe('success')
  for (let hour = 0; hour < 3; hour += 1) {
    await nextIn(devnet(), stranger, 3_600)
    await devnet().feeds.ETH.post(devnet().market.prices().ETH)
  }
  await testClient(devnet()).mine({ blocks: 40, interval: 12 })
  await syncClock(world)
  await world.executor.reconcile().catch(() => undefined)
  // The server is started anew as well.
  const again = world.again
  await world.close()
  world = await openWorld(devnet(), { again, policy: strict })
  world.network.fetch = cheap
  await syncClock(world)
  const left = await world
    .call('remove_liquidity', { positionId, version: 'v3', percentage: 100, slippageBps: 10_000 })
    .then((answer) => answer.text('status'), String)
  expect(left).toBe('success')
})
