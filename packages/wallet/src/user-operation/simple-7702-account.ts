import { encodeFunctionData, parseAbi, type Address, type Hex } from 'viem'

/** Simple7702Account for EntryPoint 0.8, at the address its deployment by CREATE2 gives it on every chain. */
export const simple7702Account: Address = '0xe6Cae83BdE06E4c305530e199D7217f42808555B'

/** Calldata of one call through the account, without value. */
export function encodeExecute({ target, data }: { readonly target: Address; readonly data: Hex }): Hex {
  return encodeFunctionData({ abi, functionName: 'execute', args: [target, 0n, data] })
}

const abi = parseAbi(['function execute(address target, uint256 value, bytes data)'])
