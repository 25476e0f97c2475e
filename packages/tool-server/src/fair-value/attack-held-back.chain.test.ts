import { sqrtPriceFromPrice } from '@svc/lp-math'
import { v3SwapRouter02Abi } from '@svc/amm/abis'
import { useDevnet } from '@svc/devnet/testing'
import { type Hex, keccak256, parseTransaction } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, ownPolicy, type World } from '../tools/chain-world.fixture.ts'
import { earlyInAnHour } from '../tools/orders/order-world.fixture.ts'
import { nextIn, openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/** A world whose pools a stranger pushes to a price, one after another. */
async function openMarket(maxDailyLossUsd: string) {
  const limitsUsd = { perTransaction: '5000', perSession: '10000', daily: '20000' }
  world = await openWorld(devnet(), {
    policy: { version: 1, limitsUsd, maxDailyLossUsd, approvalThresholdUsd: null },
  })
  const stranger = await openStranger(devnet())
  const router = devnet().chain.amm.v3!.swapRouter02
  const [weth, usdc] = [world.address('WETH'), world.address('USDC')]
  await stranger.approve(router, weth, usdc)
  const push = async (fee: number, usd: number, isUp: boolean) => {
    const sqrtPriceLimitX96 =
      BigInt(weth) < BigInt(usdc)
        ? sqrtPriceFromPrice(usd.toFixed(6), 18, 6)
        : sqrtPriceFromPrice((1 / usd).toFixed(18), 6, 18)
    const [tokenIn, tokenOut] = isUp ? [usdc, weth] : [weth, usdc]
    const [recipient, amountIn] = [stranger.address, (await stranger.balanceOf(tokenIn)) / 2n]
    const swap = { tokenIn, tokenOut, fee, recipient, amountIn, amountOutMinimum: 0n, sqrtPriceLimitX96 }
    // A pool that stands at the price already refuses.
    await stranger.write(router, v3SwapRouter02Abi, 'exactInputSingle', [swap]).catch(() => undefined)
  }
  /** The fee of the pool that a signed swap trades in. */
  const feeIn = (raw: Hex) => Number(`0x${raw.split(weth.slice(2).toLowerCase())[1]!.slice(0, 64)}`)
  return { stranger, push, feeIn }
}

const swap = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '2200', version: 'v3', slippageBps: 90 }

/** A trade that a builder holds back for five minutes, while the market moves by 3 %, and mines at the old price. */
async function heldBack(asked: { readonly deadlineSeconds?: number }) {
  const { stranger, push, feeIn } = await openMarket('40')
  const market = devnet().market.prices().ETH
  const later = market * 0.97
  await syncClock(world)
  const before = [await world.balance('USDC'), await world.balance('WETH')] as const
  const raws: Hex[] = []
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
    const [raw] = body.match(/0x02[0-9a-f]+/) ?? []
    raws.push(raw as Hex)
    if (raws.length !== 2) return fetch(input, init)
    const fee = feeIn(raws[1]!)
    // Five minutes pass; arbitrage takes every pool to the new market.
    await nextIn(devnet(), stranger, 300)
    await devnet().feeds.ETH.post(later)
    for (const one of [100, 500, 3_000]) await push(one, later, false)
    await push(fee, market * 1.0083, true)
    const answer = await fetch(input, init)
    await push(fee, later, false)
    return answer
  }
  const outcome = await world.call('execute_swap', { ...swap, ...asked }).then(
    (answer) => answer.text('status'),
    (error: unknown) => (error instanceof Error ? error.message : ''),
  )
  world.network.fetch = fetch
  const [paid, got] = [before[0] - (await world.balance('USDC')), (await world.balance('WETH')) - before[1]]
  await syncClock(world)
  const counted = async () => Number((await world.call('check_safety_status')).text('valueUsd.lossAtMost.used'))
  return { outcome, lostUsd: Number(paid) / 1e6 - (Number(got) / 1e18) * later, counted }
}

it('G13: a trade that a builder holds back is no longer mined once the market has had time to move', async () => {
  const { outcome, lostUsd } = await heldBack({})
  expect([outcome, lostUsd]).toEqual([expect.stringContaining('Transaction too old'), 0])
})

it('G13: one that may be mined for longer loses what the market moved by, counts it, and nothing is lost after it that day', async () => {
  const { outcome, lostUsd, counted } = await heldBack({ deadlineSeconds: 600 })
  expect([outcome, lostUsd > 60]).toEqual(['success', true])
  expect(await counted()).toBeGreaterThanOrEqual(lostUsd)
  expect(await world.refuse('execute_swap', { ...swap, amount: '100' })).toMatchObject({ code: 'VALUE_LOSS_EXCEEDED' })
})

