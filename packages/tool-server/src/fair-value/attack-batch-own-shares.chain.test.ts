import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

it('G4: a batch beside which shares of a pair are given up puts no more into a pool than the limits let out', async () => {
  const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
  const all = '1000000'
  const limitsUsd = { perTransaction: all, perSession: all, daily: all }
  world = await openWorld(devnet(), { policy: { version: 1, limitsUsd, approvalThresholdUsd: null } })
  const pair = { token0: 'WETH', token1: 'USDC' }
  const large = await world.call('add_liquidity', { ...pair, version: 'v2', amount0: '6' })
  const market = devnet().market.prices().ETH
  const range = { fee: 500, version: 'v3', priceLower: market * 0.5, priceUpper: market * 2 }
  const small = await world.call('add_liquidity', { ...pair, ...range, amount0: '0.01' })
  const { privateKey } = world.again
  await world.close()
  const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
  world = await openWorld(devnet(), {
    again: { dataDir, privateKey },
    policy: { version: 1, allowlist: { mode: 'strict' }, batchDelegate },
  })
  await syncClock(world)
  const operations = [
    { type: 'remove', positionId: small.text('positionId'), params: { version: 'v3', percentage: 50 } },
    { type: 'remove', positionId: large.text('positionId'), params: { version: 'v2' } },
    { type: 'add', params: { ...pair, ...range, amount0: '5' } },
  ]
  const answer = await world.call('batch_lp_operations', { operations }).catch((error: unknown) => `${error}`)
  // Above half a thousand dollars nothing leaves, and above half of that a person is asked.
  expect(answer).toContain('SPENDING_LIMIT_EXCEEDED')
})
