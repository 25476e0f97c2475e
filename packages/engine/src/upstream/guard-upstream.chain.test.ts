import { useDevnet } from '@svc/devnet/testing'
import {
  type Abi,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbiParameters,
  parseUnits,
} from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { v3PositionManagerAbi, v3SwapRouter02Abi } from '@svc/amm/abis'
import type { Intent, Position, UpstreamTransaction } from '@svc/amm'
import { wethAndUsdc } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { settledOf, testClient } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { guardUpstream, type UpstreamExpectation } from './guard-upstream.ts'
import * as wire from './upstream.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const { stranger, leastOut, amountIn } = wire
let pipeline: Pipeline

beforeEach(async () => {
  pipeline = await open()
})

describe('a transaction that is what was asked for passes and is carried out', () => {
  it.each(['v2', 'v3', 'v4'] as const)('%s: a swap of our own planner', async (version) => {
    for (const symbols of [
      ['USDC', 'WETH'],
      ['USDC', 'ETH'],
    ] as const) {
      const quote = await wire.quoteIn(pipeline, version, symbols)
      const [tokenIn, tokenOut] = await Promise.all(symbols.map((symbol) => wire.tokenOf(pipeline, symbol)))
      const request = { tokenIn: tokenIn!, tokenOut: tokenOut!, slippageBps: 50, recipient: pipeline.wallet }
      const deadline = Number(wire.askedDeadline)
      const { intent } = await pipeline.liquidity.planSwap(pipeline.chain, quote, { ...request, deadline })
      await carriedOut(wire.wired(pipeline, intent), { spends: intent.spends, receives: intent.receives })
    }
  })

  it('universal router: to the wallet, and to itself with a payout behind it', async () => {
    await carriedOut(wire.routed(pipeline, [wire.v3In(pipeline, pipeline.wallet)]))
    const itself = '0x0000000000000000000000000000000000000002'
    const receives = [{ token: wire.native, amount: leastOut }]
    const unwrapped = wire.routed(pipeline, [
      wire.v3In(pipeline, itself),
      wire.pay(0x0c, null, pipeline.wallet, leastOut),
    ])
    await carriedOut(unwrapped, { receives })
    const swept = wire.routed(pipeline, [
      wire.v3In(pipeline, itself, 0n),
      wire.pay(0x04, pipeline.token('WETH'), pipeline.wallet, leastOut),
    ])
    await carriedOut(swept)
    await carriedOut(wire.routed(pipeline, [await wire.v4In(pipeline, pipeline.wallet)]))
  })

  it('universal router: an exact output, to the wallet, and to itself with a payout behind it', async () => {
    await carriedOut(wire.routed(pipeline, [wire.v3Out(pipeline)]))
    const itself = '0x0000000000000000000000000000000000000002'
    const steps = [wire.v3Out(pipeline, { recipient: itself }), wire.pay(0x0c, null, pipeline.wallet, leastOut)]
    await carriedOut(wire.routed(pipeline, steps), { receives: [{ token: wire.native, amount: leastOut }] })
  })

  it('v3: a deposit, more of it, its fees and its end', async () => {
    const pool = { fee: 3000, tickSpacing: null, hooks: null, sqrtPriceX96: null }
    const [weth, usdc] = await Promise.all([wire.tokenOf(pipeline, 'WETH'), wire.tokenOf(pipeline, 'USDC')])
    const common = { slippageBps: 50, deadline: Number(wire.askedDeadline), recipient: pipeline.wallet }
    const added = await pipeline.liquidity.planAdd(pipeline.chain, {
      version: 'v3',
      token0: weth,
      token1: usdc,
      fee: 3000,
      hooks: null,
      amount0: parseUnits('1', 18),
      amount1: null,
      range: { pctEachSide: 15 },
      ...common,
    })
    await carriedOut(wire.wired(pipeline, added.intent), { kind: 'add', ...moves(added.intent), pool })
    const position = await onlyPosition()
    await testClient(pipeline).mine({ blocks: 2 })
    const increased = await pipeline.liquidity.planIncrease(pipeline.chain, position, {
      amount0: parseUnits('0.1', weth.address === position.pool.token0.address ? 18 : 6),
      amount1: null,
      payNative: false,
      ...common,
    })
    const held = askedOf(position, 0n)
    await carriedOut(wire.wired(pipeline, increased.intent), {
      kind: 'increase',
      ...moves(increased.intent),
      position: held,
    })
    const removal = { percentage: 50, collectFees: true, ...common }
    const removed = await pipeline.liquidity.planRemove(pipeline.chain, await onlyPosition(), removal)
    const half = askedOf(position, (await onlyPosition()).liquidity / 2n)
    await carriedOut(wire.wired(pipeline, removed.intent), { kind: 'remove', ...moves(removed.intent), position: half })
  })
})

