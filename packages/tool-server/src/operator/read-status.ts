import { access } from 'node:fs/promises'
import { readOrder, ToolError } from '@svc/amm'
import { type DayUse, loadPolicy, type Policy, policyFaults, readDayUse, sessionIdleMs } from '@svc/engine/policy'
import { readServerId, readSigningState, type SigningState, type SwitchPlace } from '@svc/engine/switches'
import { formatAmount } from '@svc/lp-math'
import type { Leader, Ledger, Operations, OperationState, Store, Transactions } from '@svc/store'
import type { JournalState } from '@svc/wallet/core'
import { type LastWrite, readLastWrites } from './last-writes.ts'

/**
 * How a server stands, for whoever operates it: whether anything stands against signing, what of the day is spent and left, what waits, what is
 * out and how the last writes ended, of all callers. It reads files and the state alone, beside the running server, within it and without one.
 */
export async function readOperatorStatus({
  dataDir,
  policyPath,
  production,
  place,
  leader,
  records,
}: StatusPlace): Promise<OperatorStatus> {
  const { policy, problems } = await readPolicy(policyPath, production)
  const [signing, day, spent, waiting, out, orders, lastWrites, led, serverId] = await Promise.all([
    readSigningState(place),
    policy === null ? null : readDayUse({ policy, ledger: records }, nobody),
    records.usage(nobody, { sessionIdleMs }),
    readWaiting(records),
    records.transactions.count(undecided),
    readOrders(records),
    readLastWrites(dataDir),
    leader(),
    readServerId(dataDir),
  ])
  return {
    signs: problems.length > 0 || signing.pause !== null ? 'nothing' : signsUnder(signing.breaker.stops),
    ...signing,
    policy: { file: (await isThere(policyPath)) ? policyPath : null, problems },
    spentUsd: formatAmount(spent.dailyUsdMicros, 6),
    leftUsd: day?.remainingUsd.daily ?? null,
    freesAt: day?.freesAt.daily ?? null,
    limitsUsd: day?.limitsUsd ?? null,
    budgetsUsd: day?.valueUsd ?? null,
    waiting,
    out,
    orders,
    lastWrites,
    leader: led === null ? null : leaderOf(led, serverId),
  }
}

export type StatusPlace = {
  /** Absolute path. */
  readonly dataDir: string
  readonly policyPath: string
  readonly production: boolean
  /** Where what stops signing stands. */
  readonly place: SwitchPlace
  readonly leader: () => Promise<Leader | null>
  readonly records: StatusRecords
}

/** What of the state is looked at. */
export type StatusRecords = {
  readonly operations: Pick<Operations, 'count'>
  readonly transactions: Pick<Transactions, 'count'>
  readonly orders: Pick<Store['orders'], 'open'>
  readonly usage: Ledger['usage']
  readonly budgetUsage: Ledger['budgetUsage']
}

/** Of any 24 hours and of all callers; sessions are of one each. */
export type OperatorStatus = SigningState & {
  /** What would be signed now, as far as switches and the policy's file say it. */
  readonly signs: 'everything' | 'ways-home' | 'nothing'
  /** `file` is `null` where a start would take the defaults; with problems nothing is signed. */
  readonly policy: { readonly file: string | null; readonly problems: readonly string[] }
  readonly spentUsd: string
  /** This and what follows is `null` while the policy cannot be read. */
  readonly leftUsd: string | null
  /** ISO 8601; `null` too where waiting frees nothing. */
  readonly freesAt: string | null
  readonly limitsUsd: DayUse['limitsUsd'] | null
  readonly budgetsUsd: DayUse['valueUsd'] | null
  readonly waiting: Waiting
  /** Transactions that are signed and not decided. */
  readonly out: number
  /** Signed orders that others may fill, whatever stops signing. */
  readonly orders: OpenOrders
  /** How the writes asked for last ended, newest first, as the audit log of this directory has them. */
  readonly lastWrites: readonly LastWrite[]
  /** Which server writes, of those that share a database; `null` where one has the state, or none has led yet. */
  readonly leader: ShownLeader | null
}

type ShownLeader = {
  /** `null` after one that ended in good order. */
  readonly holder: string | null
  /** The id in the data directory of the server (`server.id`), which outlasts the names of its process and its machine. */
  readonly serverId: string
  /** ISO 8601. */
  readonly since: string
  /** Whether it is the server of this directory. */
  readonly isHere: boolean
}

function leaderOf({ holder, place, since }: Leader, serverId: string | null): ShownLeader {
  return { holder, serverId: place, since: new Date(since).toISOString(), isHere: place === serverId }
}

/** The budgets of any 24 hours and what each is of, in the order in which they are shown. */
export const budgetTexts = [
  ['lossAtMost', 'value in bad trades, at most'],
  ['gas', 'gas'],
  ['exitGas', 'gas of bringing funds home'],
  ['dueExitGas', 'the same, where it was to be repaid'],
  ['sureExitGas', 'the same, of sure removals'],
  ['speculative', 'tokens without a price source'],
  ['coldStart', 'tokens at prices of the moment'],
] as const satisfies readonly (readonly [keyof DayUse['valueUsd'], string])[]

/** Of transactions that are signed and not decided. */
export const undecided = ['signed', 'broadcast', 'mined', 'refused'] as const satisfies readonly JournalState[]

type OpenOrders = {
  /** Opened on chain, to be filled on another. */
  readonly crossChain: number
  readonly open: number
  /** When the last can be filled no more, ISO 8601; `null` where there is none. */
  readonly lastExpiresAt: string | null
}

type Waiting = { readonly approval: number; readonly approved: number; readonly scheduled: number }

/** Nobody comes with this id: what counts is of all. */
const nobody = 'status'

function signsUnder(stops: SigningState['breaker']['stops']): OperatorStatus['signs'] {
  return stops === 'nothing' ? 'everything' : stops === 'everything' ? 'nothing' : 'ways-home'
}

async function readPolicy(
  path: string,
  production: boolean,
): Promise<{ readonly policy: Policy | null; readonly problems: readonly string[] }> {
  try {
    return { policy: await loadPolicy(path, { production }), problems: [] }
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return { policy: null, problems: policyFaults(error, path).problems }
  }
}

async function readWaiting({ operations }: StatusRecords): Promise<Waiting> {
  const counts = await operations.count({ principalId: null, states: ['awaiting_approval', 'approved', 'scheduled'] })
  const of = (state: OperationState) => counts.reduce((sum, one) => sum + (one.state === state ? one.count : 0), 0)
  return { approval: of('awaiting_approval'), approved: of('approved'), scheduled: of('scheduled') }
}

async function readOrders({ orders }: StatusRecords): Promise<OpenOrders> {
  const all = await orders.open(null)
  const open = all.filter(({ kind }) => kind === 'uniswapx')
  const crossChain = all.length - open.length
  const last = Math.max(...open.map(({ terms }) => readOrder(terms).deadline))
  return {
    crossChain,
    open: open.length,
    lastExpiresAt: open.length === 0 ? null : new Date(last * 1_000).toISOString(),
  }
}

function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
