import { expect, test } from 'vitest'
import { ToolError } from '../../tool-error.ts'
import type { LogSpans } from '../../ports.ts'
import { createLogSpans } from '../../rpc/endpoint-ring.ts'
import { scanLogs, scanRareLogs } from './scan-logs.ts'

type Options = {
  widestBlocks?: number
  maxRequests?: number
  oldest?: bigint
  learnt?: { name: string; spans: LogSpans }
}

/** Scans numbered blocks, each its own log, at an endpoint that takes ranges up to `limit`; gives back the widths that were asked for. */
async function scan(limit: number, options: Options = {}, code: 'RPC_REFUSED' | 'RPC_TIMEOUT' = 'RPC_REFUSED') {
  const widths: number[] = []
  const outcome = await scanLogs({
    async read(from, to) {
      const width = Number(to - from) + 1
      widths.push(width)
      if (width > limit) throw new ToolError(code, 'Too wide.')
      return Array.from({ length: width }, (_, index) => from + BigInt(index))
    },
    newest: 9_999n,
    oldest: 0n,
    spanBlocks: 10,
    maxRequests: 64,
    isEnough: () => false,
    ...options,
  })
  const { logs, scannedFrom } = outcome
  expect(logs).toEqual(Array.from({ length: 10_000 - Number(scannedFrom) }, (_, index) => scannedFrom + BigInt(index)))
  return { widths, scannedFrom: Number(scannedFrom) }
}

test('ranges get wider where the endpoint takes them, up to the widest, and nothing is read twice or left out', async () => {
  const { widths, scannedFrom } = await scan(Infinity, { widestBlocks: 40 })
  expect([Math.max(...widths), widths.slice(0, 9)]).toEqual([40, [...Array(8).fill(10), 20]])
  expect(scannedFrom).toBe(10_000 - 8 * 10 - 9 * 20 - 47 * 40)
  expect((await scan(Infinity, { widestBlocks: 10_000 })).scannedFrom).toBe(0)
})

test('a caller who has left is the last to be read for', async () => {
  const caller = new AbortController()
  const asked: bigint[] = []
  const scanning = scanLogs({
    async read(from) {
      asked.push(from)
      caller.abort()
      return []
    },
    newest: 9_999n,
    oldest: 0n,
    spanBlocks: 10,
    maxRequests: 64,
    signal: caller.signal,
    isEnough: () => false,
  })
  await expect(scanning).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(asked.length).toBe(8)
})

test('one wider range that is refused is the last to be tried, and costs one request', async () => {
  const { widths, scannedFrom } = await scan(10, { widestBlocks: 640 })
  expect([widths.length, widths.filter((width) => width > 10)]).toEqual([64, [20]])
  expect(scannedFrom).toBe(10_000 - 63 * 10)
})

test('narrower ones are read where the first are refused, and get no wider again', async () => {
  const { widths } = await scan(5, { widestBlocks: 640 })
  expect(Math.max(...widths.slice(8))).toBe(5)
})

test('without leave ranges stay as they are', async () => {
  expect(new Set((await scan(Infinity)).widths)).toEqual(new Set([10]))
})

test('ranges that are full of logs get no wider', async () => {
  const widths: number[] = []
  const read = async (from: bigint, to: bigint) => {
    const width = Number(to - from) + 1
    widths.push(width)
    return Array<bigint>(width * 1_000).fill(from)
  }
  const most = { spanBlocks: 1, widestBlocks: 64, maxRequests: 64, isEnough: () => false }
  await scanLogs({ ...most, read, newest: 99n, oldest: 0n })
  expect(Math.max(...widths)).toBe(4)
})

test('the next scan for the same begins as wide as the last ended, and tries no wider one until half an hour is over', async () => {
  const clock = { now: 0 }
  const spans = createLogSpans(() => clock.now)
  const options = { widestBlocks: 640, learnt: { name: 'a pool', spans } }
  const widths = async (limit: number) => (await scan(limit, options)).widths
  expect((await widths(40)).slice(0, 9)).toEqual([...Array(8).fill(10), 20])
  expect(new Set(await widths(40))).toEqual(new Set([40]))
  clock.now += 30 * 60_000 - 1
  expect(new Set(await widths(640))).toEqual(new Set([40]))
  clock.now += 1
  expect((await widths(640)).slice(0, 9)).toEqual([...Array(8).fill(40), 80])
  expect((await widths(Infinity))[0]).toBe(640)
  // What takes fewer now is narrowed as ever.
  expect((await widths(80)).filter((width) => width > 80).length).toBeLessThan(25)
})

test('what was never scanned for begins with the narrowest range that another was pushed to, and may get wider', async () => {
  const spans = createLogSpans(() => 0)
  await scan(5, { learnt: { name: 'a pool', spans } })
  const { widths } = await scan(Infinity, { widestBlocks: 640, learnt: { name: 'another', spans } })
  expect(widths.slice(0, 9)).toEqual([...Array(8).fill(5), 10])
  expect((await scan(5, { learnt: { name: 'a pool', spans } })).widths[0]).toBe(5)
})

test('an endpoint that is slow for once is not taken for one that refuses', async () => {
  const spans = createLogSpans(() => 0)
  const learnt = { name: 'a pool', spans }
  await scan(5, { learnt }, 'RPC_TIMEOUT')
  expect((await scan(Infinity, { learnt })).widths[0]).toBe(10)
})

test('the whole past of rare logs is asked for once in half an hour where it is refused, by what is scanned for', async () => {
  const clock = { now: 0 }
  const spans = createLogSpans(() => clock.now)
  const asked: number[] = []
  const scanned = async (name: string, { code = 'RPC_REFUSED', newest = 9_999n } = {}) => {
    asked.length = 0
    const read = async (from: bigint, to: bigint) => {
      asked.push(Number(to - from) + 1)
      if (to - from >= 1_000n) throw new ToolError(code as 'RPC_REFUSED', 'Too wide.')
      return [from]
    }
    const most = { spanBlocks: 1_000, maxRequests: 40, isEnough: () => false }
    const { logs } = await scanRareLogs({ ...most, read, newest, oldest: 0n, learnt: { name, spans } })
    return [logs.length, asked[0]]
  }
  expect([await scanned('mints'), await scanned('mints')]).toEqual([
    [10, 10_000],
    [10, 1_000],
  ])
  // The chain goes on, and a shorter one of another kind is another question.
  expect(await scanned('mints', { newest: 10_999n })).toEqual([11, 1_000])
  expect(await scanned('mints', { newest: 4_999n })).toEqual([5, 5_000])
  expect(await scanned('owners')).toEqual([10, 10_000])
  clock.now += 30 * 60_000
  expect(await scanned('mints')).toEqual([10, 10_000])
  // One that is slow for once is asked again.
  expect([await scanned('pools', { code: 'RPC_TIMEOUT' }), await scanned('pools')]).toEqual([
    [10, 10_000],
    [10, 10_000],
  ])
})
