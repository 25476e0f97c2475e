import type { Devnet } from '@svc/devnet'
import { createRandom } from '@svc/lp-math'
import { parseUnits } from 'viem'
import { testClient } from '../../fair-value/attack-kit.fixture.ts'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, ownPolicy, type World } from '../chain-world.fixture.ts'
import {
  type Amounts,
  decimalsOf,
  gasBetween,
  type Held,
  minus,
  plus,
  readState,
  type State,
  symbols,
} from './sequence-state.fixture.ts'

/**
 * Plays random operations on liquidity in a world of its own, with trades of others between, and ends by taking everything out. After
 * each, what the wallet has with its positions is what it had, to the rounding of pools, or within fees and slippage where something
 * was swapped; the ledger and the answer say what moved wei for wei; no allowance stands; no contract on the way keeps anything.
 * Throws, naming seed and operation, where that is not so.
 */
export async function playSequence(devnet: Devnet, { seed, length }: Sequence): Promise<Played> {
  const world = await openWorld(devnet, {
    policy: { ...ownPolicy(devnet), limitsUsd: wide, maxDailyLossUsd: '100000' },
  })
  const play: Play = { world, random: draw(seed), positions: [], outcomes: [] }
  try {
    let state = await readState(world, play.positions)
    const start = state
    for (let index = 0; index < length; index += 1) {
      if (play.random.chance(0.6)) state = await tradeOfOthers(play)
      state = await step(play, chooseOperation(play), state)
    }
    for (const { version, positionId } of play.positions.toReversed()) {
      state = await step(play, { tool: 'remove_liquidity', args: { version, positionId, slippageBps: 300 } }, state)
    }
    const left = play.positions.length
    if (left > 0) throw new Error(`seed ${seed}: ${left} positions could not be taken out`)
    return { seed, outcomes: play.outcomes, gainedUsd: worthUsd(minus(state.all, start.all)) }
  } catch (error) {
    throw new Error(`seed ${seed}, after ${play.outcomes.length} operations`, { cause: error })
  } finally {
    await world.close()
  }
}

export type Sequence = { readonly seed: number; readonly length: number }

export type Played = {
  readonly seed: number
  readonly outcomes: readonly Outcome[]
  /** Of wallet and positions over all, with gas, fees earned and the market of others. */
  readonly gainedUsd: number
}

export type Outcome = {
  readonly operation: Operation
  /** `null` when it was carried out. */
  readonly refusal: string | null
  /** What was not there any more, in the smallest unit of the token that lost most of it; of operations without a swap. */
  readonly lostUnits: bigint
  /** What was lost to fees and slippage of what was swapped or might be, from 0 to 1. */
  readonly lostShare: number
}

type Operation = { readonly tool: string; readonly args: Readonly<Record<string, unknown>> }

type Play = {
  readonly world: World
  readonly random: Draw
  readonly positions: Held[]
  readonly outcomes: Outcome[]
}

const wide = { perTransaction: '1000000', perSession: '10000000', daily: '10000000' }

const pools = [
  { version: 'v2', token0: 'WETH', token1: 'USDC' },
  { version: 'v3', token0: 'WETH', token1: 'USDC', fee: 500 },
  { version: 'v3', token0: 'DAI', token1: 'WETH', fee: 3000 },
  { version: 'v3', token0: 'USDC', token1: 'USDT', fee: 100 },
  { version: 'v4', token0: 'WETH', token1: 'USDC', fee: 500 },
  { version: 'v4', token0: 'ETH', token1: 'USDC', fee: 500 },
  { version: 'v4', token0: 'USDT', token1: 'USDC', fee: 100 },
] as const

const mostPositions = 4

