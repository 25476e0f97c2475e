import { realisedSigma } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type {
  AddOutcome,
  AddPreview,
  PairShare,
  PoolBars,
  Position,
  RebalanceOutcome,
  RemoveOutcome,
  Settled,
  UsdPrice,
} from '@svc/amm'
import type { Hash } from 'viem'
import { isInRange } from '../position/describe-position.ts'
import { barsSince, swapsSince, positionPerformance } from '../position/position-performance.ts'
import { knownCloses } from '../range/pool-sigma.ts'
import { sumUsd, valueUsd } from '../value-usd.ts'
import type { CallerMemory, ReadContext, WriteContext } from '../../tool-context.ts'
import { type EpisodeContent, episodeContent, pairKey, readContent } from './pair-insights.ts'
import { withinTime } from '@svc/runtime'

/** Keeps that a position was entered: what its transaction brought in, and what the pool was like. */
async function keepEntry(memory: CallerMemory, context: EpisodeContext, chain: Chain, entry: Entry): Promise<void> {
  const { preview, added, isInverted, settled } = entry
  const { pool, tickLower, tickUpper } = preview
  const [amount0, amount1] = isInverted ? [added.amount1, added.amount0] : [added.amount0, added.amount1]
  const content: EpisodeContent = {
    version: pool.version,
    pool: pool.id,
    fee: pool.fee,
    positionId: added.positionId,
    entry: {
      txHash: settled.main.hash,
      openedAt: await minedAt(context, chain, settled),
      tickLower,
      tickUpper,
      amount0: `${amount0}`,
      amount1: `${amount1}`,
      liquidity: `${added.liquidity}`,
      depositedUsd: entry.depositedUsd,
      poolTick: pool.tick,
      poolLiquidity: `${pool.liquidity}`,
      predictedFeeApyPct: entry.predictedFeeApyPct,
    },
    outcome: null,
  }
  await memory.keep(recordOf(chain, pool, content))
}

export type Entry = {
  readonly preview: Pick<AddPreview, 'pool' | 'tickLower' | 'tickUpper'>
  readonly added: AddOutcome
  /** Whether the caller's order of the tokens, in which `added` counts, is the other one than the pool's. */
  readonly isInverted: boolean
  readonly settled: Mined
  readonly depositedUsd: number | null
  readonly predictedFeeApyPct: number | null
}

/**
 * Keeps how a position was left, in the episode of its entry, or in one of its own where nobody remembers that. Figures are those of
 * `get_position_performance`, from the opening to the exit; of shares of a pair, whose fees are part of them, the change against holding alone.
 */
export async function keepOutcome(
  memory: CallerMemory,
  context: EpisodeContext,
  chain: Chain,
  exit: Exit,
): Promise<void> {
  const { position, percentage, settled } = exit
  const subject = subjectOf(position.version, position.positionId)
  const [known] = await memory.recall({ kind: 'episode', chainId: chain.id, subject, limit: 1 })
  const [content] = known === undefined ? [] : readContent(episodeContent, known)
  const exitedAt = await minedAt(context, chain, settled)
  const figures =
    position.version === 'v2'
      ? await sharesFigures(context, chain, position, { ...exit, entry: content?.entry ?? null, exitedAt })
      : await positionFigures(context, chain, position, exit, exitedAt)
  const outcome = {
    txHash: settled.main.hash,
    exitedAt,
    percentage,
    isClosed: percentage === 100,
    isInRange: position.version === 'v2' || isInRange(position),
    ...figures,
  }
  if (known !== undefined && content !== undefined) {
    await memory.change(known.id, (record) => {
      const [now = content] = readContent(episodeContent, record)
      return { content: JSON.stringify({ ...now, outcome } satisfies EpisodeContent) }
    })
    return
  }
  const { version, pool, positionId } = position
  const own = { version, pool: pool.id, fee: pool.fee, positionId, entry: null, outcome }
  await memory.keep(recordOf(chain, pool, own))
}

export type Exit = {
  /** As it was before. */
  readonly position: Position | PairShare
  readonly got: RemoveOutcome
  readonly percentage: number
  readonly settled: Mined
  readonly price0: UsdPrice | null
  readonly price1: UsdPrice | null
}

/** What a move of a position into another range has left and entered; each by its own transaction where there are several. */
export function movesOf(
  position: Position,
  preview: Entry['preview'],
  moved: Moved,
): { exits: [Exit]; entries: [Entry] } {
  const { closed, opened, settled, isInverted, prices } = moved
  const [price0, price1] = prices
  const minedBy = (hash: Hash) => ({ main: settled.transactions.find((one) => one.hash === hash) ?? settled.main })
  const [amount0, amount1] = isInverted ? [opened.amount1, opened.amount0] : [opened.amount0, opened.amount1]
  const { token0, token1 } = position.pool
  return {
    exits: [{ position, got: closed, percentage: 100, settled: minedBy(closed.hash), price0, price1 }],
    entries: [
      {
        preview,
        added: opened,
        isInverted,
        settled: minedBy(opened.hash),
        depositedUsd: sumUsd(valueUsd(amount0, token0, price0), valueUsd(amount1, token1, price1)),
        predictedFeeApyPct: null,
      },
    ],
  }
}

type Moved = Pick<RebalanceOutcome, 'closed' | 'opened'> & {
  readonly settled: Settled
  /** Of the caller's order, in which `opened` counts. */
  readonly isInverted: boolean
  readonly prices: readonly [UsdPrice | null, UsdPrice | null]
}

