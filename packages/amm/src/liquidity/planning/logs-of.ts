import { isAddressEqual, type Address, type Log } from 'viem'
import type { Settled } from '../../intent.ts'

/** The logs that one contract left in the transaction that carries the result. */
export function logsOf(settled: Settled, emitter: Address): Log[] {
  return settled.main.logs.filter((log) => isAddressEqual(log.address, emitter))
}