describe('G6: a transaction with one thing changed is refused, with the reason', () => {
  it.each(mutations())('%s', async (_what, mutate, reason) => {
    const { transaction, expectation } = await mutate()
    expect(() => guardUpstream(transaction, expectation ?? wire.asked(pipeline))).toThrow(
      expect.objectContaining({ code: 'UNSAFE_TRANSACTION', message: expect.stringContaining(reason) }),
    )
  })

  it('there are at least 25 of them', () => {
    expect(mutations().length).toBeGreaterThanOrEqual(25)
  })
})

type Mutation = readonly [what: string, mutate: () => Mutated | Promise<Mutated>, reason: string]
type Mutated = { readonly transaction: UpstreamTransaction; readonly expectation?: UpstreamExpectation }

function mutations(): readonly Mutation[] {
  const swap = (change: Parameters<typeof wire.routerMulticall>[1] = {}, more: readonly Hex[] = []) => ({
    transaction: wire.routerMulticall(pipeline, change, more),
  })
  const honest = () => wire.routerMulticall(pipeline)
  const route = (...steps: Parameters<typeof wire.routed>[1]) => ({ transaction: wire.routed(pipeline, steps) })
  const appended = (functionName: string, args: readonly unknown[]) => swap({}, [hostileCall(functionName, args)])
  const router = () => pipeline.chain.amm.v3!.swapRouter02
  const sweep = () =>
    encodeFunctionData({
      abi: v3SwapRouter02Abi,
      functionName: 'sweepToken',
      args: [pipeline.token('USDC'), 0n, stranger],
    })
  const zeros: Hex = `0x${'00'.repeat(32)}`
  const output = (change: Parameters<typeof wire.v3Out>[1]) => route(wire.v3Out(pipeline, change))
  return [
    ['exact output: more may leave', () => output({ most: amountIn + 1n }), 'takes more than was asked for'],
    ['exact output: less than was asked for', () => output({ amountOut: leastOut - 1n }), 'makes sure of less'],
    ['exact output: the other way round', () => output({ isBack: false }), 'takes more than was asked for'],
    ['exact output: for somebody else', () => output({ recipient: stranger }), 'pays somebody other than the wallet'],
    [
      'exact output: kept in the router',
      () => output({ recipient: '0x0000000000000000000000000000000000000002' }),
      'makes sure of less',
    ],
    [
      'exact output: over a token of its choice between two pairs, which may keep all of it',
      () => route(wire.v2Out(pipeline, [pipeline.token('USDC'), stranger, pipeline.token('WETH')])),
      'makes sure of less',
    ],
    [
      'exact output: along one pair, which gets less of a token that begins to keep a part of its transfers',
      () => route(wire.v2Out(pipeline, [pipeline.token('USDC'), pipeline.token('WETH')])),
      'makes sure of less',
    ],
    [
      'exact output: what it does not need of native currency stays in the router',
      () => {
        const out: Parameters<typeof wire.v3Out>[1] = { payerIsUser: false, isBack: false }
        const wrapped = wire.pay(0x0b, null, '0x0000000000000000000000000000000000000002', amountIn)
        return {
          transaction: wire.routed(pipeline, [wrapped, wire.v3Out(pipeline, out)], amountIn),
          expectation: wire.asked(pipeline, {
            spends: [{ token: wire.native, amount: amountIn }],
            receives: [{ token: pipeline.token('USDC'), amount: leastOut }],
          }),
        }
      },
      'leaves a token in the contract',
    ],
    [
      'exact output: so little room that nobody can mine it',
      () => ({
        ...output({ most: amountIn / 2n }),
        expectation: wire.asked(pipeline, {
          mayLeave: [{ token: pipeline.token('USDC'), amount: amountIn / 2n + 1n }],
        }),
      }),
      'leaves less room',
    ],
    ['recipient of a swap', () => swap({ recipient: stranger }), 'somebody other'],
    ['recipient of a router command', () => route(wire.v3In(pipeline, stranger)), 'somebody other'],
    ['contract', () => ({ transaction: { ...honest(), to: stranger } }), 'not known for this'],
    [
      'contract: the token itself, and a transfer',
      () => {
        const data = encodeFunctionData({ abi: wire.hostileAbi, functionName: 'transfer', args: [stranger, amountIn] })
        return { transaction: wire.sent(pipeline, pipeline.token('USDC'), data) }
      },
      'not known for this',
    ],
    [
      'selector',
      () => ({ transaction: wire.sent(pipeline, router(), concatHex(['0x095ea7b3', zeros, zeros])) }),
      'a function 0x095ea7b3',
    ],
    ['value', () => ({ transaction: { ...honest(), value: '1' } }), 'more native currency'],
    ['value that is no amount', () => ({ transaction: { ...honest(), value: '-1' } }), 'no amount of wei'],
    ['value with more behind it', () => ({ transaction: { ...honest(), value: '0 ether' } }), 'no amount of wei'],
    ['value with more before it', () => ({ transaction: { ...honest(), value: ' 0' } }), 'no amount of wei'],
    ['chain', () => ({ transaction: { ...honest(), chainId: 1 } }), 'another chain'],
    ['sender', () => ({ transaction: { ...honest(), from: stranger } }), 'sent by somebody else'],
    ['empty calldata', () => ({ transaction: { ...honest(), data: '0x' } }), 'no calldata'],
    ['token that is sold', () => swap({ tokenIn: pipeline.token('DAI') }), 'a token that was not asked for'],
    ['token that is bought', () => swap({ tokenOut: pipeline.token('USDT') }), 'a token that was not asked for'],
    ['amount', () => swap({ amountIn: amountIn + 1n }), 'takes more'],
    ['least amount: zero', () => swap({ amountOutMinimum: 0n }), 'makes sure of less'],
    ['least amount: one less', () => swap({ amountOutMinimum: leastOut - 1n }), 'makes sure of less'],
    ['least amount: hardly below what is promised', () => swap({ amountOutMinimum: leastOut * 2n }), 'less room'],
    ['deadline', () => swap({ deadline: 2n ** 64n }), 'too far away'],
    ['deadline: a few seconds away', () => swap({ deadline: wire.askedDeadline - 1_000n }), 'not the one'],
    ['appended: a sweep to a stranger', () => swap({}, [sweep()]), 'somebody other'],
    [
      'appended: the same swap once more',
      () => {
        const { data } = honest()
        const call: Hex = `0x${data.slice(2 + 8 + 64 * 5, 2 + 8 + 64 * 5 + (4 + 32 * 7) * 2)}`
        return swap({}, [call])
      },
      'takes more',
    ],
    ['appended: a permit', () => appended('selfPermit', [stranger, 1n, 1n, 27, zeros, zeros]), 'a function 0xf3995c67'],
    ['appended: an approval', () => appended('approve', [stranger, 1n]), 'a function 0x095ea7b3'],
    [
      'router command: sub-plan',
      () =>
        route(wire.v3In(pipeline, pipeline.wallet), [
          0x21,
          encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), ['0x', []]),
        ]),
      'a router command 0x21',
    ],
    [
      'router command: a share of the payment',
      () => route(wire.v3In(pipeline, pipeline.wallet), wire.pay(0x06, pipeline.token('WETH'), stranger, 100n)),
      'a router command 0x06',
    ],
    [
      'router command: a permit for another spender',
      () => route([0x0a, permitFor(stranger)], wire.v3In(pipeline, pipeline.wallet)),
      'a router command 0x0a',
    ],
    [
      'router command: transfer through Permit2',
      () => route(wire.v3In(pipeline, pipeline.wallet), wire.pay(0x02, pipeline.token('USDC'), stranger, 1n)),
      'PERMIT2_TRANSFER_FROM',
    ],
    ['router command: a call of the v3 position manager', () => route([0x12, sweep()]), 'a router command 0x12'],
    ['router command: a call of the v4 position manager', () => route([0x14, sweep()]), 'a router command 0x14'],
    [
      'router command: one that may fail',
      () => route([0x80, wire.v3In(pipeline, pipeline.wallet)[1]]),
      'a router command 0x80',
    ],
    [
      'router: a sweep to a stranger',
      () => route(wire.v3In(pipeline, pipeline.wallet), wire.pay(0x04, pipeline.token('WETH'), stranger, 0n)),
      'somebody other',
    ],
    [
      'router: unwrapped to a stranger',
      () =>
        route(
          wire.v3In(pipeline, '0x0000000000000000000000000000000000000002'),
          wire.pay(0x0c, null, stranger, leastOut),
        ),
      'somebody other',
    ],
    [
      'router: what is bought stays in it',
      () => ({
        ...route(wire.v3In(pipeline, '0x0000000000000000000000000000000000000002')),
        expectation: wire.asked(pipeline, { receives: [{ token: pipeline.token('WETH'), amount: 0n }] }),
      }),
      'leaves a token in the contract',
    ],
    [
      'router: the least is made sure of where it pays itself',
      () => {
        const itself = '0x0000000000000000000000000000000000000002'
        const kept = wire.pay(0x0c, null, itself, leastOut)
        return route(wire.v3In(pipeline, itself, 0n), kept, wire.pay(0x04, wire.native, pipeline.wallet, 0n))
      },
      'makes sure of less',
    ],
    ['v4: taken to a stranger', async () => route(await wire.v4In(pipeline, stranger)), 'somebody other'],
    [
      'v4: what was bought is sold again, whatever that brings',
      async () => route(await wire.v4InAndBack(pipeline)),
      'trades on what was asked for',
    ],
    [
      'router: execution without a deadline',
      () => {
        const args = ['0x', []] as const
        const data = encodeFunctionData({ abi: wire.hostileAbi, functionName: 'execute', args })
        return { transaction: wire.sent(pipeline, pipeline.chain.amm.universalRouter!.address, data) }
      },
      'a function 0x24856bc3',
    ],
    [
      'bytes behind the arguments',
      () => ({ transaction: { ...honest(), data: `${honest().data}00` } }),
      'not the canonical',
    ],
    [
      'words behind the arguments',
      () => ({ transaction: { ...honest(), data: `${honest().data}${'11'.repeat(32)}` } }),
      'not the canonical',
    ],
    [
      'an offset of its own choice',
      () => ({ transaction: { ...honest(), data: shifted(honest().data) } }),
      'not the canonical',
    ],
    [
      'dirty upper bits of an address',
      () => {
        const plain = pipeline.token('USDC').slice(2).toLowerCase()
        const data = honest()
          .data.toLowerCase()
          .replace(`${'0'.repeat(24)}${plain}`, `${'0'.repeat(23)}1${plain}`)
        return { transaction: { ...honest(), data } }
      },
      'not the canonical',
    ],
    [
      'a swap in place of a deposit',
      () => ({
        transaction: honest(),
        expectation: wire.asked(pipeline, { kind: 'add', receives: [], spends: bothSpent() }),
      }),
      'holds "exactInputSingle"',
    ],
    ['a deposit for a stranger', () => deposit(stranger, 3000), 'somebody other'],
    ['a deposit into another pool', () => deposit(pipeline.wallet, 500), 'another pool'],
    ['a deposit at any price', () => deposit(pipeline.wallet, 3000, 0n), 'without a least amount'],
    ['a removal paid to a stranger', () => removal(7n, 10n, stranger), 'somebody other'],
    ['a removal of more', () => removal(7n, 11n, pipeline.wallet), 'removes more'],
    ['a removal from another position', () => removal(8n, 10n, pipeline.wallet), 'another position'],
    [
      'a removal that gives the position away',
      () => removal(7n, 10n, pipeline.wallet, [hostileCall('safeTransferFrom', [pipeline.wallet, stranger, 7n])]),
      'a function 0x42842e0e',
    ],
    [
      'a removal that gives rights to the position',
      () => removal(7n, 10n, pipeline.wallet, [hostileCall('setApprovalForAll', [stranger, true])]),
      'a function 0xa22cb465',
    ],
  ]
}

