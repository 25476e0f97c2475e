import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi } from '@svc/amm/abis'
import { zeroAddress } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWorld, ownPolicy, type World, type WorldOptions } from '../chain-world.fixture.ts'
import { earlyInAnHour, headTime, holdings, hookedKey, idOf, pass, stranger } from './order-world.fixture.ts'

const devnet = useDevnet()
const worlds: World[] = []
let world: World

async function open(policy: object = {}, options: WorldOptions = {}): Promise<World> {
  const opened = await openWorld(devnet(), { policy: { ...ownPolicy(devnet()), ...policy }, ...options })
  worlds.push(opened)
  return opened
}

beforeEach(async () => {
  world = await open()
})
afterEach(async () => {
  await Promise.all(worlds.splice(0).map((one) => one.close()))
})

const weth = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '2', duration: 3_600 }
const usdc = { tokenIn: 'USDC', tokenOut: 'WETH', amount: '6000', duration: 3_600 }

describe('submit_twamm_order', () => {
  test.each([
    ['WETH for USDC', weth, 6_000],
    ['USDC for WETH', usdc, 2],
  ] as const)('sells %s until the end of an hour, and says the real time', async (_what, order, worth) => {
    const [tokenIn, tokenOut] = [order.tokenIn, order.tokenOut]
    const [before = 0] = await holdings(world, tokenIn)
    const answer = await world.call('submit_twamm_order', order)
    const [left = 0] = await holdings(world, tokenIn)
    const placedAt = await headTimeOf(answer.text('txHash'))
    const expiresAt = Date.parse(answer.text('expiresAt')) / 1_000
    expect(expiresAt % 3_600).toBe(0)
    expect(answer.number('duration')).toBe(expiresAt - placedAt)
    expect(answer.number('duration')).toBeGreaterThanOrEqual(3_600)
    expect(answer.number('duration')).toBeLessThan(7_200)
    const total = Number(answer.text('tokenIn.totalAmount'))
    expect(before - left).toBeCloseTo(total, 9)
    expect(Number(answer.text('sellRate')) * answer.number('duration')).toBeCloseTo(total, 6)
    expect(Number(order.amount) - total).toBeGreaterThanOrEqual(0)
    expect(total / Number(order.amount)).toBeGreaterThan(0.999)
    // The price now less 0.3 %.
    expect(Number(answer.text('estimatedOutput')) / (worth * 0.997)).toBeCloseTo(1, 2)
    expect(answer.number('amountUsd')).toBeGreaterThan(5_900)
    expect(answer.at('tokenIn.symbol')).toBe(tokenIn)
    expect(answer.at('tokenOut.symbol')).toBe(tokenOut)
    expect(answer.text('pool')).toBe(devnet().twamm.pool.id)
    // The local chain has no explorer.
    expect(answer.at('explorerUrl')).toBeNull()
    // An approval, the order, and the approval taken back where the second of the block left a little of it; nothing of it is left.
    expect([2, 3]).toContain(answer.list('transactions').length)
    expect(await allowance(tokenIn)).toBe(0n)

    await pass(devnet(), expiresAt)
    const done = await world.call('get_twamm_order_status', idOf(answer))
    expect([done.text('status'), done.number('progress.percentComplete')]).toEqual(['completed', 100])
    const earned = Number(done.text('progress.amountReceived'))
    expect(earned / worth).toBeGreaterThan(0.98)
    expect(earned / worth).toBeLessThan(1.01)
    const [ownBefore = 0] = await holdings(world, tokenOut)
    const claimed = await world.call('claim_twamm_order', idOf(answer))
    expect((await holdings(world, tokenOut))[0]! - ownBefore).toBeCloseTo(Number(claimed.text('tokenOut.amount')), 9)
    expect(Number(claimed.text('tokenOut.amount'))).toBeCloseTo(earned, 6)
    expect(claimed.text('tokenIn.amount')).toBe('0')
  })

  test('where an order of the same end and direction stands, the next end is taken', async () => {
    await earlyInAnHour(devnet(), world)
    const first = await world.call('submit_twamm_order', weth)
    const second = await world.call('submit_twamm_order', weth)
    const other = await world.call('submit_twamm_order', usdc)
    const end = (answer: typeof first) => Date.parse(answer.text('expiresAt'))
    expect(end(second) - end(first)).toBe(3_600_000)
    expect(end(other)).toBe(end(first))
    expect(new Set([first, second, other].map((answer) => answer.text('orderId'))).size).toBe(3)
  })

  test('a dry run shows a person the order, and its plan is carried out', async () => {
    const { plan } = (await world.call('submit_twamm_order', { ...weth, dryRun: true })).data as { plan: Shown }
    const [approve, submit] = plan.steps
    expect(approve!.calls[0]!.arguments['spender']).toBe(devnet().twamm.hook)
    expect(submit!.contract).toBe('a TWAMM hook of the policy')
    expect(submit!.calls[0]).toMatchObject({
      function: 'submitOrder',
      arguments: { owner: world.wallet, expiration: expect.stringMatching(/^20\d\d-.*:00:00.000Z$/) },
    })
    expect(plan.bounds.spendsAtMost).toMatchObject([{ symbol: 'WETH', amount: '2' }])
    // At the high edge of the price.
    expect(plan.spendUsd).toMatch(/^60\d\d/)
    expect(plan.warnings).toContainEqual(expect.stringContaining('An order is sold over time'))
    expect(plan.values).toMatchObject({
      leavesUsd: expect.stringMatching(/^(6000|5999)/),
      arrivesUsd: expect.stringMatching(/^59\d\d/),
      arrivesAtWorstUsd: '0',
    })
    expect(plan.why).toMatch(
      /until 20\d\d-.*:00:00.000Z, the first free end .* 3600 seconds asked for: .* every 3600 seconds\.$/,
    )
    const carried = await world.call('execute_plan', { planId: plan.planId, planHash: plan.planHash })
    expect(carried.at('status')).toBe('success')
  })

  test('asks for a pool, a hook, an amount and a time that an order can have', async () => {
    const { pool } = idOf(await world.call('submit_twamm_order', weth))
    const refusals = [
      [{ ...weth, tokenOut: 'DAI' }, 'NO_TWAMM_HOOK', /execute_swap/],
      [{ ...weth, pool: plainPool() }, 'NO_TWAMM_HOOK', /execute_swap/],
      [{ ...weth, pool: `0x${'1'.repeat(64)}` }, 'POOL_NOT_FOUND', /get_pools_by_token_pair/],
      [{ ...weth, tokenOut: 'DAI', pool }, 'VALIDATION_FAILED', /fields named/],
      [{ ...weth, tokenIn: 'ETH' }, 'NO_TWAMM_HOOK', /execute_swap/],
      [{ ...weth, duration: 3_599 }, 'DURATION_TOO_SHORT', /execute_swap/],
      [{ ...usdc, amount: '0.003599' }, 'AMOUNT_TOO_SMALL', /execute_swap/],
    ] as const
    for (const [order, code, next] of refusals) {
      const refusal = await world.refuse('submit_twamm_order', order)
      expect([order, refusal.code]).toEqual([order, code])
      expect(refusal.suggestion).toMatch(next)
    }
    const stranger = await open({ twammHooks: {} })
    expect((await stranger.refuse('submit_twamm_order', weth)).code).toBe('NO_TWAMM_HOOK')
    expect((await stranger.refuse('submit_twamm_order', { ...weth, pool })).code).toBe('NO_TWAMM_HOOK')
  })

  test('the smallest order sells one unit a second', async () => {
    await earlyInAnHour(devnet(), world)
    const now = await headTime(world)
    const end = Math.ceil((now + 3_600) / 3_600) * 3_600
    const answer = await world.call('submit_twamm_order', { ...usdc, amount: `${(end - now) / 1e6}` })
    expect(answer.text('sellRate')).toBe('0.000001')
  })
})

