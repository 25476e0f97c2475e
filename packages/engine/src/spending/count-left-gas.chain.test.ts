import { useDevnet } from '@svc/devnet/testing'
import { keccak256 } from 'viem'
import { expect, it } from 'vitest'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const { open } = usePipelines(useDevnet())

it('a receipt that no endpoint has keeps neither a write nor the gas of others waiting', async () => {
  const pipeline = await open()
  await pipeline.run(swapIntent(pipeline, '100'))
  const [mined] = await pipeline.store.journal.byNonce(pipeline.chain.id, pipeline.wallet, 0)
  const { journal, ledger } = pipeline.store
  const forgotten = keccak256('0x01')
  const slot = { requestId: 'earlier', step: 0, chainId: pipeline.chain.id, from: pipeline.wallet, attempt: 1 } as const
  await journal.recordSigned({ ...slot, nonce: 0, rawTransaction: '0x01', hash: forgotten, reservationId: null })
  await journal.mark(forgotten, 'final')
  expect(mined?.state).toBe('final')
  expect(await ledger.uncountedGas(pipeline.chain.id)).toEqual([{ hash: forgotten, requestId: 'earlier' }])
  await pipeline.run(swapIntent(pipeline, '100'))
  expect(await ledger.uncountedGas(pipeline.chain.id)).toEqual([{ hash: forgotten, requestId: 'earlier' }])
})
