import * as fc from 'fast-check'
import { type AbiParameter, decodeAbiParameters, encodeAbiParameters, type Hex } from 'viem'
import { expect, it } from 'vitest'
import { contractFunction } from './contract-function.ts'

const contract = '0x00000000000000000000000000000000000000aa'
const types = [
  'uint256',
  'uint128',
  'uint32',
  'uint24',
  'uint8',
  'int256',
  'int56',
  'int24',
  'uint160[]',
  'int56[]',
  'int24[]',
  'bool',
]

const output = fc.constantFrom(...types).chain((type) => {
  const [, unsigned, digits] = /^(u?)int(\d+)/.exec(type) ?? []
  const bits = BigInt(digits ?? 0) - (unsigned === '' ? 1n : 0n)
  const integer = fc
    .bigInt({ min: unsigned === '' ? -(2n ** bits) : 0n, max: 2n ** bits - 1n })
    .map((value) => (Number(digits) > 48 ? value : Number(value)))
  return fc.record({
    parameter: fc.constant<AbiParameter>({ type, name: 'x' }),
    value: type === 'bool' ? fc.boolean() : type.endsWith('[]') ? fc.array(integer, { maxLength: 5 }) : integer,
  })
})
const outputs = fc.array(output, { minLength: 1, maxLength: 4 })

function read(parameters: readonly AbiParameter[]) {
  const item = { type: 'function', name: 'f', inputs: [], outputs: parameters, stateMutability: 'view' } as const
  return contractFunction([item], 'f')(contract, [])
}

/** What a read gives of bytes, and what the general decoder does; `throws` where it throws. */
function both(parameters: readonly AbiParameter[], data: Hex): readonly [unknown, unknown] {
  const outcome = (decode: () => unknown): unknown => {
    try {
      return decode()
    } catch {
      return 'throws'
    }
  }
  return [
    outcome(() => read(parameters).decode(data)),
    outcome(() => {
      const values = decodeAbiParameters(parameters, data)
      return values.length === 1 ? values[0] : values
    }),
  ]
}

it('reads integers and lists of them as the general decoder does', () => {
  fc.assert(
    fc.property(outputs, (drawn) => {
      const parameters = drawn.map(({ parameter }) => parameter)
      const values = drawn.map(({ value }) => value)
      const data = encodeAbiParameters(parameters, values)
      const [own, general] = both(parameters, data)
      expect(own).toEqual(general)
      expect(own).toEqual(values.length === 1 ? values[0] : values)
    }),
  )
})

it('reads bytes that are laid out otherwise, cut off or no answer at all as the general decoder does', () => {
  fc.assert(
    fc.property(outputs, fc.nat(), fc.nat({ max: 255 }), fc.nat({ max: 70 }), (drawn, place, byte, cut) => {
      const parameters = drawn.map(({ parameter }) => parameter)
      const bytes = Buffer.from(
        encodeAbiParameters(
          parameters,
          drawn.map(({ value }) => value),
        ).slice(2),
        'hex',
      )
      bytes[place % bytes.length] = byte
      for (const text of [bytes, bytes.subarray(0, Math.max(0, bytes.length - cut)), Buffer.concat([bytes, bytes])]) {
        const [own, general] = both(parameters, `0x${text.toString('hex')}`)
        expect(own).toEqual(general)
      }
    }),
    { numRuns: 300 },
  )
})
