import { type Position, ToolError, untilAborted } from '@svc/amm'
import { type Principal, readPrincipal, type SafetyReport } from '@svc/engine'
import type { Log } from '@svc/runtime'
import type { StoredWatch, StoredWatchEvent, Watches } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { isInRange } from '../analysis/position/describe-position.ts'
import type { Ports } from '../ports.ts'
import { checkRebalance, type RebalanceCheck, unknownWorth } from '../analysis/position/rebalance-worth.ts'
import { type Found, judge, type Judgement, type Watched } from './conditions.ts'
import { readWatched, type WatchEventContent } from './watch-resources.ts'

/**
 * Makes one look at all that is watched, where it is time: the positions of a chain in one request, whoever watches them. What has come
 * about is kept together with the state that remembers it, and is published only then. A chain that does not answer is left alone for
 * longer each time, up to ten looks. A watch whose key or token was taken from the server ends. Never rejects but with what the store says.
 */
export function createWatchRun(options: WatchRunOptions): () => Promise<void> {
  const { now, everyMs } = options
  const kept: Kept = { seen: new Map(), waits: new Map() }
  let nextAt = Number.NEGATIVE_INFINITY

  return async () => {
    // A clock that was set back must not hold a look for longer than the time between two.
    if (now() < nextAt && nextAt - now() <= everyMs) return
    nextAt = now() + everyMs
    const active = await readActive(options)
    const names = new Set(active.map(({ watch }) => nameOf(watch)))
    for (const name of kept.seen.keys()) if (!names.has(name)) kept.seen.delete(name)
    const on = (chainId: number) => active.filter(({ watch }) => watch.chainId === chainId)
    const chains = new Set(active.map(({ watch }) => watch.chainId))
    await Promise.all([...chains].map((chainId) => lookAt(options, kept, chainId, on(chainId))))
  }
}

