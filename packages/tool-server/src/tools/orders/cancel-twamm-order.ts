import * as z from 'zod'
import { writeTool } from '../../tool.ts'
import { chainInput } from '../params.ts'
import { writeResult, writeStamp } from '../results.ts'
import { orderIdInput, twammPoolInput, payoutOf, payoutResult } from '../twamm-order.ts'

export const cancelTwammOrder = writeTool({
  name: 'cancel_twamm_order',
  title: 'Cancel an order over time',
  description:
    'Ends an active order of the agent wallet (submit_twamm_order) and takes home what is not sold and what it earned. Pays the agent wallet only.',
  scope: 'write:trade',
  destructive: false,
  idempotent: false,
  input: z.strictObject({ orderId: orderIdInput, pool: twammPoolInput, chain: chainInput }),
  output: z.object({ ...writeResult, orderId: z.string(), ...payoutResult }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const pool = await context.twamm.pool(chain, input.pool)
  const order = await context.twamm.ownOrder(chain, pool, input.orderId, context.wallet.address)
  const planned = context.twamm.planCancel(chain, pool, order)
  return context.execute(planned.intent, async (settled) => {
    const paid = await planned.decode(settled)
    return {
      ...writeStamp(chain, planned.intent, settled),
      orderId: order.orderId,
      ...(await payoutOf(order, paid, settled, { chain, prices: context.prices })),
    }
  })
})
