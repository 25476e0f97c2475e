import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'

const limits = { perTransaction: 100n, perSession: 10_000n, daily: 1_000n }
const sessionIdleMs = 60_000

describe.each(useEngines())('G4: two hundred parallel spends against a cap on $engine', ({ newPlace }) => {
  let at: TestPlace
  let stores: readonly Store[]

  beforeEach(async () => {
    at = await newPlace()
    const open = () => openStore({ ...at.place, now: () => 1_700_000_000_000 })
    stores = [await open(), await open()]
  })

  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await at.remove()
  })

  test('from two openings of the store: settled and reserved never exceed it, at any time', { retry: 0 }, async () => {
    const highest = { usdMicros: 0n }
    const granted = await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        // Openings of a file that wait for each other in one process hold each other up for a quarter of a second.
        const { ledger } = stores[index % 10 === 0 ? 1 : 0]!
        const id = `spend-${index}`
        const asked = { principal: `agent-${index % 7}`, chainId: 1, amountUsdMicros: 10n, limits, sessionIdleMs }
        const verdict = await ledger.reserve({ ...asked, id, requestId: id })
        if (verdict.granted && index % 3 === 0) await ledger.settle(id, 7n)
        const { dailyUsdMicros } = await ledger.usage('agent-0', { sessionIdleMs })
        if (dailyUsdMicros > highest.usdMicros) highest.usdMicros = dailyUsdMicros
        return verdict.granted
      }),
    )
    expect(highest.usdMicros).toBeLessThanOrEqual(limits.daily)
    expect(granted.filter(Boolean).length).toBeGreaterThanOrEqual(100)
  })
})
