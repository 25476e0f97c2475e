import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'
import { beyondOneEach, type LivedAnswer, liveAsPosition } from '../bench/parts/round-trips.mjs'
import { openWorld } from '../packages/tool-server/src/tools/chain-world.fixture.ts'
import { openVaultWorld } from '../packages/tool-server/src/tools/vaults/vault-world.fixture.ts'
import { answerInRounds } from './answer-in-rounds.fixture.ts'

const devnet = useDevnet()

/** How often each write waits for its endpoint beyond once for each of its transactions. Six is the most that any may. */
const beyondEach = {
  v2: { add_liquidity: 5, remove_liquidity: 5, execute_swap: 5 },
  v3: {
    add_liquidity: 5,
    increase_liquidity: 5,
    collect_fees: 4,
    compound_fees: 5,
    rebalance_position: 6,
    remove_liquidity: 4,
    execute_swap: 5,
  },
  v4: {
    add_liquidity: 6,
    increase_liquidity: 6,
    collect_fees: 5,
    compound_fees: 5,
    rebalance_position: 6,
    remove_liquidity: 5,
    execute_swap: 5,
  },
}

it('waits for its endpoint as often as one question of a write follows from the answer to another', async () => {
  const world = await openWorld(devnet(), { isClockHeld: true })
  const earn = (pool: string) => devnet().trade(4, 3, [pool as `0x${string}`])
  // The first write of a process looks up what later ones remember.
  await liveAsPosition('v2', { call: async (...asked) => (await world.call(...asked)).data as LivedAnswer, earn })
  const takeTrips = answerInRounds(world)
  const seen: Record<string, Record<string, number>> = {}
  for (const version of ['v2', 'v3', 'v4'] as const) {
    const counted: Record<string, number> = (seen[version] = {})
    await liveAsPosition(version, {
      async call(tool, input) {
        takeTrips()
        const answer = await world.call(tool, input)
        counted[tool] = beyondOneEach(takeTrips(), answer.list('transactions'))
        return answer.data as LivedAnswer
      },
      earn,
    })
  }
  expect(seen).toEqual(beyondEach)
  await world.close()
})

/** How often reads of a vault wait for it: the first of a vault, and later ones, each at a new block. The decimals of what no list has come first. */
const ofVaults = {
  get_vault_info: { 'Agent USDC vault': [3, 2], 'Agent WETH vault': [3, 2], unlisted: [3, 2] },
  vault_simulate_deposit: { 'Agent USDC vault': [3, 2], 'Agent WETH vault': [3, 2], unlisted: [4, 2] },
}

it('waits three times for the first read of a vault, and twice for one that it knows', async () => {
  const unlisted = await openVaultWorld(devnet()).oddVault('FOT')
  const seeded = devnet().vaults.map(({ label, address }) => [label, address] as const)
  const seen: Record<string, Record<string, number[]>> = {}
  for (const tool of ['get_vault_info', 'vault_simulate_deposit'] as const) {
    const counted: Record<string, number[]> = (seen[tool] = {})
    for (const [label, vault] of [...seeded.slice(0, 2), ['unlisted', unlisted] as const]) {
      const world = await openWorld(devnet(), { isClockHeld: true })
      const takeTrips = answerInRounds(world)
      const trips: number[] = (counted[label] = [])
      while (trips.length < 2) {
        await world.call(tool, { vault, ...(tool === 'vault_simulate_deposit' && { amount: '1' }) })
        trips.push(new Set(takeTrips().map(({ from }) => from)).size)
        await devnet().mineTo(Number((await world.client.getBlock()).timestamp) + 1)
        takeTrips()
      }
      await world.close()
    }
  }
  expect(seen).toEqual(ofVaults)
})
