import type { Devnet } from '@svc/devnet'
import { startTradingApi, type TradingApi, type TradingTrick, tradingTricks } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { erc20Abi, formatUnits } from 'viem'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Answer } from '../answer.fixture.ts'
import { openWorld, type World, type WorldOptions } from '../chain-world.fixture.ts'

/** A world with a trading API beside it, for the tests of a file. */
export function useTradingWorld(devnet: () => Devnet): TradingWorld {
  let trading: OpenTradingWorld
  beforeAll(async () => {
    trading = await openTradingWorld(devnet())
  })
  afterEach(() => trading.closeWorlds())
  afterAll(() => trading.stop())
  return {
    api: () => trading.api(),
    open: (options) => trading.open(options),
    withoutIt: (call) => trading.withoutIt(call),
  }
}

/** The same outside a test. The client of the API pauses for no time at all. */
export async function openTradingWorld(devnet: Devnet): Promise<OpenTradingWorld> {
  const { chain, rpcUrl } = devnet
  const api = await startTradingApi({ chain, rpcUrl, apiKey: 'local-key' })
  const worlds: World[] = []
  return {
    api: () => api,
    async open({ apiKey = api.apiKey, timeoutMs = 60_000, dialect = 'v1', ...options } = {}) {
      const url = dialect === 'v1' ? api.url : api.lpUrl
      const tradingApi = { apiKey: new Secret(apiKey), url, dialect, timeoutMs, sleep: async () => {} }
      const world = await openWorld(devnet, { tradingApi, ...options })
      worlds.push(world)
      return world
    },
    async withoutIt(call) {
      api.setFaults([{ fault: { status: 500 } }])
      const answer = await call()
      api.setFaults([])
      return answer
    },
    async closeWorlds() {
      api.setFaults([])
      await Promise.all(worlds.splice(0).map((world) => world.close()))
    },
    stop: () => api.stop(),
  }
}

type OpenTradingWorld = TradingWorld & {
  /** Closes the worlds that are open, and ends what was wrong with the API. */
  closeWorlds(): Promise<void>
  stop(): Promise<void>
}

export type TradingWorld = {
  api(): TradingApi
  open(options?: TradingWorldOptions): Promise<World>
  /** A call while the API is down, so that its calls are built by us. */
  withoutIt(call: () => Promise<Answer>): Promise<Answer>
}

type TradingWorldOptions = WorldOptions & {
  readonly apiKey?: string
  readonly timeoutMs?: number
  readonly dialect?: Dialect
}

type Dialect = 'v1' | 'lp'

export const built = 'The calls were built by the trading API and checked here.'

export function notesOf(answer: Answer): readonly unknown[] {
  return answer.list('notes').map(({ data }) => data)
}

export type Pair = readonly [version: 'v3' | 'v4', token0: string, token1: string, amount0: string, fee: number]

/** Both orders of the caller, the wrapped native token on either side of the pool, and native currency. */
export const pairs: readonly Pair[] = [
  ['v3', 'WETH', 'USDC', '3', 500],
  ['v3', 'USDC', 'WETH', '9000', 3000],
  ['v3', 'WBTC', 'WETH', '0.1', 500],
  ['v3', 'DAI', 'WETH', '6000', 3000],
  ['v3', 'ETH', 'USDC', '3', 500],
  ['v3', 'USDC', 'ETH', '9000', 3000],
  ['v4', 'WETH', 'USDC', '3', 500],
  ['v4', 'USDC', 'WETH', '9000', 500],
  ['v4', 'ETH', 'USDC', '3', 500],
  ['v4', 'USDC', 'ETH', '9000', 500],
]

export async function openPosition(world: World, [version, token0, token1, amount0, fee]: Pair): Promise<Opened> {
  const range = { rangeStrategy: 'narrow', version, fee }
  const answer = await world.call('add_liquidity', { token0, token1, amount0, ...range })
  const pool = answer.text('pool.poolAddress') as `0x${string}`
  return { answer, positionId: answer.text('positionId'), version, pool }
}

export type Opened = {
  readonly answer: Answer
  readonly positionId: string
  readonly version: Pair[0]
  readonly pool: `0x${string}`
}

