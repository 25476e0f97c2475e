import { useDevnet } from '@svc/devnet/testing'
import type { Intent } from '@svc/amm'
import { encodePacked, type Hex, keccak256, parseEther, parseTransaction } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import {
  announces,
  calls,
  isMined,
  keepsNineTenths,
  turnToken,
} from '../../../engine/src/simulation/hostile-token.fixture.ts'
import { beforeSending, methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { plannedOf, principalOf } from '../../../engine/src/fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../../../engine/src/fixtures/use-pipelines.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { nextIn, openAfter, openStranger, strict, syncClock, testClient } from './attack-kit.fixture.ts'
import { fundStranger, openStage } from './attack-row.fixture.ts'
import { planAdd, removal } from './deposit-plans.fixture.ts'
import { lenient, planSwap } from './plans.fixture.ts'
import { pairOf, pushV3, units } from './stranger.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
let world: World
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
})

const pays = calls('function transfer(address,uint256)') + isMined
const isTaken = calls('function transferFrom(address,address,uint256)') + isMined

/** As a person who is asked about a token that misleads says. */
async function runApproved(pipeline: Pipeline, intent: Intent): Promise<void> {
  const { plan } = plannedOf(await pipeline.run(intent, { dryRun: true }))
  const claimed = await pipeline.store.operations.claim(plan.planId, { requestId: 'approved' })
  await pipeline.run(intent, { carriesOut: { ...claimed, decidedBy: 'operator:cli' } })
}

describe('G9: a token without a trusted price that announces what did not happen', () => {
  it('stops nothing where the rest came within its minimums, and keeps nobody from leaving', async () => {
    const pipeline = await open({ policy: { ...lenient, speculativeUsd: '5000', unnamedSales: 'allow' } })
    await fundStranger(devnet())
    await devnet().fund(pipeline.wallet, { HOSTILE: '20000' })
    const stage = await openStage(devnet(), pipeline)
    await pipeline.run(await planAdd(pipeline, { pair: ['WETH', 'USDC'], fee: 3_000, amount0: '0.1' }))
    await runApproved(pipeline, await planAdd(pipeline, { pair: ['HOSTILE', 'USDC'], fee: 10_000, amount0: '20000' }))
    const { items } = await pipeline.liquidity.positionsByOwner(pipeline.chain, pipeline.wallet, ['v3'])
    const [worthless, other] = [10_000, 3_000].map((fee) => items.find(({ pool }) => pool.fee === fee)!)
    restore.push(await turnToken(pipeline, { condition: pays, evil: `600160c81b600052${announces(4)}`, goesOn: true }))
    const leaving = await removal(pipeline, { slippageBps: 4_000, position: worthless! })
    beforeSending(pipeline, 1, () => pushV3(stage, 'HOSTILE', 10_000, 'USDC', '200000'))
    await pipeline.run(leaving)
    pipeline.network.fetch = fetch
    expect(await pipeline.executor.safetyReport(principalOf())).toMatchObject({
      breaker: { open: false, stops: 'nothing' },
    })
    await pipeline.run(await removal(pipeline, { position: other! }))
  })
})