describe('G13: what an order may not do to its owner', () => {
  const order = { ...weth, amount: '1' }

  test('all of it counts against the limits, at once', async () => {
    const limited = await open({ limitsUsd: { perTransaction: '3100', perSession: '5000', daily: '5000' } })
    expect((await limited.refuse('submit_twamm_order', weth)).code).toBe('SPENDING_LIMIT_EXCEEDED')
    await limited.call('submit_twamm_order', order)
    const refusal = await limited.refuse('submit_twamm_order', order)
    expect(refusal.code).toBe('SPENDING_LIMIT_EXCEEDED')
  })

  test('what an order gives back does not free the limits', async () => {
    const limited = await open({ limitsUsd: { perTransaction: '3100', perSession: '5000', daily: '5000' } })
    await limited.call('cancel_twamm_order', idOf(await limited.call('submit_twamm_order', order)))
    expect((await limited.refuse('submit_twamm_order', order)).code).toBe('SPENDING_LIMIT_EXCEEDED')
  })

  test.each([
    ['against it', true],
    ['for it', false],
  ])('it is not placed in a pool that was pushed %s', async (_what, isAgainst) => {
    const actor = await stranger(devnet())
    const key = hookedKey(devnet())
    const sellsWeth = isAgainst
    const zeroForOne = (key.currency0.toLowerCase() === world.address('WETH').toLowerCase()) === sellsWeth
    await actor.swapV4(key, zeroForOne, sellsWeth ? 150n * 10n ** 18n : 450_000n * 10n ** 6n)
    const refusal = await world.refuse('submit_twamm_order', { ...order, amount: '0.01' })
    expect(refusal.code).toBe('POOL_PRICE_OFF_MARKET')
    expect(refusal.message).toMatch(/an order is placed within 200 bps/)
  })

  test('it is not placed in a pool that could not take all of it at once near the market price', async () => {
    const pool = await openPool(100, { liquidity: 10n ** 12n, spacings: 1 })
    const bold = await openNaming(pool)
    const shallow = await bold.refuse('submit_twamm_order', { ...order, pool })
    expect(shallow.code).toBe('INSUFFICIENT_LIQUIDITY')
    expect(shallow.suggestion).toMatch(/execute_swap/)
    const thin = { ...order, pool: await openPool(500, { liquidity: 10n ** 15n, spacings: 200 }) }
    const narrow = await openNaming(thin.pool)
    const refusal = await narrow.refuse('submit_twamm_order', thin)
    expect(['VALUE_LOSS_EXCEEDED', 'PRICE_IMPACT_EXCEEDED']).toContain(refusal.code)
    const bounds = { maxLossBps: 2_000, maxPriceImpactBps: 2_000 }
    const widened = await openNaming(thin.pool, { valueRules: { tools: { submit_twamm_order: bounds } } })
    await widened.call('submit_twamm_order', thin)
  })

  test('it is not placed in a pool that somebody else opened, however deep: its liquidity can leave before the order is sold', async () => {
    const pool = await openPool(500, { liquidity: 10n ** 18n, spacings: 20 })
    const refusal = await world.refuse('submit_twamm_order', { ...order, pool })
    expect([refusal.code, refusal.suggestion]).toEqual(['NO_TWAMM_HOOK', expect.stringContaining('twammHooks')])
    expect((await world.call('submit_twamm_order', order)).text('pool')).toBe(devnet().twamm.pool.id)
    // Where the operator names both, the deeper one is taken.
    expect((await (await openNaming(pool)).call('submit_twamm_order', order)).text('pool')).toBe(pool)
  })

  test('it is not placed in a pool whose fee takes it', async () => {
    const pool = await openPool(200_000, { liquidity: 10n ** 17n, spacings: 1 })
    const bold = await openNaming(pool)
    expect((await bold.refuse('submit_twamm_order', { ...order, pool })).code).toBe('VALUE_LOSS_EXCEEDED')
  })

  test('both of its tokens must have a trusted price', async () => {
    const tokens = devnet().chain.tokens.map((token) => {
      const { priceSources: _sources, usdPegged: _pegged, ...bare } = token
      return token.symbol === 'USDC' ? bare : token
    })
    const doubtful = await open({ unnamedSales: 'allow', speculativeUsd: '50000' }, { chain: { tokens } })
    for (const one of [order, { ...usdc, amount: '10' }]) {
      const refusal = await doubtful.refuse('submit_twamm_order', one)
      expect([refusal.code, refusal.message]).toEqual(['PRICE_UNAVAILABLE', expect.stringContaining('prices to come')])
    }
  })
})

