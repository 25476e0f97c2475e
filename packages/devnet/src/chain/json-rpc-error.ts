import type { Hex } from 'viem'

/** An error as a JSON-RPC endpoint answers it. */
export class JsonRpcError extends Error {
  readonly code: number
  readonly data: Hex | undefined

  constructor(code: number, message: string, data?: Hex) {
    super(message)
    this.name = 'JsonRpcError'
    this.code = code
    this.data = data
  }
}
