import { useDevnet } from '@svc/devnet/testing'
import { getTickAtSqrtPrice, sqrtPriceFromPrice } from '@svc/lp-math'
import { parseAbi, parseUnits } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import type { ChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { openStranger, syncClock } from './attack-kit.fixture.ts'
import { setBaseFee } from './gifts.fixture.ts'
import { pushTo } from './push-to.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

const strict = { version: 1, allowlist: { mode: 'strict' } } as const
const nftAbi = parseAbi(['function transferFrom(address from, address to, uint256 id)'])
/** As on a busy day. */
const dearGas = 25_000_000_000n

/** The owner's money, some sixty thousand dollars within a hundredth of the market on either side. */
async function narrowPosition(hand: ChainActor): Promise<string> {
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  const isFirst = BigInt(weth) < BigInt(usdc)
  const market = devnet().market.prices().ETH
  const tickAt = (usd: number) => {
    const sqrtPrice = isFirst
      ? sqrtPriceFromPrice(usd.toFixed(6), 18, 6)
      : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 18)
    return Math.round(getTickAtSqrtPrice(sqrtPrice) / 10) * 10
  }
  const [tickLower, tickUpper] = [tickAt(market * 0.99), tickAt(market * 1.01)].toSorted((one, other) => one - other)
  const [w, u] = [parseUnits('10', 18), parseUnits('30000', 6)]
  const [token0, token1, amount0Desired, amount1Desired] = isFirst
    ? ([weth, usdc, w, u] as const)
    : ([usdc, weth, u, w] as const)
  const range = { tickLower: tickLower!, tickUpper: tickUpper! }
  const id = await hand.mintV3({ token0, token1, fee: 500, ...range, amount0Desired, amount1Desired })
  const manager = world.chain.amm.v3!.positionManager
  await hand.write(manager, nftAbi, 'transferFrom', [hand.address, world.wallet, id])
  return `${id}`
}

/** What became of a removal: `left`, or the code of the refusal. */
async function leave(positionId: string, slippageBps: number): Promise<string> {
  await setBaseFee(devnet(), dearGas)
  await syncClock(world)
  try {
    await world.call('remove_liquidity', { positionId, slippageBps })
    return 'left'
  } catch (error) {
    return /"code":"([A-Z_]+)"/.exec(String(error))?.[1] ?? String(error)
  }
}

/** The same where a stranger pushes the pool past its minimums just before it is mined. */
async function leavePushed(stranger: ChainActor, positionId: string): Promise<string> {
  const market = devnet().market.prices().ETH
  const { fetch } = world.network
  let isPushed = false
  world.network.fetch = async (input, init) => {
    const sends = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_sendRawTransaction')
    if (sends && !isPushed) {
      isPushed = true
      await pushTo(world, stranger, market * 0.994, false)
      await setBaseFee(devnet(), dearGas)
    }
    return fetch(input, init)
  }
  const outcome = await leave(positionId, 50)
  world.network.fetch = fetch
  return outcome
}

describe('G13: gas that is dear keeps nobody in who leaves with a thousand times what it costs', () => {
  it('and asks for no minimums', async () => {
    world = await openWorld(devnet(), { policy: strict })
    const positionId = await narrowPosition(await openStranger(devnet()))
    expect(await leave(positionId, 10_000)).toBe('left')
  })

  it('and asks for none after a stranger has pushed past the minimums of the removal before', async () => {
    world = await openWorld(devnet(), { policy: strict })
    const stranger = await openStranger(devnet())
    const positionId = await narrowPosition(stranger)
    const tries: string[] = []
    tries.push(await leavePushed(stranger, positionId))
    tries.push(await leave(positionId, 10_000))
    expect(tries).toEqual(['TRANSACTION_REVERTED', 'left'])
  })

  it('and asks for none after a stranger has made removals with minimums fail until no gas is left for more of them', async () => {
    world = await openWorld(devnet(), { policy: strict })
    const stranger = await openStranger(devnet())
    const positionId = await narrowPosition(stranger)
    const market = devnet().market.prices().ETH
    const tries: string[] = []
    while (!tries.includes('SPENDING_LIMIT_EXCEEDED') && tries.length < 12) {
      tries.push(await leavePushed(stranger, positionId))
      if (tries.at(-1) === 'TRANSACTION_REVERTED') await pushTo(world, stranger, market, true)
    }
    expect(tries.slice(-2)).toEqual(['TRANSACTION_REVERTED', 'SPENDING_LIMIT_EXCEEDED'])
    expect(await leave(positionId, 10_000)).toBe('left')
  })
})
