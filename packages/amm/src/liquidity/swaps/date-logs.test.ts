import { describe, expect, it } from 'vitest'
import { dateLogs } from './block-at.ts'

describe('dateLogs', () => {
  it('keeps the times that logs bring along and reads nothing', async () => {
    const logs = [{ blockNumber: 1n, timestamp: 10, name: 'a' }]
    await expect(dateLogs(unreadable, logs, [])).resolves.toEqual(logs)
    await expect(dateLogs(unreadable, [], [])).resolves.toEqual([])
  })

  it('asks for the blocks of the others, each once', async () => {
    const reads: bigint[] = []
    const logs = [1n, 1n, 5n].map((blockNumber) => ({ blockNumber, timestamp: unknown }))
    const dated = await dateLogs(clock(reads), logs, [])
    expect(dated.map(({ timestamp }) => timestamp)).toEqual([timeOf(1n), timeOf(1n), timeOf(5n)])
    expect(reads).toEqual([1n, 5n])
  })

  it('takes time to run evenly between samples when there are many blocks', async () => {
    const reads: bigint[] = []
    const logs = Array.from({ length: 5_000 }, (_, index) => ({ blockNumber: BigInt(index * 3), timestamp: unknown }))
    const dated = await dateLogs(clock(reads), logs, [])
    expect(reads.length).toBeLessThanOrEqual(151)
    expect(dated.every(({ blockNumber, timestamp }) => Math.abs(timestamp - timeOf(blockNumber)) <= 1)).toBe(true)
    expect(dated.at(-1)!.timestamp).toBe(timeOf(14_997n))
  })
})

const unknown: number | null = null

function timeOf(block: bigint): number {
  return 1_700_000_000 + Number(block) * 12
}

function clock(reads: bigint[]) {
  return async (number: bigint) => {
    reads.push(number)
    return { number, timestamp: timeOf(number) }
  }
}

function unreadable(): never {
  throw new Error('nothing should be read')
}
