import * as fc from 'fast-check'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JournalState } from '@svc/wallet/core'
import { describe, expect, test } from 'vitest'
import type { CheckRequest } from './weigh-spend.ts'
import { openWorld, type World } from './ledger-world.fixture.ts'

// The ledger against a model that knows true time, which the ledger does not: its clock is set back and put right again,
// its process dies and comes back. A failure prints seed, path and counterexample: pin it as a case of `examples`, in the
// shape it is printed in, and it runs first from then on.

const limits = { perTransaction: 100n, perSession: 160n, daily: 250n }
const lossCap = 50n
const idleMs = 1_800_000
const hourMs = 3_600_000
const dayMs = 24 * hourMs

const hours = (...some: number[]) => fc.constantFrom(...some.map((count) => count * hourMs))
const amount = fc.oneof(fc.bigInt(0n, 130n), fc.constant(100n))
const none = fc.constant(0n)
const action = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('reserve' as const), fc.nat(2), amount) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('check' as const), fc.nat(2), amount) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('raise' as const), fc.nat(9), amount) },
  { weight: 7, arbitrary: fc.tuple(fc.constant('settle' as const), fc.nat(9), fc.oneof(none, fc.bigInt(0n, 60n))) },
  // Settled, and held as reserved until it falls or is kept.
  { weight: 3, arbitrary: fc.tuple(fc.constant('hold' as const), fc.nat(9), fc.oneof(none, fc.bigInt(0n, 60n))) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('lower' as const), fc.nat(9), none) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('keep' as const), fc.nat(9), none) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('release' as const), fc.nat(9), none) },
  // Gas that nothing was reserved for, such as of an allowance taken back: it is burnt, so no limit is asked.
  { weight: 1, arbitrary: fc.tuple(fc.constant('burn' as const), fc.nat(2), fc.bigInt(0n, 90n)) },
  // Fees that were raised for what is out: no limit is asked, and the same again adds nothing.
  { weight: 2, arbitrary: fc.tuple(fc.constant('cover' as const), fc.nat(9), fc.bigInt(0n, 60n)) },
  { weight: 4, arbitrary: fc.tuple(fc.constant('wait' as const), fc.oneof(hours(1, 11, 13, 23), fc.nat(dayMs)), none) },
  // The wall clock may stand behind the truth by anything, and be put right again at any time.
  { weight: 2, arbitrary: fc.tuple(fc.constant('clock' as const), hours(1, 12, 25), none) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('clock' as const), fc.constant(0), none) },
)
const restart = fc.tuple(fc.constant('restart' as const), fc.constant(0), fc.constant(0n))

type Action = readonly [
  'reserve' | 'check' | 'raise' | Ending | 'lower' | 'keep' | 'burn' | 'cover' | 'wait' | 'clock' | 'restart',
  number,
  bigint,
]

type Ending = 'settle' | 'hold' | 'release'

describe('G4, G5: whatever is asked, settled, given back, and however the clock is set back and put right', () => {
  test('no 24 hours of true time see more than the daily cap or a budget, no session more than its own', async () => {
    const examples: [Action[]][] = [
      // Spends while the clock stands behind do not grow older when it is put right.
      [
        [
          ['clock', 25 * hourMs, 0n],
          ['reserve', 0, 100n],
          ['settle', 0, 0n],
          ['reserve', 1, 100n],
          ['settle', 0, 0n],
          ['clock', 0, 0n],
          ['reserve', 2, 100n],
        ],
      ],
    ]
    const world = await openWorld(':memory:')
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 24 }), async (actions) => play(world, actions)),
      { numRuns: 1_000, examples },
    )
    await world.close()
  }, 120_000)

  test('a process that dies at any time changes nothing of it', async () => {
    const examples: [Action[]][] = [
      // A clock that is set back across a restart and put right later: the spend still counts from when it was last seen.
      [
        [
          ['reserve', 0, 100n],
          ['settle', 0, 0n],
          ['clock', 25 * hourMs, 0n],
          ['restart', 0, 0n],
          ['reserve', 1, 100n],
          ['settle', 0, 0n],
          ['clock', 0, 0n],
          ['reserve', 2, 100n],
        ],
      ],
    ]
    const world = await openWorld(join(mkdtempSync(join(tmpdir(), 'svc-ledger-')), 'state.db'))
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof({ weight: 6, arbitrary: action }, restart), { maxLength: 16 }),
        async (actions) => play(world, actions),
      ),
      { numRuns: 100, examples },
    )
    await world.close()
  }, 120_000)
})

type Spend = {
  readonly id: string
  readonly who: string
  amount: bigint
  /** What it holds of a budget. */
  loss: bigint
  /** Gas above it, for raised fees. */
  raised: bigint
  /** The first attempt that it was raised for, and how far. */
  cover: { readonly hash: string; upTo: bigint } | null
  /** What both are to fall to, where they are held. */
  lowered: { readonly amount: bigint; readonly loss: bigint } | null
  state: 'reserved' | 'settled' | 'released' | 'burnt'
  /** When it was settled: in true time, and as the ledger saw it. */
  closedAt: { true: number; seen: number }
}

