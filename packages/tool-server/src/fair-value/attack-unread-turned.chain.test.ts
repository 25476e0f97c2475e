import { useDevnet } from '@svc/devnet/testing'
import { afterEach, expect, it } from 'vitest'
import { calls, isMined, keepsNineTenths, turnToken } from '../../../engine/src/simulation/hostile-token.fixture.ts'
import { rewriting } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { strict, syncClock, testClient, worthOf } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
  await world.close()
})

/** An endpoint that gives no receipt with a transfer of DAI in it: too long, as the token wrote it. */
function withoutLong(dai: string): typeof fetch {
  return rewriting('eth_getTransactionReceipt', (answer) =>
    JSON.stringify(answer.result ?? '')
      .toLowerCase()
      .includes(`"address":"${dai.toLowerCase()}"`)
      ? { jsonrpc: answer.jsonrpc, id: answer.id, error: { code: -32_008, message: 'Response is too big' } }
      : answer,
  )
}

it('G9: a listed token that turns, and whose receipts are too long to be had, takes one call', async () => {
  world = await openWorld(devnet(), { policy: strict })
  await syncClock(world)
  const pays = calls('function transfer(address,uint256)') + isMined
  const token = { devnet: devnet(), token: (symbol: string) => world.address(symbol) }
  restore.push(await turnToken(token, { symbol: 'DAI', condition: pays, evil: keepsNineTenths(36) }))
  world.network.fetch = withoutLong(world.address('DAI'))
  const before = await worthOf(world)
  const swap = { tokenIn: 'USDC', tokenOut: 'DAI', amount: '200', version: 'v3' }
  for (let turn = 0; turn < 4; turn += 1) {
    world.patience.isShort = true
    await world.call('execute_swap', swap).catch(() => undefined)
    world.patience.isShort = false
    await testClient(devnet()).mine({ blocks: 4, interval: 12 })
    await syncClock(world)
    await world.executor.reconcile()
  }
  expect(before - (await worthOf(world))).toBeLessThan(200)
  expect((await world.refuse('execute_swap', swap)).code).toBe('CIRCUIT_BREAKER_OPEN')
})
