import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NewClaim } from './claim.ts'
import type { ClaimCap } from './claims.ts'
import { useEngines, type TestPlace } from '../engines.fixture.ts'
import { openStore, type Store } from '../open-store.ts'

const hourMs = 3_600_000
const [ada, bob, eve] = ['0xA1', '0xB2', '0xE5'].map((start) => start.padEnd(42, '0')) as [string, string, string]
let clock = 0
let at: TestPlace
let store: Store

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  beforeEach(async () => {
    clock = Date.UTC(2026, 0, 2, 12)
    at = await newPlace()
    store = await openStore({ ...at.place, now: () => clock })
  })

  afterEach(async () => {
    await store.close()
    await at.remove()
  })

  test('a wallet gets one claim on a chain, however it is written, and another on another chain', async () => {
    const [first] = await make([claimOf(ada)])
    expect(first).toMatchObject({ status: 'made', claim: { state: 'queued', txHash: null, createdAt: clock } })
    const [again, elsewhere] = await make([
      claimOf(ada.toLowerCase(), { appId: 'other' }),
      claimOf(ada, { chainId: 2 }),
    ])
    expect(again).toEqual({ ...first, status: 'claimed' })
    expect(elsewhere).toMatchObject({ status: 'made' })
    expect(await store.claims.find(1, ada)).toEqual(first?.status === 'made' && first.claim)
    expect(await store.claims.find(1, bob)).toBeNull()
  })

  test('of claims that race, within one commit or in many, one is made', async () => {
    const requests = Array.from({ length: 8 }, () => claimOf(ada))
    const verdicts = await Promise.all([make(requests), ...requests.map((request) => make([request]))])
    const statuses = verdicts.flat().map(({ status }) => status)
    expect(statuses.filter((status) => status === 'made')).toHaveLength(1)
    expect(statuses.filter((status) => status === 'claimed')).toHaveLength(15)
  })

  test.each([
    ['app', { network: '2' }, { appId: 'other' }],
    ['network', { appId: 'other' }, { network: '2' }],
    ['chain', { appId: 'other', network: '2' }, { chainId: 2 }],
  ] as const)('a cap of the %s holds in any window, and says how long to wait', async (scope, same, other) => {
    const caps = [{ scope, claims: 2, windowMs: hourMs }]
    await make([claimOf(ada)], caps)
    clock += 10
    expect(await make([claimOf(bob, same), claimOf(eve, same)], caps)).toMatchObject([
      { status: 'made' },
      { status: 'capped', scope, retryAfterMs: hourMs - 10 },
    ])
    expect(await make([claimOf(eve, other)], caps)).toMatchObject([{ status: 'made' }])
    expect(await store.claims.used({ scope, windowMs: hourMs }, claimOf(eve, same))).toBe(2)
    expect(await store.claims.used({ scope, windowMs: 10 }, claimOf(eve, same))).toBe(1)
    expect(await make([claimOf(ada)], caps)).toMatchObject([{ status: 'claimed' }])
    clock += hourMs - 11
    expect(await make([claimOf(third, same)], caps)).toMatchObject([{ status: 'capped', retryAfterMs: 1 }])
    clock += 1
    expect(await make([claimOf(third, same)], caps)).toMatchObject([{ status: 'made' }])
  })

  test('what waits is told oldest first, and what has settled stays as it is', async () => {
    const verdicts = await make([claimOf(ada), claimOf(bob), claimOf(eve, { chainId: 2 })])
    const [first, second] = verdicts.flatMap((verdict) => (verdict.status === 'made' ? verdict.claim : []))
    expect(await store.claims.waiting(1, 10)).toEqual([first, second])
    expect(await store.claims.waiting(1, 1)).toEqual([first])
    expect(await store.claims.waiting(1, 1, [first!.id, 'another'])).toEqual([second])
    await store.claims.mark(first!.id, 'sent', '0x01')
    expect(await store.claims.queue(1)).toEqual({ depth: 2, oldestAt: clock, newestAt: clock })
    const madeAt = clock
    clock += 5
    await store.claims.mark(first!.id, 'confirmed', '0x02')
    await store.claims.mark(first!.id, 'failed', '0x03')
    const settled = { state: 'confirmed', txHash: '0x02', createdAt: madeAt, settledAt: clock }
    expect(await store.claims.find(1, ada)).toMatchObject(settled)
    expect(await store.claims.waiting(1, 10)).toEqual([second])
    expect(await store.claims.retry(first!.id)).toBe(false)
    await store.claims.mark(second!.id, 'failed', '0x04')
    expect(await store.claims.retry(second!.id)).toBe(true)
    expect(await store.claims.waiting(1, 10)).toEqual([second])
  })

  test('other signers are told of whose transactions for waiting claims may still be mined', async () => {
    const [verdict] = await make([claimOf(ada)])
    const { id } = verdict?.status === 'made' ? verdict.claim : { id: '' }
    const hash = `0x${'1'.repeat(64)}` as const
    const slot = { requestId: id, step: 0, chainId: 1, nonce: 0, attempt: 0, reservationId: null }
    await store.journal.recordSigned({ ...slot, from: '0xAb', rawTransaction: '0x02', hash })
    expect(await store.claims.otherSigners(1, '0xaB')).toEqual([])
    expect(await store.claims.otherSigners(2, '0xcd')).toEqual([])
    expect(await store.claims.otherSigners(1, '0xcd')).toEqual(['0xAb'])
    await store.journal.mark(hash, 'refused')
    expect(await store.claims.otherSigners(1, '0xcd')).toEqual(['0xAb'])
    await store.journal.mark(hash, 'superseded')
    expect(await store.claims.otherSigners(1, '0xcd')).toEqual([])
  })

  test('the days are counted, those without a claim too', async () => {
    expect(await store.claims.queue(1)).toEqual({ depth: 0, oldestAt: null, newestAt: null })
    await make([claimOf(ada), claimOf(eve, { chainId: 2 })])
    clock += 48 * hourMs
    await make([claimOf(bob), claimOf(eve)])
    expect(await store.claims.perDay(1, 4)).toEqual([
      { day: '2026-01-01', claims: 0 },
      { day: '2026-01-02', claims: 1 },
      { day: '2026-01-03', claims: 0 },
      { day: '2026-01-04', claims: 2 },
    ])
  })

  test('a day is counted anew until it is over, and then never again', async () => {
    const counts = async () => (await store.claims.perDay(1, 2)).map(({ claims }) => claims)
    await make([claimOf(ada)])
    expect(await counts()).toEqual([0, 1])
    await make([claimOf(bob)])
    expect(await counts()).toEqual([0, 2])
    clock += 24 * hourMs
    expect(await counts()).toEqual([2, 0])
    clock -= 24 * hourMs
    await make([claimOf(eve)])
    clock += 24 * hourMs
    await make([claimOf(third)])
    expect(await counts()).toEqual([2, 1])
  })
})

const third = '0xC3'.padEnd(42, '0')

function claimOf(address: string, change: Partial<NewClaim> = {}): NewClaim {
  return { chainId: 1, address, appId: 'app', network: '1', amountWei: 10n ** 16n, ...change }
}

function make(requests: readonly NewClaim[], caps: readonly ClaimCap[] = []) {
  return store.claims.make(requests, caps)
}
