import type {
  Abi,
  AbiStateMutability,
  Address,
  ContractFunctionArgs,
  ContractFunctionName,
  ContractFunctionReturnType,
} from 'viem'
import { contractFunction, type ContractRead } from './contract-function.ts'

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