/** The life of two equal positions, one by each route: what each step moves is the same to the wei. */
export async function expectEqualLives(
  trading: TradingWorld,
  devnet: Devnet,
  pair: Pair,
  dialect: Dialect = 'v1',
): Promise<void> {
  const world = await trading.open({ dialect })
  const [own, theirs] = [await ourOwn(trading, world, pair), await openPosition(world, pair)]
  expectAlike(own.answer, theirs.answer, ['amount0Deposited', 'amount1Deposited', 'priceLower', 'priceUpper'])
  const [version, token0] = pair
  const more = {
    token0,
    amount0: `${Number(pair[3]) / 7}`.slice(0, 7),
    payNative: version === 'v3' && pair.includes('ETH'),
  }
  const steps: readonly (readonly [string, Readonly<Record<string, unknown>>, readonly string[]])[] = [
    ['collect_fees', {}, ['feesCollected']],
    ['increase_liquidity', more, ['amount0Added', 'amount1Added', 'newTotalAmount0', 'newTotalAmount1']],
    [
      'remove_liquidity',
      { percentage: dialect === 'v1' ? 33.3 : 33, slippageBps: 80 },
      ['amount0Received', 'amount1Received', 'feesCollected'],
    ],
    ['remove_liquidity', { percentage: 100 }, ['amount0Received', 'amount1Received', 'feesCollected']],
  ]
  for (const [tool, args, members] of steps) {
    await devnet.trade(12, 3, [own.pool])
    const call = ({ positionId }: Opened) => world.call(tool, { positionId, version, ...args })
    const byUs = await trading.withoutIt(() => call(own))
    expectAlike(byUs, await call(theirs), members)
    const left = [own, theirs].map(({ positionId }) => world.call('get_position', { positionId, version }))
    const [one, other] = await Promise.all(left)
    expect([tool, other?.text('liquidityRaw')]).toEqual([tool, one?.text('liquidityRaw')])
  }
}

/** Both orders of the caller, and native currency. */
export const sharesOf: readonly Trade[] = [
  ['WETH', 'USDC', '3'],
  ['USDC', 'ETH', '9000'],
  ['ETH', 'USDC', '3'],
]

/** Shares of a pair are bought and given back by each route: what each step moves is the same, but for what the pair rounds in between. */
export async function expectEqualShares(trading: TradingWorld, [token0, token1, amount0]: Trade): Promise<void> {
  const world = await trading.open()
  const deposit = { version: 'v2', token0, token1, amount0 }
  const add = () => world.call('add_liquidity', deposit)
  const [own, theirs] = [await trading.withoutIt(add), await add()]
  expectAlike(own, theirs, ['positionId'])
  for (const member of ['amount0Deposited', 'amount1Deposited']) expectClose(own, theirs, member)
  const positionId = own.text('positionId') as `0x${string}`
  const removal = (percentage: number) => ({ version: 'v2', positionId, percentage, slippageBps: 80 })
  const given = await trading.withoutIt(() => world.call('remove_liquidity', removal(50)))
  const back = await world.call('remove_liquidity', removal(100))
  expectAlike(given, back, [])
  for (const member of ['amount0Received', 'amount1Received']) expectClose(given, back, member)
  const shares = { address: positionId, abi: erc20Abi, functionName: 'balanceOf', args: [world.wallet] } as const
  expect(await world.client.readContract(shares)).toBe(0n)
}

function expectClose(one: Answer, other: Answer, member: string): void {
  expect([member, Number(other.text(member)) / Number(one.text(member))]).toEqual([member, expect.closeTo(1, 9)])
}

async function ourOwn(trading: TradingWorld, world: World, pair: Pair): Promise<Opened> {
  let opened: Opened | undefined
  await trading.withoutIt(async () => {
    opened = await openPosition(world, pair)
    return opened.answer
  })
  return opened!
}

/** Only the second answer is of calls that the API built; what both say of these members is the same. */
export function expectAlike(own: Answer, theirs: Answer, members: readonly string[]): void {
  expect(notesOf(theirs).join(' ')).toContain(built)
  expect(notesOf(own)).not.toContain(built)
  for (const member of members) expect([member, theirs.at(member)]).toEqual([member, own.at(member)])
}

/** What is sold for what: both orders, native currency on either side, in pools of three versions. */
export const trades: readonly Trade[] = [
  ['WETH', 'USDC', '4'],
  ['USDC', 'WETH', '9000'],
  ['ETH', 'USDC', '4'],
  ['USDC', 'ETH', '9000'],
  ['WBTC', 'WETH', '0.2'],
  ['USDC', 'USDT', '5000'],
  ['DAI', 'ETH', '3000'],
]

