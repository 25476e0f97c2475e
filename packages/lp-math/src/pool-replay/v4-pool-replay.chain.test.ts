import { useDevnet } from '@svc/devnet/testing'
import { expect, test } from 'vitest'
import { ammContracts } from '../amm-contracts.fixture.ts'
import { applyV4PoolEvent } from './apply-v4-pool-event.ts'
import { emptyPool, setProtocolFee, storedV4, storedV4Position, v4Events } from './v4-contracts.fixture.ts'

const devnet = useDevnet()

test("every event of the v4 pools leads to the manager's own storage, with a protocol fee from the middle on", async () => {
  const chain = ammContracts(devnet())
  await devnet().trade(60, 'v4 replay')
  const taxed = chain.find('v4', 'ETH/USDC 0.05 %')
  await setProtocolFee(chain, taxed, [1000, 700])
  await devnet().trade(60, 'v4 replay, taxed', [taxed.id])
  for (const pool of chain.poolsOf('v4')) {
    const state = emptyPool(pool)
    const events = await v4Events(chain, pool)
    for (const event of events) applyV4PoolEvent(state, event)
    expect(events.filter(({ eventName }) => eventName === 'Swap').length).toBeGreaterThan(pool === taxed ? 60 : 0)
    expect(state).toMatchObject(await storedV4(chain, pool, state))
    expect(state.ticks.length).toBeGreaterThan(2)
    for (const [key, position] of state.positions) {
      expect(position).toMatchObject(await storedV4Position(chain, pool, key))
    }
  }
})
