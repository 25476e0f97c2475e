import { hostname } from 'node:os'
import { join } from 'node:path'
import { acquireServerLock, type Led, type Store, type Leader } from '@svc/store'
import { type AuditLog, type OpenedAuditLog, openAuditLog, type AuditEvent } from './audit/audit.ts'
import { createCallOutcomes, createRefusedCallers } from './audit/call-outcomes.ts'
import type { PipelineLog } from './call/refusal.ts'
import type { EngineObserver } from './context/engine.ts'
import { allOf, createRole, type Role } from './leadership/role.ts'
import { openServerId, placeText } from './leadership/server-id.ts'
import { createLeaderAudit, type LeaderAudit, createSharedKeys, type LedKeys } from './leadership/leader-records.ts'
import { importOwedAllowances } from './recovery/owed-allowances-file.ts'
import { pause, sharePauseFile } from './switches/kill-switch.ts'
import { createLeaseKeeper, type LeaseKeeper } from './switches/lease-keeper.ts'
import { shareSwitches, type SwitchPlace, unshareSwitches } from './switches/switch-text.ts'
import type { Executor } from './pipeline.ts'
import { policyHash } from './policy/policy.ts'
import type { ShutdownGate } from './background-works.ts'
import { recordedPolicyHash } from './switches/switch-recorder.ts'

/**
 * What an engine writes to: nothing else of a process may hold it. Of a state that servers share, the audit log is opened once this one
 * leads. Throws `StoreError` `DATA_DIR_LOCKED`, or `LEASE_HELD` where another server has the file.
 */
export async function openRecords(options: RecordsOptions, closers: (() => unknown)[]) {
  const { dataDir, openStore, observer } = options
  const lock = await acquireServerLock(dataDir)
  closers.push(() => lock.release())
  const store = await openStore()
  closers.push(() => store.close())
  const leases = createLeaseKeeper(store.leases, `process ${process.pid} on ${hostname()}`)
  const serverId = store.leadership === null ? null : await openServerId(dataDir)
  const keys = createSharedKeys(store.switches)
  const shared = serverId === null ? null : { ...sharedAudit(options), serverId, keys }
  const place: SwitchPlace = { dataDir, ...(shared !== null && { sharedSwitches: store.switches }) }
  if (shared === null) await leases.requireServer()
  const written = shared?.audit ?? (await openAlone(options, store, place))
  const outcomes = createCallOutcomes(observedAudit(written, observer?.audited))
  closers.push(() => outcomes.audit.close())
  const callers = createRefusedCallers({ audit: outcomes.audit, now: Date.now })
  closers.push(() => callers.flush())
  return { store, leases, outcomes, callers, place, shared }
}

export type Records = Awaited<ReturnType<typeof openRecords>>

export type RecordsOptions = {
  readonly dataDir: string
  /** Called once the directory is this process's own. */
  readonly openStore: () => Promise<Store>
  /** Takes the process's secrets out of what is audited. */
  readonly scrub: (value: unknown) => unknown
  readonly log: PipelineLog
  readonly observer?: EngineObserver | undefined
}

/** With the lead of a shared state: what only the leader has is opened, and what stood in the directory before is taken in. */
async function openLed(
  { dataDir }: Pick<RecordsOptions, 'dataDir'>,
  { store, place, shared }: { readonly store: Store; readonly place: SwitchPlace; readonly shared: SharedRecords },
  { before }: Led,
): Promise<void> {
  const head = before?.head ?? null
  await allOf([
    shared.lead(head === null ? null : { ...head, isOwn: before?.place === shared.serverId }),
    shareSwitches(dataDir, store.switches),
    takeIn(dataDir, store, place),
  ])
}

/** What a server has on a state that servers share. */
type SharedRecords = LeaderAudit & { readonly serverId: string; readonly keys: LedKeys }

/** Of a file that one server has. */
async function openAlone(options: RecordsOptions, store: Store, place: SwitchPlace): Promise<AuditLog> {
  await unshareSwitches(options.dataDir, store.switches)
  await takeIn(options.dataDir, store, place)
  return openFiles(options)
}

/** Behind the lease, under which a restore works as well, and before anything may sign. The row of a restore stands until `svc resume`. */
async function takeIn(dataDir: string, store: Store, place: SwitchPlace): Promise<void> {
  const restored = await store.restored.read()
  if (restored !== null) await pause(place, restored)
  await importOwedAllowances(dataDir, store.pendingRevocations)
}

