import type {
  Abi,
  AbiStateMutability,
  Address,
  ContractFunctionArgs,
  ContractFunctionName,
  ContractFunctionReturnType,
  Hex,
} from 'viem'
import { contractFunction } from './contract-function.ts'

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
