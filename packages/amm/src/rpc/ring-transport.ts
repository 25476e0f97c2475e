import { BaseError, type EIP1193RequestFn, type Transport } from 'viem'
import { ToolError } from '../tool-error.ts'
import type { EndpointRing } from './endpoint-ring.ts'
import { isTransaction, type RpcRequest } from './json-rpc-endpoint.ts'
import { requireResult } from './require-result.ts'

/** A viem transport over a way to ask a ring of endpoints. A `ToolError` travels as the cause of a viem error, for viem wraps what it catches. */
export function ringTransport(askRing: EndpointRing['ask']): Transport<'ring'> {
  const ask: RpcRequest = async (args, options) => {
    try {
      return await askRing(args.method, (request) => answerOf(request, args, options), rawOf(args))
    } catch (error) {
      if (error instanceof ToolError) throw new BaseError('The chain could not be read.', { cause: error })
      throw error
    }
  }
  const request = ask as EIP1193RequestFn
  return () => ({ config: { key: 'ring', name: 'Ring of endpoints', type: 'ring', request, retryCount: 0 }, request })
}

/** The signed bytes of a transaction: what tells that it is offered again. */
function rawOf({ method, params }: Parameters<RpcRequest>[0]): string | undefined {
  const [raw]: readonly unknown[] = isTransaction(method) && Array.isArray(params) ? params : []
  return typeof raw === 'string' ? raw : undefined
}

/** An answer that the method cannot have is the endpoint's fault, as none would be. */
async function answerOf(request: RpcRequest, ...[args, options]: Parameters<RpcRequest>): Promise<unknown> {
  const result = await request(args, options)
  await requireResult(args.method, args.params, result)
  return result
}