type Mined = Pick<Settled, 'main'>

/** Its signal is not the caller's, who may have left. */
export type EpisodeContext = Pick<ReadContext, 'rpc' | 'liquidity' | 'history' | 'signal'>

type Figures = Omit<
  NonNullable<EpisodeContent['outcome']>,
  'txHash' | 'exitedAt' | 'percentage' | 'isClosed' | 'isInRange'
>

function recordOf(chain: Chain, { token0, token1 }: Position['pool'], content: EpisodeContent) {
  return {
    kind: 'episode',
    chainId: chain.id,
    pair: pairKey(chain, [token0, token1]),
    subject: subjectOf(content.version, content.positionId),
    confidence: 1,
    content: JSON.stringify(content),
  } as const
}

function subjectOf(version: string, positionId: string): string {
  return `${version}:${positionId.toLowerCase()}`
}

async function minedAt({ rpc }: Pick<ReadContext, 'rpc'>, chain: Chain, { main }: Mined): Promise<number> {
  const { timestamp } = await rpc.client(chain).getBlock({ blockNumber: main.blockNumber })
  return Number(timestamp)
}

async function positionFigures(
  context: EpisodeContext,
  chain: Chain,
  position: Position,
  { price0, price1 }: Exit,
  now: number,
): Promise<Figures> {
  const events = await context.liquidity.positionEvents(chain, position)
  const [bars, swaps] = await Promise.all([
    barsSince(context, chain, position, events.openedAt, now),
    swapsSince(context, chain, position, events.openedAt, now),
  ])
  const facts = {
    ...events,
    position,
    price0,
    price1,
    pricesThen: new Map(),
    bars: bars?.bars ?? null,
    swaps,
    gasUsd: null,
    now,
  }
  const { hodlUsd, feesUsd, ilUsd, vsHodlPct, timeInRangePct, feeApr } = positionPerformance(facts)
  const heldDays = daysBetween(events.openedAt ?? now, now)
  return { heldDays, hodlUsd, feesUsd, ilUsd, vsHodlPct, timeInRangePct, feeAprPct: feeApr, ...metVolatility(bars) }
}

/** What a share paid out against what one had cost, both at the prices of now. */
async function sharesFigures(
  context: EpisodeContext,
  chain: Chain,
  { pool, shares }: PairShare,
  { got, percentage, price0, price1, entry, exitedAt }: SharesExit,
): Promise<Figures> {
  const worth = (amount0: bigint, amount1: bigint) =>
    sumUsd(valueUsd(amount0, pool.token0, price0), valueUsd(amount1, pool.token1, price1))
  const unknown = { feesUsd: null, ilUsd: null, timeInRangePct: 100, feeAprPct: null }
  if (entry === null) return { ...unknown, ...metVolatility(null), heldDays: 0, hodlUsd: null, vsHodlPct: null }
  const hodlUsd = worth(BigInt(entry.amount0), BigInt(entry.amount1))
  const paidUsd = worth(got.amount0, got.amount1)
  const sharesOut = (Number(shares) * percentage) / 100
  const ofEntry = paidUsd === null || sharesOut === 0 ? null : paidUsd * (Number(entry.liquidity) / sharesOut)
  const vsHodlPct = ofEntry === null || hodlUsd === null || hodlUsd <= 0 ? null : (ofEntry / hodlUsd - 1) * 100
  const met = metVolatility(await barsSince(context, chain, { pool }, entry.openedAt, exitedAt))
  return { ...unknown, heldDays: daysBetween(entry.openedAt, exitedAt), hodlUsd, vsHodlPct, ...met }
}

type SharesExit = Exit & { readonly entry: EpisodeContent['entry']; readonly exitedAt: number }

/** Of the closes of the bars in which somebody traded; nothing below three of them. */
function metVolatility(bars: PoolBars | null): Pick<Figures, 'sigma' | 'returns'> {
  if (bars === null) return { sigma: null, returns: 0 }
  const { closes, traded } = knownCloses(bars)
  const returns = traded.slice(1).filter(Boolean).length - 1
  if (closes.length < 3 || returns < 1) return { sigma: null, returns: 0 }
  return { sigma: realisedSigma(closes, { barSeconds: bars.bars.barSeconds }), returns }
}

function daysBetween(from: number, to: number): number {
  return Math.round((Math.max(0, to - from) / 86_400) * 1e4) / 1e4
}

/**
 * Leaves in the caller's memory, where there is one, which positions a write has left and entered. The funds have moved by then: the answer
 * stands whatever becomes of it, and does not wait long.
 */
export async function remember(
  context: WriteContext,
  chain: Chain,
  { exits = [], entries = [] }: Moves,
): Promise<void> {
  const { memory } = context
  if (memory === null) return
  // The caller's own may end with the answer.
  const reading = { ...context, signal: new AbortController().signal }
  const keeping = async () => {
    for (const exit of exits) await memory.attempt(() => keepOutcome(memory, reading, chain, exit))
    for (const entry of entries) await memory.attempt(() => keepEntry(memory, reading, chain, entry))
  }
  await withinTime(keeping(), context.figuresWithinMs ?? rememberTimeoutMs, undefined)
}

/** What a write has left and entered, by what was mined. */
export type Moves = { readonly exits?: readonly Exit[]; readonly entries?: readonly Entry[] }

const rememberTimeoutMs = 5_000
