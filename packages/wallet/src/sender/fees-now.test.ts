import { createPublicClient, custom, numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { feesNow } from './fees.ts'

const gwei = 10n ** 9n

/** An endpoint that names a tip and a base fee. */
function naming(tip: bigint, baseFeePerGas: bigint) {
  const block = { baseFeePerGas: numberToHex(baseFeePerGas), number: '0x1', timestamp: '0x1', transactions: [] }
  const request = async ({ method }: { method: string }) =>
    method === 'eth_maxPriorityFeePerGas' ? numberToHex(tip) : block
  return createPublicClient({ transport: custom({ request }) })
}

it('asks for no more than a chain can ask for, whatever tip an endpoint names', async () => {
  const fees = await feesNow(naming(12_000n * gwei, 10n * gwei), {})
  expect(fees).toEqual({
    least: { maxFeePerGas: 30n * gwei, maxPriorityFeePerGas: 20n * gwei },
    lasting: { maxFeePerGas: 40n * gwei, maxPriorityFeePerGas: 20n * gwei },
  })
  const ordinary = await feesNow(naming(12_000n * gwei, 0n), { ordinaryTipGwei: 100 })
  expect(ordinary.lasting).toEqual({ maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: 100n * gwei })
  const honest = await feesNow(naming(gwei, 10n * gwei), {})
  expect(honest.least).toEqual({ maxFeePerGas: 11n * gwei, maxPriorityFeePerGas: gwei })
})
