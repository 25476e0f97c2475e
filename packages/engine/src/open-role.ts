import type { Leader, Led } from '@svc/store'
import type { PipelineLog } from './call/refusal.ts'
import { openLed, type Records } from './open-records.ts'
import type { Executor } from './pipeline.ts'
import { policyHash } from './policy/policy.ts'
import { pause, sharePauseFile } from './switches/kill-switch.ts'
import type { LeaseKeeper } from './switches/lease-keeper.ts'
import type { ShutdownGate } from './switches/shutdown-gate.ts'
import { recordedPolicyHash } from './switches/switch-recorder.ts'
import { allOf } from './leadership/all-of.ts'
import { placeText } from './leadership/server-id.ts'
import { createRole, type Role } from './leadership/role.ts'

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