describe('G13: a listed token whose author keeps nine tenths on the chain and nothing in a simulation', () => {
  it('takes one deposit into a pair, whose loss counts and opens the breaker', async () => {
    const pipeline = await open({ policy: lenient })
    await fundStranger(devnet())
    await devnet().fund(pipeline.wallet, { DAI: '10000' })
    const { stranger } = await openStage(devnet(), pipeline)
    await stranger.addV2(pipeline.token('DAI'), pipeline.token('USDC'), units('DAI', '100000'), units('USDC', '100000'))
    restore.push(await turnToken(pipeline, { symbol: 'DAI', condition: isTaken, evil: keepsNineTenths(68) }))
    const add = { version: 'v2', pair: ['DAI', 'USDC'], amount0: '1000' } as const
    await pipeline.run(await planAdd(pipeline, add))
    const pair = await pipeline.liquidity.pairShare(pipeline.chain, pairOf(pipeline, 'DAI', 'USDC'), pipeline.wallet)
    expect(pair.amount1).toBeLessThan(units('USDC', '200'))
    expect(await lossUsd(pipeline)).toBeGreaterThan(1_500)
    await expect(pipeline.run(await planAdd(pipeline, add))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
  })

  it('is found in what a purchase lost, also where something else arrives meanwhile', async () => {
    const pipeline = await open({ policy: lenient })
    restore.push(await turnToken(pipeline, { symbol: 'DAI', condition: pays, evil: keepsNineTenths(36) }))
    beforeSending(pipeline, 2, () => devnet().fund(pipeline.wallet, { ETH: '100' }))
    await pipeline.run(await planSwap(pipeline, 'USDC', 'DAI', '1000', 'v3'))
    pipeline.network.fetch = fetch
    expect(await pipeline.balance('ETH')).toBeGreaterThan(parseEther('50'))
    expect(await lossUsd(pipeline)).toBeGreaterThan(890)
  })
})

async function lossUsd(pipeline: Awaited<ReturnType<typeof open>>): Promise<number> {
  return Number((await pipeline.executor.safetyReport(principalOf())).valueUsd?.lossAtMost.used)
}

describe('G13: such a token while own liquidity moves', () => {
  afterEach(() => world.close())

  /** Nothing in the calldata asks that the close has brought what the next range takes from the wallet. */
  it('G13: a listed token that turns takes one call also while own liquidity moves, whose loss counts and opens the breaker', async () => {
    const [positionId] = await openPositions({ approvalThresholdUsd: '250' }, ['10'])
    const manager = devnet().chain.amm.v3!.positionManager.toLowerCase()
    const dai = async () => Number(await world.balance('DAI')) / 1e18
    const before = await dai()
    turnsFor(({ to }) => to?.toLowerCase() === manager)
    const rebalance = (id: string) =>
      world.call('rebalance_position', { positionId: id, version: 'v3', swapToRatio: false, rangeStrategy: 'medium' })
    const id = (await rebalance(positionId!)).text('newPosition.positionId')
    const left = before - (await dai())
    expect(left).toBeGreaterThan(20_000)
    const { usedUsd, stops } = await status()
    expect(usedUsd).toBeGreaterThan(left)
    expect(stops).toBe('all-but-ways-home')
    await testClient(devnet()).mine({ blocks: 4, interval: 12 })
    await syncClock(world)
    expect(await rebalance(id).catch(codeOf)).toBe('CIRCUIT_BREAKER_OPEN')
    // Its owner can still leave.
    world.network.fetch = fetch
    expect(
      (await world.call('remove_liquidity', { positionId: id, version: 'v3', percentage: 100 })).text('status'),
    ).toBe('success')
  })

  it('neither counts nor stops an honest one whose pool moves on between simulation and block', async () => {
    const [positionId] = await openPositions({ approvalThresholdUsd: null }, ['10'])
    const stranger = await openStranger(devnet())
    const path = encodePacked(['address', 'uint24', 'address'], [world.address('WETH'), 3_000, world.address('DAI')])
    const price = async () => (await world.call('get_position', { positionId, version: 'v3' })).number('currentPrice')
    const before = await price()
    const manager = devnet().chain.amm.v3!.positionManager.toLowerCase()
    beforeMined(
      ({ to }) => to?.toLowerCase() === manager,
      async () => {
        await stranger.swapV3(path, parseEther('1'))
        return () => Promise.resolve()
      },
    )
    const move = { positionId, version: 'v3', swapToRatio: false, rangeStrategy: 'medium', slippageBps: 100 }
    expect((await world.call('rebalance_position', move)).text('status')).toBe('success')
    world.network.fetch = fetch
    expect(await price()).not.toBe(before)
    const { usedUsd, stops } = await status()
    expect(usedUsd).toBeLessThan(20)
    expect(stops).toBe('nothing')
  })

  /** One transaction closes, swaps and mints: what the swap did not bring the range takes from what the wallet holds. */
  it('G13: so it does in rebalances that one transaction makes', async () => {
    const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
    const limitsUsd = { perTransaction: '500', perSession: '5000', daily: '5000' }
    const policy = { approvalThresholdUsd: null, limitsUsd, maxDailyLossUsd: '40', batchDelegate }
    const ids = await openPositions(policy, ['0.07', '0.07', '0.07'])
    const market = devnet().market.prices().ETH
    turnsFor(({ to }) => to?.toLowerCase() === world.wallet.toLowerCase())
    const params = {
      version: 'v3',
      token0: 'WETH',
      priceLower: market * 0.8,
      priceUpper: market * 1.01,
      slippageBps: 50,
    }
    const outcomes: string[] = []
    for (const positionId of ids) {
      const operations = [{ type: 'rebalance', positionId, params }]
      outcomes.push(
        await world.call('batch_lp_operations', { operations }).then((answer) => answer.text('status'), codeOf),
      )
      await testClient(devnet()).mine({ blocks: 4, interval: 12 })
      await syncClock(world)
    }
    expect(outcomes).toEqual(['success', 'CIRCUIT_BREAKER_OPEN', 'CIRCUIT_BREAKER_OPEN'])
    expect((await status()).usedUsd).toBeGreaterThan(384)
  })

  /** The range would take from the wallet what the swap did not bring, and is refused. */
  it('G13: so it does where a rebalance is cut off behind its swap', async () => {
    const limitsUsd = { perTransaction: '500', perSession: '2000', daily: '2000' }
    const ids = await openPositions({ approvalThresholdUsd: null, limitsUsd }, ['0.13', '0.13'])
    const router = devnet().chain.amm.v3!.swapRouter02.toLowerCase()
    const market = devnet().market.prices().ETH
    turnsFor(({ to }) => to?.toLowerCase() === router)
    const range = { token0: 'WETH', priceLower: market * 0.8, priceUpper: market * 1.01 }
    const outcomes: string[] = []
    for (const positionId of ids) {
      const rebalance = world.call('rebalance_position', { positionId, version: 'v3', ...range, slippageBps: 50 })
      outcomes.push(await rebalance.then((answer) => answer.text('status'), codeOf))
      await testClient(devnet()).mine({ blocks: 4, interval: 12 })
      await syncClock(world)
      await world.executor.reconcile()
    }
    expect(outcomes).toEqual(['OPERATION_INCOMPLETE', 'CIRCUIT_BREAKER_OPEN'])
    const { usedUsd, stops } = await status()
    expect(usedUsd).toBeGreaterThan(300)
    expect(stops).toBe('all-but-ways-home')
  })

  it('G13: so it does where the call has ended before its purchase is mined', async () => {
    world = await openWorld(devnet(), { policy: { ...strict, approvalThresholdUsd: null } })
    const stranger = await openStranger(devnet())
    const turned = { devnet: devnet(), token: (symbol: string) => world.address(symbol) }
    restore.push(await turnToken(turned, { symbol: 'DAI', condition: pays, evil: keepsNineTenths(36) }))
    const raws: Hex[] = []
    world.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
      const raw = /0x02[0-9a-f]{40,}/.exec(body)?.[0] as Hex
      if (!raws.includes(raw)) raws.push(raw)
      if (raws.indexOf(raw) !== 1) return fetch(input, init)
      world.patience.isShort = true
      return Response.json({ jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, result: keccak256(raw) })
    }
    const swap = () =>
      world.call('execute_swap', { tokenIn: 'USDC', tokenOut: 'DAI', amount: '395', version: 'v3' }).catch(codeOf)
    await syncClock(world)
    expect(await swap()).toBe('TRANSACTION_PENDING')
    world.network.fetch = fetch
    world.patience.isShort = false
    await nextIn(devnet(), stranger, 130)
    const hash = await world.client.sendRawTransaction({ serializedTransaction: raws[1]! })
    await world.client.waitForTransactionReceipt({ hash })
    for (let block = 0; block < 3; block += 1) {
      await nextIn(devnet(), stranger, 12)
      await devnet().feeds.ETH.post(devnet().market.prices().ETH)
    }
    await syncClock(world)
    await world.executor.reconcile()
    const { usedUsd, stops } = await status()
    expect(usedUsd).toBeGreaterThan(350)
    expect(stops).toBe('all-but-ways-home')
    expect(await swap()).toBe('CIRCUIT_BREAKER_OPEN')
  })
})