function bothSpent(): Intent['spends'] {
  return ['USDC', 'WETH'].map((symbol) => ({ token: pipeline.token(symbol), amount: amountIn }))
}

function deposit(recipient: `0x${string}`, fee: number, least = 1n): Mutated {
  const spends = wethAndUsdc(pipeline).map((token) => ({ token, amount: amountIn }))
  const [spend0, spend1] = spends
  const data = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'mint',
    args: [
      {
        token0: spend0!.token,
        token1: spend1!.token,
        fee,
        tickLower: -887220,
        tickUpper: 887220,
        amount0Desired: spend0!.amount,
        amount1Desired: spend1!.amount,
        amount0Min: least,
        amount1Min: least,
        recipient,
        deadline: wire.askedDeadline,
      },
    ],
  })
  const pool = { fee: 3000, tickSpacing: null, hooks: null, sqrtPriceX96: null }
  const expectation = wire.asked(pipeline, { kind: 'add', spends, receives: [], pool })
  return { transaction: wire.sent(pipeline, pipeline.chain.amm.v3!.positionManager, data), expectation }
}

function removal(id: bigint, liquidity: bigint, recipient: `0x${string}`, more: readonly Hex[] = []): Mutated {
  const [token0, token1] = wethAndUsdc(pipeline)
  const position = { id: 7n, token0, token1, removes: 10n }
  const receives = [token0, token1].map((token) => ({ token, amount: 1n }))
  return {
    transaction: wire.managed(pipeline, [wire.decrease(id, liquidity), wire.collect(id, recipient), ...more]),
    expectation: wire.asked(pipeline, { kind: 'remove', spends: [], receives, position }),
  }
}

