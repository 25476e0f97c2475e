import { type Address, type Hex, toFunctionSelector } from 'viem'

/**
 * The calldata of Multicall3's `aggregate3((address target, bool allowFailure, bytes callData)[])` with failures allowed,
 * laid out as the Contract ABI Specification says for an array of dynamic tuples. Every read of a chain goes through
 * it, and the general encoder takes more time for one than the node for its answer. Throws `TypeError` for a target that
 * is no address.
 */
export function encodeAggregate3(calls: readonly { readonly to: Address; readonly data: Hex }[]): Hex {
  const tuples = calls.map(tupleOf)
  let offset = calls.length * 32
  const offsets = tuples.map((tuple) => {
    const at = word(offset)
    offset += tuple.length / 2
    return at
  })
  return `${selector}${word(32)}${word(calls.length)}${offsets.join('')}${tuples.join('')}`
}

const selector = toFunctionSelector('function aggregate3((address,bool,bytes)[])')

function tupleOf({ to, data }: { readonly to: Address; readonly data: Hex }): string {
  if (!/^0x[0-9a-f]{40}$/i.test(to)) throw new TypeError('A read needs the address of a contract.')
  const bytes = data.slice(2)
  const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0')
  return `${to.slice(2).toLowerCase().padStart(64, '0')}${word(1)}${word(96)}${word(bytes.length / 2)}${padded}`
}

function word(value: number): string {
  return value.toString(16).padStart(64, '0')
}
