import * as fc from 'fast-check'
import { type AbiParameter, encodeFunctionData, getAddress, type Hex } from 'viem'
import { expect, it } from 'vitest'
import { contractFunction } from './contract-function.ts'

const contract = '0x00000000000000000000000000000000000000aa'
const hexOf = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const bytesOf = (length: number) => fc.uint8Array({ minLength: length, maxLength: length }).map(hexOf)
const types = ['address', 'bytes32', 'uint256', 'uint128', 'uint24', 'int256', 'int24', 'uint32[]', 'int24[]', 'bool']

/** Of each type what it takes and, now and then, what it does not. */
const input = fc.constantFrom(...types).chain((type) => {
  const integer = fc.oneof(fc.bigInt({ min: -(2n ** 257n), max: 2n ** 257n }), fc.integer(), fc.nat({ max: 4_000 }))
  const address = bytesOf(20).chain((raw) => fc.constantFrom<unknown>(raw, getAddress(raw), swapped(getAddress(raw))))
  const fitting: fc.Arbitrary<unknown> =
    type === 'address'
      ? address
      : type === 'bytes32'
        ? bytesOf(32)
        : type === 'bool'
          ? fc.boolean()
          : type.endsWith('[]')
            ? fc.array(fc.nat({ max: 4_000 }), { maxLength: 5 })
            : integer
  const value = fc.oneof(
    { weight: 9, arbitrary: fitting },
    { weight: 1, arbitrary: fc.constantFrom('0x12', null, 1.5) },
  )
  return fc.record({ parameter: fc.constant<AbiParameter>({ type, name: 'x' }), value })
})

/** A character of the other case: the checksum no longer holds. */
function swapped(address: string): string {
  return address.replace(/[a-f]/i, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}

function outcome(encode: () => Hex): unknown {
  try {
    return encode()
  } catch (error) {
    return error instanceof Error ? error.name : error
  }
}

it('writes what the general encoder writes, and refuses what that refuses', () => {
  fc.assert(
    fc.property(fc.array(input, { maxLength: 4 }), fc.nat({ max: 20 }), (drawn, extra) => {
      const inputs = drawn.map(({ parameter }) => parameter)
      const values = drawn.map(({ value }) => value)
      const args = extra === 0 ? [...values, 1n] : values
      const abi = [{ type: 'function', name: 'f', inputs, outputs: [], stateMutability: 'view' }] as const
      const general = outcome(() => encodeFunctionData({ abi, functionName: 'f', args }))
      expect(outcome(() => contractFunction(abi, 'f')(contract, args as never).data)).toEqual(general)
    }),
    { numRuns: 1_000 },
  )
})
