import { setTimeout as sleep } from 'node:timers/promises'
import { useDevnet } from '@svc/devnet/testing'
import { erc20Abi } from '@svc/amm/abis'
import { createTestClient, type Hash, http, publicActions } from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

// Each leg in turn is seen in a block, and that block is taken away before it is confirmed.
const devnet = useDevnet()
const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) }).extend(publicActions)
let world: World
let miner: Miner

beforeEach(async () => {
  world = await openWorld(devnet(), { chain: { confirmations: 2 } })
  miner = await startMining()
})
afterEach(async () => {
  await miner.stop()
  await world.close()
})

describe('a block that is taken away between two legs', () => {
  test('of a rebalance in turn: each transaction is mined once in the end, and the answer is that of the chain', async () => {
    const pair = { token0: 'WETH', token1: 'USDC', amount0: '1', fee: 500, rangeStrategy: 'medium' }
    const opened = await world.call('add_liquidity', pair)
    const price = opened.number('currentPrice')
    let positionId = opened.text('positionId')
    const legs = await forEachLeg(async (key) => {
      // Now more of one token, now of the other, so that each time a side is swapped.
      const [low, high] = Number(positionId) % 2 === 0 ? [0.7, 1.02] : [0.98, 1.4]
      const aim = { positionId, token0: 'WETH', priceLower: price * low, priceUpper: price * high }
      const answer = await world.call('rebalance_position', { ...aim, idempotencyKey: key })
      expect((await world.call('get_position', { positionId })).at('isClosed')).toBe(true)
      positionId = answer.text('newPosition.positionId')
      expect((await world.call('get_position', { positionId })).at('isClosed')).toBe(false)
      return answer
    })
    expect(legs).toBeGreaterThan(2)
  })

  test('of a harvest: what is collected and swapped is collected and swapped once', async () => {
    const pair = { token0: 'WETH', token1: 'USDC', amount0: '1', fee: 500, rangeStrategy: 'medium' }
    const opened = await world.call('add_liquidity', pair)
    const pool = opened.text('pool.poolAddress') as Hash
    const legs = await forEachLeg(async (key) => {
      await devnet().trade(6, 3, [pool])
      const request = { targetToken: 'USDC', minHarvestUsd: 0, idempotencyKey: key }
      const weth = await world.balance('WETH')
      const answer = await world.call('harvest_rewards', request)
      expect([answer.list('feesCollected').length, answer.list('consolidationSwaps').length]).toEqual([1, 1])
      expect(await world.balance('WETH')).toBe(weth)
      return answer
    })
    expect(legs).toBeGreaterThan(1)
  })
})

/** Calls once for each leg, whose block is taken away, and once more without; says how many legs there were. */
async function forEachLeg(call: (key: string) => Promise<Answer>): Promise<number> {
  for (let leg = 1; ; leg += 1) {
    const nonce = await world.client.getTransactionCount({ address: world.wallet })
    const undoing = undoLeg(leg)
    const answer = await call(`leg-${leg}`)
    undoing.end()
    await expectMinedOnce(answer, nonce)
    if (!undoing.isDone()) return leg - 1
  }
}

async function expectMinedOnce(answer: Answer, from: number): Promise<void> {
  const to = await world.client.getTransactionCount({ address: world.wallet })
  const hashes: Hash[] = []
  for (let nonce = from; nonce < to; nonce += 1) {
    const attempts = await world.store.journal.byNonce(world.chain.id, world.wallet, nonce)
    expect(attempts.map(({ state }) => state)).toEqual(['final'])
    const { hash } = attempts[0]!
    expect((await world.client.getTransactionReceipt({ hash })).status).toBe('success')
    hashes.push(hash)
  }
  expect(answer.at('transactions')).toEqual(hashes)
  const { swapRouter02, positionManager } = world.chain.amm.v3!
  for (const symbol of ['WETH', 'USDC']) {
    for (const spender of [swapRouter02, positionManager]) {
      const args = [world.wallet, spender] as const
      const allowed = { address: world.address(symbol), abi: erc20Abi, functionName: 'allowance', args } as const
      expect(await world.client.readContract(allowed)).toBe(0n)
    }
  }
}

/** Once the server has seen the receipt of the nth transaction that it sends, the block of it is gone. */
function undoLeg(nth: number): { end(): void; isDone(): boolean } {
  const { fetch } = world.network
  const seen = { sent: 0, isWaiting: false, isDone: false }
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    const response = await fetch(input, init)
    if (body.includes('eth_sendRawTransaction') && (seen.sent += 1) === nth) {
      await miner.hold()
      seen.isWaiting = true
    }
    if (!seen.isWaiting || !body.includes('eth_getTransactionReceipt')) return response
    const text = await response.text()
    if (seen.isWaiting && text.includes('"status":"0x1"')) {
      seen.isWaiting = false
      await takeNewestBlockAway()
      seen.isDone = true
      miner.goOn()
    }
    return new Response(text, response)
  }
  return { end: () => void (world.network.fetch = fetch), isDone: () => seen.isDone }
}

/** The clock is put back, for anvil lets it fall behind by the age of the block that stays. */
async function takeNewestBlockAway(): Promise<void> {
  const request = node().request as (asked: { method: string; params: unknown[] }) => Promise<unknown>
  await request({ method: 'anvil_reorg', params: [1, []] })
  await request({ method: 'evm_setTime', params: [Math.floor(Date.now() / 1_000)] })
}

type Miner = {
  /** Mines one block more, and none until it goes on. */
  hold(): Promise<void>
  goOn(): void
  stop(): Promise<void>
}

/** A block after another, since what anvil mines by itself during a reorg outlives it without the state before it. */
async function startMining(): Promise<Miner> {
  const steady = { isOn: true, isHeld: false, last: Promise.resolve() }
  await node().setAutomine(false)
  const mine = () => (steady.last = steady.last.then(() => node().mine({ blocks: 1 })))
  const done = (async () => {
    while (steady.isOn) {
      if (!steady.isHeld) await mine()
      await sleep(20)
    }
  })()
  return {
    async hold() {
      steady.isHeld = true
      await mine()
    },
    goOn: () => void (steady.isHeld = false),
    async stop() {
      steady.isOn = false
      await done
      await node().setAutomine(true)
    },
  }
}