function sharedAudit(options: RecordsOptions): LeaderAudit {
  return createLeaderAudit({
    open: (continues) => openFiles(options, continues === null ? {} : { continues }),
    log: options.log,
  })
}

function openFiles(
  { dataDir, scrub }: RecordsOptions,
  more: Pick<Parameters<typeof openAuditLog>[0], 'continues'> = {},
): Promise<OpenedAuditLog> {
  return openAuditLog({ path: join(dataDir, 'audit.jsonl'), now: Date.now, scrub, ...more })
}

/**
 * The same log, of whose lines somebody else hears: of one that is appended once it is on disk, of one that is noted at once. `heard` must
 * not throw: a line that is on disk would seem to have failed.
 */
function observedAudit(log: AuditLog, heard: ((event: AuditEvent) => void) | undefined): AuditLog {
  if (heard === undefined) return log
  return Object.freeze({
    ...log,
    append: async (event: AuditEvent) => {
      await log.append(event)
      heard(event)
    },
    note: (event: AuditEvent) => {
      log.note(event)
      heard(event)
    },
  })
}

/** The role of a server on its state: of a file it is the one server; on a database it leads or follows. */
export function openRole(
  { dataDir, log }: { readonly dataDir: string; readonly log: PipelineLog },
  { store, leases, outcomes, callers, place, shared }: Records,
  { gate, executor, settle, beginWorks }: RoleWorks,
): Role {
  const { leadership } = store
  let works: { stop(): void } | null = null
  const stop = () => {
    works?.stop()
    works = null
  }
  const work = async () => {
    works = beginWorks(await settle())
  }
  if (leadership === null || shared === null) return soleRole(leases, { work, stop })
  const who = { holder: leases.holder, place: shared.serverId }
  const pauseFile = { file: `${placeText(dataDir)}/paused`, server: who.place }
  const role = createRole({
    leadership,
    keeper: leases,
    who,
    head: () => shared.head(),
    prepare: pauseUnderOther,
    lead: async (led, how) => {
      await openLed({ dataDir }, { store, place, shared }, led)
      await allOf([work(), shared.keys.lead(how)])
    },
    follow: async () => {
      stop()
      await shared.follow()
    },
    drained: () => gate.isEmpty() && !gate.isShut(),
    share: () => sharePauseFile(place, pauseFile),
    log,
  })
  return {
    ...role,
    // The last lines first, so that the end of the log is known to whoever leads next.
    async end() {
      stop()
      callers.flush()
      await outcomes.audit.close()
      await role.end()
    },
  }

  /** Nothing is signed under another policy than the last leader's, until a person has compared the two. */
  async function pauseUnderOther(read: () => Promise<Led['before']>, how: 'start' | 'takeover'): Promise<void> {
    const [before, recorded] = await Promise.all([read(), recordedPolicyHash(place)])
    // Nobody has asked for it while this server followed.
    const own = policyHash(await executor.policyNow().catch(() => executor.policy()))
    if (before === null || before.place === who.place || recorded === null || recorded === own) return
    // Who ended in good order was ended by somebody, and whoever starts then is started by somebody.
    if (how === 'start' && before.holder === null) return
    const reason = `${nameOf(who)} took over from ${nameOf(before)} under another policy (${own} instead of ${recorded}). Compare both policy.json, then resume.`
    await pause(place, { by: 'server', at: new Date().toISOString(), reason })
    log.error('leadership.other-policy', { from: nameOf(before), policyHash: own, before: recorded })
  }
}

/** For a person: who ended in good order has left its id alone. */
function nameOf({ holder, place }: Pick<Leader, 'holder' | 'place'>): string {
  return holder === null ? `server ${place}` : `${holder} (server ${place})`
}

type RoleWorks = {
  readonly gate: Pick<ShutdownGate, 'isEmpty' | 'isShut'>
  readonly executor: Pick<Executor, 'policy' | 'policyNow'>
  /** Brings to its end what the process before left. Answers whether any of it is still out. */
  readonly settle: () => Promise<boolean>
  /** Begins what runs beside the writes. */
  readonly beginWorks: (isAnyOut: boolean) => { stop(): void }
}

/** The lock of the directory keeps every other server away. */
function soleRole(leases: LeaseKeeper, { work, stop }: SoleWorks): Role {
  return {
    begin: work,
    facts: () => ({ role: 'leader', leader: leases.holder, epoch: 0n, takeovers: 0 }),
    requireLead: () => undefined,
    term: () => null,
    asLeader: leases.asServer,
    end: async () => stop(),
  }
}

type SoleWorks = { readonly work: () => Promise<void>; readonly stop: () => void }
