import { useDevnet } from '@svc/devnet/testing'
import { keccak256 } from 'viem'
import { expect, it } from 'vitest'
import { swapIntent } from './intents.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const { open } = useRoads(useDevnet())

it('a receipt that no endpoint has keeps neither a write nor the gas of others waiting', async () => {
  const road = await open()
  await road.run(swapIntent(road, '100'))
  const [mined] = await road.store.journal.byNonce(road.chain.id, road.wallet, 0)
  const { journal, ledger } = road.store
  const forgotten = keccak256('0x01')
  const slot = { requestId: 'earlier', step: 0, chainId: road.chain.id, from: road.wallet, attempt: 1 } as const
  await journal.recordSigned({ ...slot, nonce: 0, rawTransaction: '0x01', hash: forgotten, reservationId: null })
  await journal.mark(forgotten, 'final')
  expect(mined?.state).toBe('final')
  expect(await ledger.uncountedGas(road.chain.id)).toEqual([{ hash: forgotten, requestId: 'earlier' }])
  await road.run(swapIntent(road, '100'))
  expect(await ledger.uncountedGas(road.chain.id)).toEqual([{ hash: forgotten, requestId: 'earlier' }])
})
