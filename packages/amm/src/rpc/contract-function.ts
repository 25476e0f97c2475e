import {
  type Abi,
  type AbiStateMutability,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  prepareEncodeFunctionData,
} from 'viem'

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

/** One call of a contract that is to be read: where to, with what, and how to read its answer. */
export type ContractRead<Result> = {
  readonly to: Address
  readonly data: Hex
  /** Throws on bytes that are no such answer. */
  decode(answer: Hex): Result
}

/** Prepares a read of any function of an ABI; functions that are not `view` (quoters) are simulated all the same. */
export function contractRead<
  const TAbi extends Abi,
  TName extends ContractFunctionName<TAbi>,
  const TArgs extends ContractFunctionArgs<TAbi, AbiStateMutability, TName>,
>(
  to: Address,
  abi: TAbi,
  functionName: TName,
  args: TArgs,
): ContractRead<ContractFunctionReturnType<TAbi, AbiStateMutability, TName, TArgs>> {
  return contractFunction(abi, functionName)(to, args)
}
