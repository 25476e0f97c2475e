import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { openWorld, ownPolicy, type World } from '../tools/chain-world.fixture.ts'
import { earlyInAnHour, holdings, idOf } from '../tools/orders/order-world.fixture.ts'
import { syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/** What the rows of chains say is 1,000 to 2,000 blocks; the search goes back forty times that, less than two days on Base. */
const logRangeBlocks = 5

/** An endpoint that gives logs of no more blocks at once, as public ones do. */
function refuseWideRanges(): void {
  const { fetch } = world.network
  world.network.fetch = async (input, init) => {
    const body: unknown = JSON.parse(typeof init?.body === 'string' ? init.body : '')
    const wide = (Array.isArray(body) ? body : [body]).find(isWide)
    if (wide === undefined) return fetch(input, init)
    const refusal = (id: unknown) => ({ jsonrpc: '2.0', id, error: { code: -32600, message: 'block range too wide' } })
    return Response.json(Array.isArray(body) ? body.map(({ id }) => refusal(id)) : refusal(wide.id))
  }
}

type Asked = { readonly id: unknown; readonly method: string; readonly params: readonly Range[] }
type Range = { readonly fromBlock?: string; readonly toBlock?: string }

function isWide({ method, params }: Asked): boolean {
  if (method !== 'eth_getLogs') return false
  const [{ fromBlock = '0x0', toBlock = '0x0' } = {}] = params
  return BigInt(toBlock) - BigInt(fromBlock) >= BigInt(logRangeBlocks)
}

it.each([
  ['cancel_twamm_order', 20 * logRangeBlocks],
  ['cancel_twamm_order', 40 * logRangeBlocks + 10],
  ['claim_twamm_order', 40 * logRangeBlocks + 10],
] as const)(
  'G13: an order of thirty days comes home by %s, %s blocks after the logs of its placing',
  async (tool, blocks) => {
    world = await openWorld(devnet(), { policy: ownPolicy(devnet()), chain: { logRangeBlocks } })
    refuseWideRanges()
    await earlyInAnHour(devnet(), world)
    await syncClock(world)
    const order = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 30 * 86_400 }
    const placed = await world.call('submit_twamm_order', order)
    // On a chain with a block every 2 seconds and the 2,000 blocks of its row this is 44 hours.
    await testClient(devnet()).mine({ blocks, interval: 12 })
    await syncClock(world)
    const before = await holdings(world, 'WETH', 'USDC')
    const home = await world.call(tool, idOf(placed)).then(
      () => 'home',
      (error: unknown) => String(error),
    )
    const after = await holdings(world, 'WETH', 'USDC')
    const came = after.map((amount, at) => amount > before[at]!)
    expect({ home, came }).toEqual({ home: 'home', came: [tool === 'cancel_twamm_order', true] })
  },
)
