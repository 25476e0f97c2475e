import type { Chain } from '@svc/wallet/core'
import type { Intent, KeptDeposit, Settled, Token, TokenQuantity } from '@svc/amm'
import { movesOf, type Moves } from '../analysis/memory/episodes.ts'
import { sumUsd, valueUsd } from '../analysis/value-usd.ts'
import type { WriteContext } from '../tool-context.ts'
import { addRequestOf, moveRangeOf } from './position-params.ts'
import type { BatchOperation } from './batch-operations.ts'
import { ownedLiquidity, isSecondToken, ownPosition } from './own-position.ts'
import { deadlineOf } from './params.ts'
import { inOrder, priceNotes, tokenAmount } from './results.ts'

/** One operation of a batch, planned, and how its part of what was mined is read. */
export type PlannedOperation = {
  readonly intent: Intent
  readonly notes: readonly string[]
  readonly tokens: readonly Token[]
  readonly decode: (settled: Settled) => Promise<OperationOutcome>
  /** Of what was decoded: the positions that it left and entered. */
  readonly moves?: () => Moves
}

export type OperationOutcome = {
  readonly type: BatchOperation['type']
  /** The position that is there now: of a move the new one. */
  readonly positionId: string
  readonly closedPositionId?: string
} & Moved &
  (
    | { readonly feesUsd: number | null }
    | { readonly receivedUsd: number | null }
    | { readonly depositedUsd: number | null }
  )

/** What the dollars beside it are of: fees, what came home, or what was put in. */
type Moved = {
  readonly token0Symbol: string
  readonly amount0: string
  readonly token1Symbol: string
  readonly amount1: string
}

/** Plans an operation as the tool of its name would. */
export function planOperation(operation: BatchOperation, given: Given): Promise<PlannedOperation> {
  if (operation.type === 'collect') return planCollect(operation, given)
  if (operation.type === 'compound') return planCompound(operation, given)
  if (operation.type === 'remove') return planRemove(operation, given)
  return operation.type === 'add' ? planAdd(operation, given) : planRebalance(operation, given)
}

export type Given = {
  readonly chain: Chain
  readonly context: WriteContext
  /** The deposit it makes, and what it receives at least, in a plan that is carried out. */
  readonly kept: KeptDeposit | undefined
  readonly keptReceipts: readonly TokenQuantity[]
}

type Of<Type extends BatchOperation['type']> = Extract<BatchOperation, { readonly type: Type }>

async function planCollect({ positionId, params }: Of<'collect'>, given: Given): Promise<PlannedOperation> {
  const { chain, context } = given
  const { version } = params
  const position = await ownPosition(chain, { version, positionId }, context)
  const [planned, worth] = await Promise.all([
    context.liquidity.planCollect(chain, position, routing(params, given)),
    worthOf(position.pool.token0, position.pool.token1, given),
  ])
  return {
    intent: planned.intent,
    notes: [...(planned.notes ?? []), ...worth.notes],
    tokens: worth.tokens,
    decode: async (settled) => {
      const { fees0, fees1 } = await planned.decode(settled)
      return { type: 'collect', positionId, ...worth.moved(fees0, fees1), feesUsd: worth.usd(fees0, fees1) }
    },
  }
}

async function planCompound({ positionId, params }: Of<'compound'>, given: Given): Promise<PlannedOperation> {
  const { chain, context, kept } = given
  const { version, swapToRatio } = params
  const position = await ownPosition(chain, { version, positionId }, context)
  const [planned, worth] = await Promise.all([
    context.liquidity.planCompound(chain, position, {
      ...routing(params, given),
      swapToRatio,
      atomicRoute: () => context.atomicRoute(chain),
      slippageBps: params.slippageBps ?? context.defaults.slippageBps,
      kept,
    }),
    worthOf(position.pool.token0, position.pool.token1, given),
  ])
  return {
    intent: planned.intent,
    notes: worth.notes,
    tokens: worth.tokens,
    decode: async (settled) => {
      const { fees0, fees1 } = await planned.decode(settled)
      return { type: 'compound', positionId, ...worth.moved(fees0, fees1), feesUsd: worth.usd(fees0, fees1) }
    },
  }
}

