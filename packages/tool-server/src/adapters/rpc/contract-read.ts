import {
  decodeFunctionResult,
  encodeFunctionData,
  type Abi,
  type AbiStateMutability,
  type Address,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  type DecodeFunctionResultParameters,
  type EncodeFunctionDataParameters,
  type Hex,
} from 'viem'

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
  const call = { abi, functionName, args } as const
  return {
    to,
    data: encodeFunctionData(call as EncodeFunctionDataParameters),
    decode: (data) => decodeFunctionResult({ ...call, data } as DecodeFunctionResultParameters) as never,
  }
}
