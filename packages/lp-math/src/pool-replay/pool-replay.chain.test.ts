import { poolCaller, useDevnet } from '@svc/devnet/testing'
import { type Address, getContractAddress, type Hex, parseEventLogs, type TransactionReceipt } from 'viem'
import { expect, test } from 'vitest'
import { v3FactoryAbi, v3PoolAbi } from '../amm-abis.fixture.ts'
import { ammContracts } from '../amm-contracts.fixture.ts'
import { getSqrtPriceAtTick, tickSpacingForFee } from '../ticks/ticks.ts'
import { applyPoolEvent } from './apply-pool-event.ts'
import type { PoolEvent } from './pool-event.ts'
import { createPoolState, type Observation, type PoolState } from './pool-state.ts'
import { readBitmap, readPoolState } from './pool-storage.fixture.ts'
import { drawCalls, foresee, goRound, remark, remarks } from './pool-traffic.fixture.ts'

const devnet = useDevnet()

type Chain = ReturnType<typeof ammContracts>

/** Events of a pool: a tenth of what the tests of the whole system play, in which each pool meets all that a pool can. */
const eventsPerPool = process.env['SVC_TEST_POOL_EVENTS'] === 'all' ? 2_500 : 250

/** Seeded traffic; every token is one that the local chain mints. */
const traffic = [
  { base: 'DAI', quote: 'USDC', fee: 10_000, seed: 11, startTick: 0 },
  { base: 'USDT', quote: 'DAI', fee: 500, seed: 22, startTick: -276_325 },
  { base: 'WBTC', quote: 'USDC', fee: 3000, seed: 33, startTick: 46_054 },
  { base: 'USDC', quote: 'USDT', fee: 500, seed: 44, startTick: 3 },
] as const

test.each(traffic)("random traffic in $base/$quote $fee leads to the contract's own storage", async (market) => {
  const chain = ammContracts(devnet())
  const caller = await deployCaller(chain, [market.base, market.quote])
  const pool = await openPool(chain, market)
  const foreseen = structuredClone(pool.state)
  const touched = new Set<number>()
  const met = new Set<string>()
  let [events, timestamp] = [0, foreseen.observations[0]!.blockTimestamp]
  for (let round = 0; events < eventsPerPool; round++) {
    // Every other block follows at once, the rest after hours: the oracle counts the time between.
    timestamp += round % 2 === 0 ? 1 : 3_607 * round
    const at = { caller, timestamp }
    // A call that is alone in its block may leave the oracle as it was.
    const draws = drawCalls(market.seed * 1_000 + round, round % 3 === 2 ? 1 : 64)
    const calls = draws.flatMap((drawn) => foresee(foreseen, drawn, at) ?? [])
    const isCompared = round % 9 === 4
    if (isCompared) calls.push(...goRound(foreseen, at))
    const receipt = await runCalls(
      chain,
      caller,
      pool.address,
      calls.map(({ data }) => data),
      timestamp,
    )
    const logged = eventsOf(receipt, pool.address, timestamp)
    expect(logged).toMatchObject(calls.map(({ event }) => event))
    for (const event of logged) {
      const before = { ...pool.state }
      applyPoolEvent(pool.state, event)
      for (const seen of remark(event, before, pool.state)) met.add(seen)
      touch(touched, event)
    }
    events += logged.length
    if (isCompared || events >= eventsPerPool) await expectStored(chain, pool.address, pool.state, touched)
  }
  expect(foreseen).toEqual(pool.state)
  const missed = remarks.filter((remark) => !met.has(remark))
  expect(missed.length).toBeLessThanOrEqual(eventsPerPool === 2_500 ? 0 : remarks.length / 2)
})

test('the pools of the local chain, from their creation through positions of a manager and trades through routers', async () => {
  const chain = ammContracts(devnet())
  await devnet().trade(80, 'replay')
  for (const { id: address, fee, tickSpacing } of chain.poolsOf('v3')) {
    const logs = await chain.client.getLogs({ address, events: v3PoolAbi.filter(isEvent), fromBlock: 0n, strict: true })
    const state = createPoolState({ feePips: fee, tickSpacing: tickSpacing! })
    const touched = new Set<number>()
    for (const log of logs) {
      const timestamp = Number((await chain.client.getBlock({ blockNumber: log.blockNumber })).timestamp)
      const event = { ...log, timestamp }
      applyPoolEvent(state, event)
      touch(touched, event)
    }
    await expectStored(chain, address, { ...state, observations: state.observations.map(asSeeded) }, touched)
  }
})

