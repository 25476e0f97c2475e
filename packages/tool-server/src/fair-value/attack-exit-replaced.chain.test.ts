import { erc20Abi } from '@svc/amm/abis'
import { v2PairAddress } from '@svc/amm/liquidity'
import { useDevnet } from '@svc/devnet/testing'
import { type Hex, parseAbi, parseUnits } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, strict, syncClock, testClient, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
const pairAbi = parseAbi(['function sync()'])
let world: World
afterEach(() => world.close())

it.each([
  { gift: '2000', slippageBps: 10_000, percentage: 100 },
  { gift: '2000', slippageBps: 10_000, percentage: 1 },
  { gift: '1500', slippageBps: 1_000, percentage: 100 },
])(
  'G4: an exit spends nothing where a gift to the pair is gone with its block ($gift a side, $slippageBps bps, $percentage %)',
  async ({ gift, slippageBps, percentage }) => {
    world = await openWorld(devnet(), { policy: strict })
    const stranger = await openStranger(devnet())
    const node = testClient(devnet())
    const [usdc, usdt] = [world.address('USDC'), world.address('USDT')]
    const pair = v2PairAddress(
      devnet().chain.amm.v2!,
      ...(BigInt(usdc) < BigInt(usdt) ? ([usdc, usdt] as const) : ([usdt, usdc] as const)),
    )
    await stranger.addV2(usdc, usdt, parseUnits('20000', 6), parseUnits('20000', 6))
    await stranger.write(pair, erc20Abi, 'transfer', [world.wallet, (await stranger.balanceOf(pair)) / 2n])
    await node.mine({ blocks: 5 })
    await stranger.inOneBlock([
      ...[usdc, usdt].map((token) => () => stranger.write(token, erc20Abi, 'transfer', [pair, parseUnits(gift, 6)])),
      () => stranger.write(pair, pairAbi, 'sync', []),
    ])
    await syncClock(world)
    const raws: Hex[] = []
    world.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (methodsIn(body).includes('eth_sendRawTransaction')) {
        raws.push(/0x02[0-9a-f]{100,}/.exec(body)?.[0] as Hex)
        // The approval of the shares stays, the gift does not.
        if (raws.length === 2) {
          await node.request({ method: 'anvil_reorg', params: [2, [[raws[0], 1]]] } as never)
        }
      }
      return fetch(input, init)
    }
    const before = await worthOf(world)
    const exit = { positionId: pair, version: 'v2', slippageBps, percentage }
    expect((await world.call('remove_liquidity', exit)).text('status')).toBe('success')
    world.network.fetch = fetch
    expect(raws.length).toBeGreaterThan(1)
    const came = (await worthOf(world)) - before
    expect(came).toBeGreaterThan(198 * percentage)
    expect(came).toBeLessThan(202 * percentage)
    await syncClock(world)
    const safety = (await world.call('check_safety_status')).data as { spentUsd: { daily: string } }
    expect(Number(safety.spentUsd.daily)).toBeLessThan(1)
  },
)
