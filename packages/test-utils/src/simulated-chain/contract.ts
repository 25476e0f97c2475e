import { encodeErrorResult, parseAbi, type Address, type Hex } from 'viem'

/** A contract of the simulated chain. Nothing changes before `commit`. Throws `Revert`. */
export type SimulatedContract = {
  readonly address: Address
  readonly run: (call: ContractCall) => ContractAnswer
}

export type ContractCall = { readonly from: Address; readonly data: Hex }

export type ContractAnswer = {
  readonly output: Hex
  readonly logs: readonly ContractLog[]
  readonly commit: () => void
}

export type ContractLog = { readonly topics: readonly Hex[]; readonly data: Hex }

/** The contract refuses the call; `data` is what it gives back. */
export class Revert extends Error {
  override readonly name = 'Revert'
  readonly data: Hex

  constructor(data: Hex) {
    super('execution reverted')
    this.data = data
  }
}

/** The revert of a `require` with a sentence. */
export function refusal(reason: string): Revert {
  return new Revert(encodeErrorResult({ abi: reasons, errorName: 'Error', args: [reason] }))
}

/** The answer of a call that only reads. */
export function view(output: Hex): ContractAnswer {
  return { output, logs: [], commit: () => {} }
}

const reasons = parseAbi(['error Error(string reason)'])