export type Trade = readonly [tokenIn: string, tokenOut: string, amount: string]

/** A trade by the other route gives no less than the quote of ours, and moves what it says. */
export async function expectNoWorseTrade(trading: TradingWorld, trade: Trade): Promise<Answer> {
  const world = await trading.open()
  const [tokenIn, tokenOut, amount] = trade
  const before = await Promise.all([tokenIn, tokenOut].map((symbol) => world.balance(symbol)))
  const answer = await world.call('execute_swap', { tokenIn, tokenOut, amount })
  const after = await Promise.all([tokenIn, tokenOut].map((symbol) => world.balance(symbol)))
  const gas = await world.gasPaid(answer)
  const [sold, bought] = [tokenIn, tokenOut].map((symbol, side) => {
    const moved = after[side]! - before[side]! + (symbol === 'ETH' ? gas : 0n)
    return formatUnits(moved < 0n ? -moved : moved, decimalsOf(world, symbol))
  })
  expect([answer.text('amountIn'), answer.text('amountOut')]).toEqual([sold, bought])
  expect(sold).toBe(amount)
  expect(Number(bought)).toBeGreaterThanOrEqual(Number(answer.text('quotedAmountOut')))
  return answer
}

/** An exact output by the other route takes no more than the quote of ours, and moves what it says. */
export async function expectNoDearerTrade(trading: TradingWorld, trade: Trade): Promise<Answer> {
  const world = await trading.open()
  const [tokenIn, tokenOut, amount] = trade
  const held = () => Promise.all([tokenIn, tokenOut].map((symbol) => world.balance(symbol)))
  const before = await held()
  const answer = await world.call('execute_swap', { tokenIn, tokenOut, amount, type: 'exact_out' })
  const after = await held()
  const gas = await world.gasPaid(answer)
  const [sold, bought] = [tokenIn, tokenOut].map((symbol, side) => {
    const moved = after[side]! - before[side]! + (symbol === 'ETH' ? gas : 0n)
    return formatUnits(moved < 0n ? -moved : moved, decimalsOf(world, symbol))
  })
  expect([answer.text('amountIn'), answer.text('amountOut'), bought]).toEqual([sold, amount, amount])
  expect(Number(sold)).toBeLessThanOrEqual(Number(answer.text('quotedAmountIn')))
  expect((await world.call('get_agent_balance')).at('allowances')).toEqual([])
  return answer
}

/** What is bought for what: both orders, native currency on either side. */
export const purchases: readonly Trade[] = [
  ['WETH', 'USDC', '2000'],
  ['USDC', 'WETH', '0.7'],
  ['ETH', 'USDC', '2000'],
  ['USDC', 'ETH', '0.7'],
]

function decimalsOf({ devnet }: World, symbol: string): number {
  return devnet.tokens.find((token) => token.symbol === symbol)?.decimals ?? 18
}

/** Every operation that the other route builds, and what it is called with in a world where that can be done. */
export const operations: readonly Operation[] = [
  ...(['v3', 'v4'] as const).flatMap((version): readonly Operation[] => {
    const [token0, token1] = ['WETH', 'USDC']
    const on = (tool: string, args: Readonly<Record<string, unknown>>): Operation => ({
      name: `${version} ${tool}`,
      tool,
      prepare: async (trading, world) => ({ version, ...args, ...(await earning(trading, world, version)) }),
    })
    const deposit = { version, token0, token1, amount0: '3', fee: 500, rangeStrategy: 'narrow' }
    return [
      { name: `${version} add_liquidity`, tool: 'add_liquidity', prepare: async () => deposit },
      on('increase_liquidity', { token0, amount0: '0.5' }),
      on('collect_fees', {}),
      on('remove_liquidity', { percentage: 40 }),
    ]
  }),
  {
    name: 'v2 add_liquidity',
    tool: 'add_liquidity',
    prepare: async () => ({ version: 'v2', token0: 'WETH', token1: 'USDC', amount0: '3' }),
  },
  {
    name: 'v2 remove_liquidity',
    tool: 'remove_liquidity',
    prepare: async (trading, world) => {
      const deposit = { version: 'v2', token0: 'WETH', token1: 'USDC', amount0: '3' }
      const opened = await trading.withoutIt(() => world.call('add_liquidity', deposit))
      return { version: 'v2', positionId: opened.text('positionId'), percentage: 40 }
    },
  },
  {
    name: 'execute_swap',
    tool: 'execute_swap',
    prepare: async () => ({ tokenIn: 'WETH', tokenOut: 'USDC', amount: '0.4' }),
  },
  {
    name: 'execute_swap to an exact output',
    tool: 'execute_swap',
    prepare: async () => ({ tokenIn: 'WETH', tokenOut: 'USDC', amount: '700', type: 'exact_out' }),
  },
  {
    name: 'migrate_position',
    tool: 'migrate_position',
    prepare: async (trading, world) => await earning(trading, world, 'v3'),
  },
  {
    name: 'claim_lp_rewards',
    tool: 'claim_lp_rewards',
    prepare: async (_trading, { wallet: user, devnet }) => {
      await devnet.rewards.add([
        { user, token: 'USDC', amount: '12.5', reason: 'Trading', campaignId: 7n },
        { user, token: 'WETH', amount: '0.02', reason: 'Holding', campaignId: 8n },
      ])
      return { tokens: ['USDC', 'WETH'] }
    },
  },
]

