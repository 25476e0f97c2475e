import { nothingToCollect } from '@svc/amm/liquidity'
import { isAddressEqual } from 'viem'
import { type Position, type Token, tokenLabel, ToolError, type UsdPrice } from '@svc/amm'
import { valueUsd } from '../analysis/value-usd.ts'
import type { WriteContext } from '../tool-context.ts'
import type { HarvestBook, HarvestRequest } from './harvest-book.ts'

/** At most so many positions are collected in one call: as many fit into one transaction with room to spare. */
export const mostPositions = 50

/** The positions whose fees are worth collecting, most first. */
export type Due = {
  readonly due: readonly Position[]
  /** Positions that wait for less than is worth it. */
  readonly skipped: number
  readonly notes: readonly string[]
}

/**
 * Finds the open positions of the owner whose fees are worth at least `minHarvestUsd`, at most fifty, dearest first. What has no price counts
 * as nothing: nobody's worthless token makes a position worth its gas. What the book has collected already is left out, and so is what a
 * plan that is carried out does not collect.
 *
 * @throws ToolError `NO_POSITIONS`, `DUST_FILTER_ALL_SKIPPED`, `NOTHING_TO_COLLECT`, `POSITION_NOT_FOUND` for an id that the owner does not hold, `RPC_*`
 */
export async function findDue(request: HarvestRequest, context: WriteContext, book: HarvestBook): Promise<Due> {
  const { chain, minHarvestUsd } = request
  const { positions, notes } = await (request.positionIds === null
    ? allPositions(request, context)
    : namedPositions(request, request.positionIds, context))
  const done = new Set(book.collected.map(({ position }) => keyOf(position)))
  const open = positions.filter((position) => !done.has(keyOf(position)) && !isEmpty(position))
  if (open.length === 0 && done.size === 0) {
    const [closed] = request.positionIds === null ? [] : positions
    if (closed !== undefined) throw nothingToCollect(closed)
    const message = `${request.owner} holds no open v3 or v4 position on ${chain.name}.`
    throw new ToolError('NO_POSITIONS', [message, ...notes].join(' '))
  }
  const valued = await withFees(open, request, context)
  const worthIt = valued
    .filter(({ feesUsd, hasFees }) => hasFees && feesUsd >= minHarvestUsd)
    .toSorted((a, b) => b.feesUsd - a.feesUsd)
  const isPlanned = plannedIn(context)
  const due = worthIt.filter(isPlanned)
  const skipped = valued.length - due.length
  if (due.length === 0 && done.size === 0) throw nothingDue(request, valued.filter(isPlanned), notes)
  const later = due.length - mostPositions
  return {
    due: due.slice(0, mostPositions).map(({ position }) => position),
    skipped,
    notes: [
      ...notes,
      ...(later > 0
        ? [`${later} more positions wait; a call takes ${mostPositions}, those with the most fees first.`]
        : []),
      ...skippedNotes(valued, minHarvestUsd),
      ...laterNotes(worthIt.filter((one) => !isPlanned(one))),
      ...unpricedNotes(valued),
    ],
  }
}

/** Whether the plan that is carried out collects a position; without one, and in one of an earlier version, which names none, all are. */
function plannedIn({ keptParts }: Pick<WriteContext, 'keptParts'>): (valued: Valued) => boolean {
  const planned = new Set(keptParts()?.flatMap(({ collects = [] }) => collects))
  return ({ position }) => planned.size === 0 || planned.has(keyOf(position))
}

/** What was closed before earns nothing and is owed nothing: it is no position that could be harvested. */
function isEmpty({ liquidity, fees0, fees1 }: Position): boolean {
  return liquidity === 0n && fees0 === 0n && fees1 === 0n
}

/** Ids of v3 and v4 are counted apart. */
export function keyOf({ version, positionId }: Pick<Position, 'version' | 'positionId'>): string {
  return `${version} ${positionId}`
}

async function allPositions(
  { chain, owner }: HarvestRequest,
  { liquidity }: WriteContext,
): Promise<{ readonly positions: readonly Position[]; readonly notes: readonly string[] }> {
  const { items, complete } = await liquidity.positionsByOwner(chain, owner, ['v3', 'v4'])
  const positions = items.flatMap((item) => (item.version === 'v2' ? [] : [item]))
  return {
    positions,
    notes: complete
      ? []
      : [
          'Older positions than those found may be missing; name them in positionIds, as the answers that opened them did.',
        ],
  }
}

/** An id stands for what the owner holds under it in v3 and in v4. */
async function namedPositions(
  { chain, owner }: HarvestRequest,
  positionIds: readonly string[],
  { liquidity }: WriteContext,
): Promise<{ readonly positions: readonly Position[]; readonly notes: readonly string[] }> {
  const versions = (['v3', 'v4'] as const).filter((version) => chain.amm[version] !== undefined)
  const read = async (version: 'v3' | 'v4', id: string): Promise<readonly Position[]> => {
    try {
      const position = await liquidity.position(chain, version, id)
      return isAddressEqual(position.owner, owner) ? [position] : []
    } catch (error) {
      if (error instanceof ToolError && error.code === 'POSITION_NOT_FOUND') return []
      throw error
    }
  }
  const found = await Promise.all(
    positionIds.map(async (id) => (await Promise.all(versions.map((version) => read(version, id)))).flat()),
  )
  const missing = positionIds.filter((_, index) => found[index]?.length === 0)
  if (missing.length > 0) {
    throw new ToolError('POSITION_NOT_FOUND', `${owner} holds no position with the ids that details name.`, {
      details: missing.map((positionId) => ({ field: 'positionIds', message: 'not held', positionId })),
    })
  }
  return { positions: found.flat(), notes: [] }
}

