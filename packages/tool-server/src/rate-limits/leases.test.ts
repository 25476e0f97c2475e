import type { LeaseAsk, Leased } from '@svc/store'
import { describe, expect, it } from 'vitest'
import { createLeases, createLender, type Lend } from './leases.ts'

const full = { allowed: true, remaining: 1_000 } as const

/** A shared bucket that is never refilled, and what was asked of it. */
function openBucket(tokens: number) {
  const asks: LeaseAsk[] = []
  let left = tokens
  const lend: Lend = async (ask) => {
    asks.push(ask)
    const granted = Math.min(ask.most, left)
    left -= granted
    return { granted, remaining: left, retryAfterMs: left > 0 ? 0 : 5_000 }
  }
  return { asks, lend }
}

const open = (lend: Lend, clock = { ms: 0 }) =>
  createLeases({ name: 'token', perMinute: 200, now: () => clock.ms, lend })

describe('leases of a shared bucket', () => {
  it('are asked for one request in several, ahead of need, and never spend more than there was', async () => {
    const { asks, lend } = openBucket(95)
    const leases = open(lend)
    let allowed = 0
    let waited = 0
    for (let request = 0; request < 120; request += 1) {
      const taken = leases.take('a', full)
      if (taken instanceof Promise) waited += 1
      if ((await taken).allowed) allowed += 1
      await Promise.resolve()
    }
    expect(allowed).toBe(95)
    expect(waited).toBe(1)
    expect(asks.length).toBeLessThan(16)
    expect(asks[0]).toEqual({ key: 'token:a', perMinute: 200, most: 10 })
  })

  it('are asked for together with one that has to be renewed, by whoever has spent half', async () => {
    const { asks, lend } = openBucket(1_000)
    const leases = open(lend)
    const spend = async (caller: string, requests: number) => {
      for (let request = 0; request < requests; request += 1) await leases.take(caller, full)
    }
    await spend('half', 5)
    await spend('less', 4)
    await spend('most', 7)
    expect(asks.map(({ key }) => key)).toEqual(['token:half', 'token:less', 'token:most'])
    expect(leases.take('most', full)).toMatchObject({ allowed: true })
    expect(asks.slice(3)).toEqual([
      { key: 'token:most', perMinute: 200, most: 8 },
      { key: 'token:half', perMinute: 200, most: 5 },
    ])
  })

  it('of a bucket that is empty are not asked for again before there is something', async () => {
    const { asks, lend } = openBucket(0)
    const clock = { ms: 0 }
    const leases = open(lend, clock)
    expect(await leases.take('a', full)).toEqual({ allowed: false, remaining: 0, retryAfterMs: 5_000 })
    clock.ms = 4_000
    for (let request = 0; request < 50; request += 1)
      expect(leases.take('a', full)).toEqual({ allowed: false, remaining: 0, retryAfterMs: 1_000 })
    expect(asks).toHaveLength(1)
    clock.ms = 5_000
    await leases.take('a', full)
    expect(asks).toHaveLength(2)
  })

  it('serve a burst that is larger than they are with two exchanges', async () => {
    const { asks, lend } = openBucket(1_000)
    const leases = open(lend)
    const taken = await Promise.all(Array.from({ length: 100 }, async () => leases.take('a', full)))
    expect(taken.every(({ allowed }) => allowed)).toBe(true)
    expect(asks.length).toBeLessThanOrEqual(4)
  })

  it('tell what is left, here and there, and of the own bucket where that is less', async () => {
    const { lend } = openBucket(30)
    const leases = open(lend)
    expect(await leases.take('a', full)).toEqual({ allowed: true, remaining: 29 })
    expect(leases.take('a', { allowed: true, remaining: 3 })).toEqual({ allowed: true, remaining: 3 })
  })

  it('that the database does not give leave it to the own bucket', async () => {
    const leases = open(() => Promise.reject(new Error('away')))
    expect(await leases.take('a', full)).toBe(full)
  })

  it('are remembered of so many callers', async () => {
    const { asks, lend } = openBucket(1_000)
    const leases = createLeases({ name: 'token', perMinute: 200, now: () => 0, lend, maxCallers: 1 })
    for (const caller of ['a', 'b', 'a']) await leases.take(caller, full)
    expect(asks.map(({ key }) => key)).toEqual(['token:a', 'token:b', 'token:a'])
  })

  it('are forgotten of whoever was not seen for longest', async () => {
    const { asks, lend } = openBucket(1_000)
    const leases = createLeases({ name: 'token', perMinute: 200, now: () => 0, lend, maxCallers: 2 })
    for (const caller of ['a', 'b', 'a', 'c', 'a', 'b']) await leases.take(caller, full)
    expect(asks.map(({ key }) => key)).toEqual(['token:a', 'token:b', 'token:c', 'token:b'])
  })

  it('are not forgotten of those that wait, and of them again once they have what they waited for', async () => {
    const { asks, lend } = openBucket(1_000)
    let answer = () => {}
    const isThere = new Promise<void>((resolve) => (answer = resolve))
    const late: Lend = async (ask) => {
      if (asks.length > 9) throw new Error('Nobody holds what is lent.')
      const leased = await lend(ask)
      await isThere
      return leased
    }
    const leases = createLeases({ name: 'token', perMinute: 200, now: () => 0, lend: late, maxCallers: 1 })
    const waiting = ['a', 'b', 'a', 'b'].map(async (caller) => leases.take(caller, full))
    answer()
    expect(await Promise.all(waiting)).toMatchObject(waiting.map(() => ({ allowed: true })))
    expect(asks.map(({ key }) => key)).toEqual(['token:a', 'token:b'])
    for (const caller of ['c', 'a']) await leases.take(caller, full)
    expect(asks.map(({ key }) => key).slice(2)).toEqual(['token:c', 'token:a'])
  })
})

describe('a lender', () => {
  const askOf = (key: string): LeaseAsk => ({ key, perMinute: 200, most: 1 })
  const leasedOf = ({ key }: LeaseAsk): Leased => ({ granted: key.length, remaining: 0, retryAfterMs: 0 })

  /** A lender whose first exchange is under way until it is let go on. */
  function openLender(first: 'answers' | 'fails') {
    const exchanges: string[][] = []
    let goOn = () => {}
    const mayGoOn = new Promise<void>((resolve) => (goOn = resolve))
    const lend = createLender(async (asks) => {
      exchanges.push(asks.map(({ key }) => key))
      if (exchanges.length > 1) return asks.map(leasedOf)
      await mayGoOn
      if (first === 'fails') throw new Error('away')
      return asks.map(leasedOf)
    })
    return { exchanges, lend: async (key: string) => (await lend(askOf(key))).granted, goOn }
  }

  it('has one exchange at a time, which carries what came in one turn, or while the last was under way', async () => {
    const { exchanges, lend, goOn } = openLender('answers')
    const first = ['a', 'bb'].map(lend)
    await expect.poll(() => exchanges).toHaveLength(1)
    const later = [lend('ccc')]
    await new Promise((resolve) => setImmediate(resolve))
    later.push(lend('dddd'))
    goOn()
    expect(await Promise.all([...first, ...later])).toEqual([1, 2, 3, 4])
    expect(exchanges).toEqual([
      ['a', 'bb'],
      ['ccc', 'dddd'],
    ])
  })

  it('lets those of a failed exchange fail, and goes on with the next', async () => {
    const { exchanges, lend, goOn } = openLender('fails')
    const first = lend('a')
    await expect.poll(() => exchanges).toHaveLength(1)
    const second = lend('b')
    goOn()
    const outcomes = await Promise.allSettled([first, second])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })
})
