import { useDevnet } from '@svc/devnet/testing'
import { parseUnits, zeroAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { type AddRequest, type Intent, type IntentDeposit, type Position, type Token, ToolError } from '@svc/amm'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { laterDeadline } from '../fixtures/intents.fixture.ts'
import { answering, beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { pushThePrice, settledOf, testClient } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

const stranger = '0x00000000000000000000000000000000DeaDBeef'
const versions = ['v2', 'v3', 'v4'] as const
type Version = (typeof versions)[number]
const orders = [
  ['WETH', 'USDC'],
  ['USDC', 'WETH'],
] as const
const rows = versions.flatMap((version) => orders.map(([one, other]) => [version, one, other] as const))

/** A pipeline that lets a stranger be paid, so that nothing but what is declared of a deposit stands in the way. */
function openLenient(): Promise<Pipeline> {
  const recipients = { [devnet().chain.id]: [stranger as typeof zeroAddress] }
  return open({ policy: { allowlist: { mode: 'lenient' }, approvalThresholdUsd: null, recipients, ...limits } })
}

const limits = { limitsUsd: { perTransaction: '50000', perSession: '100000', daily: '250000' } }

async function requestOf(pipeline: Pipeline, version: Version, pair: readonly [string, string]): Promise<AddRequest> {
  const tokenOf = (symbol: string) => pipeline.tokens.byAddress(pipeline.chain, pipeline.token(symbol))
  const [token0, token1] = await Promise.all([tokenOf(pair[0]), tokenOf(pair[1])])
  return {
    version,
    token0,
    token1,
    fee: version === 'v2' ? null : 500,
    hooks: null,
    amount0: parseUnits(pair[0] === 'WETH' ? '0.1' : '300', token0.decimals),
    amount1: null,
    range: version === 'v2' ? null : { pctEachSide: 15 },
    slippageBps: 50,
    deadline: Number(laterDeadline(0)),
    recipient: pipeline.wallet,
  }
}

async function plan(pipeline: Pipeline, request: AddRequest): Promise<Intent> {
  return (await pipeline.liquidity.planAdd(pipeline.chain, request)).intent
}

async function planned(pipeline: Pipeline, version: Version, pair: readonly [string, string]): Promise<Intent> {
  return plan(pipeline, await requestOf(pipeline, version, pair))
}

type Other = (request: AddRequest) => Partial<AddRequest>

/** The v4 pool of native currency stands beside that of its wrapped form. */
const inNative: Other = ({ token0, token1 }) => {
  const native = (token: Token): Token =>
    token.symbol === 'WETH' ? { ...token, address: zeroAddress, isNative: true } : token
  return { token0: native(token0), token1: native(token1) }
}

function withDeposit(intent: Intent, change: Partial<IntentDeposit>): Intent {
  return { ...intent, deposits: intent.deposits!.map((deposit) => Object.assign({ ...deposit }, change)) }
}

async function refusalOf(pipeline: Pipeline, intent: Intent): Promise<ToolError> {
  const failure: unknown = await pipeline.run(intent).catch((error: unknown) => error)
  if (failure instanceof ToolError) return failure
  throw new Error('it was carried out', { cause: failure })
}

describe.each(rows)('G13: a deposit on %s into %s/%s', (version, ...pair) => {
  it('passes as it was planned, and the simulation shows it', async () => {
    const pipeline = await open()
    settledOf(await pipeline.run(await planned(pipeline, version, pair)))
  })

  it('is refused undeclared, and declared twice', async () => {
    const pipeline = await open()
    const { deposits, ...undeclared } = await planned(pipeline, version, pair)
    await expectRefused(pipeline, undeclared, 'UNSAFE_TRANSACTION')
    await expectRefused(pipeline, { ...undeclared, deposits: [...deposits!, ...deposits!] }, 'UNSAFE_TRANSACTION')
  })

  it.each<readonly [string, Partial<IntentDeposit>, string]>([
    ['pool', { pool: `0x${'12'.repeat(20)}` }, 'pool'],
    ['token', { token1: stranger }, 'token1'],
    ['fee', { fee: 10_000 }, 'fee'],
    ['hook', { hooks: stranger }, 'hooks'],
    ['kind of deposit', { kind: 'increase', positionId: '1' }, 'kind'],
    ['recipient', { recipient: stranger }, 'recipient'],
    ['ticks', { tickLower: -887_220, tickUpper: 887_220 }, 'ticks'],
    ['amount', { amount0: 1n }, 'amounts'],
    ['least liquidity', { minLiquidity: 2n ** 100n }, 'liquidity'],
    ['price, at which it creates the pool', { createsPool: true }, 'price at which the pool is created'],
  ])('is refused where another %s is declared', async (_what, change, differs) => {
    const pipeline = await open()
    const intent = withDeposit(await planned(pipeline, version, pair), change)
    const { code, details } = await refusalOf(pipeline, intent)
    expect(code).toBe('UNSAFE_TRANSACTION')
    expect(details.map(({ message }) => message).join()).toContain(differs)
    await expectRefused(pipeline, intent, 'UNSAFE_TRANSACTION')
  })

  it.each<readonly [string, Other, string]>([
    ['recipient', () => ({ recipient: stranger }), 'recipient'],
    ['amount', ({ amount0 }) => ({ amount0: amount0 / 2n }), 'amounts'],
    ['slippage', () => ({ slippageBps: 900 }), 'that may be taken'],
    ...(version === 'v2' ? [] : ([['range', () => ({ range: { pctEachSide: 10 } }), 'ticks']] as const)),
    ...(version === 'v3' ? ([['pool', () => ({ fee: 3000 }), 'fee']] as const) : []),
    ...(version === 'v4' ? ([['pool', inNative, 'token0']] as const) : []),
  ])('is refused where the calldata has another %s', async (_what, change, differs) => {
    const pipeline = await openLenient()
    const request = await requestOf(pipeline, version, pair)
    const [honest, other] = await Promise.all([
      plan(pipeline, request),
      plan(pipeline, { ...request, ...change(request) }),
    ])
    const intent = { ...other, deposits: honest.deposits, slippageBps: 50 }
    const { code, details } = await refusalOf(pipeline, intent)
    expect(code).toBe('UNSAFE_TRANSACTION')
    expect(details.map(({ message }) => message).join()).toContain(differs)
    await expectRefused(pipeline, intent, 'UNSAFE_TRANSACTION')
  })

  it('is refused where the declared price is not that of the chain', async () => {
    const pipeline = await open()
    const honest = await planned(pipeline, version, pair)
    const [deposit] = honest.deposits!
    const lie = (deposit!.sqrtPriceX96 * 1_006n) / 1_000n
    const { code } = await refusalOf(pipeline, withDeposit(honest, { sqrtPriceX96: lie }))
    expect(code).toBe(version === 'v2' ? 'SIMULATION_DRIFT' : 'UNSAFE_TRANSACTION')
  })
})

/** A pair without a pool of this fee, in any version. */
async function missing(pipeline: Pipeline, version: Version, amount1: string): Promise<AddRequest> {
  const request = await requestOf(pipeline, version, ['DAI', 'USDC'])
  const amounts = { amount0: parseUnits('100', 18), amount1: parseUnits(amount1, 6) }
  return { ...request, ...amounts, fee: version === 'v2' ? null : 10_000 }
}

describe.each(versions)('a pool of %s that is missing', (version) => {
  it('is created where that is declared, at the declared price', async () => {
    const pipeline = await open()
    await devnet().fund(pipeline.wallet, { DAI: '1000' })
    const intent = await plan(pipeline, await missing(pipeline, version, '100'))
    expect(intent.deposits).toMatchObject([{ createsPool: true }])
    settledOf(await pipeline.run(intent))
  })

  it('is not created undeclared, nor at another price', async () => {
    const pipeline = await open()
    await devnet().fund(pipeline.wallet, { DAI: '1000' })
    const [at1, at2] = await Promise.all(
      ['100', '200'].map(async (amount) => plan(pipeline, await missing(pipeline, version, amount))),
    )
    await expectRefused(pipeline, withDeposit(at1!, { createsPool: false }), 'UNSAFE_TRANSACTION')
    await expectRefused(pipeline, { ...at1!, deposits: at2!.deposits }, 'UNSAFE_TRANSACTION')
  })

  it('is not deposited into where somebody creates it first', async () => {
    const pipeline = await open()
    await devnet().fund(pipeline.wallet, { DAI: '1000' })
    const other = await open()
    await devnet().fund(other.wallet, { DAI: '1000' })
    // At a price so close that the contract takes it.
    const [mine, theirs] = [await missing(pipeline, version, '100'), await missing(other, version, '100.1')]
    const [intent, first] = [await plan(pipeline, mine), await plan(other, theirs)]
    settledOf(await other.run(first))
    const { code, message } = await refusalOf(pipeline, intent)
    expect([code, message]).toEqual([
      'SIMULATION_DRIFT',
      'The pool that the call would create has been created meanwhile.',
    ])
    expect(await pipeline.nonce()).toBe(0)
  })
})

describe.each(['v3', 'v4'] as const)('an increase on %s', (version) => {
  /** Positions of the wallet in two ranges. */
  async function withTwo(pipeline: Pipeline): Promise<readonly [Position, Position]> {
    const request = await requestOf(pipeline, version, ['WETH', 'USDC'])
    settledOf(await pipeline.run(await plan(pipeline, request)))
    settledOf(await pipeline.run(await plan(pipeline, { ...request, range: { pctEachSide: 5 } })))
    pipeline.trace.length = 0
    // Only a position that no reorganisation takes back is added to.
    await testClient(pipeline).mine({ blocks: 2 })
    const { items } = await pipeline.liquidity.positionsByOwner(pipeline.chain, pipeline.wallet, [version])
    const width = ({ tickLower, tickUpper }: Position) => tickUpper - tickLower
    const [wide, narrow] = (items as readonly Position[]).toSorted((one, other) => width(other) - width(one))
    return [wide!, narrow!]
  }

  async function increase(pipeline: Pipeline, position: Position): Promise<Intent> {
    const { decimals } = position.pool.token0
    const amount0 = parseUnits(decimals === 6 ? '30' : '0.01', decimals)
    const deadline = Number(laterDeadline(0))
    const terms = { amount0, amount1: null, payNative: false, slippageBps: 50, deadline }
    return (await pipeline.liquidity.planIncrease(pipeline.chain, position, terms)).intent
  }

  it.each(['eth_simulateV1', 'eth_call'])('grows no other position than the declared one, by %s', async (by) => {
    const pipeline = await open()
    const [wide, narrow] = await withTwo(pipeline)
    if (by === 'eth_call')
      pipeline.network.fetch = answering('eth_simulateV1', { code: -32601, message: 'no such method' })
    const [one, other] = await Promise.all([increase(pipeline, wide), increase(pipeline, narrow)])
    await expectRefused(pipeline, { ...one, deposits: other.deposits }, 'UNSAFE_TRANSACTION')
    settledOf(await pipeline.run(one))
  })

  it.each(['eth_simulateV1', 'eth_call'])('is of the pool and range that are declared, as %s shows', async (by) => {
    const pipeline = await open()
    const [wide, narrow] = await withTwo(pipeline)
    if (by === 'eth_call')
      pipeline.network.fetch = answering('eth_simulateV1', { code: -32601, message: 'no such method' })
    const { token0, token1 } = wide.pool
    const pools = await pipeline.liquidity.findPools(pipeline.chain, token0, token1, ['v3'])
    // What the contract would take without a word: the same range of another pool, less than a wider range needs.
    const { tickLower, tickUpper } = wide
    const reported = {
      v3: { ...wide, pool: pools.find(({ fee }) => fee === 3000)! },
      v4: { ...narrow, tickLower, tickUpper },
    }[version]
    const { code, message, details } = await refusalOf(pipeline, await increase(pipeline, reported))
    expect(code).toBe('UNSAFE_TRANSACTION')
    expect(message).toBe('The position is not of the pool and range that the call declares.')
    expect(details).toMatchObject([{ message: version === 'v3' ? 'Differs: fee.' : 'Differs: ticks.' }])
    expect(pipeline.trace).not.toContain('journal recordSigned')
  })
})

describe('a price that moves on', () => {
  /** Beside the price the contract takes one token, at whatever price. */
  async function besidePrice(pipeline: Pipeline): Promise<Intent> {
    const request = await requestOf(pipeline, 'v3', ['WETH', 'USDC'])
    return plan(pipeline, { ...request, range: { priceLower: 6_000, priceUpper: 9_000 }, amount1: 0n })
  }

  it('beyond the slippage between plan and simulation is refused, also where the contract would not mind', async () => {
    const pipeline = await open()
    const intent = await besidePrice(pipeline)
    await pushThePrice(pipeline)
    const { code, details } = await refusalOf(pipeline, intent)
    expect(code).toBe('SIMULATION_DRIFT')
    expect(details).toMatchObject([{ planned: expect.any(String), now: expect.any(String), slippageBps: 50 }])
    expect(await pipeline.nonce()).toBe(0)
  })

  it('beyond the slippage before the last signature is refused', async () => {
    const pipeline = await open()
    const intent = await besidePrice(pipeline)
    beforeSending(pipeline, 1, async () => {
      await pushThePrice(pipeline)
      await testClient(pipeline).mine({ blocks: 3 })
    })
    expect((await refusalOf(pipeline, intent)).code).toBe('SIMULATION_DRIFT')
    expect(await pipeline.balance('WETH')).toBe(parseUnits('5', 18))
    expect(await pipeline.allowance('WETH', pipeline.chain.amm.v3!.positionManager)).toBe(0n)
  })
})

it('both tokens of a pool are held against a strict list, although one alone is put in', async () => {
  const pipeline = await open({ policy: { allowlist: { mode: 'strict' }, approvalThresholdUsd: null } })
  const request = await requestOf(pipeline, 'v3', ['USDC', 'HOSTILE'])
  const [pool] = await pipeline.liquidity.findPools(pipeline.chain, request.token0, request.token1, ['v3'])
  const price = pool!.token0.symbol === 'USDC' ? 1.0001 ** pool!.tick : 1.0001 ** -pool!.tick
  const whole = price * 10 ** (request.token0.decimals - request.token1.decimals)
  const range = { priceLower: whole * 1.5, priceUpper: whole * 3 }
  const intent = await plan(pipeline, { ...request, fee: 10_000, amount0: parseUnits('10', 6), amount1: 0n, range })
  expect(intent.spends).toHaveLength(1)
  await expectRefused(pipeline, intent, 'TOKEN_NOT_ALLOWLISTED')
})