async function play(world: World, actions: readonly Action[]): Promise<void> {
  const run = await world.afresh()
  const spends: Spend[] = []
  const past = { lastSpendAt: 0, restarted: false }
  for (const [nth, [kind, index, amount]] of actions.entries()) {
    const open = spends.filter(({ state }) => state === 'reserved')
    const picked = open[index % Math.max(1, open.length)]
    const who = `agent-${run}-${index}`
    if (kind === 'wait') world.time.true += index
    else if (kind === 'clock') world.time.behindMs = index
    else if (kind === 'check') await world.ledger().check(asked(who, amount))
    else if (kind === 'restart') {
      await world.restart(past.lastSpendAt)
      past.restarted = true
    } else if (kind === 'reserve') {
      const spend = await reserve(world, `${run}/${nth}`, who, amount)
      if (spend !== null) spends.push(spend)
      if (spend !== null) past.lastSpendAt = world.seen()
    } else if (kind === 'burn') {
      await burn(world, `${run}/${nth}`, amount)
      spends.push({
        id: `${run}/${nth}`,
        who: 'server',
        amount,
        loss: 0n,
        raised: 0n,
        cover: null,
        lowered: null,
        state: 'burnt',
        closedAt: closing(world),
      })
      past.lastSpendAt = world.seen()
    } else if (kind === 'lower' || kind === 'keep') {
      const held = spends.filter(({ lowered }) => lowered !== null)
      const fallen = held[index % Math.max(1, held.length)]
      if (fallen !== undefined) await fall(world, fallen, kind)
    } else if (kind === 'cover') {
      if (picked !== undefined) await cover(world, picked, amount)
    } else if (picked !== undefined && (await change(world, picked, kind, amount))) past.lastSpendAt = world.seen()
    await hold(world, spends, `agent-${run}-${nth % 3}`, past.restarted)
  }
}

async function reserve({ ledger }: World, id: string, who: string, amount: bigint): Promise<Spend | null> {
  const before = await ledger().check(asked(who, amount))
  const { granted } = await ledger().reserve({ ...asked(who, amount), id, requestId: id })
  // What was burnt asked no limit, and leaves that much less to whoever asks.
  if (granted) expect((await ledger().usage(who, { sessionIdleMs: idleMs })).dailyUsdMicros <= limits.daily).toBe(true)
  expect(before.granted).toBe(granted)
  expect(granted && amount > limits.perTransaction).toBe(false)
  const unspent = { raised: 0n, cover: null, lowered: null, state: 'reserved', closedAt: { true: 0, seen: 0 } } as const
  return granted ? { id, who, amount, loss: lossOf(amount), ...unspent } : null
}

/** Whether it counts as a spend at the present time. */
async function change(world: World, spend: Spend, kind: 'raise' | Ending, amount: bigint) {
  if (kind === 'release') {
    await world.ledger().release(spend.id)
    spend.state = 'released'
    return false
  }
  if (kind === 'raise') {
    const { granted } = await world.ledger().raise(spend.id, asked(spend.who, amount))
    if (granted && lossOf(amount) > spend.loss) spend.loss = lossOf(amount)
    const isMore = granted && amount > spend.amount
    if (isMore) {
      // Of both parts the larger stays: gas that was raised may be more than what the amount brings with it.
      const more = spend.amount / 4n + spend.raised - amount / 4n
      spend.raised = more > 0n ? more : 0n
      spend.amount = amount
    }
    return isMore
  }
  if (kind === 'hold') return settleHeld(world, spend, amount)
  spend.amount -= spend.amount < amount ? spend.amount : amount
  const gasUsdMicros = spend.amount % 8n
  const hash = gasUsdMicros === 7n ? await mined(world, spend.id, spend.id) : null
  const gas = hash === null ? [] : [{ hash, usdMicros: gasUsdMicros, wei: 1n }]
  // Of some it is known what was lost, which here is never more than was reserved for it.
  if (amount % 3n === 1n) spend.loss /= amount
  const budgets = amount % 3n === 1n ? [{ name: 'loss', usdMicros: spend.loss }] : []
  await world.ledger().settle(spend.id, hash === null ? spend.amount : spend.amount - gasUsdMicros, gas, budgets)
  spend.state = 'settled'
  spend.raised = 0n
  spend.closedAt = closing(world)
  return true
}

