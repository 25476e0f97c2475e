import { expect, test } from 'vitest'
import type { HistoryRequest, PoolBars } from '../ports.ts'
import type { ToolError } from '../tool-error.ts'
import { takeTurns, type TurnOptions } from './take-turns.ts'

/** A history whose reads end one by one when they are told to, and whom they were for. */
function slowHistory(options?: TurnOptions, underway?: number) {
  const begun: (string | undefined)[] = []
  const ends: (() => void)[] = []
  const history = takeTurns(
    {
      isUnderway: ({ from }) => from === underway,
      read: ({ principalId }) => {
        begun.push(principalId)
        return new Promise<PoolBars>((resolve) => ends.push(() => resolve({} as PoolBars)))
      },
    },
    options,
  )
  const read = (principalId: string, signal?: AbortSignal, from = 0) =>
    history.read({ principalId, signal, from } as object as HistoryRequest).then(
      () => 'read',
      (error: ToolError) => error.code,
    )
  return { begun, ends, read }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('a few reads go on at once, and those who wait take turns by principal', async () => {
  const { begun, ends, read } = slowHistory({ atOnce: 2 })
  const answers = ['a', 'a', 'a', 'a', 'a', 'b'].map((who) => read(who))
  await settled()
  expect(begun).toEqual(['a', 'a'])
  for (let ended = 0; ended < answers.length; ended += 1) {
    ends[ended]!()
    await settled()
  }
  expect(begun).toEqual(['a', 'a', 'a', 'b', 'a', 'a'])
  expect(await Promise.all(answers)).toEqual(answers.map(() => 'read'))
})

test('when too many wait, who has most waiting is refused', async () => {
  const { begun, read } = slowHistory({ atOnce: 1, maxWaiting: 3 })
  const many = Array.from({ length: 5 }, () => read('a'))
  void read('b')
  expect(await many[4]).toBe('SERVER_BUSY')
  expect(await many[3]).toBe('SERVER_BUSY')
  await settled()
  expect(begun).toEqual(['a'])
})

test('who asks for what is being read already joins, and takes nobody’s place', async () => {
  const { begun, ends, read } = slowHistory({ atOnce: 1 }, 7)
  void read('a')
  const joined = read('b', undefined, 7)
  await settled()
  expect(begun).toEqual(['a', 'b'])
  void read('c')
  ends[1]!()
  expect(await joined).toBe('read')
  await settled()
  expect(begun).toEqual(['a', 'b'])
})

test('who leaves gives up his place, in the line or at the head of it', async () => {
  const { begun, ends, read } = slowHistory({ atOnce: 1 })
  const [waits, called] = [new AbortController(), new AbortController()]
  void read('a')
  const left = [read('a', waits.signal), read('a', called.signal)]
  const stays = read('b')
  waits.abort()
  await settled()
  ends[0]!()
  await settled()
  // Whoever is called in the moment in which he leaves.
  called.abort()
  ends[1]!()
  await settled()
  expect(await left[0]).toBe('CANCELLED')
  expect(begun.filter((who) => who === 'b')).toHaveLength(1)
  for (const end of ends) end()
  expect(await stays).toBe('read')
})
