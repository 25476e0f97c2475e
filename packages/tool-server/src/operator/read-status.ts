import { access } from 'node:fs/promises'
import { readOrder, ToolError, type MarketPorts, type PairShare, type Position } from '@svc/amm'
import { type DayUse, loadPolicy, type Policy, policyFaults, readDayUse, sessionIdleMs } from '@svc/engine/policy'
import {
  readServerId,
  readSigningState,
  type SigningState,
  type SwitchPlace,
  readLatestAudit,
} from '@svc/engine/switches'
import { formatAmount } from '@svc/lp-math'
import type { Leader, Ledger, Operations, OperationState, Store, Transactions } from '@svc/store'
import type { JournalState, Chain } from '@svc/wallet/core'
import type { Address } from 'viem'

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

/** How the writes asked for last ended, newest first, by the audit log of a data directory: what is on this disk alone. */
async function readLastWrites(dataDir: string): Promise<readonly LastWrite[]> {
  const { lines } = await readLatestAudit(dataDir, null)
  return lines.flatMap((line) => writeOf(line) ?? []).slice(0, mostShown)
}

export type LastWrite = {
  /** ISO 8601. */
  readonly at: string
  readonly tool: string
  readonly outcome: 'settled' | 'refused' | 'failed' | 'waits for a person' | 'scheduled'
  /** Of a write that was refused or failed. */
  readonly code: string | null
  /** Decimal US dollars; `null` where nothing was settled. */
  readonly spentUsd: string | null
  /** The most that it could have lost in value, as it counts against the budget. */
  readonly lostUsd: string | null
  /** Of the last transaction. */
  readonly txHash: string | null
}

const outcomes = new Map<string, LastWrite['outcome']>([
  ['tx.settled', 'settled'],
  ['tx.refused', 'refused'],
  ['tx.failed', 'failed'],
  ['tx.approval.requested', 'waits for a person'],
  ['tx.scheduled', 'scheduled'],
])

const mostShown = 5

type Line = { readonly event: string; readonly ts: string; readonly [fact: string]: unknown }

function writeOf(line: Line): LastWrite | null {
  const outcome = outcomes.get(line.event)
  if (outcome === undefined) return null
  const { tool, transactions } = line
  return {
    at: line.ts,
    tool: textOf(tool) ?? 'unknown',
    outcome,
    code: textOf(line['code']),
    spentUsd: textOf(line['spentUsd']),
    lostUsd: textOf(line['lostUsd']),
    txHash: Array.isArray(transactions) ? textOf(transactions.at(-1)) : null,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** What a wallet has in pools of some chains now. A chain that does not answer is said to be unread. */
export async function readHeldPositions({ liquidity, chains, owner }: HeldPlace): Promise<HeldPositions> {
  const read = await Promise.all(
    chains.map(async (chain) => {
      try {
        const { items, complete } = await liquidity.positionsByOwner(chain, owner, ['v2', 'v3', 'v4'])
        return { items: items.map((one) => heldOf(chain, one)), unread: complete ? [] : [chain.name] }
      } catch (error) {
        if (!(error instanceof ToolError)) throw error
        return { items: [], unread: [chain.name] }
      }
    }),
  )
  return { owner, items: read.flatMap(({ items }) => items), unread: read.flatMap(({ unread }) => unread) }
}

export type HeldPlace = {
  readonly liquidity: Pick<MarketPorts['liquidity'], 'positionsByOwner'>
  /** Those for which an endpoint is named. */
  readonly chains: readonly Chain[]
  readonly owner: Address
}

export type HeldPositions = {
  readonly owner: Address
  readonly items: readonly HeldPosition[]
  /** Names of chains that did not show all. */
  readonly unread: readonly string[]
}

export type HeldPosition = {
  readonly chain: string
  readonly version: 'v2' | 'v3' | 'v4'
  readonly positionId: string
  readonly pair: string
  readonly amount0: string
  readonly amount1: string
  /** Where the price stands between the ends of the range, 0 to 1; below or above it out of range; `null` of v2, which has none. */
  readonly place: number | null
}

function heldOf(chain: Chain, one: Position | PairShare): HeldPosition {
  const { version, positionId, pool, amount0, amount1 } = one
  const { token0, token1, tick } = pool
  return {
    chain: chain.name,
    version,
    positionId,
    pair: `${token0.symbol}/${token1.symbol}`,
    amount0: formatAmount(amount0, token0.decimals),
    amount1: formatAmount(amount1, token1.decimals),
    place: 'tickLower' in one ? (tick - one.tickLower) / (one.tickUpper - one.tickLower) : null,
  }
}
