import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import { EndpointError } from './endpoint-error.ts'
import type { RpcRequest } from './json-rpc-endpoint.ts'
import { quantity } from './quantity.ts'

export type Head = z.output<typeof headSchema>

/**
 * The newest block of one endpoint and, in the same batch, its chain id.
 *
 * @throws EndpointError `other-chain`, or `broken` when the answer is no block.
 */
export async function readHead(chain: Chain, request: RpcRequest): Promise<Head> {
  const [chainId, block] = await Promise.all([
    request({ method: 'eth_chainId' }),
    request({ method: 'eth_getBlockByNumber', params: ['latest', false] }),
  ])
  const answer = answerSchema.safeParse({ chainId, block })
  if (!answer.success) throw new EndpointError('broken', 'the newest block cannot be read', answer.error)
  if (answer.data.chainId !== BigInt(chain.id)) {
    throw new EndpointError('other-chain', `answered chain id ${answer.data.chainId}`)
  }
  return answer.data.block
}

const headSchema = z.object({
  number: quantity,
  timestamp: quantity,
  hash: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{64}$/i)]),
  baseFeePerGas: quantity.optional().transform((fee) => fee ?? 0n),
})
const answerSchema = z.object({ chainId: quantity, block: headSchema })
