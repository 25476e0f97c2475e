import { hexToString, type Address, type PublicClient } from 'viem'
import type { Token } from '../ports.ts'
import { erc20Abi } from '../abis/erc20.ts'
import { contractRead } from '../rpc/contract-read.ts'
import type { ContractRead } from '../rpc/contract-function.ts'
import { readOne } from '../rpc/read-one.ts'
import { printableText } from './printable-text.ts'

/**
 * A token that no list knows, by its own contract. Each member is read by a call of its own, so that a hostile contract
 * spoils nothing but itself. Symbol and name may be missing or `bytes32`; decimals may be neither missing nor above 77.
 *
 * @returns `null` when no such contract stands at the address.
 * @throws ToolError `RPC_*`
 */
export async function readToken(client: PublicClient, address: Address): Promise<Token | null> {
  const [decimals, symbol, name] = await Promise.all([
    readOne(client, contractRead(address, erc20Abi, 'decimals', [])),
    readOne(client, textRead(contractRead(address, erc20Abi, 'symbol', []))),
    readOne(client, textRead(contractRead(address, erc20Abi, 'name', []))),
  ])
  if (decimals === null || decimals > mostDecimals) return null
  return {
    address,
    symbol: printableText(symbol ?? 'UNKNOWN'),
    name: printableText(name ?? ''),
    decimals,
    isNative: false,
    listed: false,
    usdPegged: false,
  }
}

/** With more, one whole token does not fit into 256 bits. */
const mostDecimals = 77

/** Early tokens answer with `bytes32`, padded with zeros, where the standard says `string`. */
function textRead(read: ContractRead<string>): ContractRead<string> {
  return { ...read, decode: (data) => (data.length === 66 ? hexToString(data, { size: 32 }) : read.decode(data)) }
}
