import { v3PositionManagerAbi, v4StateViewAbi } from '@svc/amm/abis'
import { chains } from '@svc/wallet/core'
import {
  type Address,
  createPublicClient,
  custom,
  decodeFunctionData,
  encodeFunctionResult,
  type Hex,
  pad,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { mintDeposit } from '../fixtures/deposit.fixture.ts'
import { askFeesAhead, positionKey, type SettledFees, settledFees } from './settled-fees.ts'

const chain = { ...chains.find(({ id }) => id === 1)!, confirmations: 1 }
const wallet: Address = '0x00000000000000000000000000000000000000aa'
const token: Address = '0x00000000000000000000000000000000000000bb'
const [one, other] = ['0x1', '0x2'] as const
const poolId: Hex = `0x${'0b'.repeat(32)}`
const ticks = { tickLower: -600, tickUpper: 600 }
const pool = { id: poolId, token0: one, token1: other }

describe.each(['v3', 'v4'] as const)('settled fees of a %s position', (version) => {
  it('are those of the older block where they are less, as asked ahead at the same block', async () => {
    const world = worldOf(version)
    const ahead = askFeesAhead(world.question, [world.position], 100n)
    expect(await settledFees(world.question, simulated(world, 100n), ahead)).toEqual(feesOf(world, 98n))
    const asked = world.asked.length
    expect(await settledFees(world.question, simulated(world, 100n))).toEqual(feesOf(world, 98n))
    expect(world.asked).toHaveLength(2 * asked)
  })

  it.each([
    ['had another owner there', { ownerAt: (block) => (block > 98n ? wallet : token) }],
    ['had more liquidity there', { keptAt: (block) => ({ liquidity: block > 98n ? 1n : 2n }) }],
  ] as const satisfies readonly (readonly [string, Past])[])('are none where it %s', async (_what, past) => {
    const world = worldOf(version, ticks, past)
    expect(await settledFees(world.question, simulated(world, 100n))).toEqual(new Map())
  })

  it('are no more, of no more liquidity, where somebody added to it since', async () => {
    const world = worldOf(version, ticks, { keptAt: (block) => ({ liquidity: block > 98n ? 3n : 1n }) })
    expect(await settledFees(world.question, simulated(world, 100n))).toEqual(feesOf(world, 98n))
  })

  it('are none of what was collected since, however much came after it', async () => {
    const world = worldOf(version, ticks, { keptAt: (block) => ({ last: block > 98n ? 99n : 0n }) })
    expect(await settledFees(world.question, simulated(world, 200n))).toEqual(feesOf(world, 198n - 99n))
    expect(await settledFees(world.question, simulated(world, 100n))).toEqual(feesOf(world, 0n))
  })

  it('are asked again where the simulation is of another block', async () => {
    const world = worldOf(version)
    const ahead = askFeesAhead(world.question, [world.position], 100n)
    expect(await settledFees(world.question, simulated(world, 101n), ahead)).toEqual(feesOf(world, 99n))
  })
})

it.each([
  ['as it waits still', 0n, 98n],
  ['less what was collected before it', 90n, 8n],
])(
  'what somebody writes down in a v3 position counts as far as the older block brought it, %s',
  async (_what, out, left) => {
    const keptAt = (block: bigint) => (block > 98n ? { last: block, owed: block - out, liquidity: 1n } : {})
    const world = worldOf('v3', ticks, { keptAt })
    expect(await settledFees(world.question, simulated(world, 100n))).toEqual(feesOf(world, left))
  },
)

describe('what an intent declares of the place of a v4 position', () => {
  it('counts for nothing where the simulation shows another: fees of somebody else there are not its own', async () => {
    const world = worldOf('v4', { tickLower: -60, tickUpper: 60 })
    const ahead = askFeesAhead(world.question, [world.position], 100n)
    expect(ahead?.size).toBe(1)
    expect(await settledFees(world.question, simulated(world, 100n), ahead)).toEqual(feesOf(world, 98n))
  })

  it('is not needed: a position of which none is declared is asked after the simulation', async () => {
    const world = worldOf('v4', null)
    const ahead = askFeesAhead(world.question, [world.position], 100n)
    expect([ahead?.size, world.asked]).toEqual([0, []])
    expect(await settledFees(world.question, simulated(world, 100n), ahead)).toEqual(feesOf(world, 98n))
  })
})

it('nobody asks for fees of a call that approves and sends nothing', async () => {
  const world = worldOf('v3')
  const question = { ...world.question, intent: { ...world.question.intent, approvals: [] } }
  expect(askFeesAhead(question, [world.position], 100n)).toBeNull()
  expect([await settledFees(question, simulated(world, 100n)), world.asked]).toEqual([undefined, []])
})

const ownerOf = toFunctionSelector('function ownerOf(uint256)')

/** What was otherwise in some blocks. */
type Past = { readonly ownerAt?: (block: bigint) => Address; readonly keptAt?: (block: bigint) => Partial<Kept> }

/** `last`: the growth at which it was last changed, of a liquidity of 1. */
type Kept = { readonly liquidity: bigint; readonly last: bigint; readonly owed: bigint }

/** Of both tokens as much as the number of the block; at any other place than that of the position a thousand times as much. */
function worldOf(version: 'v3' | 'v4', declared: typeof ticks | null = ticks, past: Past = {}) {
  const asked: bigint[] = []
  const client = createPublicClient({
    transport: custom({
      async request({ params: [{ data }, block] }: { readonly params: readonly [{ readonly data: Hex }, Hex] }) {
        asked.push(BigInt(block))
        if (data.startsWith(ownerOf)) return pad(past.ownerAt?.(BigInt(block)) ?? wallet)
        const found = { liquidity: 1n, last: 0n, owed: 0n, ...past.keptAt?.(BigInt(block)) }
        return version === 'v3' ? collected(data, BigInt(block), found) : kept(data, BigInt(block), found)
      },
    }),
  })
  const contract = chain.amm[version]!.positionManager
  const increase = { ...mintDeposit, version, kind: 'increase', positionId: '7', pool: poolId } as const
  const deposits = declared === null ? [] : [{ ...increase, ...declared }]
  const approvals = [{ token, spender: token, amount: 1n, via: 'erc20', revokeAfter: true }] as const
  const bounds = { liquidity: 1n, most: { amount0: 1n, amount1: 1n }, least: { amount0: 0n, amount1: 0n } }
  const put = { version, contract, positionId: 7n, pool: null, ticks: null, ...bounds }
  return {
    asked,
    position: { contract, id: 7n },
    question: { client, chain, wallet, intent: { approvals, calls: [], deposits }, callBounds: [{ deposits: [put] }] },
  }
}

function simulated({ position }: ReturnType<typeof worldOf>, blockNumber: bigint) {
  const held = { ...position, pool, isHooked: false, ...ticks, liquidityBefore: 1n, liquidityAfter: 2n }
  return { inspected: { positions: [held], pools: [], orders: [], vaultDeposits: [] }, blockNumber }
}

function feesOf({ position }: ReturnType<typeof worldOf>, block: bigint): SettledFees {
  return new Map([[positionKey(position), { fees: [block, block], liquidity: 1n }]])
}

function collected(data: Hex, block: bigint, { liquidity, last, owed }: Kept): Hex {
  const { functionName } = decodeFunctionData({ abi: v3PositionManagerAbi, data })
  if (functionName === 'positions') {
    const grown = last << 128n
    const place = [0n, token, token, token, 500, ticks.tickLower, ticks.tickUpper] as const
    const result = [...place, liquidity, grown, grown, owed, owed] as const
    return encodeFunctionResult({ abi: v3PositionManagerAbi, functionName, result })
  }
  expect(functionName).toBe('collect')
  const fees = owed + block - last
  return encodeFunctionResult({ abi: v3PositionManagerAbi, functionName: 'collect', result: [fees, fees] })
}

function kept(data: Hex, block: bigint, { liquidity, last }: Kept): Hex {
  const { functionName, args } = decodeFunctionData({ abi: v4StateViewAbi, data })
  if (functionName === 'getPositionInfo')
    return encodeFunctionResult({ abi: v4StateViewAbi, functionName, result: [liquidity, last << 128n, last << 128n] })
  expect(functionName).toBe('getFeeGrowthInside')
  const growth = (args?.[1] === ticks.tickLower ? block : block * 1_000n) << 128n
  return encodeFunctionResult({ abi: v4StateViewAbi, functionName: 'getFeeGrowthInside', result: [growth, growth] })
}
