import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { swapIntent } from './intents.fixture.ts'
import { pause, resume } from './kill-switch.ts'
import { mineAgain, mineNothing } from './mining.fixture.ts'
import { beforeSending } from './network.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { testClient } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

const stop = (road: Road) =>
  pause(road.dataDir, { by: 'operator:ada', at: new Date().toISOString(), reason: 'a drill' })
const goOn = (road: Road) => resume(road.dataDir, { by: 'operator:ada', at: new Date().toISOString() })
const openEntries = (road: Road) => road.store.journal.open(road.chain.id, road.wallet)

describe('G12: a pause', () => {
  it('lets what is signed reach the chain, and signs nothing after it', async () => {
    const road = await open()
    const router = road.chain.amm.v3!.swapRouter02
    // The bytes of the first transaction are in the journal, and about to leave.
    beforeSending(road, 1, async () => {
      expect(await openEntries(road)).toMatchObject([{ nonce: 0, state: 'signed' }])
      await stop(road)
    })
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
    expect(await road.nonce()).toBe(1)
    expect(await road.allowance('USDC', router)).toBe(parseUnits('300', 6))
    expect(await openEntries(road)).toEqual([])
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
    await goOn(road)
    await road.executor.reconcile()
    expect(await road.allowance('USDC', router)).toBe(0n)
  })

  it('sends again what the endpoint lost, and follows it to its end', async () => {
    const road = await open()
    beforeSending(road, 2, async () => {
      await mineNothing(road)
      await stop(road)
    })
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    const [out] = await openEntries(road)
    await testClient(road).dropTransaction({ hash: out!.hash })
    road.network.requests.length = 0
    await road.executor.reconcile()
    expect(road.network.requests.filter((body) => body.includes(out!.rawTransaction))).toHaveLength(1)
    await mineAgain(road)
    await road.executor.reconcile()
    expect(await openEntries(road)).toEqual([])
    expect(await road.balance('USDC')).toBe(parseUnits('19700', 6))
    expect(await road.store.ledger.open()).toEqual([])
  })

  it('stands in the audit log and in the report with its author and reason', async () => {
    const road = await open()
    await stop(road)
    await road.executor.recordSwitches()
    const line = (await road.auditLines()).find(({ event }) => event === 'pause.on')
    expect(line).toMatchObject({ by: 'operator:ada', reason: 'a drill', since: expect.any(String) })
    const principal = {
      id: 'api-key:7e57000000000000',
      stage: 'api-key',
      tier: 'read',
      scopes: new Set<never>(),
      expiresAt: null,
    } as const
    expect(await road.executor.safetyReport(principal)).toMatchObject({
      paused: true,
      pause: { since: line!['since'], reason: 'a drill' },
      breaker: { open: false, since: null, cause: null },
    })
  })
})
