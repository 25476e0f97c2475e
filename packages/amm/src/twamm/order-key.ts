import { type Address, encodeAbiParameters, type Hex, keccak256 } from 'viem'

/** What identifies an order within its pool. */
export type OrderKey = {
  readonly owner: Address
  /** Unix seconds. */
  readonly expiration: bigint
  readonly zeroForOne: boolean
}

/** keccak256 of the key's ABI encoding: unique within a pool, as long as the order stands. */
export function orderIdOf({ owner, expiration, zeroForOne }: OrderKey): Hex {
  return keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'uint160' }, { type: 'bool' }], [owner, expiration, zeroForOne]),
  )
}