/** The local chain's state is seeded without the entries that an oracle has reserved and not yet written. */
function asSeeded(observation: Observation): Observation {
  return observation.initialized ? observation : { ...observation, blockTimestamp: 0 }
}

type PoolFields = (typeof v3PoolAbi)[number]

function isEvent(field: PoolFields): field is Extract<PoolFields, { type: 'event' }> {
  return field.type === 'event'
}

/** Our caller, rich in these tokens, and the owner of the factory: it may set the protocol's fee. */
async function deployCaller(chain: Chain, symbols: readonly ('DAI' | 'USDC' | 'USDT' | 'WBTC')[]): Promise<Address> {
  const { client, account, mined } = chain
  const nonce = await client.getTransactionCount({ address: account })
  await mined(client.deployContract(poolCaller))
  const caller = getContractAddress({ from: account, nonce: BigInt(nonce) })
  const riches = String(2n ** 185n)
  for (const symbol of symbols) await devnet().fund(caller, { [symbol]: riches })
  const factory = { address: chain.addresses.v3.factory, abi: v3FactoryAbi } as const
  const owner = await client.readContract({ ...factory, functionName: 'owner' })
  await client.request<ImpersonateSchema>({ method: 'anvil_impersonateAccount', params: [owner] })
  await mined(client.writeContract({ ...factory, account: owner, functionName: 'setOwner', args: [caller] }))
  return caller
}

type ImpersonateSchema = { Method: 'anvil_impersonateAccount'; Parameters: [Address]; ReturnType: null }
type NextTimeSchema = { Method: 'evm_setNextBlockTimestamp'; Parameters: [number]; ReturnType: null }

type Market = { readonly base: string; readonly quote: string; readonly fee: number; readonly startTick: number }

/** A new pool of the real factory, initialised. */
async function openPool(chain: Chain, market: Market): Promise<{ address: Address; state: PoolState }> {
  const { client, mined } = chain
  const token = (symbol: string) => devnet().tokens.find((each) => each.symbol === symbol)!.address
  const factory = { address: chain.addresses.v3.factory, abi: v3FactoryAbi } as const
  const args = [token(market.base), token(market.quote), market.fee] as const
  await mined(client.writeContract({ ...factory, functionName: 'createPool', args }))
  const address = await client.readContract({ ...factory, functionName: 'getPool', args })
  const sqrtPriceX96 = getSqrtPriceAtTick(market.startTick) + 12_345n
  const initialize = { address, abi: v3PoolAbi, functionName: 'initialize', args: [sqrtPriceX96] } as const
  const receipt = await mined(client.writeContract(initialize))
  const { timestamp } = await client.getBlock({ blockNumber: receipt.blockNumber })
  const state = createPoolState({ feePips: market.fee, tickSpacing: tickSpacingForFee(market.fee) })
  for (const event of eventsOf(receipt, address, Number(timestamp))) applyPoolEvent(state, event)
  return { address, state }
}

async function runCalls(
  { client, mined }: Chain,
  caller: Address,
  pool: Address,
  calls: readonly Hex[],
  timestamp: number,
): Promise<TransactionReceipt> {
  await client.request<NextTimeSchema>({ method: 'evm_setNextBlockTimestamp', params: [timestamp] })
  const run = { address: caller, abi: poolCaller.abi, functionName: 'run', args: [pool, calls] } as const
  const receipt = await mined(client.writeContract({ ...run, gas: 29_000_000n }))
  if (receipt.status !== 'success') await client.simulateContract(run)
  return receipt
}

/** The pool's own events, as a caller of the library would hand them on. */
function eventsOf({ logs }: TransactionReceipt, pool: Address, timestamp: number): PoolEvent[] {
  const own = logs.filter(({ address }) => address.toLowerCase() === pool.toLowerCase())
  return parseEventLogs({ abi: v3PoolAbi, logs: own }).map((log) => Object.assign(log, { timestamp }))
}

function touch(touched: Set<number>, event: PoolEvent): void {
  if (event.eventName === 'Mint') touched.add(event.args.tickLower).add(event.args.tickUpper)
}

async function expectStored(
  { client }: Chain,
  address: Address,
  state: PoolState,
  touched: ReadonlySet<number>,
): Promise<void> {
  expect(await readPoolState(client, address, state, touched)).toEqual(state)
  const { stored, implied } = await readBitmap(client, address, state, touched)
  expect(stored).toEqual(implied)
}
