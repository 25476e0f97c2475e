import { useDevnet } from '@svc/devnet/testing'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createPublicClient, type Hash, http } from 'viem'
import { expect, it, vi } from 'vitest'
import { beyondOneEach, type LivedAnswer, liveAsPosition, type Trip } from '../bench/parts/round-trips.mjs'
import { methodsIn } from '../packages/engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../packages/tool-server/src/tools/chain-world.fixture.ts'
import { openVaultWorld } from '../packages/tool-server/src/tools/vaults/vault-world.fixture.ts'

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

/**
 * Answers the endpoint's requests in rounds: all that are asked until nothing more can happen without an answer, and then all of them at
 * once. So what might travel together does, however busy the machine is, and the rounds are the clock.
 */
function answerInRounds({ network, devnet: { rpcUrl } }: World): () => readonly Trip[] {
  let [round, trips, answered]: [number, Trip[], (() => void)[]] = [0, [], []]
  let asked = 0
  async function close(): Promise<void> {
    for (let [quiet, before] = [0, 0]; quiet < quietTurns; before = asked) {
      await nextTurn()
      const isWriting = process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))
      quiet = answered.length < asked || asked > before || isWriting ? 0 : quiet + 1
    }
    const released = answered
    ;[round, asked, answered] = [round + 1, 0, []]
    for (const release of released) release()
  }
  network.fetch = async (input, init) => {
    const methods = methodsIn(typeof init?.body === 'string' ? init.body : '')
    trips.push({ from: round, to: round + 1, methods })
    asked += 1
    if (asked === 1) void close()
    const answer = await (await fetch(input, init)).text()
    if (methods.includes('eth_sendRawTransaction')) await untilMined(rpcUrl, answer)
    await new Promise<void>((resolve) => void answered.push(resolve))
    return new Response(answer, { headers: { 'content-type': 'application/json' } })
  }
  return () => {
    const taken = trips
    trips = []
    return taken
  }
}

/** A transaction that is sent is mined a moment later: whoever waits for it then looks once. */
async function untilMined(rpcUrl: string, answer: string): Promise<void> {
  const { result: hash } = JSON.parse(answer) as { readonly result: Hash }
  const reader = createPublicClient({ transport: http(rpcUrl) })
  await vi.waitFor(() => reader.getTransactionReceipt({ hash }), { timeout: 60_000, interval: 5 })
}

/** Turns of the event loop in which nothing is asked, answered or written: what could go on without an answer has. */
const quietTurns = 50