export type WatchRunOptions = {
  readonly watches: Watches
  readonly ports: Pick<Ports, 'chains' | 'rpc' | 'tokens' | 'prices' | 'liquidity'>
  /** What is used of the limits of a principal. */
  readonly safety: (principal: Principal) => Promise<Pick<SafetyReport, 'limitsUsd' | 'spentUsd'>>
  readonly isInForce: (principal: Principal) => boolean
  readonly hasWebhook: boolean
  /** Tells who subscribed to the watch; never throws. */
  readonly publish: (event: StoredWatchEvent) => void
  readonly everyMs: number
  /** Aborted when the server closes: what was found and is not kept yet is found again after the next start. */
  readonly signal: AbortSignal
  /** Unix milliseconds. */
  readonly now: () => number
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** What one look leaves to the next: each position as it was read last, and which chains are left alone until when. */
type Kept = {
  readonly seen: Map<string, Position>
  readonly waits: Map<number, { readonly until: number; readonly failures: number }>
}

type Active = { readonly watch: StoredWatch; readonly watched: Watched; readonly principal: Principal }

type LookedAt = {
  readonly chain: Chain
  readonly position: Position | null
  readonly checked: ReturnType<typeof createChecks>
}

type LimitRead = ReturnType<typeof createLimitReads>

async function readActive({ watches, isInForce, log }: WatchRunOptions): Promise<readonly Active[]> {
  const active: Active[] = []
  for (const watch of await watches.active()) {
    const watched = readWatched(watch)
    const principal = principalOf(watch)
    if (watched === null || principal === null || !isInForce(principal)) {
      await watches.drop(watch.id)
      log.warn('watch.dropped', { watchId: watch.id, code: watched === null ? 'INTERNAL' : 'PRINCIPAL_REVOKED' })
    } else active.push({ watch, watched, principal })
  }
  return active
}

/** Looks at what is watched on a chain, where the endpoint did not fail to answer a short while ago. */
async function lookAt(options: WatchRunOptions, kept: Kept, chainId: number, list: readonly Active[]): Promise<void> {
  const wait = kept.waits.get(chainId)
  const { now, everyMs, log } = options
  if (wait !== undefined && now() < wait.until && wait.until - now() <= mostLooksLeftOut * everyMs) return
  const chain = options.ports.chains.list().find(({ id }) => id === chainId)
  if (chain === undefined) return
  let positions: ReadonlyMap<string, Position | null>
  try {
    positions = await readPositions(options, kept, chain, list)
    kept.waits.delete(chainId)
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    const failures = (wait?.failures ?? 0) + 1
    const looks = Math.min(mostLooksLeftOut, 2 ** (failures - 1))
    kept.waits.set(chainId, { failures, until: now() + looks * everyMs - 1 })
    log.warn('watch.unread', { chainId, code: error.code, failures })
    return
  }
  const looked = { chain, checked: createChecks(options, chain), limitPct: createLimitReads(options) }
  for (const active of list) {
    const position = positions.get(nameOf(active.watch)) ?? null
    // One that cannot be judged keeps no other from it.
    await lookAtOne(options, active, { ...looked, position }).catch((error: unknown) => {
      if (!options.signal.aborted) log.warn('watch.failed', { watchId: active.watch.id, error })
    })
  }
}

async function lookAtOne(
  options: WatchRunOptions,
  active: Active,
  { limitPct, ...at }: LookedAt & { readonly limitPct: LimitRead },
): Promise<void> {
  const reading = { position: at.position, limitPct: await limitPct(active), at: Math.floor(options.now() / 1000) }
  const judgement = judge(active.watched, reading)
  if (judgement.isChanged) await keep(options, active, judgement, at)
}

async function readPositions(
  { ports }: WatchRunOptions,
  { seen }: Kept,
  chain: Chain,
  list: readonly Active[],
): Promise<ReadonlyMap<string, Position | null>> {
  const named = new Map(list.map(({ watch }) => [nameOf(watch), watch]))
  const asked = [...named].map(([name, { version, positionId }]) => ({
    version,
    positionId,
    before: seen.get(name) ?? null,
  }))
  const found = await ports.liquidity.positions(chain, asked)
  const positions = new Map([...named.keys()].map((name, index) => [name, found[index] ?? null]))
  for (const [name, position] of positions) {
    if (position === null) seen.delete(name)
    else seen.set(name, position)
  }
  return positions
}

async function keep(
  options: WatchRunOptions,
  { watch, watched }: Active,
  { state, found, hasEnded }: Judgement,
  { chain, position, checked }: LookedAt,
): Promise<void> {
  const events = []
  for (const one of found) {
    const rebalance = await untilAborted(checked(one, position, watched.conditions.paysWithinDays), options.signal)
    const content = contentOf(one, { chain, watch, position, rebalance })
    events.push({ kind: one.kind, content: JSON.stringify(content) })
  }
  const kept = { state: JSON.stringify(state), hasEnded, events, awaitsWebhook: options.hasWebhook }
  const recorded = await options.watches.record(watch.id, kept)
  if (recorded.undelivered > 0)
    options.log.warn('webhook.dropped', { principal: watch.owner, events: recorded.undelivered })
  for (const event of recorded.events) {
    options.log.info('watch.event', { watchId: watch.id, eventId: event.id, kind: event.kind, principal: watch.owner })
    options.publish(event)
  }
}

/** Of one position there is one answer in a look; many that leave their ranges at once do not take the endpoint with them. */
function createChecks({ ports, now }: Pick<WatchRunOptions, 'ports' | 'now'>, chain: Chain) {
  const checks = new Map<string, Promise<RebalanceCheck>>()
  return async (found: Found, position: Position | null, paysWithinDays: number): Promise<RebalanceCheck | null> => {
    if (position === null || found.kind === 'closed') return null
    const name = [position.version, position.positionId, paysWithinDays].join()
    if (!checks.has(name) && checks.size >= mostChecks)
      return unknownWorth('Too much came about at once; rebalance_position with dryRun says.')
    const check = checks.get(name) ?? checkRebalance(ports, chain, position, { nowMs: now(), paysWithinDays })
    checks.set(name, check)
    return check
  }
}

/** The limit that is used most, in percent; asked once for each principal in a look, and of those alone who watch for it. */
function createLimitReads({ safety }: Pick<WatchRunOptions, 'safety'>) {
  const reads = new Map<string, Promise<number | null>>()
  return async ({ watched, principal }: Active): Promise<number | null> => {
    if (watched.conditions.limitPct === null || !principal.scopes.has('admin:wallet')) return null
    const read = reads.get(principal.id) ?? safety(principal).then(mostUsed)
    reads.set(principal.id, read)
    return read
  }
}

function mostUsed({ limitsUsd, spentUsd }: Pick<SafetyReport, 'limitsUsd' | 'spentUsd'>): number | null {
  if (limitsUsd === null || spentUsd === null) return null
  const shares = [
    [spentUsd.session, limitsUsd.perSession],
    [spentUsd.daily, limitsUsd.daily],
  ].flatMap(([used, limit]) => (Number(limit) > 0 ? [(100 * Number(used)) / Number(limit)] : []))
  return shares.length === 0 ? null : Math.round(Math.max(...shares) * 100) / 100
}

function contentOf(
  { kind, measured, threshold }: Found,
  { chain, watch, position, rebalance }: Pick<LookedAt, 'chain' | 'position'> & ContentFacts,
): WatchEventContent {
  return {
    chain: { id: chain.id, name: chain.name },
    version: watch.version,
    positionId: watch.positionId,
    blockNumber: position === null ? null : Number(position.pool.blockNumber),
    measured,
    threshold,
    inRange: position === null ? null : isInRange(position),
    message: sentences[kind](measured ?? 0),
    rebalance,
  }
}

type ContentFacts = { readonly watch: StoredWatch; readonly rebalance: RebalanceCheck | null }

const sentences: Readonly<Record<Found['kind'], (measured: number) => string>> = {
  out_of_range: () => 'The price has left the range: the position earns no fees.',
  il: (pct) => `The position is worth ${pct} % less than holding since the watch began, fees left out.`,
  fee_drop: (pct) => `The fees of the last day are ${pct} % below those of the last week.`,
  fees_waiting: (pct) => `Fees of ${pct} % of the position's value wait to be collected.`,
  limit: (pct) => `${pct} % of a spending limit is used; check_safety_status shows which.`,
  closed: () => 'The position is closed or not there any more: the watch has ended.',
}

function nameOf({ chainId, version, positionId }: StoredWatch): string {
  return [chainId, version, positionId].join(':')
}

function principalOf({ principal }: StoredWatch): Principal | null {
  try {
    return readPrincipal(principal)
  } catch {
    return null
  }
}

const mostLooksLeftOut = 10
/** Each asks the endpoint a dozen times. */
const mostChecks = 5
