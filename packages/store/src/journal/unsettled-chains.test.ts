import type { JournalState } from '@svc/wallet/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'

const day = 86_400_000
const clock = { now: 1_000 }
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    at = await newPlace()
    clock.now = 1_000
    store = await openStore({ ...at.place, now: () => clock.now })
  })
  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  const unsettled = async () => [...(await store.transactions.unsettledChains())].toSorted((one, other) => one - other)

  async function sign(chainId: number, state: JournalState, nonce = 0, reservationId: string | null = null) {
    const hash = `0x${`${chainId}${nonce}`.padStart(64, '0')}` as const
    const from = `0x${'a'.repeat(40)}` as const
    const entry = { requestId: `r-${chainId}-${nonce}`, step: 0, chainId, from, nonce, attempt: 0, reservationId }
    await store.journal.recordSigned({ ...entry, rawTransaction: '0x02', hash })
    if (state !== 'signed') await store.journal.mark(hash, state)
    return hash
  }

  async function reserve(chainId: number): Promise<string> {
    const id = `of-${chainId}`
    const most = 1_000n
    const limits = { perTransaction: most, perSession: most, daily: most }
    const common = { requestId: `request-${id}`, principal: 'agent', amountUsdMicros: 5n, limits, sessionIdleMs: 1_000 }
    await store.ledger.reserve({ ...common, id, chainId })
    return id
  }

  test('names each chain on which anything waits, and no other', async () => {
    expect(await unsettled()).toEqual([])
    for (const [index, state] of (['signed', 'broadcast', 'mined', 'refused'] as const).entries())
      await sign(index + 1, state)
    expect(await unsettled()).toEqual([1, 2, 3, 4])
    const spent = await sign(5, 'final')
    expect(await unsettled()).toEqual([1, 2, 3, 4, 5])
    await store.ledger.countGas([{ hash: spent, usdMicros: 1n, wei: 1n }])
    await sign(6, 'superseded')
    expect(await unsettled()).toEqual([1, 2, 3, 4])
  })

  test('a user operation whose end is not known is among them', async () => {
    await sign(1, 'refused', -1)
    expect(await unsettled()).toEqual([1])
  })

  test('a reservation counts while it is open, and while it may fall yet', async () => {
    const [open, held] = [await reserve(1), await reserve(2)]
    expect(await unsettled()).toEqual([1, 2])
    await store.ledger.release(open)
    await store.ledger.settle(held, 1n, [], [], { isHeld: true })
    expect(await unsettled()).toEqual([2])
    // What fell no more in a day never does.
    clock.now += day + 1
    expect(await unsettled()).toEqual([])
  })

  test('an order counts until it has ended', async () => {
    const reservationId = await reserve(1)
    const facts = {
      kind: 'uniswapx',
      requestId: 'request-of-1',
      principalId: 'agent',
      tool: 'submit_uniswapx_order',
    } as const
    const terms = {
      spendUsdMicros: 1n,
      terms: '{}',
      signature: '0x03',
      signedAtBlock: 1n,
      why: 'a test',
      wallet: '0x02',
    }
    await store.orders.record({ ...facts, ...terms, operationId: 'o', orderId: '0x01', chainId: 7, reservationId })
    expect(await unsettled()).toEqual([1, 7])
    await store.orders.accept('o')
    expect(await unsettled()).toEqual([1, 7])
    await store.orders.end('o', { state: 'expired', outcome: null })
    expect(await unsettled()).toEqual([1])
  })

  test('an allowance counts until it is forgotten', async () => {
    const of = (digit: string) => `0x${digit.repeat(40)}` as const
    const one = { chainId: 3, owner: of('a'), token: of('b'), spender: of('c') }
    await store.pendingRevocations.add([one])
    expect(await unsettled()).toEqual([3])
    await store.pendingRevocations.remove([one])
    expect(await unsettled()).toEqual([])
  })
})
