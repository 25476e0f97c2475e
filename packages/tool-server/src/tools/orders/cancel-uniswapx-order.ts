import { ToolError } from '@svc/amm'
import * as z from 'zod'
import { writeTool } from '../../tool.ts'
import { chainInput } from '../params.ts'
import { writeResult, writeStamp } from '../results.ts'
import { orderIdInput } from '../twamm-order.ts'

export const cancelUniswapxOrder = writeTool({
  name: 'cancel_uniswapx_order',
  title: 'Cancel a signed order',
  description:
    'Ends an open order of submit_uniswapx_order: uses its nonce up, so that nobody can fill it, and takes its allowance back. A fill that is mined first stands; get_operation says.',
  scope: 'write:trade',
  destructive: false,
  idempotent: false,
  input: z.strictObject({ orderId: orderIdInput, chain: chainInput }),
  output: z.object({
    ...writeResult,
    orderId: z.string(),
    operationId: z.string(),
    orderStatus: z.string(),
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const viewed = await context.operations.order(chain, input.orderId)
  if (viewed.status !== 'open') {
    throw new ToolError('ORDER_NOT_ACTIVE', `The order is ${viewed.status} already.`, {
      details: [{ field: 'orderId', message: `It is ${viewed.status}.`, operationId: viewed.operationId }],
    })
  }
  const intent = context.orders.planCancel(chain, viewed.order, viewed.orderId)
  return context.execute(intent, async (settled) => {
    const { operationId, status } = await context.operations.order(chain, input.orderId)
    return { ...writeStamp(chain, intent, settled), orderId: input.orderId, operationId, orderStatus: status }
  })
})
