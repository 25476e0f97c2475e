import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, http } from 'viem'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
const days = 16
/** Of the chain, which is ahead of the clock by as many days: Unix seconds, whole hours. */
let [start, end] = [0, 0]
/** As the chain went in that time. */
let blockTimeSeconds = 1
let world: World

beforeAll(async () => {
  start = Math.ceil(Date.now() / 3_600_000) * 3_600 + 3_600
  end = start + days * 86_400
  const pools = devnet()
    .pools.filter(({ label, version }) => version === 'v3' && label === 'WETH/USDC 0.05 %')
    .map(({ id }) => id)
  const blockNumber = () => createPublicClient({ transport: http(devnet().rpcUrl) }).getBlockNumber({ cacheTime: 0 })
  const first = await blockNumber()
  for (let eighth = 0; eighth < days * 3; eighth += 1) {
    await devnet().mineTo(start + eighth * 28_800 + 1_000)
    await devnet().trade(1, eighth, pools)
  }
  await devnet().mineTo(end)
  blockTimeSeconds = (end - start) / Number((await blockNumber()) - first)
}, 120_000)

/** At the end of that time. What is opened later in the test mines on; a chain that was taken back goes on by the clock. */
async function openLater(): Promise<World> {
  const opened = await openWorld(devnet(), { isClockHeld: true, chain: { logRangeBlocks: 1, blockTimeSeconds } })
  opened.clock.offsetMs = end * 1_000 - Date.now()
  return opened
}
afterEach(() => world.close())

const pair = { token0: 'WETH', token1: 'USDC', fee: 500, amount: '10000' }

type Call = { readonly id: number; readonly method: string; readonly params: readonly unknown[] }

/** An endpoint that says no to some calls. */
function refuse(isRefused: (call: Call) => boolean): void {
  world.network.fetch = async (input, init) => {
    const refused = new Set(
      [JSON.parse(typeof init?.body === 'string' ? init.body : '') as Call | Call[]]
        .flat()
        .flatMap((call) => (isRefused(call) ? call.id : [])),
    )
    const told = (await (await fetch(input, init)).json()) as { id: number } | { id: number }[]
    const answers = [told]
      .flat()
      .map((answer) => (refused.has(answer.id) ? { jsonrpc: '2.0', id: answer.id, error: refusal } : answer))
    return Response.json(Array.isArray(told) ? answers : answers[0])
  }
}

/** How far back the sources of the past are said to reach. */
async function pastListed(): Promise<{ readonly archiveDays: number; readonly logsDays: number }> {
  const [item] = (await world.call('list_supported_chains')).list('items')
  return item!.at('works') as Awaited<ReturnType<typeof pastListed>>
}

const refusal = { code: -32_602, message: 'not here' }
const asksLogs = ({ method }: Call) => method === 'eth_getLogs'

test('an endpoint with old state suffices for a backtest of two weeks, a range and a fee tier; one without says what is missing', async () => {
  world = await openLater()
  refuse(asksLogs)
  const { archiveDays, logsDays } = await pastListed()
  expect([archiveDays >= 14, logsDays]).toEqual([true, 0])
  const startTime = new Date((end - 15 * 86_400) * 1_000).toISOString()
  const backtest = await world.call('backtest_lp_strategy', { ...pair, startTime })
  expect([backtest.text('source'), backtest.at('isEstimate'), backtest.number('barsFound')]).toEqual([
    'archive',
    true,
    360,
  ])
  expect(backtest.list('strategies').some((one) => one.number('feesEarnedUsd') > 0)).toBe(true)
  const range = await world.call('optimize_lp_range', pair)
  expect(range.text('source')).toBe('archive')
  const { fee: _, amount: __, ...tokens } = pair
  expect((await world.call('recommend_fee_tier', tokens)).text('source')).toBe('archive')
  for (const tool of ['get_price_history', 'get_volume_history']) {
    const history = await world.call(tool, { ...tokens, fee: 500 })
    expect([tool, history.text('source'), history.number('barsFound')]).toEqual([tool, 'archive', 169])
    expect(JSON.stringify(history.at('notes'))).toContain('state of the pool at past blocks')
  }
  await world.close()
  world = await openLater()
  const head = await world.client.getBlockNumber()
  refuse((call) => {
    const [first] = call.params as [{ fromBlock?: string; toBlock?: string }?]
    if (asksLogs(call)) return first?.fromBlock !== first?.toBlock
    return (
      call.method === 'eth_call' &&
      String(call.params[1]).startsWith('0x') &&
      BigInt(String(call.params[1])) < head - 3n
    )
  })
  const listed = await pastListed()
  expect(listed.archiveDays).toBeLessThan(1)
  // What the first read of the logs is kept, and the second goes on from there.
  for (const [tool, args, daysNeeded] of [
    ['optimize_lp_range', pair, 7],
    ['backtest_lp_strategy', { ...pair, startTime }, 14],
  ] as const) {
    const { code, details, message } = await world.refuse(tool, args)
    expect([tool, code, details[0]?.['daysNeeded']]).toEqual([tool, 'INSUFFICIENT_HISTORY', daysNeeded])
    expect(details[0]?.['daysFound']).toBeGreaterThan(1)
    // How far a number of one-block ranges reaches depends on where the local chain's blocks lie; the second read goes on from the first.
    expect(Number(details[0]?.['daysFound'])).toBeGreaterThan(listed.logsDays - 1)
    expect(Number(details[0]?.['daysFound'])).toBeLessThan(listed.logsDays * (daysNeeded / 7) + 1)
    expect(message).toContain('an endpoint in SVC_RPC_URL_31337 that keeps old state (archive) tells what came before')
  }
})
