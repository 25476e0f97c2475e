import { openStore, type Store, watchBounds } from '@svc/store'
import { type Scope, scopes } from '@svc/engine'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Position } from '@svc/amm'
import { handle } from '../../dispatch/handle.ts'
import { parseInput } from '../../dispatch/parse-input.ts'
import type { Tool } from '../../tool.ts'
import { watchUri, createWatchResources } from '../../watches/watch-resources.ts'
import { describeRefusals, refusedFields, untouchedWorld } from '../refusals.fixture.ts'
import { cancelWatch, listWatches, watchPosition } from './watch-tools.ts'

const id = 'f7b6a1f0-6ac6-4a35-8ad6-2d4f5a1c9f10'
const asked = { chain: 'ethereum', positionId: '7' }

describeRefusals(watchPosition, asked, {
  positionId: 'positionId',
  chain: 'chain',
  version: 'rangedVersion',
  outOfRange: 'flag',
  ilPct: 'thresholdPct',
  feeDropPct: 'thresholdPct',
  feesWaitingPct: 'thresholdPct',
  limitPct: 'thresholdPct',
  paysWithinDays: 'paybackDays',
})
describeRefusals(listWatches, {}, { watchId: 'operationId', limit: 'limit' })
describeRefusals(cancelWatch, { watchId: id }, { watchId: 'operationId' })

