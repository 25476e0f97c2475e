import { setTimeout as sleep } from 'node:timers/promises'
import { type Leader, type Leadership, type Led, StoreError } from '@svc/store'
import { ToolError } from '@svc/amm'
import { createMutex } from '@svc/wallet/core'
import type { PipelineLog } from '../call/refusal.ts'
import { startSweeper } from '../switches/sweeper.ts'
import type { LeaseKeeper } from '../switches/lease-keeper.ts'

/**
 * Whether this server writes, of those that share a database. It leads where the lease of the server is free; else it follows, looks again
 * and again, and takes the lead the moment the lease is: after `drained` says that nothing of its own is on its way any more. One that lost the
 * lease gets it back where nobody led meanwhile; where somebody did, it follows.
 */
export function createRole(options: RoleOptions): Role {
  const { leadership, keeper, log } = options
  const state: State = { as: 'follower', epoch: 0n, mayAct: never, leader: null, takeovers: 0, term: ended() }
  /** One change of the role after the other. */
  const inTurn = createMutex()

  const follow = async (): Promise<void> => {
    const had = state.as
    if (had === 'follower') return
    state.as = 'follower'
    stopActing(state)
    leadership.follow()
    // Whatever fails here, the lease must not stay with a server that does not lead.
    await options.follow().catch((error: unknown) => log.warn('leadership.unclosed', { error }))
    await keeper.release().catch(() => undefined)
    state.leader = await leadership.read().catch(() => null)
    if (had === 'leader') log.warn('leadership.lost', { leader: state.leader?.holder ?? null })
  }
  leadership.onOvertaken(() => {
    const { term } = state
    stopActing(state)
    // By the time of its turn it may lead again.
    void inTurn(async () => (state.term === term ? follow() : undefined))
  })
  const lead = async (how: 'start' | 'takeover'): Promise<void> => {
    const lease = await keeper.server()
    const term = new AbortController()
    Object.assign(state, { as: 'taking', mayAct: () => !term.signal.aborted && lease.isHeld(), term })
    const beganAt = performance.now()
    try {
      // Before the epoch is counted: whatever fails after that, the next try finds what was decided here.
      await options.prepare(() => leadership.read(), how)
      const led = await leadership.lead({ ...options.who, at: Date.now() }, options.head)
      state.epoch = led.epoch
      await options.lead(led, how)
      if (term.signal.aborted) throw notLeader(state)
      state.leader = { ...options.who, epoch: led.epoch, since: Date.now(), head: null }
      state.as = 'leader'
      if (how === 'takeover') state.takeovers += 1
      const facts = { epoch: led.epoch, from: led.before?.holder ?? null, settledMs: performance.now() - beganAt }
      log.info(how === 'start' ? 'leadership.begun' : 'leadership.taken', facts)
    } catch (error) {
      await follow()
      throw error
    }
  }
  /** Looked at in its turn: what was on its way when the lead was lost may have ended meanwhile, and nothing new begins before. */
  const takeOver = async (): Promise<void> => {
    if (options.drained()) await lead('takeover').catch(unlessTaken)
  }
  /** The lease again, where it was lost or not heard of for a while. */
  const regain = async (): Promise<void> => {
    if (state.as !== 'leader' || state.mayAct()) return
    const { term, epoch } = state
    try {
      const lease = await keeper.server()
      const now = await leadership.read()
      if (now?.epoch === epoch && !term.signal.aborted)
        return void (state.mayAct = () => !term.signal.aborted && lease.isHeld())
    } catch (error) {
      if (!isTaken(error)) throw new ToolError('STORAGE_UNAVAILABLE', away, { cause: error })
    }
    await follow()
  }
  let keptHash: string | null = null
  const keep = async (): Promise<void> => {
    const hash = options.head()?.hash ?? null
    if (hash === keptHash) return
    await leadership.keep()
    keptHash = hash
  }
  const readLeader = async (): Promise<void> => {
    const leader = await leadership.read()
    if (state.as === 'follower') state.leader = leader
  }
  const look = async (): Promise<void> => {
    if (state.as !== 'leader') return allOf([inTurn(takeOver), options.share(), readLeader()])
    await options.share()
    if (!state.mayAct()) return inTurn(regain)
    // Where another has the lead the commit has said so.
    await keep().catch(() => undefined)
  }
  let looking = Promise.resolve()
  let sweeper: { stop(): void } | null = null
  let isUnread = false
  const sweep = (): Promise<void> => {
    looking = look().then(() => void (isUnread = false))
    return looking
  }
  /** Said once for as long as it lasts. */
  const onError = (error: unknown): void => {
    if (!isUnread) log.warn('leadership.unread', { error })
    isUnread = true
  }
  const requireLead = (): void => {
    if (state.as === 'follower' || !state.mayAct()) throw notLeader(state)
  }
  return Object.freeze({
    async begin() {
      await options.share()
      if (!(await inTurn(() => leadAtStart(lead)))) {
        leadership.follow()
        state.leader = await leadership.read()
        log.info('leadership.follows', { leader: state.leader?.holder ?? null })
      }
      sweeper = startSweeper({ everyMs: lookEveryMs, sweep, onError })
    },
    facts: (): RoleFacts => ({
      role: state.as === 'leader' ? 'leader' : 'follower',
      leader: state.leader?.holder ?? null,
      epoch: state.epoch,
      takeovers: state.takeovers,
    }),
    requireLead,
    term: () => state.term.signal,
    async asLeader<Value>(work: () => Promise<Value>): Promise<Value> {
      if (state.as === 'leader' && !state.mayAct()) await inTurn(regain)
      if (state.as !== 'leader') throw notLeader(state)
      return work()
    },
    async end() {
      sweeper?.stop()
      await looking.catch(() => undefined)
      await inTurn(async () => undefined)
      if (state.as === 'leader' && state.mayAct()) await leadership.resign().catch(() => undefined)
    },
  })
}