/** Neither what is spent nor what is lost falls yet: gas is none of it, as none was burnt. */
async function settleHeld(world: World, spend: Spend, less: bigint): Promise<true> {
  const { amountUsdMicros } = partsOf(spend.amount)
  const amount = amountUsdMicros < less ? 0n : amountUsdMicros - less
  spend.lowered = { amount, loss: spend.loss / 3n }
  spend.amount = amountUsdMicros
  spend.raised = 0n
  const budgets = [{ name: 'loss', usdMicros: spend.lowered.loss }]
  await world.ledger().settle(spend.id, amount, [], budgets, { isHeld: true })
  if (amount === amountUsdMicros && spend.lowered.loss === spend.loss) spend.lowered = null
  spend.state = 'settled'
  spend.closedAt = closing(world)
  return true
}

async function fall(world: World, spend: Spend, kind: 'lower' | 'keep'): Promise<void> {
  await world.ledger()[kind](spend.id)
  if (kind === 'lower') Object.assign(spend, spend.lowered)
  else spend.closedAt = closing(world)
  spend.lowered = null
}

async function cover(world: World, spend: Spend, above: bigint): Promise<void> {
  spend.cover ??= { hash: await mined(world, spend.id, spend.id, 'superseded'), upTo: 0n }
  for (const _ of [1, 2]) await world.ledger().coverGas(spend.cover.hash, above)
  if (above <= spend.cover.upTo) return
  spend.raised += above - spend.cover.upTo
  spend.cover.upTo = above
}

async function burn(world: World, id: string, usdMicros: bigint): Promise<void> {
  const hash = await mined(world, id, null)
  expect(await world.ledger().uncountedGas(1)).toEqual([{ hash, requestId: id }])
  await world.ledger().countGas([{ hash, usdMicros, wei: 1n }])
}

async function mined(
  { journal }: World,
  requestId: string,
  reservationId: string | null,
  state: JournalState = 'final',
): Promise<string> {
  const from = '0x00000000000000000000000000000000000000aa' as const
  const nonce = (await journal().nextNonce(1, from)) ?? 0
  const hash = `0x${nonce.toString(16).padStart(64, '0')}` as const
  const slot = { requestId, step: nonce, chainId: 1, from, nonce, attempt: 0 }
  await journal().recordSigned({ ...slot, rawTransaction: '0x02', hash, reservationId })
  await journal().mark(hash, state)
  return hash
}

function closing(world: World): Spend['closedAt'] {
  return { true: world.time.true, seen: world.seen() }
}

async function hold(world: World, spends: readonly Spend[], who: string, restarted: boolean): Promise<void> {
  const seenNow = world.seen()
  const counted = spends.filter(({ state, closedAt }) => isIn(state, closedAt.seen, seenNow))
  // A clock that was set back across a restart may have been put right since: only then is true time not kept exactly.
  const truly = spends.filter(({ state, closedAt }) => isIn(state, closedAt.true, world.time.true))
  const asked = (some: readonly Spend[]) => sum(some.filter(({ state }) => state !== 'burnt'))
  expect(restarted ? 0n : asked(truly)).toBeLessThanOrEqual(limits.daily)
  expect(asked(counted)).toBeLessThanOrEqual(limits.daily)
  expect(restarted ? 0n : lost(truly)).toBeLessThanOrEqual(lossCap)
  expect(lost(counted)).toBeLessThanOrEqual(lossCap)
  expect(await world.ledger().budgetUsage('loss')).toBe(lost(counted))
  const usage = await world.ledger().usage(who, { sessionIdleMs: idleMs })
  const raised = (some: readonly Spend[]) => some.reduce((total, spend) => total + spend.raised, 0n)
  expect(usage.dailyUsdMicros).toBe(sum(counted) + raised(counted))
  const own = raised(spends.filter((spend) => spend.who === who && spend.state === 'reserved'))
  expect(usage.sessionUsdMicros - own).toBeLessThanOrEqual(limits.perSession)
  expect(usage.sessionUsdMicros).toBeGreaterThanOrEqual(
    sum(spends.filter((spend) => spend.who === who && spend.state === 'reserved')),
  )
}

function isIn(state: Spend['state'], closedAt: number, at: number): boolean {
  return state === 'reserved' || (state !== 'released' && closedAt > at - dayMs)
}

function asked(principal: string, sum: bigint): CheckRequest {
  const budgets = [{ name: 'loss', usdMicros: lossOf(sum), capUsdMicros: lossCap }]
  return { principal, chainId: 1, ...partsOf(sum), budgets, limits, sessionIdleMs: idleMs }
}

/** Of small and of large sums much, little or nothing may be lost. */
function lossOf(sum: bigint): bigint {
  return (sum % 5n) * 10n
}

function lost(spends: readonly Spend[]): bigint {
  return spends.reduce((total, { loss }) => total + loss, 0n)
}

/** A part of every sum is gas. */
function partsOf(sum: bigint) {
  return { amountUsdMicros: sum - sum / 4n, gasUsdMicros: sum / 4n }
}

function sum(spends: readonly Spend[]): bigint {
  return spends.reduce((total, { amount }) => total + amount, 0n)
}
