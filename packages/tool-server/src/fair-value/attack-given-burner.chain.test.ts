import { sqrtPriceFromPrice } from '@svc/lp-math'
import { useDevnet } from '@svc/devnet/testing'
import { type Address, erc721Abi, type Hex, numberToHex, parseUnits } from 'viem'
import { afterEach, expect, it } from 'vitest'
import type { World } from '../tools/chain-world.fixture.ts'
import { v4Key } from './attack-calls.fixture.ts'
import { openAfter, openStranger, strict, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G13: a position that a stranger gave, whose hook burns gas, keeps no other from being harvested', async () => {
  const add = async (before: World) => {
    await syncClock(before)
    const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v4', rangeStrategy: 'medium', amount0: '10' }
    return before.call('add_liquidity', pair)
  }
  const { outcome, ...now } = await openAfter(devnet(), add, { policy: strict })
  world = now.world
  const positionId = outcome.text('positionId')
  await devnet().trade(20, 3, [outcome.text('pool.poolAddress') as Hex])
  const stranger = await openStranger(devnet())
  const market = devnet().market.prices().ETH
  const node = testClient(devnet())
  const hook: Address = '0x00000000000000000000000000000000ab000200'
  const wasteful: Address = '0x000000000000000000000000000000000000b04e'
  await node.setCode({ address: wasteful, bytecode: '0xfe' })
  const gas = numberToHex(14_000_000, { size: 3 }).slice(2)
  await node.setCode({
    address: hook,
    bytecode: `0x6000600060006000600073${wasteful.slice(2)}62${gas}f1506020600060003760206000f3`,
  })
  const key = v4Key(world.address('WETH'), world.address('USDC'), 3_000, 60, hook)
  const isFirst = key.currency0.toLowerCase() === world.address('WETH').toLowerCase()
  await stranger.initializeV4(
    key,
    isFirst ? sqrtPriceFromPrice(`${market}`, 18, 6) : sqrtPriceFromPrice((1 / market).toFixed(18), 6, 18),
  )
  const tokenId = await stranger.mintV4(key, -887_220, 887_220, 10n ** 16n)
  await stranger.swapV4(key, !isFirst, parseUnits('5000', 6))
  const { positionManager } = devnet().chain.amm.v4!
  await stranger.write(positionManager, erc721Abi, 'transferFrom', [stranger.address, world.wallet, tokenId])
  await node.mine({ blocks: 4 })
  await syncClock(world)
  const said = await world.call('harvest_rewards', { includeRewards: false }).then(
    (answer) => JSON.stringify(answer.at('feesCollected')),
    (error: unknown) => String(error),
  )
  expect(said).toContain(`"positionId":"${positionId}"`)
})
