import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Budget } from './budget.ts'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'

const hourMs = 3_600_000
const sessionIdleMs = 1_800_000
const limits = { perTransaction: 500n, perSession: 10_000n, daily: 10_000n }
const pool = 'pool 8453 0x4c36388be6f416a29c8d8eae81c771ce6be14b18'
let clock = 0
let at: TestPlace
let store: Store
let other: Store

describe.each(useEngines())('G4: budgets of the ledger on $engine', ({ engine, newPlace }) => {
  beforeEach(async () => {
    clock = 1_700_000_000_000
    at = await newPlace()
    store = await reopen()
    // Two openings of a file in one process block each other's loop; of a database they work at once.
    other = engine === 'PostgreSQL' ? await reopen() : store
  })

  afterEach(async () => {
    await store.close()
    if (other !== store) await other.close()
    await at.remove()
  })

  describe('what is settled and held', () => {
    test('counts as reserved until it falls, amount and budgets alike, and falls once', async () => {
      await reserve('a', [loss(60n), budget(pool, 400n, 500n)])
      await store.ledger.settle('a', 3n, [], [loss(20n), budget(pool, 0n, 500n)], { isHeld: true })
      expect(await usages('loss', pool)).toEqual([60n, 400n])
      expect(await store.ledger.usage('agent', { sessionIdleMs })).toMatchObject({
        dailyUsdMicros: 10n,
        sessionUsdMicros: 10n,
        heldUsdMicros: 7n,
      })
      expect(await store.ledger.held(1)).toEqual([{ id: 'a', requestId: 'request-of-a', heldUsdMicros: 7n }])
      expect(await store.ledger.held(8453)).toEqual([])
      expect(await other.ledger.outflows(1, 0)).toMatchObject([{ usdMicros: 3n }])
      await store.ledger.settle('a', 3n, [], [], { isHeld: true })
      await Promise.all([store.ledger.lower('a'), other.ledger.lower('a')])
      await store.ledger.keep('a')
      expect(await usages('loss', pool)).toEqual([20n, 0n])
      expect(await store.ledger.held(1)).toEqual([])
      expect(await store.ledger.usage('agent', { sessionIdleMs })).toMatchObject({
        dailyUsdMicros: 3n,
        heldUsdMicros: 0n,
      })
    })

    test('outlives the process', async () => {
      await reserve('a', [loss(60n)])
      await store.ledger.settle('a', 10n, [], [loss(20n)], { isHeld: true })
      await store.close()
      store = await reopen()
      expect(await usages('loss')).toEqual([60n])
      expect(await store.ledger.held(1)).toEqual([{ id: 'a', requestId: 'request-of-a', heldUsdMicros: 0n }])
      await store.ledger.lower('a')
      expect(await usages('loss')).toEqual([20n])
    })

    test('that is kept counts as reserved for 24 hours from then, and falls no more', async () => {
      await reserve('a', [loss(60n)])
      await store.ledger.settle('a', 0n, [], [loss(0n)], { isHeld: true })
      clock += 20 * hourMs
      await store.ledger.keep('a')
      await store.ledger.lower('a')
      clock += 23 * hourMs
      expect(await usages('loss')).toEqual([60n])
      expect(await store.ledger.usage('agent', { sessionIdleMs })).toMatchObject({ dailyUsdMicros: 10n })
      clock += hourMs
      expect(await usages('loss')).toEqual([0n])
    })

    test('never holds back what is more than was reserved', async () => {
      await reserve('a', [loss(60n)])
      await store.ledger.settle('a', 12n, [], [loss(90n)], { isHeld: true })
      expect(await usages('loss')).toEqual([90n])
      expect(await store.ledger.usage('agent', { sessionIdleMs })).toMatchObject({ dailyUsdMicros: 12n })
      expect(await store.ledger.held(1)).toEqual([])
    })
  })

  describe('a reservation', () => {
    test('takes each budget its own amount: the cap itself passes, one more does not', async () => {
      expect(await reserve('a', [loss(60n), budget(pool, 400n, 500n)])).toMatchObject({ granted: true })
      expect(await reserve('b', [budget(pool, 100n, 500n), loss(41n)])).toEqual({
        granted: false,
        limit: 'budget',
        budget: 'loss',
        capUsdMicros: 100n,
        usedUsdMicros: 60n,
        askedUsdMicros: 41n,
      })
      expect(await usages('loss', pool, 'cold-start')).toEqual([60n, 400n, 0n])
      expect(await reserve('b', [loss(40n), budget(pool, 101n, 500n)])).toMatchObject({ budget: pool })
      expect(await reserve('b', [loss(40n), budget(pool, 100n, 500n)], 'somebody else')).toMatchObject({
        granted: true,
      })
      expect(await usages('loss', pool)).toEqual([100n, 500n])
    })

    test('takes nothing where a limit refuses it, and nothing of the limits where a budget does', async () => {
      expect(await store.ledger.reserve({ ...asked(501n, [loss(101n)]), id: 'a', requestId: 'a' })).toMatchObject({
        limit: 'perTransaction',
      })
      expect(await reserve('a', [loss(101n)])).toMatchObject({ limit: 'budget' })
      expect(await store.ledger.check(asked(10n, [loss(101n)]))).toMatchObject({ limit: 'budget', budget: 'loss' })
      expect(await store.ledger.check(asked(10n, [loss(100n)]))).toMatchObject({ granted: true })
      expect(await usages('loss')).toEqual([0n])
      expect(await store.ledger.open()).toEqual([])
      expect(await store.ledger.usage('agent', { sessionIdleMs })).toMatchObject({ dailyUsdMicros: 0n })
    })

    test('of amount 0 takes nothing, also out of a budget that is exceeded', async () => {
      await reserve('a', [loss(100n)])
      await store.ledger.settle('a', 10n, [], [{ name: 'loss', usdMicros: 300n }])
      expect(await reserve('b', [loss(0n)])).toMatchObject({ granted: true })
      expect(await reserve('c', [loss(1n)])).toMatchObject({ granted: false, usedUsdMicros: 300n })
      expect(await store.ledger.open()).toMatchObject([{ id: 'b', budgets: [] }])
    })

    test('adds up what it asks of one name, under each cap that comes with it', async () => {
      expect(await reserve('a', [budget('loss', 60n, 1_000n), loss(60n)])).toMatchObject({
        capUsdMicros: 100n,
        askedUsdMicros: 120n,
      })
      expect(await reserve('a', [budget('loss', 60n, 1_000n), loss(40n)])).toMatchObject({ granted: true })
      expect(await store.ledger.open()).toMatchObject([{ budgets: [{ name: 'loss', usdMicros: 100n }] }])
    })

    test('counts beside any cap, whatever sums come together', async () => {
      const most = 10n ** 18n
      for (let index = 0; index < 12; index += 1) await reserve(`${index}`, [budget(pool, most, 10n ** 30n)])
      expect(await usages(pool)).toEqual([12n * most])
    })

    test.each([-1n, 10n ** 18n + 1n])('of %d is refused, and so is a settlement', async (wrong) => {
      const refusal = { code: 'AMOUNT_INVALID' }
      await expect(reserve('a', [loss(wrong)])).rejects.toMatchObject(refusal)
      await expect(reserve('a', [loss(wrong), loss(2n)])).rejects.toMatchObject(refusal)
      await reserve('a', [loss(5n)])
      await expect(raise('a', [loss(wrong)])).rejects.toMatchObject(refusal)
      const budgets = [{ name: 'loss', usdMicros: wrong }]
      await expect(store.ledger.settle('a', 10n, [], budgets)).rejects.toMatchObject(refusal)
      expect(await store.ledger.open()).toMatchObject([{ id: 'a', budgets: [{ usdMicros: 5n }] }])
    })

    test.each(['', 'x'.repeat(161), 'a\nb', 'verlust ä'])('has no budget of the name %j', async (name) => {
      await expect(reserve('a', [budget(name, 1n)])).rejects.toThrow(TypeError)
      await expect(store.ledger.budgetUsage(name)).rejects.toThrow(TypeError)
      expect(await store.ledger.open()).toEqual([])
    })
  })

  test('an amount counts while it is reserved, however long, and 24 hours from its settlement on', async () => {
    await reserve('slow', [loss(60n)])
    await reserve('quick', [loss(40n)])
    await store.ledger.settle('quick', 10n)
    clock += 24 * hourMs - 1
    expect(await reserve('next', [loss(1n)])).toMatchObject({ granted: false, usedUsdMicros: 100n })
    clock += 1
    expect(await usages('loss')).toEqual([60n])
    expect(await store.ledger.check(asked(10n, [loss(40n)]))).toMatchObject({ granted: true })
    await store.ledger.settle('slow', 10n)
    clock -= 72 * hourMs
    expect(await reserve('next', [loss(41n)])).toMatchObject({ granted: false })
    clock += 96 * hourMs - 1
    expect(await usages('loss')).toEqual([60n])
    clock += 1
    expect(await usages('loss')).toEqual([0n])
  })

  describe('a raise', () => {
    test('lifts budgets, adds new ones, and takes none of them back', async () => {
      await reserve('other', [loss(30n)])
      await reserve('a', [loss(20n), budget(pool, 7n, 500n)])
      expect(await raise('a', [loss(70n), budget('cold-start', 9n)])).toMatchObject({ granted: true })
      expect(await usages('loss', pool, 'cold-start')).toEqual([100n, 7n, 9n])
      expect(await raise('a', [loss(10n), budget(pool, 0n, 500n)])).toMatchObject({ granted: true })
      expect(await usages('loss', pool, 'cold-start')).toEqual([100n, 7n, 9n])
      expect((await store.ledger.open()).find(({ id }) => id === 'a')?.budgets).toEqual([
        { name: 'cold-start', usdMicros: 9n },
        { name: 'loss', usdMicros: 70n },
        { name: pool, usdMicros: 7n },
      ])
    })

    test('above a cap is refused whole, and what is held is counted once', async () => {
      await reserve('other', [loss(30n)])
      await reserve('a', [loss(20n)])
      expect(await raise('a', [budget('cold-start', 9n), loss(71n)], 20n)).toEqual({
        granted: false,
        limit: 'budget',
        budget: 'loss',
        capUsdMicros: 100n,
        usedUsdMicros: 30n,
        askedUsdMicros: 71n,
      })
      expect(await usages('loss', 'cold-start')).toEqual([50n, 0n])
      expect(await raise('a', [budget('cold-start', 9n)], 501n)).toMatchObject({ limit: 'perTransaction' })
      expect(await usages('loss', 'cold-start')).toEqual([50n, 0n])
      expect(await store.ledger.open()).toMatchObject([{}, { id: 'a', amountUsdMicros: 10n }])
    })

    test('holds what is held against a cap that was tightened since', async () => {
      await reserve('a', [loss(60n)])
      expect(await raise('a', [budget('loss', 0n, 59n)])).toMatchObject({ limit: 'budget', askedUsdMicros: 60n })
      expect(await raise('a', [budget('loss', 60n, 60n)])).toMatchObject({ granted: true })
    })
  })

  describe('a settlement', () => {
    test('puts what really was in place of what was reserved, and leaves budgets it does not name', async () => {
      await reserve('a', [loss(60n), budget(pool, 400n, 500n), budget('cold-start', 9n)])
      const real = [
        { name: 'loss', usdMicros: 150n },
        { name: 'cold-start', usdMicros: 0n },
        { name: 'speculative', usdMicros: 3n },
        { name: 'never', usdMicros: 0n },
      ]
      await store.ledger.settle('a', 10n, [], real)
      const names = ['loss', pool, 'cold-start', 'speculative', 'never']
      expect(await usages(...names)).toEqual([150n, 400n, 0n, 3n, 0n])
      // The same again, as by a sweep that does not know them, changes nothing.
      await store.ledger.settle('a', 10n)
      await store.ledger.settle('a', 10n, [], [{ name: 'loss', usdMicros: 1n }])
      expect(await usages(...names)).toEqual([150n, 400n, 0n, 3n, 0n])
      await expect(store.ledger.settle('a', 11n, [], [])).rejects.toMatchObject({ code: 'RESERVATION_NOT_OPEN' })
      expect(await reserve('b', [loss(1n)])).toMatchObject({ granted: false, usedUsdMicros: 150n })
    })

    test('of one reservation leaves the amounts of another', async () => {
      await reserve('a', [loss(30n)])
      await reserve('b', [loss(40n)])
      await store.ledger.settle('a', 10n, [], [{ name: 'loss', usdMicros: 0n }])
      expect(await usages('loss')).toEqual([40n])
    })
  })

  test('what is released counts nothing, and so does what a start finds unsigned', async () => {
    await reserve('a', [loss(60n)])
    await reserve('b', [loss(40n)])
    await store.ledger.release('a')
    expect(await usages('loss')).toEqual([40n])
    expect(await store.ledger.releaseUnsigned()).toEqual(['b'])
    expect(await usages('loss')).toEqual([0n])
    expect(await reserve('c', [loss(100n)])).toMatchObject({ granted: true })
  })

  test('a restart forgets none of it', async () => {
    await reserve('open', [loss(60n)])
    await reserve('settled', [loss(40n)])
    await store.ledger.settle('settled', 10n, [], [{ name: 'loss', usdMicros: 30n }])
    const again = await reopen()
    expect(await again.ledger.budgetUsage('loss')).toBe(90n)
    expect(await again.ledger.check(asked(10n, [loss(11n)]))).toMatchObject({ granted: false, budget: 'loss' })
    expect(await again.ledger.open()).toMatchObject([{ id: 'open', budgets: [{ name: 'loss', usdMicros: 60n }] }])
    await again.close()
  })

  test('sixty that race for one budget never take more than its cap, nor do raises', async () => {
    const taken = Array.from({ length: 60 }, async (_, index) => {
      const { ledger } = index % 2 === 0 ? store : other
      const id = `${index}`
      return (await ledger.reserve({ ...asked(1n, [loss(4n)]), id, requestId: id })).granted
    })
    expect((await Promise.all(taken)).filter(Boolean)).toHaveLength(25)
    expect(await usages('loss')).toEqual([100n])
    const open = await store.ledger.open()
    await Promise.all(open.slice(0, 10).map(({ id }) => store.ledger.release(id)))
    const raised = open.slice(10).map(({ id }, index) => raise(id, [loss(14n)], 1n, index % 2 === 0 ? store : other))
    expect((await Promise.all(raised)).filter(({ granted }) => granted)).toHaveLength(4)
    expect(await usages('loss')).toEqual([100n])
  })
})

function budget(name: string, usdMicros: bigint, capUsdMicros = 100n): Budget {
  return { name, usdMicros, capUsdMicros }
}

function loss(usdMicros: bigint): Budget {
  return budget('loss', usdMicros)
}

function asked(amountUsdMicros: bigint, budgets: readonly Budget[]) {
  return { principal: 'agent', chainId: 1, amountUsdMicros, budgets, limits, sessionIdleMs }
}

function reserve(id: string, budgets: readonly Budget[], principal = 'agent') {
  return store.ledger.reserve({ ...asked(10n, budgets), principal, id, requestId: `request-of-${id}` })
}

function raise(id: string, budgets: readonly Budget[], amountUsdMicros = 10n, { ledger } = store) {
  return ledger.raise(id, { amountUsdMicros, budgets, limits, sessionIdleMs })
}

function usages(...names: readonly string[]): Promise<readonly bigint[]> {
  return Promise.all(names.map((name) => store.ledger.budgetUsage(name)))
}

function reopen(): Promise<Store> {
  return openStore({ ...at.place, now: () => clock })
}
