import { useDevnet } from '@svc/devnet/testing'
import { numberToHex, parseEther } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import type { World } from '../tools/chain-world.fixture.ts'
import { openAfter, openStranger, syncClock, testClient, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it.each([
  { tokenIn: 'USDC', tokenOut: 'USDT', amount: '10' },
  { tokenIn: 'USDC', tokenOut: 'ETH', amount: '10' },
  { tokenIn: 'ETH', tokenOut: 'USDC', amount: '0.003' },
])(
  'G9, G13: native currency given in a block that is replaced was not lost by $tokenIn for $tokenOut',
  async (swap) => {
    const market = devnet().market.prices().ETH
    const pair = { token0: 'WETH', token1: 'USDC', fee: 500, version: 'v3' }
    const range = { priceLower: market * 0.8, priceUpper: market * 1.25 }
    const { outcome, ...opened } = await openAfter(devnet(), (before) =>
      before.call('add_liquidity', { ...pair, ...range, amount0: '5' }),
    )
    world = opened.world
    const stranger = await openStranger(devnet())
    const node = testClient(devnet())
    await syncClock(world)
    const before = await worthOf(world)
    const gift = { from: stranger.address, to: world.wallet, value: numberToHex(parseEther('5')) }
    const hash = await node.request({ method: 'eth_sendTransaction', params: [gift] } as never)
    await world.client.waitForTransactionReceipt({ hash })
    expect((await worthOf(world)) - before).toBeGreaterThan(4 * market)
    await syncClock(world)
    let sent = 0
    world.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      const isSend = methodsIn(body).includes('eth_sendRawTransaction')
      if (isSend) sent += 1
      // What the wallet is about to send is none of its transactions.
      if (isSend && sent === 1) await node.request({ method: 'anvil_reorg', params: [1, []] } as never)
      return fetch(input, init)
    }
    expect((await world.call('execute_swap', swap)).text('status')).toBe('success')
    world.network.fetch = fetch
    expect(before - (await worthOf(world))).toBeLessThan(2)
    await syncClock(world)
    expect((await world.call('check_safety_status')).data).toMatchObject({ breakerOpen: false })
    expect((await world.call('execute_swap', swap)).text('status')).toBe('success')
    const position = { positionId: outcome.text('positionId'), version: 'v3' }
    expect((await world.call('remove_liquidity', position)).text('status')).toBe('success')
  },
)
