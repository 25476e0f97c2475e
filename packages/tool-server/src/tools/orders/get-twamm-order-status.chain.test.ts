import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, http } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, ownPolicy, type World } from '../chain-world.fixture.ts'
import { headTime, hookedKey, idOf, pass, stranger } from './order-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

const weth = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '3', duration: 3_600 }
const usdc = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '9000', duration: 3_600 }
const status = (order: Answer): Promise<Answer> => world.call('get_twamm_order_status', idOf(order))
const progress = (answer: Answer) =>
  ['amountSold', 'remainingAmount', 'amountReceived'].map((name) => Number(answer.text(`progress.${name}`)))

async function startOf(answer: Answer): Promise<number> {
  return Date.parse((await status(answer)).text('timing.startedAt')) / 1_000
}

describe('get_twamm_order_status', () => {
  test.each([
    ['WETH for USDC', weth, 9_000],
    ['USDC for WETH', usdc, 3],
  ] as const)('follows an order of %s from its start to its claim', async (_what, order, worth) => {
    const placed = await world.call('submit_twamm_order', order)
    const total = Number(placed.text('tokenIn.totalAmount'))
    const fresh = await status(placed)
    expect(fresh.text('orderId')).toBe(placed.text('orderId'))
    expect(fresh.at('notes')).toEqual([
      expect.stringMatching(
        `as of block ${fresh.number('blockNumber')} .*Only transactions in its pool settle an order`,
      ),
    ])
    expect([fresh.text('status'), fresh.text('owner')]).toEqual(['active', world.wallet])
    expect(fresh.text('timing.expiresAt')).toBe(placed.text('expiresAt'))
    const spot = fresh.number('vsSpotExecution.spotPriceAtStart')
    expect(spot / (order === weth ? 3_000 : 1 / 3_000)).toBeCloseTo(1, 2)

    const [start, seconds] = [await startOf(placed), placed.number('duration')]
    await pass(devnet(), start + Math.floor(seconds / 2))
    const half = await status(placed)
    const [sold = 0, left = 0, earned = 0] = progress(half)
    expect(half.text('status')).toBe('active')
    expect(half.number('progress.percentComplete')).toBeCloseTo((sold / total) * 100, 1)
    expect(sold + left).toBeCloseTo(total, 6)
    expect(sold / total).toBeCloseTo(0.5, 1)
    expect(earned / (worth / 2)).toBeCloseTo(1, 1)
    expect(Number(half.text('progress.avgPrice'))).toBeCloseTo(earned / sold, 3)
    const premium = half.number('vsSpotExecution.twammPremiumPct')
    expect(premium).toBeCloseTo((earned / sold / spot - 1) * 100, 2)
    expect(half.number('vsSpotExecution.currentAvgPrice') / (earned / sold)).toBeCloseTo(1, 4)
    const byId = await world.call('get_twamm_order_status', { ...idOf(placed), chain: `${devnet().chainId}` })
    expect(byId.text('orderId')).toBe(placed.text('orderId'))
    // The fee of 0.3 %, and some impact.
    expect(premium).toBeGreaterThan(-1)
    expect(premium).toBeLessThan(0)
    const [leftSeconds = ''] = half.text('timing.timeRemaining').split(' ')
    expect(Number(leftSeconds)).toBe(start + seconds - (await headTime(world)))

    await pass(devnet(), start + seconds + 1_800)
    const done = await status(placed)
    expect([done.text('status'), done.text('timing.timeRemaining')]).toEqual(['completed', '0 s'])
    expect(done.number('progress.percentComplete')).toBe(100)
    expect(progress(done).slice(0, 2)).toEqual([total, 0])
    expect(done.list('notes')).toHaveLength(1)
    const whole = progress(done)[2] ?? 0
    expect(whole).toBeGreaterThan(earned)

    await world.call('claim_twamm_order', idOf(placed))
    const over = await status(placed)
    expect(over.text('status')).toBe('claimed')
    expect(progress(over)).toEqual([total, 0, expect.closeTo(whole, 6)])
    expect(over.list('notes')).toEqual([])
  })

  test('what others go on to sell adds nothing to an order that is over', async () => {
    const placed = await world.call('submit_twamm_order', weth)
    await world.call('submit_twamm_order', { ...weth, amount: '1', duration: 3 * 3_600 })
    await pass(devnet(), Date.parse(placed.text('expiresAt')) / 1_000)
    const before = progress(await status(placed))
    await pass(devnet(), Date.parse(placed.text('expiresAt')) / 1_000 + 3_600)
    expect(progress(await status(placed))).toEqual(before)
  })

  test("tells of anybody's order in a pool", async () => {
    const reader = await openWorld(devnet())
    const placed = await world.call('submit_twamm_order', weth)
    const seen = await reader.call('get_twamm_order_status', idOf(placed))
    expect(seen.text('owner')).toBe(world.wallet)
    await reader.close()
  })

  test('says why where nothing tells the price at the start', async () => {
    const placed = await world.call('submit_twamm_order', weth)
    const head = `0x${(await world.client.getBlockNumber()).toString(16)}`
    const fetchOf = world.network.fetch
    // An endpoint without old state, on a chain whose logs of trades do not reach back.
    world.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      const isPresent = body.includes(head) || body.includes('"latest"')
      const isOld = /"eth_call"/.test(body) && body.includes(slot0) && !isPresent
      return isOld || body.includes(swapped) ? refusing(body) : fetchOf(input, init)
    }
    const answer = await status(placed)
    expect(answer.at('vsSpotExecution')).toMatchObject({ spotPriceAtStart: null, twammPremiumPct: null })
    expect(answer.text('vsSpotExecution.note')).toMatch(/price at the start/)
  })

  test('a lost id is found by the transaction that placed the order', async () => {
    const placed = await world.call('submit_twamm_order', weth)
    const { orderId, pool } = idOf(placed)
    const found = await world.call('get_transaction_status', { txHash: placed.text('txHash') })
    expect(found.at('events')).toContainEqual(
      expect.objectContaining({
        type: 'submit_order',
        values: expect.objectContaining({ orderId, poolId: pool, owner: world.wallet }),
      }),
    )
  })

  test('knows no order that was not placed, no pool that is none, and no hook that the policy does not name', async () => {
    const { orderId, pool } = idOf(await world.call('submit_twamm_order', weth))
    const other = await stranger(devnet())
    const sibling = await other.initializeV4(hookedKey(devnet(), 500), 2n ** 96n)
    const plain = devnet().pools.find(({ version }) => version === 'v4')!.id
    const refusals = [
      [{ orderId: `0x${'1'.repeat(64)}`, pool }, 'ORDER_NOT_FOUND', /submit_twamm_order/],
      [{ orderId, pool: sibling }, 'ORDER_NOT_FOUND', /submit_twamm_order/],
      [{ orderId, pool: `0x${'1'.repeat(64)}` }, 'POOL_NOT_FOUND', /get_pools_by_token_pair/],
      [{ orderId, pool: plain }, 'NO_TWAMM_HOOK', /execute_swap/],
    ] as const
    for (const [asked, code, next] of refusals) {
      const refusal = await world.refuse('get_twamm_order_status', asked)
      expect([asked, refusal.code]).toEqual([asked, code])
      expect(refusal.suggestion).toMatch(next)
    }
    const unnamed = await openWorld(devnet(), { policy: { ...ownPolicy(devnet()), twammHooks: {} } })
    expect((await unnamed.refuse('get_twamm_order_status', { orderId, pool })).code).toBe('NO_TWAMM_HOOK')
    await unnamed.close()
  })

  test('a hook that answers nothing is none', async () => {
    const { orderId, pool } = idOf(await world.call('submit_twamm_order', weth))
    const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
    await node.setCode({ address: devnet().twamm.hook, bytecode: '0x00' })
    expect((await world.refuse('get_twamm_order_status', { orderId, pool })).code).toBe('NO_TWAMM_HOOK')
    expect((await world.refuse('submit_twamm_order', weth)).code).toBe('NO_TWAMM_HOOK')
  })
})

/** Of StateView's `getSlot0`. */
const slot0 = 'c815641c'
/** Of PoolManager's `Swap`. */
const swapped = '0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f'

function refusing(body: string): Response {
  const asked: unknown = JSON.parse(body)
  const answerTo = ({ id }: { id: number }) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32_000, message: 'missing trie node' },
  })
  return Response.json(Array.isArray(asked) ? asked.map(answerTo) : answerTo(asked as { id: number }))
}