function chooseOperation({ random, positions }: Play): Operation {
  const ranged = positions.filter(({ version }) => version !== 'v2')
  const position = random.pick(random.chance(0.8) && ranged.length > 0 ? ranged : positions)
  const range = { rangeStrategy: random.pick(['narrow', 'medium', 'wide'])! }
  const slack = { slippageBps: 100 }
  if (position === undefined || (positions.length < mostPositions && random.chance(0.15))) {
    const pool = random.pick(pools)!
    return {
      tool: 'add_liquidity',
      args: { ...pool, ...slack, amount0: random.amount(pool.token0), ...(pool.version !== 'v2' && range) },
    }
  }
  const { version, positionId, token0, token1 } = position
  const on = { version, positionId, ...slack }
  const swapToRatio = random.chance(0.5)
  const choices: readonly Operation[] = [
    { tool: 'execute_swap', args: { ...trade(random), ...slack } },
    { tool: 'remove_liquidity', args: { ...on, percentage: random.pick([10, 33.3, 50, 100])! } },
    ...(version === 'v2'
      ? []
      : [
          { tool: 'collect_fees', args: { version, positionId } },
          {
            tool: 'increase_liquidity',
            args: { ...on, token0, amount0: random.amount(token0), amount1: random.amount(token1) },
          },
          { tool: 'rebalance_position', args: { ...on, ...range, swapToRatio } },
          { tool: 'compound_fees', args: { ...on, swapToRatio } },
        ]),
  ]
  return random.pick(choices)!
}

function trade(random: Draw): Readonly<Record<string, string>> {
  const tokenIn = random.pick(symbols)!
  const tokenOut = random.pick(symbols.filter((symbol) => (isEther(symbol) ? !isEther(tokenIn) : symbol !== tokenIn)))!
  return { tokenIn, tokenOut, amount: random.amount(tokenIn) }
}

function isEther(symbol: string): boolean {
  return symbol === 'ETH' || symbol === 'WETH'
}

async function tradeOfOthers({ world, random, positions }: Play): Promise<State> {
  const through = [...new Set(positions.filter(({ version }) => version !== 'v2').map(({ pool }) => pool))]
  await world.devnet.trade(3, `${random.uniform()}`, ...(through.length > 0 ? [through] : []))
  return readState(world, positions)
}

/** One operation, and whether all holds after it. */
async function step(play: Play, operation: Operation, before: State): Promise<State> {
  const { world, positions, outcomes } = play
  const { tool, args } = operation
  let answer: Answer | null = null
  let refusal: string | null = null
  const result = await attempt(world, operation)
  if (typeof result === 'string') refusal = result
  else answer = result
  if (answer !== null) follow(positions, operation, answer)
  const after = await readState(world, positions)
  const gas = await gasBetween(world, before, after)
  const gained = plus(minus(after.all, before.all), new Map([['ETH', gas]]))
  const says = `${tool} ${JSON.stringify(args)}: ${refusal ?? JSON.stringify(answer?.data)}`
  if (after.allowances.length > 0) throw new Error(`allowances stand after ${says}: ${after.allowances.join(', ')}`)
  const dust = [before, after].map((state) => state.dust.join(' '))
  if (dust[0] !== dust[1]) throw new Error(`contracts held ${dust.join(', then ')} after ${says}`)
  holdLedger(minus(after.wallet, before.wallet), minus(after.ledger, before.ledger), { gas, says })
  const swappedUsd = answer === null ? 0 : swappedIn(operation, answer)
  const lost = lostOf(operation, gained, swappedUsd, says)
  outcomes.push({ operation, refusal, ...lost })
  return after
}

/** A position that has just come is added to once the blocks have passed that its refusal asks for. */
async function attempt(world: World, operation: Operation): Promise<Answer | string> {
  const { tool, args } = operation
  try {
    return await world.call(tool, args)
  } catch (error) {
    const [, code] = /"code":"(\w+)","message"/.exec(error instanceof Error ? error.message : '') ?? []
    if (code === 'POSITION_TOO_NEW') {
      await testClient(world.devnet).mine({ blocks: 2 })
      return attempt(world, operation)
    }
    if (code === undefined || !mayRefuse.has(code)) throw new Error(JSON.stringify({ tool, args }), { cause: error })
    return code
  }
}

/** What random operations come to that cannot be. */
const mayRefuse: ReadonlySet<string> = new Set(['NOTHING_TO_COLLECT', 'AMOUNT_TOO_SMALL'])

