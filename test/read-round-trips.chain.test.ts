import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startRewardsApi } from '@svc/devnet/rewards-api'
import { useDevnet } from '@svc/devnet/testing'
import { expect, it, vi } from 'vitest'
import { readsOf } from '../bench/parts/reads.mjs'
import { openWorld } from '../packages/tool-server/src/tools/chain-world.fixture.ts'
import { answerInRounds } from './answer-in-rounds.fixture.ts'

const devnet = useDevnet({ history: true })

/** How often each read tool waits for its endpoint: in a process that has just started, and in one that answered the same a block ago. */
const waits: Readonly<Record<string, readonly [cold: number, warm: number]>> = {
  get_token_price: [2, 2],
  get_token_info: [2, 2],
  search_tokens: [0, 0],
  get_quote: [2, 2],
  get_pools_by_token_pair: [3, 2],
  search_pools: [3, 2],
  get_pool_info: [2, 2],
  get_pool_state: [1, 1],
  get_tick_data: [3, 2],
  get_price_history: [2, 2],
  get_volume_history: [2, 2],
  get_gas_price: [2, 2],
  get_transaction_status: [2, 2],
  get_position: [2, 2],
  get_positions_by_owner: [3, 2],
  get_position_performance: [3, 2],
  get_agent_balance: [2, 2],
  get_claimable_rewards: [2, 2],
  get_twamm_order_status: [3, 2],
  get_vault_info: [3, 2],
  vault_simulate_deposit: [3, 2],
  optimize_lp_range: [4, 3],
  recommend_fee_tier: [3, 2],
  backtest_lp_strategy: [2, 2],
  query_agent_identity: [3, 3],
  list_supported_chains: [2, 0],
}
/** What an answer that rests on a chain says of the block that it is of. */
const ofBlock = ['blockAgeSeconds', 'blockNumber', 'source']
/** Of several chains, or of what the server knows without asking one. */
const atNoBlock = new Set(['list_supported_chains', 'search_tokens'])
/** Of the server, not of a chain. */
const elsewhere = new Set(['check_setup_health', 'check_safety_status'])

it('waits for its endpoint as often as one question of a read follows from the answer to another, and answers as if it remembered nothing', async () => {
  const rewards = await startRewardsApi({ devnet: devnet() })
  const owner = await openWorld(devnet())
  const reads = await readsOf({
    devnet: devnet(),
    call: async (tool, input) => (await owner.call(tool, input)).data,
  })
  const { privateKey } = owner.again
  await owner.close()
  const openedAt = Date.now()
  const openAgain = async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'reads-'))
    // So that all answers are of one moment, and differ by nothing but what is remembered.
    vi.useFakeTimers({ toFake: ['Date'], now: openedAt })
    const again = { dataDir, privateKey }
    const world = await openWorld(devnet(), { again, rewards: { url: rewards.url }, isClockHeld: true })
    vi.useRealTimers()
    const close = async () => {
      await world.close()
      await rm(dataDir, { recursive: true })
    }
    return { world, close }
  }
  const seen: Record<string, number[]> = {}
  for (const [tool, input] of reads.filter(([name]) => !elsewhere.has(name))) {
    const { world, close } = await openAgain()
    const takeTrips = answerInRounds(world)
    const counted: number[] = (seen[tool] = [])
    let answer: unknown
    while (counted.length < 2) {
      await devnet().trade(1, counted.length)
      takeTrips()
      answer = (await world.call(tool, input)).data
      counted.push(new Set(takeTrips().map(({ from }) => from)).size)
    }
    const named = Object.keys(answer as object).filter((name) => ofBlock.includes(name))
    expect([tool, named.toSorted()]).toEqual([tool, atNoBlock.has(tool) ? ['source'] : ofBlock])
    const fresh = await openAgain()
    expect({ [tool]: (await fresh.world.call(tool, input)).data }).toEqual({ [tool]: answer })
    await fresh.close()
    await close()
  }
  await rewards.stop()
  expect(seen).toEqual(waits)
}, 600_000)
