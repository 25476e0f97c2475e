import { BaseError, hexToString, type Address, type PublicClient } from 'viem'
import type { Token } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'
import { erc20Abi } from '../liquidity/abis/erc20.ts'
import { contractRead, type ContractRead } from '../rpc/contract-read.ts'
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
    answerOf(client, contractRead(address, erc20Abi, 'decimals', [])),
    answerOf(client, textRead(contractRead(address, erc20Abi, 'symbol', []))),
    answerOf(client, textRead(contractRead(address, erc20Abi, 'name', []))),
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

/** A revert or a misshapen answer is `null`; a failing endpoint is not. */
async function answerOf<Result>(client: PublicClient, read: ContractRead<Result>): Promise<Result | null> {
  try {
    const { data } = await client.call({ to: read.to, data: read.data })
    return data === undefined ? null : read.decode(data)
  } catch (error) {
    if (error instanceof ToolError) throw error
    if (error instanceof BaseError) return null
    throw error
  }
}

/** Early tokens answer with `bytes32`, padded with zeros, where the standard says `string`. */
function textRead(read: ContractRead<string>): ContractRead<string> {
  return { ...read, decode: (data) => (data.length === 66 ? hexToString(data, { size: 32 }) : read.decode(data)) }
}
