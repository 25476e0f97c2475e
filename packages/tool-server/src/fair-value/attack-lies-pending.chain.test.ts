import { useDevnet } from '@svc/devnet/testing'
import { type Hex, keccak256 } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { calls, isMined, keepsNineTenths, turnToken } from '../../../engine/src/simulation/hostile-token.fixture.ts'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { nextIn, openStranger, syncClock } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
  await world.close()
})

/** A builder keeps each purchase until its call has given up: what settles it then knows no simulation, but what came. */
it('G9, G13: a listed token that turns takes one call, also where each call is mined after it has given up', async () => {
  const limitsUsd = { perTransaction: '500', perSession: '2000', daily: '2000' }
  world = await openWorld(devnet(), {
    policy: { version: 1, allowlist: { mode: 'strict' }, limitsUsd, approvalThresholdUsd: null },
  })
  const stranger = await openStranger(devnet())
  const pays = calls('function transfer(address,uint256)') + isMined
  const turned = { devnet: devnet(), token: (symbol: string) => world.address(symbol) }
  restore.push(await turnToken(turned, { symbol: 'DAI', condition: pays, evil: keepsNineTenths(36) }))
  const outcomes: string[] = []
  const before = [await world.balance('USDC'), await world.balance('DAI')] as const
  for (let round = 0; round < 5; round += 1) {
    await syncClock(world)
    const raws: Hex[] = []
    world.network.fetch = async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : ''
      if (!methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
      const raw = (body.match(/0x02[0-9a-f]{40,}/) ?? [])[0] as Hex
      if (!raws.includes(raw)) raws.push(raw)
      if (raws.indexOf(raw) !== 1) return fetch(input, init)
      world.patience.isShort = true
      return Response.json({ jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, result: keccak256(raw) })
    }
    const swap = { tokenIn: 'USDC', tokenOut: 'DAI', amount: '395', version: 'v3' }
    outcomes.push(
      await world.call('execute_swap', swap).then(
        (answer) => answer.text('status'),
        (error: unknown) => String(error).match(/"code":"(\w+)"/)?.[1] ?? String(error).slice(0, 200),
      ),
    )
    world.network.fetch = fetch
    world.patience.isShort = false
    if (raws[1] === undefined) break
    await nextIn(devnet(), stranger, 130)
    const hash = await world.client.sendRawTransaction({ serializedTransaction: raws[1] })
    outcomes.push((await world.client.waitForTransactionReceipt({ hash })).status)
    for (let block = 0; block < 3; block += 1) {
      await nextIn(devnet(), stranger, 12)
      await devnet().feeds.ETH.post(devnet().market.prices().ETH)
    }
    await syncClock(world)
    await world.executor.reconcile()
  }
  const lost =
    Number(before[0] - (await world.balance('USDC'))) / 1e6 - Number((await world.balance('DAI')) - before[1]) / 1e18
  const used = Number((await world.call('check_safety_status')).text('valueUsd.lossAtMost.used'))
  expect(outcomes).toEqual(['TRANSACTION_PENDING', 'success', 'VALUE_LOSS_EXCEEDED'])
  expect(used).toBeGreaterThanOrEqual(lost)
  expect(lost).toBeLessThan(540)
})
