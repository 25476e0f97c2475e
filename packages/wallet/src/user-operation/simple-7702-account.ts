import { encodeFunctionData, parseAbi, type Address, type Hex } from 'viem'
import type { OperationCall } from './open-operation.ts'

/** Simple7702Account for EntryPoint 0.8, at the address its deployment by CREATE2 gives it on every chain. */
export const simple7702Account: Address = '0xe6Cae83BdE06E4c305530e199D7217f42808555B'

/** EntryPoint 0.8, at the same address on every chain. */
export const entryPoint: Address = '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108'

/** Calldata of calls through the account. Several happen in order, and all of them or none. */
export function encodeCalls(calls: readonly OperationCall[]): Hex {
  const all = calls.map(({ target, valueWei = 0n, data }) => ({ target, value: valueWei, data }))
  const [first] = all
  if (first === undefined) throw new TypeError('There is no call to encode.')
  if (all.length > 1) return encodeFunctionData({ abi, functionName: 'executeBatch', args: [all] })
  return encodeFunctionData({ abi, functionName: 'execute', args: [first.target, first.value, first.data] })
}

const abi = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function execute(address target, uint256 value, bytes data)',
  'function executeBatch(Call[] calls)',
])
