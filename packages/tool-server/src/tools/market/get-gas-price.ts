import { formatAmount } from '@svc/lp-math'
import * as z from 'zod'
import { readGasPrice, typicalGas } from '../../analysis/read-gas-price.ts'
import { readTool } from '../../tool.ts'
import { chainInput } from '../params.ts'
import { blockResult, blockStamp, notesResult, usdResult } from '../results.ts'

export const getGasPrice = readTool({
  name: 'get_gas_price',
  title: 'Gas price',
  description:
    'Base and priority fees of a chain in gwei, and what a swap, mint, decrease, collect or rebalance costs in dollars. Leaves out data fees of rollups.',
  scope: 'read:market',
  input: z.strictObject({ chain: chainInput }),
  output: z.object({
    ...blockResult,
    baseFeeGwei: z.string(),
    priorityFeeGwei: z.object({ slow: z.string(), normal: z.string(), fast: z.string() }),
    nativeUsd: usdResult,
    estUsd: z.object({
      swap: usdResult,
      mint: usdResult,
      decrease: usdResult,
      collect: usdResult,
      rebalance: usdResult,
    }),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const gas = await readGasPrice(context, chain)
  const { slow, normal, fast } = gas.priorityFeeWei
  return {
    ...blockStamp(chain, context, gas.blockNumber),
    baseFeeGwei: gwei(gas.baseFeeWei),
    priorityFeeGwei: { slow: gwei(slow), normal: gwei(normal), fast: gwei(fast) },
    nativeUsd: gas.nativeUsd,
    estUsd: {
      swap: gas.costUsd(typicalGas.swap),
      mint: gas.costUsd(typicalGas.mint),
      decrease: gas.costUsd(typicalGas.decrease),
      collect: gas.costUsd(typicalGas.collect),
      rebalance: gas.costUsd(typicalGas.decrease + typicalGas.swap + typicalGas.mint),
    },
    notes:
      gas.nativeUsd === null
        ? [`No trustworthy price of ${chain.nativeCurrency.symbol}.`]
        : [
            `estUsd leaves out approvals, ${gas.costUsd(approvalGas)} USD for each token that goes in: one of a swap, two of a mint, up to three of a rebalance, which is a removal, a swap and a mint. Fees of one token alone collect for a quarter less.`,
          ],
  }
})

/** Of an allowance where none stood; measured on the local chain. */
const approvalGas = 46_000n

function gwei(wei: bigint): string {
  return formatAmount(wei, 9)
}