export type Operation = {
  readonly name: string
  readonly tool: string
  readonly prepare: (trading: TradingWorld, world: World) => Promise<Readonly<Record<string, unknown>>>
}

export async function earning(trading: TradingWorld, world: World, version: 'v3' | 'v4') {
  const { positionId, pool } = await ourOwn(trading, world, [version, 'WETH', 'USDC', '3', 500])
  await world.devnet.trade(4, 3, [pool])
  return { positionId }
}

/** What a trading API that wants the money can try with an operation. What claims pay is no matter of slippage: there is no least to lower. */
export function tricksOn({ tool }: Pick<Operation, 'tool'>): readonly TradingTrick[] {
  return promises.has(tool) ? tradingTricks : tradingTricks.filter((trick) => trick !== 'lower-least')
}

/** No transaction that is not what was asked for is signed, and the next honest one is. Says how many were refused. */
export async function expectRefused(
  trading: TradingWorld,
  operation: Operation,
  { tricks = tradingTricks, isFollowed = true }: Tried = {},
): Promise<number> {
  const { name, tool, prepare } = operation
  const world = await trading.open()
  const args = await prepare(trading, world)
  const nonce = await world.client.getTransactionCount({ address: world.wallet })
  const tried = tricksOn(operation).filter((trick) => tricks.includes(trick))
  for (const trick of tried) {
    trading.api().setFaults([{ fault: trick }])
    const { code, message } = await world.refuse(tool, args)
    if (trick === 'stale') expect([name, staleCodes.has(code)]).toEqual([name, true])
    else {
      const [seen, reason] = [[name, trick, code, message], expect.stringMatching(byGuard[trick])]
      expect(seen).toEqual([name, trick, 'UNSAFE_TRANSACTION', reason])
    }
    expect(await world.store.journal.byNonce(world.chain.id, world.wallet, nonce)).toEqual([])
    expect(await world.audited('tx.permit')).toEqual([])
  }
  trading.api().setFaults([])
  if (isFollowed) expect(notesOf(await world.call(tool, args))).toContain(built)
  return tried.length
}

/** Those whose calls promise a least. */
const promises: ReadonlySet<string> = new Set([
  'add_liquidity',
  'increase_liquidity',
  'remove_liquidity',
  'execute_swap',
  'migrate_position',
])

/** All tricks, and an honest call after them, unless said otherwise. */
type Tried = { readonly tricks?: readonly TradingTrick[]; readonly isFollowed?: boolean }

/** In the simulation its time is over or less arrives, a proof of old is none, and of v3 a claim of old pays less than what waits. */
const staleCodes: ReadonlySet<string> = new Set(['SIMULATION_FAILED', 'SIMULATION_DRIFT', 'UNSAFE_TRANSACTION'])

const byGuard: Readonly<Record<Exclude<TradingTrick, 'stale'>, RegExp>> = {
  'wrong-from': /it is sent by somebody else/,
  'foreign-to': /it goes to a contract that is not known for this/,
  'foreign-recipient': /it pays somebody other than the wallet|it changes another position/,
  'extra-approval': /that is not known here|which was not asked for/,
  'inflated-value': /it sends more native currency than was asked for/,
  'other-chain': /it is for another chain/,
  truncated: /that is not known here/,
  'proto-shaped': /that is not known here/,
  'lower-least':
    /it makes sure of less than was asked for|it takes more than was asked for|is not the one that the intent declares/,
}
