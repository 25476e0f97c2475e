import { useDevnet } from '@svc/devnet/testing'
import { numberToHex } from 'viem'
import { expect, it } from 'vitest'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { rewriting } from '../fixtures/network.fixture.ts'
import { usedGas } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const { open } = usePipelines(useDevnet())

it.each([
  ['a price of gas nobody signed', { effectiveGasPrice: numberToHex(10n ** 16n) }, false],
  ['gas above what was signed', { gasUsed: numberToHex(10n ** 16n) }, false],
  ['a fee for a parent chain there is not', { l1Fee: numberToHex(10n ** 18n) }, false],
  ['an absurd fee for the parent chain', { l1Fee: numberToHex(10n ** 24n) }, true],
])('a receipt that names %s counts no more than what was signed allows', async (_what, change, l1DataFee) => {
  const pipeline = await open({ chain: { l1DataFee } })
  pipeline.network.fetch = rewriting('eth_getTransactionReceipt', (answer) =>
    answer.result === null ? answer : { ...answer, result: Object.assign({}, answer.result, change) },
  )
  await pipeline.run(swapIntent(pipeline, '1'))
  const counted = await usedGas(pipeline)
  expect(counted).toBeGreaterThan(l1DataFee ? 60_000_000n : 0n)
  // Two transactions and a revocation at most; beside each a fiftieth of a coin at 3,000 USD for a parent chain.
  expect(counted).toBeLessThan(l1DataFee ? 250_000_000n : 15_000_000n)
})