export type Role = {
  /** Leads or follows from now on. Throws what `lead` throws. */
  begin(): Promise<void>
  facts(): RoleFacts
  /**
   * Throws `NOT_LEADER` unless this server leads, and `STORAGE_UNAVAILABLE` unless it knows that nobody else can: by its own clock, before
   * the database would let anybody.
   */
  requireLead(this: void): void
  /** Aborted when this server no longer leads; `null` where none could take its place. */
  term(this: void): AbortSignal | null
  /** Does work that only the leader may do. Throws `NOT_LEADER`, or `STORAGE_UNAVAILABLE` where it is not known who leads. */
  asLeader<Value>(this: void, work: () => Promise<Value>): Promise<Value>
  /** Lets another lead, once nothing is written any more. */
  end(): Promise<void>
}

export type RoleFacts = {
  readonly role: 'leader' | 'follower'
  /** Who leads, for a person; `null` where that is not known, or nobody does. */
  readonly leader: string | null
  /** Counts how often the lead was taken on this state; 0 where one server has it. */
  readonly epoch: bigint
  /** How often this process took the lead over. */
  readonly takeovers: number
}

export type RoleOptions = {
  readonly leadership: Leadership
  readonly keeper: Pick<LeaseKeeper, 'server' | 'release'>
  readonly who: { readonly holder: string; readonly place: string }
  /** The end of the audit log as this server keeps it. */
  readonly head: () => Leader['head']
  /** Opens what only the leader has, and settles what the one before left. */
  readonly lead: (led: Led, how: 'start' | 'takeover') => Promise<void>
  /** Decides under what the lead is taken, while nobody else can have it and before it is on record. `read` asks who led last. */
  readonly prepare: (read: () => Promise<Leader | null>, how: 'start' | 'takeover') => Promise<void>
  /** Closes it again. */
  readonly follow: () => Promise<void>
  /** Whether no write of this process is on its way, and none is kept from beginning because it ends. */
  readonly drained: () => boolean
  /** What every server tells the others at each look, whoever leads. */
  readonly share: () => Promise<void>
  readonly log: Pick<PipelineLog, 'info' | 'warn'>
}

type State = {
  as: 'leader' | 'follower' | 'taking'
  epoch: bigint
  mayAct: () => boolean
  leader: Leader | null
  takeovers: number
  term: AbortController
}

function never(): boolean {
  return false
}

/** At once, whatever of the role waits for its turn. */
function stopActing(state: State): void {
  state.mayAct = never
  state.term.abort()
}

function ended(): AbortController {
  const term = new AbortController()
  term.abort()
  return term
}

/** Whether it leads: a server that was killed a moment ago is waited out, for a second. */
async function leadAtStart(lead: (how: 'start') => Promise<void>): Promise<boolean> {
  for (let tries = 1; ; tries += 1) {
    try {
      await lead('start')
      return true
    } catch (error) {
      unlessTaken(error)
      if (tries === mostTries) return false
      await sleep(betweenTriesMs)
    }
  }
}

const mostTries = 11
const betweenTriesMs = 100

/** How soon a lease that is free is noticed. */
const lookEveryMs = 200

const unheard =
  'The state store has not said for some seconds that this server still leads, and nothing is signed until it has.'
const away = 'The state store is away, and nothing is signed without it.'

/** What a caller hears of a server that does not write now. */
function notLeader({ as, leader, term }: State): ToolError {
  const isOvertaken = as !== 'follower' && term.signal.aborted
  if (as === 'taking' && !isOvertaken)
    return new ToolError('NOT_LEADER', 'This server is taking over from another one. Call again in a moment.')
  if (as === 'leader' && !isOvertaken) return new ToolError('STORAGE_UNAVAILABLE', unheard)
  const who = isOvertaken ? null : (leader?.holder ?? null)
  const held = who === null ? 'Another server' : `Another server (${who})`
  return new ToolError('NOT_LEADER', `${held} writes with this wallet; this one follows it and answers reads alone.`)
}

function isTaken(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'LEASE_HELD'
}

/** Throws what says something else than that another has the lease, or has taken the lead meanwhile. */
function unlessTaken(error: unknown): void {
  if (!isTaken(error) && !isNotLeader(error)) throw error
}

function isNotLeader(error: unknown): boolean {
  return (error instanceof StoreError || error instanceof ToolError) && error.code === 'NOT_LEADER'
}

/**
 * Does works at once, and throws what failed first only when all have ended: what goes on after a failure would do it for a lead that is
 * given up by then.
 */
export async function allOf(works: readonly Promise<unknown>[]): Promise<void> {
  const settled = await Promise.allSettled(works)
  const failed = settled.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}
