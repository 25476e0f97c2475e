import { sqrtPriceFromPrice } from '@svc/lp-math'
import { useDevnet } from '@svc/devnet/testing'
import { type Address, erc721Abi, numberToHex, parseUnits } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { rewriting } from '../../../engine/src/fixtures/network.fixture.ts'
import type { World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { nextIn, openAfter, openStranger, strict, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/** Asked before liquidity leaves: it writes 42,200 empty logs in a block, and in a simulation burns a little more than that costs. */
async function placeTalker(): Promise<Address> {
  const hook: Address = '0x00000000000000000000000000000000ab000200'
  const wasteful: Address = '0x000000000000000000000000000000000000b04e'
  const node = testClient(devnet())
  await node.setCode({ address: wasteful, bytecode: '0xfe' })
  const answer = '6020600060003760206000f3'
  const hex = (value: number, size: number) => numberToHex(value, { size }).slice(2)
  const head = `61${hex(422, 2)}5b${'5f5fa0'.repeat(100)}600190038061${hex(9, 2)}57${answer}`
  const burn = `5b6000600060006000600073${wasteful.slice(2)}62${hex(16_600_000, 3)}f1506000600060006000600073${wasteful.slice(2)}62${hex(2_000_000, 3)}f150${answer}`
  await node.setCode({ address: hook, bytecode: `0x3a1561${hex(6 + head.length / 2, 2)}57${head}${burn}` })
  return hook
}

it('G13: an owner leaves also after an honest harvest of a position that a stranger gave, whose hook writes more than is read of an answer', async () => {
  const add = async (before: World) => {
    await syncClock(before)
    const pair = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'medium', amount0: '10' }
    return before.call('add_liquidity', pair)
  }
  const { outcome, ...now } = await openAfter(devnet(), add, { policy: strict })
  world = now.world
  const positionId = outcome.text('positionId')
  const stranger = await openStranger(devnet())
  const market = devnet().market.prices().ETH
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const key = v4Key(weth, usdc, 3_000, 60, await placeTalker())
  const isFirst = key.currency0.toLowerCase() === weth.toLowerCase()
  await stranger.initializeV4(
    key,
    isFirst ? sqrtPriceFromPrice(`${market}`, 18, 6) : sqrtPriceFromPrice((1 / market).toFixed(18), 6, 18),
  )
  const tokenId = await stranger.mintV4(key, -887_220, 887_220, 10n ** 16n)
  await stranger.swapV4(key, !isFirst, parseUnits('5000', 6))
  const { positionManager } = devnet().chain.amm.v4!
  await stranger.write(positionManager, erc721Abi, 'transferFrom', [stranger.address, world.wallet, tokenId])
  // As on a roll-up, where 16 million of gas cost a dollar.
  world.network.fetch = rewriting('eth_maxPriorityFeePerGas', (answer) => ({ ...answer, result: '0x989680' }))
  const node = testClient(devnet())
  for (let block = 0; block < 4; block += 1) {
    await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 20_000_000n })
    await node.mine({ blocks: 1 })
  }
  await node.setNextBlockBaseFeePerGas({ baseFeePerGas: 20_000_000n })
  await syncClock(world)
  await world.call('harvest_rewards', {})
  await nextIn(devnet(), stranger, 3_600)
  await devnet().feeds.ETH.post(market)
  await node.mine({ blocks: 40, interval: 12 })
  await syncClock(world)
  await world.executor.reconcile().catch(() => undefined)
  const left = await world
    .call('remove_liquidity', { positionId, version: 'v3', percentage: 100, slippageBps: 10_000 })
    .then((answer) => answer.text('status'), String)
  expect(left).toBe('success')
})
