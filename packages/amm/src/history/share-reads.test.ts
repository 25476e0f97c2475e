import { describe, expect, test } from 'vitest'
import type { HistoryRequest, PoolBars } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import { shareReads } from './create-pool-history.ts'

const bars = {} as PoolBars

const codeOf = (answer: Promise<PoolBars>) =>
  answer.then(
    () => 'answered',
    (error: ToolError) => error.code,
  )

/** A history whose reads end when they are told to, or when nobody waits for them any more. */
function slowHistory() {
  const reads: { readonly signal: AbortSignal; readonly end: (bars: PoolBars) => void }[] = []
  const history = shareReads({
    read: ({ signal }) =>
      new Promise((resolve, reject) => {
        reads.push({ signal: signal!, end: resolve })
        signal!.addEventListener('abort', () => reject(new ToolError('CANCELLED', 'Nobody reads.')))
      }),
  })
  const read = (signal?: AbortSignal) =>
    history.read({
      chain: { id: 1 },
      pool: { id: '0xAb' },
      from: 0,
      to: 7_200,
      barSeconds: 3_600,
      signal,
    } as object as HistoryRequest)
  return { reads, read }
}

describe('a read that several wait for', () => {
  test.each(['first', 'second'])('goes on for those who stay when the %s leaves', async (who) => {
    const { reads, read } = slowHistory()
    const [one, other] = [new AbortController(), new AbortController()]
    const answers = [read(one.signal), read(other.signal)]
    const [leaves, stays] = who === 'first' ? answers : answers.toReversed()
    const refused = codeOf(leaves!)
    ;(who === 'first' ? one : other).abort()
    expect(await refused).toBe('CANCELLED')
    expect([reads.length, reads[0]!.signal.aborted]).toEqual([1, false])
    reads[0]!.end(bars)
    expect(await stays).toBe(bars)
  })

  test('ends when the last has left, and begins anew for who comes then', async () => {
    const { reads, read } = slowHistory()
    const callers = [new AbortController(), new AbortController()]
    const refused = callers.map(({ signal }) => codeOf(read(signal)))
    for (const caller of callers) caller.abort()
    expect(await Promise.all(refused)).toEqual(['CANCELLED', 'CANCELLED'])
    expect(reads[0]!.signal.aborted).toBe(true)
    const later = read()
    reads[1]!.end(bars)
    expect(await later).toBe(bars)
  })

  test('is not ended by who leaves where another cannot', async () => {
    const { reads, read } = slowHistory()
    const caller = new AbortController()
    const stays = read()
    const refused = codeOf(read(caller.signal))
    caller.abort()
    expect(await refused).toBe('CANCELLED')
    expect(reads[0]!.signal.aborted).toBe(false)
    reads[0]!.end(bars)
    expect(await stays).toBe(bars)
  })
})