/**
 * Makes a call whose second transaction, after an approval, a builder keeps until the call has given up, and gives its bytes. `pass`
 * is what ends that.
 */
async function keepBack(call: () => Promise<unknown>): Promise<KeptBack> {
  const raws: Hex[] = []
  const target = (raw: Hex) => parseTransaction(raw).to
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
    const raw = (body.match(/0x02[0-9a-f]{40,}/) ?? [])[0] as Hex
    if (!raws.includes(raw)) raws.push(raw)
    // With higher fees it is kept, too.
    if (raws[1] === undefined || target(raws[1]) !== target(raw)) return fetch(input, init)
    world.patience.isShort = true
    return Response.json({ jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, result: keccak256(raw) })
  }
  const outcome = await call().then(() => 'success', String)
  world.patience.isShort = false
  return { outcome, raw: raws[1] ?? null, pass: () => void (world.network.fetch = fetch) }
}

type KeptBack = { readonly outcome: string; readonly raw: Hex | null; readonly pass: () => void }

it('G13: trades that are held back until their calls have given up lose no more in a day than one of them may beyond it', async () => {
  const { stranger, push, feeIn } = await openMarket('120')
  let market = devnet().market.prices().ETH
  const outcomes: string[] = []
  const lost: number[] = []
  for (let round = 0; round < 3; round += 1) {
    await syncClock(world)
    const before = [await world.balance('USDC'), await world.balance('WETH')] as const
    const { outcome, raw, pass } = await keepBack(() => world.call('execute_swap', swap))
    pass()
    outcomes.push(outcome)
    if (raw === null) break
    const later = market * 0.97
    await nextIn(devnet(), stranger, 150)
    await devnet().feeds.ETH.post(later)
    for (const one of [100, 500, 3_000]) await push(one, later, false)
    await push(feeIn(raw), market * 1.0083, true)
    const hash = await world.client.sendRawTransaction({ serializedTransaction: raw })
    expect((await world.client.waitForTransactionReceipt({ hash })).status).toBe('success')
    await push(feeIn(raw), later, false)
    const [paid, got] = [before[0] - (await world.balance('USDC')), (await world.balance('WETH')) - before[1]]
    lost.push(Number(paid) / 1e6 - (Number(got) / 1e18) * later)
    // An hour of other blocks, in which prices settle.
    for (let block = 0; block < 4; block += 1) {
      await nextIn(devnet(), stranger, 900)
      await devnet().feeds.ETH.post(later)
    }
    await syncClock(world)
    await world.executor.reconcile()
    market = later
  }
  const total = lost.reduce((sum, one) => sum + one, 0)
  expect(outcomes).toEqual([
    expect.stringContaining('TRANSACTION_PENDING'),
    expect.stringContaining('VALUE_LOSS_EXCEEDED'),
  ])
  expect(total).toBeLessThan(120 + Math.max(...lost))
  expect(Number((await world.call('check_safety_status')).text('valueUsd.lossAtMost.used'))).toBeGreaterThanOrEqual(
    total,
  )
})

it('G13: an order over time that is held back is mined within deadlineSeconds.cap or not at all', async () => {
  world = await openWorld(devnet(), { policy: ownPolicy(devnet()) })
  const stranger = await openStranger(devnet())
  await earlyInAnHour(devnet(), world)
  await syncClock(world)
  const order = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 30 * 86_400 }
  const { outcome, raw, pass } = await keepBack(() => world.call('submit_twamm_order', order))
  expect(outcome).toContain('TRANSACTION_PENDING')
  const before = await world.balance('WETH')
  const sweepIn = async (seconds: number) => {
    await nextIn(devnet(), stranger, seconds)
    await devnet().feeds.ETH.post(devnet().market.prices().ETH)
    await syncClock(world)
    await world.executor.reconcile()
  }
  // Until a trade would have failed it is only sent again.
  await sweepIn(500)
  const nonce = parseTransaction(raw!).nonce!
  const attempts = await world.store.journal.byNonce(devnet().chain.id, world.wallet, nonce)
  expect(attempts.every(({ requestId }) => requestId === attempts[0]?.requestId)).toBe(true)
  await sweepIn(120)
  pass()
  await sweepIn(12)
  await expect(world.client.sendRawTransaction({ serializedTransaction: raw! })).rejects.toThrow(/nonce/i)
  expect(await world.balance('WETH')).toBe(before)
  expect(await world.store.ledger.open()).toEqual([])
})
