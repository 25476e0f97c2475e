import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { mintIntent, openRoad, type Road, type RoadOptions, swapIntent } from './safety/open-road.fixture.ts'
import { verifyAuditLog } from './safety/verify-audit-log.ts'
import { join } from 'node:path'

const devnet = useDevnet()
const roads: Road[] = []

async function open(options: RoadOptions = {}): Promise<Road> {
  const road = await openRoad(devnet(), options)
  roads.push(road)
  return road
}

afterEach(async () => {
  await Promise.all(roads.splice(0).map((road) => road.close()))
})

describe('an honest write', () => {
  it('swaps exactly what it declares, reports what the chain holds, and leaves no allowance', async () => {
    const road = await open()
    const before = { usdc: await road.balance('USDC'), weth: await road.balance('WETH') }
    const settled = await road.run(swapIntent(road, '300'))
    if ('plan' in settled) throw new Error('planned only')
      JSON.stringify(
        road.lines.filter((l) => l.event !== 'x'),
        (_, v) => (typeof v === 'bigint' ? `${v}` : v),
        1,
      ),
      road.network.requests.map((r) => [...r.matchAll(/"method":"(\w+)"/g)].map((m) => m[1]).join()),
    )
    const gained = (await road.balance('WETH')) - before.weth
    expect(before.usdc - (await road.balance('USDC'))).toBe(parseUnits('300', 6))
    expect(settled.deltas).toEqual(
      expect.arrayContaining([
        { token: road.token('USDC'), amount: -parseUnits('300', 6) },
        { token: road.token('WETH'), amount: gained },
      ]),
    )
    expect(settled.safetyChecks).toEqual({
      tokenAllowlistPassed: true,
      spendingLimitPassed: true,
      simulationPassed: true,
    })
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    const usage = await road.store.ledger.usage('key:test', { sessionIdleMs: 60_000 })
    expect(usage.dailyUsdMicros).toBe(300_000_000n)
    expect(await verifyAuditLog(join(road.dataDir, 'audit.jsonl'))).toMatchObject({ brokenAt: null })
  })

  it('mints a position', async () => {
    const road = await open()
    const settled = await road.run(mintIntent(road))
      settled,
      road.network.requests.map((r) => [...r.matchAll(/"method":"(\w+)"/g)].map((m) => m[1]).join()),
    )
  })
})
