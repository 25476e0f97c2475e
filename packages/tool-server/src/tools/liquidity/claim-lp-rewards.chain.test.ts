import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi, type TradingTrick, tradingTricks } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { parseUnits } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World

beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, rpcUrl: devnet().rpcUrl, apiKey: 'local-key' })
})
beforeEach(async () => {
  const tradingApi = { apiKey: new Secret(api.apiKey), url: api.url, timeoutMs: 60_000, sleep: async () => {} }
  world = await openWorld(devnet(), { tradingApi })
})
afterEach(async () => {
  api.setFaults([])
  await world.close()
})
afterAll(async () => {
  await api.stop()
})

const earn = async (user = world.wallet) =>
  await devnet().rewards.add([
    { user, token: 'USDC', amount: '12.5', pending: '3', reason: 'Trading', campaignId: 7n },
    { user, token: 'WETH', amount: '0.02', reason: 'Holding', campaignId: 8n },
  ])

const tokens = ['USDC', 'WETH', 'DAI']
const notesOf = (answer: Awaited<ReturnType<World['call']>>) => answer.list('notes').map(({ data }) => data)

test('claims what is owed in the tokens named, to the unit, and says what was not', async () => {
  await earn()
  const before = [await world.balance('USDC'), await world.balance('WETH')]
  const answer = await world.call('claim_lp_rewards', { tokens: [...tokens, 'USDC'] })
  expect([await world.balance('USDC'), await world.balance('WETH')]).toEqual([
    before[0]! + parseUnits('12.5', 6),
    before[1]! + parseUnits('0.02', 18),
  ])
  expect(answer.data).toMatchObject({
    status: 'success',
    atomicity: 'single',
    claimed: [
      { token: world.address('USDC'), symbol: 'USDC', amount: '12.5', amountUsd: expect.closeTo(12.5, 1) },
      { token: world.address('WETH'), symbol: 'WETH', amount: '0.02' },
    ],
    distributor: devnet().rewards.distributor,
    notes: ['The calls were built by the trading API and checked here.', 'Nothing was claimable in DAI.'],
  })
  const [usdc, weth] = answer.list('claimed').map((row) => row.number('amountUsd'))
  expect(answer.number('totalClaimedUsd')).toBeCloseTo(usdc! + weth!, 6)
  expect(answer.list('transactions')).toHaveLength(1)
  const receipt = await world.client.getTransactionReceipt({ hash: answer.text('txHash') as `0x${string}` })
  expect([receipt.status, receipt.to]).toEqual(['success', devnet().rewards.distributor.toLowerCase()])
  expect(answer.at('explorerUrl')).toBeNull()
  expect(api.asked().at(-1)).toEqual({
    route: 'POST /v1/lp/claim_rewards',
    body: {
      walletAddress: world.wallet,
      chainId: devnet().chainId,
      tokens: tokens.map((symbol) => world.address(symbol)),
      distributor: 'MERKL',
    },
  })
})

test('counts from the beginning: a second claim pays what came since, a third finds nothing', async () => {
  await earn()
  await world.call('claim_lp_rewards', { tokens, distributor: devnet().rewards.distributor })
  await earn()
  const again = await world.call('claim_lp_rewards', { tokens: ['USDC'] })
  expect(again.list('claimed').map((row) => row.text('amount'))).toEqual(['12.5'])
  const refusal = await world.refuse('claim_lp_rewards', { tokens: ['USDC'] })
  expect(refusal).toMatchObject({ code: 'NO_REWARDS_AVAILABLE', retryable: false })
  expect(refusal.suggestion).toContain('get_claimable_rewards')
})

test('a plan shows what would arrive, and is carried out as it was shown', async () => {
  await earn()
  const planned = await world.call('claim_lp_rewards', { tokens: ['WETH'], dryRun: true })
  expect(planned.list('plan.bounds.receivesAtLeast').map((row) => row.text('amount'))).toEqual(['0.02'])
  const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
  expect(done.list('claimed').map((row) => row.text('amount'))).toEqual(['0.02'])
})

test('a trading API in trouble is named, and nothing is signed', async () => {
  await earn()
  const codesAt = async (status: number) => {
    api.setFaults([{ fault: { status } }])
    const { code, retryable } = await world.refuse('claim_lp_rewards', { tokens })
    return [code, retryable]
  }
  expect(await codesAt(429)).toEqual(['TRADING_API_UNAVAILABLE', true])
  expect(await codesAt(504)).toEqual(['TRADING_API_UNAVAILABLE', true])
  expect(await codesAt(401)).toEqual(['TRADING_API_REFUSED', false])
  expect(await codesAt(400)).toEqual(['TRADING_API_REFUSED', false])
  expect(await codesAt(404)).toEqual(['NO_REWARDS_AVAILABLE', false])
  expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(0)
})

test('G6: no claim that is not what was asked for is signed, and the next honest one is', async () => {
  await earn()
  for (const trick of tradingTricks.filter((one) => one !== 'lower-least')) {
    api.setFaults([{ fault: trick }])
    const { code, message } = await world.refuse('claim_lp_rewards', { tokens: ['USDC', 'WETH'] })
    expect([trick, code]).toEqual([trick, 'UNSAFE_TRANSACTION'])
    expect(message).toContain(refusals[trick])
    expect(await world.store.journal.byNonce(world.chain.id, world.wallet, 0)).toEqual([])
  }
  api.setFaults([])
  expect(notesOf(await world.call('claim_lp_rewards', { tokens }))).toContain(
    'The calls were built by the trading API and checked here.',
  )
})

/** A claim promises no least that could be lowered. */
const refusals: Readonly<Record<Exclude<TradingTrick, 'lower-least'>, string>> = {
  stale: 'its proof does not hold under the root in force',
  'wrong-from': 'it is sent by somebody else',
  'foreign-to': 'it goes to a contract that is not known for this',
  'foreign-recipient': 'it pays somebody other than the wallet',
  'extra-approval': 'that is not known here',
  'inflated-value': 'it sends more native currency than was asked for',
  'other-chain': 'it is for another chain',
  truncated: 'that is not known here',
  'proto-shaped': 'that is not known here',
}
