import { chains, findChain } from '@svc/wallet/core'
import {
  encodeAbiParameters,
  encodeFunctionResult,
  getAbiItem,
  type Hex,
  parseAbiParameters,
  slice,
  toFunctionSelector,
} from 'viem'
import { describe, expect, test } from 'vitest'
import type { Pool, ReadPorts } from '../../ports.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { createTickMemory, mostTicks, readTicks } from './read-ticks.ts'

const base = findChain(chains, 'base')!
const results = {
  tickBitmap: encodeFunctionResult({ abi: v3PoolAbi, functionName: 'tickBitmap', result: 2n ** 256n - 1n }),
  ticks: encodeFunctionResult({ abi: v3PoolAbi, functionName: 'ticks', result: [1n, 0n, 0n, 0n, 0n, 0n, 0, true] }),
}
const bitmapSelector = toFunctionSelector(getAbiItem({ abi: v3PoolAbi, name: 'tickBitmap' })).slice(2)
const outcomes = parseAbiParameters('(bool success, bytes returnData)[]')

/** What Multicall3 answers to so many reads of one kind, made once. */
const answers = new Map<string, Hex>()
function answerOf(kind: keyof typeof results, count: number): Hex {
  const one = { success: true, returnData: results[kind] }
  const made = answers.get(kind + count) ?? encodeAbiParameters(outcomes, [Array.from({ length: count }, () => one)])
  answers.set(kind + count, made)
  return made
}

/** The ticks that are told of a pool in which every one is initialised, and of how many was asked. */
async function readFull(tick: number, lower: number, upper: number) {
  let asked = 0
  const request = async ({ params: [{ data }] }: { params: readonly [{ data: Hex }] }) => {
    const count = Number(slice(data, 36, 68))
    const kind = data.includes(bitmapSelector) ? 'tickBitmap' : 'ticks'
    if (kind === 'ticks') asked += count
    return answerOf(kind, count)
  }
  const ports = { rpc: { client: () => ({ request }) } } as object as ReadPorts
  const id = `0x${'3'.repeat(40)}`
  const pool = { version: 'v3', id, tick, tickSpacing: 1, blockNumber: 1n } as object as Pool
  const rows = await readTicks(ports, base, pool, lower, upper)
  return { ticks: rows.map((one) => one.tick), asked }
}

const from = (first: number, count: number) => Array.from({ length: count }, (_, index) => first + index)

test('of more ticks than are read are those nearest to the price, and no other is asked for', async () => {
  expect(await readFull(100, -4_000, 4_000)).toEqual({ ticks: from(-2_400, mostTicks), asked: mostTicks })
})

test('at an edge, and beside the price, they follow each other as well', async () => {
  expect((await readFull(3_900, -2_000, 4_000)).ticks).toEqual(from(-999, mostTicks))
  expect((await readFull(-9_000, -2_000, 4_000)).ticks).toEqual(from(-2_000, mostTicks))
})

test('of fewer all are read', async () => {
  expect(await readFull(0, -300, 300)).toEqual({ ticks: from(-300, 601), asked: 601 })
})

describe('the memory of ticks', () => {
  test('keeps what lies beyond a range that is read anew, and takes over what is found in it', () => {
    const memory = createTickMemory()
    memory.keep('pool', { from: -100, to: 100 }, [-60, 0, 60])
    memory.keep('pool', { from: -10, to: 80 }, [10, 70])
    expect(memory.of('pool')).toEqual([-60, 10, 70])
    expect(memory.of('another')).toEqual([])
  })

  test('forgets the pools that were read first where there are too many ticks', () => {
    const memory = createTickMemory(5)
    for (const pool of ['a', 'b', 'c']) memory.keep(pool, { from: 0, to: 9 }, [1, 2])
    expect(['a', 'b', 'c'].map((pool) => memory.of(pool).length)).toEqual([0, 2, 2])
    memory.keep('b', { from: 0, to: 9 }, [1])
    memory.keep('d', { from: 0, to: 9 }, [1, 2])
    expect(['b', 'c', 'd'].map((pool) => memory.of(pool).length)).toEqual([1, 2, 2])
    memory.keep('e', { from: 0, to: 9 }, [1, 2, 3, 4, 5, 6])
    expect(['d', 'e'].map((pool) => memory.of(pool).length)).toEqual([0, 6])
  })
})
