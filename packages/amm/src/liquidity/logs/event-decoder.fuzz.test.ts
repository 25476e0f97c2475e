import * as fc from 'fast-check'
import {
  formatLog,
  getAbiItem,
  numberToHex,
  parseEventLogs,
  size,
  slice,
  toEventSelector,
  type Hex,
  type Log,
} from 'viem'
import { expect, test } from 'vitest'
import { v2PairAbi } from '../../abis/v2.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import { eventDecoder } from './read-event-logs.ts'

const events = [
  getAbiItem({ abi: v2PairAbi, name: 'Swap' }),
  getAbiItem({ abi: v2PairAbi, name: 'Sync' }),
  getAbiItem({ abi: v3PoolAbi, name: 'Swap' }),
  getAbiItem({ abi: v3PoolAbi, name: 'Initialize' }),
  getAbiItem({ abi: v4PoolManagerAbi, name: 'Swap' }),
] as const

/** A word that a value of a type of fixed size may stand in: as an honest contract writes it, or whatever bits there are. */
function wordOf(type: string, bits: bigint, isDirty: boolean): Hex {
  const [, sign, width = type === 'address' ? '160' : '256'] = /^(u?)int(\d+)$/.exec(type) ?? []
  const value = sign === '' ? BigInt.asIntN(Number(width), bits) : BigInt.asUintN(Number(width), bits)
  return numberToHex(isDirty ? bits : BigInt.asUintN(256, value), { size: 32 })
}

/** Words of any bits, and those about the bounds of every type, of the numbers that a double holds too. */
const words = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  fc
    .tuple(
      fc.constantFrom(0n, 23n, 24n, 53n, 112n, 127n, 128n, 160n, 255n),
      fc.integer({ min: -1, max: 1 }),
      fc.boolean(),
    )
    .map(([power, step, isBelow]) => BigInt.asUintN(256, (isBelow ? -1n : 1n) * 2n ** power + BigInt(step))),
)

/** What is no digit: anywhere, at the end of a word (where a number may be read without it), and where an address has none. */
const blots = fc.record({
  at: fc.oneof(
    fc.nat(500),
    fc.tuple(fc.nat(6), fc.constantFrom(5, 63)).map(([word, place]) => 64 * word + place),
  ),
  by: fc.constantFrom(' ', '_', 'x', 'g', '\n'),
})

const logs = fc
  .record({
    event: fc.constantFrom(...events),
    bits: fc.array(words, { minLength: 8, maxLength: 8 }),
    dirty: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }),
    cut: fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.nat(300)),
    topicsLeft: fc.constantFrom(0, 1, 2, 3, 4, 4, 4, 4),
    isUpper: fc.boolean(),
    blot: fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, blots),
  })
  .map(({ event, bits, dirty, cut, topicsLeft, isUpper, blot }) => {
    const inputs: readonly { readonly name: string; readonly type: string; readonly indexed?: boolean }[] = event.inputs
    const reported = inputs.map((input, index) => ({
      isIndexed: input.indexed === true,
      word: wordOf(input.type, bits[index] ?? 0n, dirty[index] ?? false),
    }))
    const written = reported.flatMap(({ isIndexed, word }) => (isIndexed ? [] : word.slice(2))).join('')
    const cased = isUpper ? written.toUpperCase() : written
    const blotted = blot === null ? cased : cased.slice(0, blot.at) + blot.by + cased.slice(blot.at + 1)
    const data: Hex = `0x${blotted.slice(0, cased.length)}`
    const topics = reported.flatMap(({ isIndexed, word }) => (isIndexed ? [word] : []))
    return formatLog({
      address: '0x00000000000000000000000000000000000000aa',
      blockNumber: '0x7',
      logIndex: '0x0',
      topics: topicsLeft === 0 ? [] : [toEventSelector(event), ...topics.slice(0, topicsLeft - 1)],
      data: cut === undefined ? data : slice(data, 0, Math.min(cut, size(data))),
    })
  })

/** Where viem throws, it is as good as none. */
function ofViem(log: Log): unknown {
  try {
    return parseEventLogs({ abi: events, logs: [log], strict: true })[0] ?? null
  } catch {
    return null
  }
}

test('decodes every log of its events as viem does, and refuses what viem leaves out', () => {
  const decode = eventDecoder(events)
  fc.assert(
    fc.property(logs, (log) => {
      const expected = ofViem(log)
      let reported: unknown = null
      try {
        reported = decode(log)
      } catch {
        // As good as none.
      }
      expect(reported).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})