async function planRemove({ positionId, params }: Of<'remove'>, given: Given): Promise<PlannedOperation> {
  const { chain, context, keptReceipts } = given
  const { version, percentage, collectFees } = params
  const position = await ownedLiquidity(chain, { version, positionId }, context)
  const [planned, worth] = await Promise.all([
    context.liquidity.planRemove(chain, position, {
      ...routing(params, given),
      percentage,
      collectFees,
      keptReceipts,
      slippageBps: params.slippageBps ?? context.defaults.slippageBps,
    }),
    worthOf(position.pool.token0, position.pool.token1, given),
  ])
  let moves: Moves = {}
  return {
    intent: planned.intent,
    notes: [...(planned.notes ?? []), ...worth.notes],
    tokens: worth.tokens,
    moves: () => moves,
    decode: async (settled) => {
      const got = await planned.decode(settled)
      const { amount0, amount1, fees0, fees1 } = got
      moves = { exits: [{ position, got, percentage, settled, price0: worth.prices[0], price1: worth.prices[1] }] }
      return {
        type: 'remove',
        positionId: position.positionId,
        ...worth.moved(amount0 + fees0, amount1 + fees1),
        receivedUsd: worth.usd(amount0 + fees0, amount1 + fees1),
      }
    },
  }
}

async function planAdd({ params }: Of<'add'>, given: Given): Promise<PlannedOperation> {
  const { chain, context, kept } = given
  const request = await addRequestOf(params, chain, context, kept)
  const [planned, worth] = await Promise.all([
    context.liquidity.planAdd(chain, { ...request, isPart: true }),
    worthOf(request.token0, request.token1, given),
  ])
  let moves: Moves = {}
  return {
    moves: () => moves,
    intent: params.createPool === true ? { ...planned.intent, allowsUnpricedPool: true } : planned.intent,
    notes: worth.notes,
    tokens: worth.tokens,
    decode: async (settled) => {
      const added = await planned.decode(settled)
      const { positionId, amount0, amount1 } = added
      const moved = worth.moved(amount0, amount1)
      const depositedUsd = worth.usd(amount0, amount1)
      const isInverted = planned.intent.deposits?.[0]?.isInverted ?? false
      const entry = { preview: planned.preview, added, isInverted, settled, depositedUsd, predictedFeeApyPct: null }
      moves = { entries: [entry] }
      return { type: 'add', positionId, ...moved, depositedUsd }
    },
  }
}

async function planRebalance({ positionId, params }: Of<'rebalance'>, given: Given): Promise<PlannedOperation> {
  const { chain, context, kept } = given
  const { version, swapToRatio } = params
  const position = await ownPosition(chain, { version, positionId }, context)
  const first = params.token0 === undefined ? null : await context.tokens.resolve(chain, params.token0, 'token0')
  const inverted = first !== null && isSecondToken(first, position, context.tokens.wrapped(chain))
  const [token0, token1] = inOrder(inverted, position.pool.token0, position.pool.token1)
  const [planned, worth] = await Promise.all([
    context.liquidity.planRebalance(chain, position, {
      ...routing(params, given),
      range: moveRangeOf(params),
      inverted,
      swapToRatio,
      slippageBps: params.slippageBps ?? context.defaults.slippageBps,
      kept,
    }),
    worthOf(token0, token1, given),
  ])
  const prices = inverted ? ([worth.prices[1], worth.prices[0]] as const) : worth.prices
  let moves: Moves = {}
  return {
    intent: planned.intent,
    notes: worth.notes,
    tokens: worth.tokens,
    moves: () => moves,
    decode: async (settled) => {
      const { closed, opened } = await planned.decode(settled)
      const facts = { closed, opened, settled, isInverted: inverted, prices }
      moves = movesOf(position, planned.preview.opened, facts)
      return {
        type: 'rebalance',
        positionId: opened.positionId,
        closedPositionId: positionId,
        ...worth.moved(opened.amount0, opened.amount1),
        depositedUsd: worth.usd(opened.amount0, opened.amount1),
      }
    },
  }
}

function routing({ deadlineSeconds }: { readonly deadlineSeconds?: number | undefined }, { context }: Given) {
  return { deadline: deadlineOf(deadlineSeconds, context), recipient: context.wallet.address }
}

/** What amounts of two tokens come to, and a note where a price is missing. */
async function worthOf(token0: Token, token1: Token, { chain, context }: Given) {
  const [price0, price1] = await Promise.all([context.prices.usd(chain, token0), context.prices.usd(chain, token1)])
  return {
    notes: priceNotes([token0, price0], [token1, price1]),
    moved: (amount0: bigint, amount1: bigint): Moved => ({
      token0Symbol: token0.symbol,
      amount0: tokenAmount(amount0, token0),
      token1Symbol: token1.symbol,
      amount1: tokenAmount(amount1, token1),
    }),
    tokens: [token0, token1],
    prices: [price0, price1] as const,
    usd: (amount0: bigint, amount1: bigint) =>
      sumUsd(valueUsd(amount0, token0, price0), valueUsd(amount1, token1, price1)),
  }
}
