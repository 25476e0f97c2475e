import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'
import type { NewSignedOrder, OrderQuery } from './orders.ts'

let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    at = await newPlace()
    store = await reopen()
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('a signed order is given back as it was kept, also after a restart', async () => {
    const order = await reserved('a')
    const kept = { ...order, state: 'signed', signedAt: 5, endedAt: null, outcome: null }
    expect(await store.orders.record(order)).toEqual(kept)
    await store.close()
    store = await reopen()
    expect(await store.orders.byOperation('a')).toEqual(kept)
    expect(await store.orders.byOrder(1, order.orderId)).toEqual(kept)
    expect(await store.orders.byRequest('request-a')).toEqual([kept])
    expect(await store.orders.open(1)).toEqual([kept])
    expect(await store.orders.open(null)).toEqual([kept])
    expect([await store.orders.open(2), await store.orders.byOrder(2, order.orderId)]).toEqual([[], null])
    expect(await store.orders.byOperation('b')).toBeNull()
  })

  test('are listed by principal, state and request, newest first', async () => {
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      await store.orders.record({ ...(await reserved(id)), orderId: `0x0${index}` })
    }
    await store.orders.record({ ...(await reserved('other')), orderId: '0x09', principalId: 'other' })
    await store.orders.accept('b')
    await store.orders.end('c', { state: 'filled', outcome: '{}' })
    const listed = async (query: Omit<OrderQuery, 'principalId'>) =>
      (await store.orders.list({ principalId: 'agent', ...query })).map(({ operationId }) => operationId)
    expect(await listed({ limit: 10 })).toEqual(['c', 'b', 'a'])
    expect(await listed({ limit: 2 })).toEqual(['c', 'b'])
    expect(await listed({ limit: 10, states: ['signed', 'accepted'] })).toEqual(['b', 'a'])
    expect(await listed({ limit: 10, states: [] })).toEqual([])
    expect(await listed({ limit: 10, requestIds: ['request-a', 'request-other'] })).toEqual(['a'])
    expect(await listed({ limit: 10, requestIds: [] })).toEqual([])
  })

  test('what it may spend is neither given back nor let go while it is open', async () => {
    await store.orders.record(await reserved('a'))
    await expect(store.ledger.release('a')).rejects.toMatchObject({ code: 'RESERVATION_IN_USE' })
    expect(await store.ledger.releaseUnsigned()).toEqual([])
    expect((await store.ledger.open()).map(({ id }) => id)).toEqual(['a'])
    await store.orders.end('a', { state: 'expired', outcome: null })
    await store.ledger.release('a')
    expect(await store.ledger.open()).toEqual([])
  })

  test('what a transaction opens is told apart from what is signed', async () => {
    const crossing = { ...(await reserved('a')), kind: 'cross_chain' } as const
    await store.orders.record(crossing)
    await store.close()
    store = await reopen()
    expect(await store.orders.open(1)).toMatchObject([{ kind: 'cross_chain' }])
    await store.orders.end('a', { state: 'refunded', outcome: '{}' })
    expect(await store.orders.byOperation('a')).toMatchObject({ kind: 'cross_chain', state: 'refunded' })
  })

  test('one operation and one order of a chain are kept once', async () => {
    const order = await reserved('a')
    await store.orders.record(order)
    const exists = { code: 'ORDER_EXISTS' }
    await expect(store.orders.record({ ...order, orderId: '0x02' })).rejects.toMatchObject(exists)
    await expect(store.orders.record({ ...order, operationId: 'b' })).rejects.toMatchObject(exists)
    await store.orders.record({ ...order, operationId: 'b', chainId: 2 })
  })

  test('what was taken is open still, and what has ended stays as it is', async () => {
    await store.orders.record(await reserved('a'))
    await store.orders.accept('a')
    expect((await store.orders.open(1)).map(({ state }) => state)).toEqual(['accepted'])
    await store.orders.end('a', { state: 'filled', outcome: '{}' })
    expect(await store.orders.open(1)).toEqual([])
    await store.orders.accept('a')
    await store.orders.end('a', { state: 'cancelled', outcome: null })
    expect(await store.orders.byOperation('a')).toMatchObject({ state: 'filled', endedAt: 5, outcome: '{}' })
  })
})

/** An order, and what it draws on. */
async function reserved(id: string): Promise<NewSignedOrder> {
  const most = 10n ** 12n
  await store.ledger.reserve({
    id,
    requestId: `request-${id}`,
    principal: 'agent',
    chainId: 1,
    amountUsdMicros: 1n,
    limits: { perTransaction: most, perSession: most, daily: most },
    sessionIdleMs: 1_000,
  })
  return {
    kind: 'uniswapx',
    operationId: id,
    orderId: '0x01',
    requestId: `request-${id}`,
    principalId: 'agent',
    tool: 'submit_uniswapx_order',
    chainId: 1,
    wallet: '0x02',
    reservationId: id,
    why: 'a test',
    spendUsdMicros: 10n ** 17n + 1n,
    terms: '{}',
    signature: '0x03',
    signedAtBlock: 2n ** 60n,
  }
}

function reopen(): Promise<Store> {
  return openStore({ ...at.place, now: () => 5 })
}