type Valued = {
  readonly position: Position
  readonly hasFees: boolean
  /** Of what has a price. */
  readonly feesUsd: number
  readonly unpriced: readonly Token[]
}

async function withFees(
  positions: readonly Position[],
  { chain }: HarvestRequest,
  { prices }: WriteContext,
): Promise<readonly Valued[]> {
  const earning = positions.filter(({ fees0, fees1 }) => fees0 > 0n || fees1 > 0n)
  const tokens = new Map(
    earning.flatMap(({ pool }) => [pool.token0, pool.token1]).map((token) => [token.address, token]),
  )
  const priced = new Map<string, UsdPrice | null>(
    await Promise.all([...tokens].map(async ([address, token]) => [address, await prices.usd(chain, token)] as const)),
  )
  return positions.map((position) => {
    const { pool, fees0, fees1 } = position
    const sides = [
      { token: pool.token0, amount: fees0 },
      { token: pool.token1, amount: fees1 },
    ].filter(({ amount }) => amount > 0n)
    const values = sides.map(({ token, amount }) => valueUsd(amount, token, priced.get(token.address) ?? null))
    const unpriced = sides.flatMap(({ token }, side) => (values[side] === null ? [token] : []))
    return {
      position,
      hasFees: sides.length > 0,
      feesUsd: values.reduce<number>((sum, usd) => sum + (usd ?? 0), 0),
      unpriced,
    }
  })
}

function named(some: readonly Valued[]): string {
  return some.map(({ position }) => keyOf(position)).join(', ')
}

/** What became worth collecting since a plan was made is not in it. */
function laterNotes(later: readonly Valued[]): readonly string[] {
  return later.length === 0
    ? []
    : [`Not in the plan, and left out: fees that wait by now in ${named(later)}. A new call collects them.`]
}

/** Why positions are left out: nothing waits in them, or less than is asked for. */
function skippedNotes(valued: readonly Valued[], minHarvestUsd: number): readonly string[] {
  const idle = valued.filter(({ hasFees }) => !hasFees)
  const small = valued.filter(({ hasFees, feesUsd }) => hasFees && feesUsd < minHarvestUsd)
  return [
    ...(idle.length === 0 ? [] : [`Skipped, as no fees wait: ${named(idle)}.`]),
    ...(small.length === 0 ? [] : [`Skipped, as less than ${minHarvestUsd} USD waits: ${named(small)}.`]),
  ]
}

function unpricedNotes(valued: readonly Valued[]): readonly string[] {
  const tokens = new Map(valued.flatMap(({ unpriced }) => unpriced).map((token) => [token.address, token]))
  return [...tokens.values()].map(
    (token) => `No trustworthy USD price for ${tokenLabel(token)}: it counts as nothing against minHarvestUsd.`,
  )
}

/** Where nothing at all waits, no `minHarvestUsd` helps: 0 filters nothing out, and so it is no filter that stands in the way. */
function nothingDue({ minHarvestUsd }: HarvestRequest, valued: readonly Valued[], notes: readonly string[]): ToolError {
  const [{ length: count }, waits] = [valued, valued.some(({ hasFees }) => hasFees)]
  const all = count === 1 ? 'The open position' : `Each of the ${count} open positions`
  const wait =
    'Calling again changes nothing until trades have paid some: get_positions_by_owner shows what waits. claim_lp_rewards claims rewards alone.'
  if (minHarvestUsd === 0) {
    return new ToolError('NOTHING_TO_COLLECT', [`${all} has no fees that wait.`, ...notes].join(' '), {
      suggestion: wait,
    })
  }
  // Rounded down, so that it lets through what waits.
  const most = Math.floor(Math.max(0, ...valued.map(({ feesUsd }) => feesUsd)) * 1e6) / 1e6
  const message = `${all} waits for less than ${minHarvestUsd} USD in fees; the most is ${usdText(most)} USD.`
  const accepted = `at most ${usdText(most)}`
  return new ToolError('DUST_FILTER_ALL_SKIPPED', [message, ...notes].join(' '), {
    details: [
      { field: 'minHarvestUsd', message: 'above what waits', ...(waits ? { accepted } : {}), positions: count },
    ],
    ...(waits ? {} : { suggestion: `No fees wait, so a smaller minHarvestUsd changes nothing. ${wait}` }),
  })
}

/** A plain decimal, without an exponent. */
function usdText(usd: number): string {
  return usd === 0 ? '0' : usd.toFixed(6).replace(/0+$/, '')
}
