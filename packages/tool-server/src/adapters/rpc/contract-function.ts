import {
  decodeFunctionResult,
  encodeFunctionData,
  prepareEncodeFunctionData,
  type Abi,
  type AbiStateMutability,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  type Hex,
} from 'viem'
import type { ContractRead } from './contract-read.ts'

/**
 * Prepares reads of one function once and for all: its selector is hashed here and not with every read. For functions that are
 * read many times in one call.
 */
export function contractFunction<const TAbi extends Abi, TName extends ContractFunctionName<TAbi>>(
  abi: TAbi,
  functionName: TName,
): ContractFunction<TAbi, TName> {
  const call: { abi: Abi; functionName: string } = { abi, functionName }
  const prepared: { abi: Abi; functionName: Hex } = prepareEncodeFunctionData(call)
  const encode = (args: unknown) => encodeFunctionData({ ...prepared, args: args as readonly unknown[] })
  const decode = (data: Hex): unknown =>
    decodeFunctionResult({ abi: prepared.abi, functionName: call.functionName, data })
  return (to, args) => ({ to, data: encode(args), decode: (data) => decode(data) as never })
}

/** Reads the function at an address. */
export type ContractFunction<TAbi extends Abi, TName extends ContractFunctionName<TAbi>> = <
  const TArgs extends ContractFunctionArgs<TAbi, AbiStateMutability, TName>,
>(
  to: Address,
  args: TArgs,
) => ContractRead<ContractFunctionReturnType<TAbi, AbiStateMutability, TName, TArgs>>
