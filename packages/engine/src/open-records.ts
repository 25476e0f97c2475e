import { hostname } from 'node:os'
import { join } from 'node:path'
import { acquireServerLock, type Led, type Store } from '@svc/store'
import { type AuditLog, type OpenedAuditLog, openAuditLog } from './audit/audit.ts'
import { createCallOutcomes, createRefusedCallers } from './audit/call-outcomes.ts'
import { observedAudit } from './audit/observed-audit.ts'
import type { PipelineLog } from './call/refusal.ts'
import type { EngineObserver } from './context/engine-observer.ts'
import { allOf } from './leadership/all-of.ts'
import { createLeaderAudit, type LeaderAudit } from './leadership/leader-audit.ts'
import { openServerId } from './leadership/server-id.ts'
import { createSharedKeys, type LedKeys } from './leadership/shared-keys.ts'
import { importOwedAllowances } from './recovery/owed-allowances-file.ts'
import { pause } from './switches/kill-switch.ts'
import { createLeaseKeeper } from './switches/lease-keeper.ts'
import { shareSwitches, type SwitchPlace, unshareSwitches } from './switches/switch-text.ts'

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
export async function openLed(
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
