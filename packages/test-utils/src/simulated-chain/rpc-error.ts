import type { Hex } from 'viem'

/** An error of JSON-RPC. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: Hex | null

  constructor(code: number, message: string, data: Hex | null = null) {
    super(message)
    this.code = code
    this.data = data
  }
}