describe('watches', () => {
  let store: Store

  beforeEach(async () => void (store = await openStore({ path: ':memory:', now: () => Date.UTC(2026, 10, 21) })))
  afterEach(() => store.close())

  type By = {
    readonly principal?: string
    readonly hasWallet?: boolean
    readonly granted?: readonly Scope[]
    readonly liquidity?: bigint
  }

  async function call(
    tool: Tool,
    args: object,
    { principal = 'ann', hasWallet = true, granted = scopes, liquidity = 5n }: By = {},
  ) {
    const world = untouchedWorld()
    const position = { version: 'v3', positionId: '7', liquidity, tickLower: -10, tickUpper: 10 } as Position
    const pool = { tick: 3, sqrtPriceX96: 2n ** 96n } as Position['pool']
    const port = { position: async () => ({ ...position, pool }) } as never
    const caller = { ...world.principal, id: principal, tier: null, scopes: new Set(granted) }
    const made = {
      requestId: 'r',
      tool: tool.name,
      principal: caller,
      dryRun: false,
      idempotencyKey: null,
      carriesOut: null,
      signal: world.signal,
      input: parseInput(tool, args),
    }
    const write = hasWallet ? ({ memory: store.memory, watches: store.watches } as never) : null
    const deps = { ports: { ...world, liquidity: port }, status: world.status, now: () => 0, profile: 'full' } as const
    const log = { warn: () => {} }
    const watching = { everySeconds: 30, hasWebhook: true }
    return tool.output.parse(await handle(tool, made, { ...deps, write, log, watching }, null))
  }

  const listed = async (by?: By) => {
    const { watches } = await call(listWatches, {}, by)
    return (watches as { watchId: string }[]).map(({ watchId }) => watchId)
  }

  test('are kept, listed and ended by who asked, and are nobody else’s', async () => {
    const { watchId, notes, ...first } = await call(watchPosition, { ...asked, version: 'v3', ilPct: 2.5 })
    expect(first).toMatchObject({
      chain: { id: 1, name: 'ethereum' },
      uri: `svc://watches/${String(watchId)}`,
      version: 'v3',
      positionId: '7',
      state: 'watching',
      inRange: true,
      conditions: { outOfRange: true, ilPct: 2.5, limitPct: null, paysWithinDays: 30 },
    })
    expect(notes).toEqual([
      'Positions are looked at every 30 seconds. What is found stands in list_watches, updates the resource at uri for who subscribes to it, and a webhook goes to the operator.',
    ])
    expect([await listed(), await listed({ principal: 'bob' })]).toEqual([[watchId], []])
    const notFound = { code: 'WATCH_NOT_FOUND' }
    await expect(call(cancelWatch, { watchId }, { principal: 'bob' })).rejects.toMatchObject(notFound)
    expect(await call(cancelWatch, { watchId })).toMatchObject({ watchId, positionId: '7' })
    await expect(call(cancelWatch, { watchId })).rejects.toMatchObject(notFound)
    expect(await listed()).toEqual([])
  })

  test('list what was found, of all or of one, without what is not ours to read', async () => {
    const { watchId } = await call(watchPosition, { ...asked, version: 'v3' })
    const content = {
      chain: { id: 1, name: 'ethereum' },
      version: 'v3',
      positionId: '7',
      blockNumber: 5,
      measured: 2.5,
      threshold: 2,
      inRange: true,
      message: 'Said.',
      rebalance: null,
    }
    const events = ['il', 'fees_waiting', 'foreign'].map((kind) => ({
      kind,
      content: kind === 'foreign' ? '{"x":1}' : JSON.stringify(content),
    }))
    const state = (await store.watches.active())[0]?.state ?? ''
    await store.watches.record(String(watchId), { state, hasEnded: false, events, awaitsWebhook: true })
    const of = async (args: object) => {
      const { events: found, hasMore } = await call(listWatches, args)
      return [(found as { kind: string }[]).map(({ kind }) => kind), hasMore]
    }
    expect(await of({})).toEqual([['fees_waiting', 'il'], false])
    expect(await of({ limit: 2 })).toEqual([['fees_waiting'], true])
    expect(await of({ watchId: id })).toEqual([[], false])
    await call(watchPosition, { ...asked, version: 'v3' })
    const shownOf = async (args: object) => {
      const { watches, hasMore } = await call(listWatches, args)
      return [(watches as object[]).length, hasMore]
    }
    expect([await shownOf({}), await shownOf({ limit: 1 }), await shownOf({ watchId })]).toEqual([
      [2, false],
      [1, true],
      [1, false],
    ])
    const { events: shown } = await call(listWatches, { watchId })
    expect((shown as object[])[1]).toEqual({
      ...content,
      eventId: expect.any(String) as string,
      watchId,
      kind: 'il',
      at: '2026-11-21T00:00:00.000Z',
      webhook: 'pending',
    })
  })

  test('need a condition, a wallet, liquidity, and the right to see what they tell', async () => {
    expect(await refusedFields(watchPosition, { ...asked, outOfRange: false })).toEqual(['outOfRange'])
    const v3 = { ...asked, version: 'v3' }
    await expect(call(watchPosition, v3, { hasWallet: false })).rejects.toMatchObject({ code: 'WALLET_NOT_CONFIGURED' })
    await expect(call(listWatches, {}, { hasWallet: false })).rejects.toMatchObject({ code: 'WALLET_NOT_CONFIGURED' })
    await expect(call(watchPosition, v3, { liquidity: 0n })).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
    const limited = { ...v3, limitPct: 80 }
    const reading = ['read:portfolio', 'feedback'] as const
    await expect(call(watchPosition, limited, { granted: reading })).rejects.toMatchObject({
      code: 'INSUFFICIENT_KEY_TIER',
      details: [{ field: 'limitPct' }],
    })
    // What a position is and holds is a read, whoever leaves the record of the watch.
    await expect(call(watchPosition, v3, { granted: ['feedback'] })).rejects.toMatchObject({
      code: 'INSUFFICIENT_KEY_TIER',
      details: [{ scope: 'read:portfolio' }],
    })
    expect(await call(watchPosition, v3, { granted: reading })).toMatchObject({ inRange: true })
    expect(await call(watchPosition, limited)).toMatchObject({ conditions: { limitPct: 80 } })
  })

  test('show nothing of the limits to a credential of the same caller that may not see them', async () => {
    const { watchId } = await call(watchPosition, { ...asked, version: 'v3', limitPct: 80, ilPct: 2 })
    const [stored] = await store.watches.active()
    const state = JSON.parse(stored?.state ?? '') as object
    const measured = { at: 5, inRange: true, ilPct: 3, feeDropPct: null, feesWaitingPct: null, limitPct: 81.5 }
    const facts = { chain: { id: 1, name: 'ethereum' }, version: 'v3', positionId: '7', blockNumber: 5, inRange: true }
    const events = [
      { kind: 'limit', measured: 81.5, threshold: 80, message: '81.5 % of a spending limit is used.' },
      { kind: 'il', measured: 3, threshold: 2, message: 'Said.' },
    ].map(({ kind, ...figures }) => ({ kind, content: JSON.stringify({ ...facts, ...figures, rebalance: null }) }))
    const look = { ...state, measured, armed: { limit: false, il: false } }
    await store.watches.record(String(watchId), {
      state: JSON.stringify(look),
      hasEnded: false,
      events,
      awaitsWebhook: false,
    })
    const shown = async (granted: readonly Scope[]) => {
      const { watches, events: found } = await call(listWatches, {}, { granted })
      const [{ holds, measured: figures }] = watches as [{ holds: string[]; measured: { limitPct: number | null } }]
      return [holds, figures.limitPct, (found as { kind: string }[]).map(({ kind }) => kind)]
    }
    expect(await shown(scopes)).toEqual([['limit', 'il'], 81.5, ['il', 'limit']])
    expect(await shown(['read:portfolio'])).toEqual([['il'], null, ['il']])
    const resources = createWatchResources({ watches: store.watches, isOpenTo: () => true })
    const caller = { ...untouchedWorld().principal, id: 'ann' }
    const textFor = async (granted: readonly Scope[]) =>
      (await resources.read({ ...caller, scopes: new Set(granted) }, watchUri(String(watchId))))?.text
    expect(await textFor(scopes)).toContain('81.5')
    expect(await textFor(['read:portfolio'])).not.toMatch(/81\.5|"kind":"limit"|"holds":\[[^\]]*limit/)
  })

  test('are so many of a caller at most', async () => {
    const v3 = { ...asked, version: 'v3' }
    for (let index = 0; index < watchBounds.watches; index += 1) await call(watchPosition, v3)
    await expect(call(watchPosition, v3)).rejects.toMatchObject({ code: 'WATCH_LIMIT' })
    await call(watchPosition, v3, { principal: 'bob' })
  })
})