function hostileCall(functionName: string, args: readonly unknown[]): Hex {
  const abi: Abi = wire.hostileAbi
  return encodeFunctionData({ abi, functionName, args })
}

function permitFor(spender: `0x${string}`): Hex {
  const permit = parseAbiParameters([
    'Permit permit, bytes signature',
    'struct Permit { Details details; address spender; uint256 sigDeadline; }',
    'struct Details { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
  ])
  const details = { token: pipeline.token('USDC'), amount: amountIn, expiration: 2 ** 40, nonce: 0 }
  return encodeAbiParameters(permit, [{ details, spender, sigDeadline: 2n ** 40n }, '0x'])
}

/** The same arguments with the list one word further back and a word of nothing before it. */
function shifted(data: string): string {
  const [selector, deadline, offset, rest] = [
    data.slice(0, 10),
    data.slice(10, 74),
    data.slice(74, 138),
    data.slice(138),
  ]
  const further = (BigInt(`0x${offset}`) + 32n).toString(16).padStart(64, '0')
  return `${selector}${deadline}${further}${'0'.repeat(64)}${rest}`
}

function moves({ spends, receives, deposits }: Intent): Pick<UpstreamExpectation, 'spends' | 'receives' | 'deposits'> {
  return { spends, receives, deposits }
}

function askedOf({ positionId, pool }: Position, removes: bigint) {
  return { id: BigInt(positionId), token0: pool.token0.address, token1: pool.token1.address, removes }
}

async function onlyPosition(): Promise<Position> {
  const { items } = await pipeline.liquidity.positionsByOwner(pipeline.chain, pipeline.wallet, ['v3'])
  return items[0] as Position
}

async function carriedOut(transaction: UpstreamTransaction, change: Partial<UpstreamExpectation> = {}): Promise<void> {
  const intent = guardUpstream(transaction, wire.asked(pipeline, change))
  settledOf(await pipeline.run(intent))
}