type Shown = {
  readonly planId: string
  readonly planHash: string
  readonly why: string
  readonly spendUsd: string
  readonly warnings: readonly string[]
  readonly values: unknown
  readonly bounds: { readonly spendsAtMost: unknown }
  readonly steps: readonly {
    readonly contract: string
    readonly calls: readonly { readonly arguments: Readonly<Record<string, string>> }[]
  }[]
}

async function headTimeOf(hash: string): Promise<number> {
  const { blockNumber } = await world.client.getTransactionReceipt({ hash: hash as `0x${string}` })
  return Number((await world.client.getBlock({ blockNumber })).timestamp)
}

function allowance(symbol: string): Promise<bigint> {
  const args = [world.wallet, devnet().twamm.hook] as const
  return world.client.readContract({ address: world.address(symbol), abi: erc20Abi, functionName: 'allowance', args })
}

function plainPool(): string {
  return devnet().pools.find(({ version, hooks }) => version === 'v4' && hooks === zeroAddress)!.id
}

/** Under a policy that names another pool, too. */
function openNaming(pool: string, policy: object = {}): Promise<World> {
  const { hook, pool: own } = devnet().twamm
  return open({ ...policy, twammHooks: { [devnet().chainId]: [{ hook, pools: [own.id, pool as `0x${string}`] }] } })
}

/** Another pool with the hook, at the price of the first, with so much liquidity around it, and none beyond so many tick spacings. */
async function openPool(
  fee: number,
  { liquidity, spacings }: { readonly liquidity: bigint; readonly spacings: number },
): Promise<string> {
  const actor = await stranger(devnet())
  const pool = await world.call('get_pool_state', { pool: devnet().twamm.pool.id })
  const key = hookedKey(devnet(), fee)
  const id = await actor.initializeV4(key, BigInt(pool.text('sqrtPriceX96')))
  const tick = Math.floor(pool.number('tick') / key.tickSpacing) * key.tickSpacing
  await actor.mintV4(key, tick - spacings * key.tickSpacing, tick + (spacings + 1) * key.tickSpacing, liquidity)
  return id
}