type Sent = ReturnType<typeof parseTransaction>

/** Carries something out before transactions that the wallet signs, and what that gives after them. */
function beforeMined(isTarget: (sent: Sent) => boolean, work: () => Promise<() => Promise<void>>): void {
  world.network.fetch = async (input, init) => {
    const [raw] = /0x0[24][0-9a-f]{100,}/.exec(typeof init?.body === 'string' ? init.body : '') ?? []
    if (raw === undefined || !isTarget(parseTransaction(raw as `0x02${string}`))) return fetch(input, init)
    const back = await work()
    const answer = await fetch(input, init)
    const hash = keccak256(raw as Hex)
    // The node takes a transaction before it mines it.
    if ((await answer.clone().text()).includes(hash)) await world.client.waitForTransactionReceipt({ hash })
    await back()
    return answer
  }
}

/** The author's own switch: DAI keeps nine tenths of what it is asked to pay in transactions that it knows the wallet by. */
function turnsFor(isTarget: (sent: Sent) => boolean): void {
  const turned = { devnet: devnet(), token: (symbol: string) => world.address(symbol) }
  beforeMined(isTarget, () => turnToken(turned, { symbol: 'DAI', condition: pays, evil: keepsNineTenths(36) }))
}

/** Opens positions, and what else the policy says. */
async function openPositions(policy: object, amounts: readonly string[]): Promise<readonly string[]> {
  const market = devnet().market.prices().ETH
  const pair = { token0: 'WETH', token1: 'DAI', fee: 3_000, version: 'v3' }
  const { world: opened, outcome } = await openAfter(
    devnet(),
    async (before) => {
      const ids: string[] = []
      for (const amount0 of amounts) {
        await syncClock(before)
        const range = { priceLower: market * 0.9, priceUpper: market * 1.1 }
        ids.push((await before.call('add_liquidity', { ...pair, ...range, amount0 })).text('positionId'))
      }
      return ids
    },
    { policy: { ...strict, ...policy } },
  )
  world = opened
  await openStranger(devnet())
  await testClient(devnet()).mine({ blocks: 4, interval: 12 })
  await syncClock(world)
  return outcome
}

const codeOf = (error: unknown) => /"code":"(\w+)"/.exec(String(error))?.[1] ?? String(error)

async function status() {
  await syncClock(world)
  const report = await world.call('check_safety_status')
  return { usedUsd: Number(report.text('valueUsd.lossAtMost.used')), stops: report.text('breaker.stops') }
}
