import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReserveRequest } from './ledger.ts'
import { openStore } from '../open-store.ts'
import { useEngines } from '../engines.fixture.ts'

const limits = { perTransaction: 100n, perSession: 300n, daily: 500n }
/** A database over a socket is slower than one in the process. */
const runs: Readonly<Record<string, number>> = { SQLite: 80, PostgreSQL: 8 }
const idleMs = 1_800_000
const dayMs = 86_400_000

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('reserve'), who: fc.nat(2), amount: fc.bigInt(0n, 130n) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('settle'), pick: fc.nat(), less: fc.bigInt(0n, 60n) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('release'), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.nat({ max: dayMs }) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pause'), ms: fc.nat({ max: idleMs }) }) },
)

describe.each(useEngines())('on $engine', ({ engine, newPlace }) => {
  test('bursts of racing requests never pass a cap, whatever settles, is released or waits between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 12 }), { maxLength: 12 }), async (bursts) => {
        let clock = 1_700_000_000_000
        const at = await newPlace()
        const store = await openStore({ ...at.place, now: () => clock })
        const model: Spend[] = []
        const open = (): Spend[] => model.filter((spend) => spend.state === 'reserved')
        let ids = 0
        try {
          for (const burst of bursts) {
            // All of a burst races; only time stands still.
            await Promise.all(
              burst.map(async (action) => {
                if ('amount' in action) {
                  const spend = newSpend(`${(ids += 1)}`, `agent-${action.who}`, action.amount, clock)
                  const { granted } = await store.ledger.reserve(asRequest(spend))
                  if (granted) model.push(spend)
                } else if ('less' in action && open().length > 0) {
                  const spend = open()[action.pick % open().length]!
                  spend.state = 'settled'
                  spend.amount = spend.amount > action.less ? spend.amount - action.less : 0n
                  spend.closedAt = clock
                  await store.ledger.settle(spend.id, spend.amount)
                } else if (action.kind === 'release' && 'pick' in action && open().length > 0) {
                  const spend = open()[action.pick % open().length]!
                  spend.state = 'released'
                  await store.ledger.release(spend.id)
                }
              }),
            )
            expect(countedOfDay(model, clock)).toBeLessThanOrEqual(limits.daily)
            for (const who of [0, 1, 2].map((index) => `agent-${index}`)) {
              const usage = await store.ledger.usage(who, { sessionIdleMs: idleMs })
              expect(usage.dailyUsdMicros).toBe(countedOfDay(model, clock))
              expect(usage.sessionUsdMicros).toBeLessThanOrEqual(limits.perSession)
              expect(usage.sessionUsdMicros).toBeGreaterThanOrEqual(openOf(model, who))
            }
            clock += burst.reduce((sum, action) => sum + ('ms' in action ? action.ms : 0), 0)
          }
        } finally {
          await store.close()
          await at.remove()
        }
      }),
      { numRuns: runs[engine] ?? 0 },
    )
  })
})

type Spend = {
  readonly id: string
  readonly who: string
  amount: bigint
  state: 'reserved' | 'settled' | 'released'
  closedAt: number
}

function newSpend(id: string, who: string, amount: bigint, closedAt: number): Spend {
  return { id, who, amount, state: 'reserved', closedAt }
}

function asRequest(spend: Spend): ReserveRequest {
  const { id, who: principal, amount: amountUsdMicros } = spend
  return { id, requestId: id, principal, chainId: 1, amountUsdMicros, limits, sessionIdleMs: idleMs }
}

function countedOfDay(model: readonly Spend[], at: number): bigint {
  return sum(
    model.filter((spend) => spend.state === 'reserved' || (spend.state === 'settled' && spend.closedAt > at - dayMs)),
  )
}

function openOf(model: readonly Spend[], who: string): bigint {
  return sum(model.filter((spend) => spend.who === who && spend.state === 'reserved'))
}

function sum(spends: readonly Spend[]): bigint {
  return spends.reduce((total, spend) => total + spend.amount, 0n)
}
