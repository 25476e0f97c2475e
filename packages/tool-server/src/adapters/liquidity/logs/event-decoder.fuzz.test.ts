import * as fc from 'fast-check'
import {
  encodeAbiParameters,
  formatLog,
  getAbiItem,
  numberToHex,
  parseEventLogs,
  size,
  slice,
  toEventSelector,
} from 'viem'
import { expect, test } from 'vitest'
import { v2PairAbi } from '../abis/v2-pair.ts'
import { v3PoolAbi } from '../abis/v3-pool.ts'
import { v4PoolManagerAbi } from '../abis/v4-pool-manager.ts'
import { eventDecoder } from './event-decoder.ts'

const events = [
  getAbiItem({ abi: v2PairAbi, name: 'Swap' }),
  getAbiItem({ abi: v2PairAbi, name: 'Sync' }),
  getAbiItem({ abi: v3PoolAbi, name: 'Swap' }),
  getAbiItem({ abi: v3PoolAbi, name: 'Initialize' }),
  getAbiItem({ abi: v4PoolManagerAbi, name: 'Swap' }),
] as const

/** A value of a type of fixed size, from 256 random bits. */
function valueOf(type: string, bits: bigint): unknown {
  if (type === 'address') return numberToHex(BigInt.asUintN(160, bits), { size: 20 })
  if (type === 'bytes32') return numberToHex(bits, { size: 32 })
  const [, sign, width] = /^(u?)int(\d+)$/.exec(type) ?? []
  const value = sign === 'u' ? BigInt.asUintN(Number(width), bits) : BigInt.asIntN(Number(width), bits)
  return Number(width) <= 48 ? Number(value) : value
}

const logs = fc
  .record({
    event: fc.constantFrom(...events),
    bits: fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { minLength: 8, maxLength: 8 }),
    cut: fc.option(fc.nat(300), { nil: undefined, freq: 4 }),
    topicsLeft: fc.constantFrom(0, 1, 2, 3, 4, 4, 4, 4),
  })
  .map(({ event, bits, cut, topicsLeft }) => {
    const inputs: readonly { readonly name: string; readonly type: string; readonly indexed?: boolean }[] = event.inputs
    const args = Object.fromEntries(inputs.map(({ name, type }, index) => [name, valueOf(type, bits[index] ?? 0n)]))
    const plain = inputs.filter(({ indexed }) => indexed !== true)
    const data = encodeAbiParameters(
      plain,
      plain.map(({ name }) => args[name]),
    )
    const indexed = inputs.filter((input) => input.indexed === true)
    const topics = indexed.map(({ name, type }) => encodeAbiParameters([{ type }], [args[name]]))
    return formatLog({
      address: '0x00000000000000000000000000000000000000aa',
      blockNumber: '0x7',
      logIndex: '0x0',
      topics: topicsLeft === 0 ? [] : [toEventSelector(event), ...topics.slice(0, topicsLeft - 1)],
      data: cut === undefined ? data : slice(data, 0, Math.min(cut, size(data))),
    })
  })

test('decodes every log of its events as viem does, and refuses what viem leaves out', () => {
  const decode = eventDecoder(events)
  fc.assert(
    fc.property(logs, (log) => {
      const [expected = null] = parseEventLogs({ abi: events, logs: [log], strict: true })
      let told: unknown = null
      try {
        told = decode(log)
      } catch {
        // As good as none.
      }
      expect(told).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})