/** Keeps the list of positions by what was done. */
function follow(positions: Held[], { tool, args }: Operation, answer: Answer): void {
  const at = positions.findIndex(({ positionId }) => positionId === args['positionId'])
  if (tool === 'add_liquidity') {
    const { token0, token1 } = pools.find((pool) => pool.version === args['version'] && pool.token0 === args['token0'])!
    const pool = answer.text('pool.poolAddress') as `0x${string}`
    const opened = { positionId: answer.text('positionId'), pool, token0, token1 }
    const known = positions.some(({ positionId }) => positionId === opened.positionId)
    if (!known) positions.push({ version: args['version'] as Held['version'], ...opened })
  }
  if (tool === 'remove_liquidity' && (args['percentage'] ?? 100) === 100) positions.splice(at, 1)
  if (tool === 'rebalance_position') {
    positions.splice(at, 1, { ...positions[at]!, positionId: answer.text('newPosition.positionId') })
  }
}

/** The ledger counts exactly what left on balance, and gas, which nothing that came makes up for. */
function holdLedger(
  moved: Amounts,
  counted: Amounts,
  { gas, says }: { readonly gas: bigint; readonly says: string },
): void {
  for (const symbol of symbols) {
    const burnt = symbol === 'ETH' ? gas : 0n
    const change = (moved.get(symbol) ?? 0n) + burnt
    const left = (change < 0n ? -change : 0n) + burnt
    const own = counted.get(symbol) ?? 0n
    if (left !== own) throw new Error(`${left} ${symbol} left, the ledger counts ${own}, after ${says}`)
  }
}

/** What an operation traded, or at most, in dollars; 0 of one without a trade. */
function swappedIn({ tool, args }: Operation, answer: Answer): number {
  if (tool === 'execute_swap') return answer.number('amountInUsd')
  if (tool === 'compound_fees' && answer.at('reinvested.swapExecuted') === true) {
    return answer.number('feesCollected.totalUsd')
  }
  if (tool !== 'rebalance_position' || args['swapToRatio'] !== true) return 0
  return worthUsd(
    new Map(
      (['0', '1'] as const).map((side) => {
        const symbol = answer.text(`token${side}Symbol`)
        return [symbol, parseUnits(answer.text(`closedPosition.amount${side}Received`), decimalsOf(symbol))]
      }),
    ),
  )
}

/** Throws where more is gone than rounding, fees and slippage take. */
function lostOf(operation: Operation, gained: Amounts, swappedUsd: number, says: string): Lost {
  if (swappedUsd > 0) {
    const lostUsd = -worthUsd(gained)
    const most = swappedUsd * mostLost + dustUsd
    if (Math.abs(lostUsd) > most) throw new Error(`${lostUsd} of ${swappedUsd} USD is gone after ${says}`)
    return { lostUnits: 0n, lostShare: Math.max(0, lostUsd - dustUsd) / swappedUsd }
  }
  let lostUnits = 0n
  for (const [symbol, change] of gained) {
    const size = change < 0n ? -change : change
    if (size > rounding(symbol, operation)) throw new Error(`${change} ${symbol} on balance after ${says}`)
    if (size > lostUnits) lostUnits = size
  }
  return { lostUnits, lostShare: 0 }
}

type Lost = Pick<Outcome, 'lostUnits' | 'lostShare'>

/** A fee of at most 1 %, a slippage of as much, and what the price of a pool lies beside the market's. */
const mostLost = 0.025

/** Ten of the smallest units of a dollar, by which trades of next to nothing are rounded. */
const dustUsd = 0.00001

/** A unit of a position and one of what waits in it; of ether on v2 what the smallest unit of a dollar is worth, which shares are cut to. */
function rounding(symbol: string, { args }: Operation): bigint {
  return args['version'] === 'v2' && isEther(symbol) ? 10n ** 9n : 2n
}

function worthUsd(amounts: Amounts): number {
  return [...amounts].reduce(
    (sum, [symbol, amount]) => sum + (Number(amount) / 10 ** decimalsOf(symbol)) * (isEther(symbol) ? 3_000 : 1),
    0,
  )
}

type Draw = {
  uniform(): number
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T | undefined
  /** In whole tokens: some tens to some thousands of dollars. */
  amount(symbol: string): string
}

function draw(seed: number): Draw {
  const random = createRandom(seed)
  const uniform = () => random.uniform()
  return {
    uniform,
    chance: (share) => uniform() < share,
    pick: (list) => list[Math.floor(uniform() * list.length)],
    amount: (symbol) => {
      const usd = 30 * 100 ** uniform()
      return (usd / (isEther(symbol) ? 3_000 : 1)).toFixed(6)
    },
  }
}
