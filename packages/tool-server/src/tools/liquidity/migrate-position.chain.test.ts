import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { startTradingApi, type TradingApi, type TradingTrick, tradingTricks } from '@svc/devnet/trading-api'
import { Secret } from '@svc/wallet/core'
import { formatUnits, parseAbi, parseUnits, zeroAddress } from 'viem'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { isUnsigned } from '@svc/amm/liquidity'
import { answering } from '../../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World, type WorldOptions } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let api: TradingApi
let world: World

const open = async (options: WorldOptions = {}) => {
  const tradingApi = { apiKey: new Secret(api.apiKey), url: api.url, timeoutMs: 60_000, sleep: async () => {} }
  world = await openWorld(devnet(), { tradingApi, ...options })
}

beforeAll(async () => {
  api = await startTradingApi({ chain: devnet().chain, apiKey: 'local-key' })
})
beforeEach(() => open())
afterEach(async () => {
  api.setFaults([])
  await world.close()
})
afterAll(async () => {
  await api.stop()
})

type Pair = readonly [token0: string, token1: string, amount0: string, fee: number]

async function position([token0, token1, amount0, fee]: Pair = ['WETH', 'USDC', '3', 500]) {
  const range = { rangeStrategy: 'narrow', version: 'v3', fee }
  const opened = await world.call('add_liquidity', { token0, token1, amount0, ...range })
  return { positionId: opened.text('positionId'), pool: opened.text('pool.poolAddress') as `0x${string}` }
}

const sent = () => world.client.getTransactionCount({ address: world.wallet })
const notesOf = (answer: Awaited<ReturnType<World['call']>>) => answer.list('notes').map(({ data }) => data)
const nativeNote = /^The v4 pool is that of native ETH, .* not one of WETH: the new position pays out ETH\.$/
const built = 'The calls were built by the trading API and checked here.'

/** Wrapped native into the pool of native currency, whose order is the other; two tokens into a pool of the same two. */
const pairs: readonly Pair[] = [
  ['WETH', 'USDC', '3', 500],
  ['USDC', 'WETH', '9000', 500],
  ['USDC', 'USDT', '3000', 100],
  ['USDT', 'USDC', '3000', 100],
]

describe('migrate_position', () => {
  test.each(pairs)('%s/%s: all of the position goes into v4 or comes to the wallet, to the wei', async (...pair) => {
    const { positionId, pool } = await position(pair)
    await devnet().trade(10, 3, [pool])
    const old = await world.call('get_position', { positionId, version: 'v3' })
    const symbols = [old.text('token0Symbol'), old.text('token1Symbol')] as const
    const decimals = symbols.map((symbol) => devnet().tokens.find((token) => token.symbol === symbol)!.decimals)
    const balances = () => Promise.all([...symbols, 'ETH'].map((symbol) => world.balance(symbol)))
    const [before, count] = [await balances(), await sent()]
    const answer = await world.call('migrate_position', { positionId })
    expect([await sent(), answer.list('transactions').length, answer.text('atomicity')]).toEqual([
      count + 1,
      1,
      'single',
    ])
    const after = await balances()
    expect(before[2]! - after[2]!).toBe(await world.gasPaid(answer))
    const migrated = new Map([
      [answer.text('pool.token0'), answer.text('amount0Migrated')],
      [answer.text('pool.token1'), answer.text('amount1Migrated')],
    ])
    for (const [side, symbol] of symbols.entries()) {
      const places = decimals[side]!
      const given = migrated.get(world.address(symbol)) ?? migrated.get(zeroAddress)!
      const paid = ['amount', 'feesOwed'].map((member) => parseUnits(old.text(`${member}${side}`), places))
      const came = after[side]! - before[side]!
      expect([symbol, parseUnits(given, places) + came]).toEqual([symbol, paid[0]! + paid[1]!])
      expect(came).toBeGreaterThan(0n)
      expect(notesOf(answer).at(-1)).toContain(formatUnits(came, places).slice(0, 5))
    }
    expect(notesOf(answer)[0]).toBe(built)
    const isNative = [answer.text('pool.token0'), answer.text('pool.token1')].includes(zeroAddress)
    expect(notesOf(answer).filter((note) => nativeNote.test(String(note)))).toHaveLength(isNative ? 1 : 0)
    const symbolOf = (token: string) =>
      token === zeroAddress ? 'ETH' : symbols.find((symbol) => world.address(symbol) === token)
    expect([answer.text('token0Symbol'), answer.text('token1Symbol')]).toEqual(
      [answer.text('pool.token0'), answer.text('pool.token1')].map(symbolOf),
    )
    const opened = await world.call('get_position', { positionId: answer.text('newPositionId'), version: 'v4' })
    const isTurned =
      answer.text('pool.token0') !== old.text('pool.token0') && answer.text('pool.token0') === zeroAddress
    const [lower, upper] = [old.number('tickLower'), old.number('tickUpper')]
    expect([opened.number('tickLower'), opened.number('tickUpper')]).toEqual(
      isTurned ? [-upper, -lower] : [lower, upper],
    )
    expect(opened.data).toMatchObject({ owner: world.wallet, feesOwed0: '0', feesOwed1: '0' })
    expect(answer.data).toMatchObject({ oldPositionId: positionId, version: 'v4', hooks: null, pool: { fee: pair[3] } })
    expect(opened.number('valueUsd') / old.number('valueUsd')).toBeGreaterThan(0.95)
    expect(await world.refuse('get_position', { positionId, version: 'v3' })).toMatchObject({
      code: 'POSITION_NOT_FOUND',
    })
  })

  test('the right over the position is signed last, stands in the audit log first, and ends with the position', async () => {
    const { positionId } = await position()
    const answer = await world.call('migrate_position', { positionId })
    const { logs } = await world.client.getTransactionReceipt({ hash: answer.text('txHash') as `0x${string}` })
    const address = world.chain.amm.v3!.positionManager
    const abi = parseAbi(['function getApproved(uint256 tokenId) view returns (address)'])
    const approved = { address, abi, functionName: 'getApproved', args: [BigInt(positionId)] } as const
    await expect(world.client.readContract(approved)).rejects.toThrow('nonexistent token')
    expect(logs.length).toBeGreaterThan(5)
    const [permit] = await world.audited('tx.permit')
    expect(permit).toMatchObject({ tool: 'migrate_position', permit: { tokenId: positionId, nonce: '0' } })
    expect(JSON.stringify(permit)).not.toContain('signature')
  })

  test('it is simulated as if it were signed, and again once it is, before it is sent', async () => {
    const { positionId } = await position()
    const { fetch } = world.network
    const bodies: string[] = []
    world.network.fetch = (input, init) => {
      bodies.push(typeof init?.body === 'string' ? init.body : '')
      return fetch(input, init)
    }
    await world.call('migrate_position', { positionId })
    const last = bodies.findIndex((body) => body.includes('eth_sendRawTransaction'))
    const simulated = bodies.slice(0, last).filter((body) => body.includes('eth_simulateV1'))
    const isAssumed = simulated.map((body) => body.includes('stateOverrides'))
    expect([isAssumed[0], isAssumed.at(-1)]).toEqual([true, false])
    expect(simulated.map((body) => isUnsigned(body as `0x${string}`))).toEqual(isAssumed)
  })

  test('where the endpoint cannot simulate it so, nothing is signed', async () => {
    const { positionId } = await position()
    world.network.fetch = answering('eth_simulateV1', { code: -32601, message: 'no such method' })
    const refusal = await world.refuse('migrate_position', { positionId })
    expect(refusal).toMatchObject({ code: 'SIMULATION_UNAVAILABLE' })
    expect(await world.audited('tx.permit')).toEqual([])
  })

  test('a plan is carried out as it was shown', async () => {
    const { positionId } = await position()
    const plan = await world.call('migrate_position', { positionId, dryRun: true })
    expect(plan.at('plan.policy.refusals')).toEqual([])
    expect(plan.at('plan.warnings')).toContainEqual(expect.stringMatching(nativeNote))
    const functions = plan.list('plan.steps').flatMap((step) => step.list('calls').map((call) => call.text('function')))
    expect(functions).toEqual([
      'permit',
      'decreaseLiquidity',
      'collect',
      'burn',
      'mint position',
      'unwrap',
      'settle',
      'settle',
      'sweep',
      'sweep',
    ])
    expect(await world.audited('tx.permit')).toEqual([])
    const done = await world.call('execute_plan', { planId: plan.text('plan.planId') })
    expect([done.text('status'), done.text('oldPositionId')]).toEqual(['success', positionId])
  })

  test('what is moved within the pair is no spend: 50,000 USD go under the default limits', async () => {
    await world.close()
    const limits = { perTransaction: '300000', perSession: '300000', daily: '300000' }
    const allowlist = { mode: 'lenient' } as const
    await open({ policy: { limitsUsd: limits, approvalThresholdUsd: null, allowlist } })
    const { positionId } = await position(['WETH', 'USDC', '8', 500])
    const { privateKey } = world.again
    await world.close()
    const dataDir = await mkdtemp(join(tmpdir(), 'tools-'))
    await open({ again: { dataDir, privateKey }, policy: { allowlist } })
    const plan = await world.call('migrate_position', { positionId, dryRun: true })
    expect([plan.at('plan.policy.refusals'), plan.at('plan.policy.conditions')]).toEqual([[], []])
    expect(Number(plan.text('plan.spendUsd'))).toBeLessThan(1)
    expect(Number(plan.text('plan.values.leavesUsd'))).toBeGreaterThan(45_000)
    expect((await world.call('migrate_position', { positionId })).text('status')).toBe('success')
  })
})

describe('what is not migrated', () => {
  test('a position that is not there, one of somebody else, and one without a v4 pool of its fee', async () => {
    const missing = await world.refuse('migrate_position', { positionId: '999999' })
    expect(missing).toMatchObject({ code: 'POSITION_NOT_FOUND', suggestion: expect.stringContaining('get_positions') })
    expect(await world.refuse('migrate_position', { positionId: '1' })).toMatchObject({ code: 'POSITION_NOT_OWNED' })
    const { positionId } = await position(['WETH', 'USDC', '1', 3_000])
    const refusal = await world.refuse('migrate_position', { positionId })
    expect(refusal).toMatchObject({ code: 'MIGRATION_NOT_SUPPORTED', details: [{ fee: 3_000 }] })
    expect(refusal.suggestion).toContain('remove_liquidity')
  })

  test('a closed position, in the words of the other tools, with what to call for what waits in it', async () => {
    const { positionId } = await position()
    await world.call('remove_liquidity', { positionId, version: 'v3', collectFees: false })
    const refusal = await world.refuse('migrate_position', { positionId })
    expect(refusal).toMatchObject({
      code: 'VALIDATION_FAILED',
      message: expect.stringMatching(/is closed: .*(collect_fees pays what waits in it|nothing waits in it)\.$/),
      details: [{ field: 'positionId', accepted: expect.stringContaining('get_positions_by_owner') }],
    })
    expect(refusal).toEqual(await world.refuse('remove_liquidity', { positionId, version: 'v3' }))
  })

  test('into a pool whose hook may keep what is put in, or that is not there with these hooks', async () => {
    const { positionId } = await position(['WETH', 'USDC', '1', 3_000])
    const outputHooks = devnet().twamm.hook
    expect(await world.refuse('migrate_position', { positionId, outputHooks })).toMatchObject({
      code: 'HOOK_NOT_SUPPORTED',
    })
    const other = await position()
    expect(await world.refuse('migrate_position', { positionId: other.positionId, outputHooks })).toMatchObject({
      code: 'MIGRATION_NOT_SUPPORTED',
    })
  })

  test('anything while the trading API is in trouble: there is no other way', async () => {
    const { positionId } = await position()
    const count = await sent()
    const codeAt = async (status: number) => {
      api.setFaults([{ fault: { status } }])
      const { code, suggestion } = await world.refuse('migrate_position', { positionId })
      return [code, suggestion]
    }
    expect(await codeAt(503)).toEqual(['TRADING_API_UNAVAILABLE', expect.stringContaining('Call again')])
    expect(await codeAt(401)).toEqual(['TRADING_API_REFUSED', expect.stringContaining('SVC_TRADING_API_KEY')])
    expect(await codeAt(400)).toEqual(['TRADING_API_REFUSED', expect.stringContaining('remove_liquidity')])
    expect(await sent()).toBe(count)
  })
})

test('G6: no migration that is not what was asked for is signed, nor a right over the position, and the next honest one is', async () => {
  const { positionId } = await position()
  const nonce = await sent()
  for (const trick of tradingTricks) {
    api.setFaults([{ fault: trick }])
    const { code, message } = await world.refuse('migrate_position', { positionId })
    expect([trick, code]).toEqual([trick, trick === 'stale' ? 'SIMULATION_FAILED' : 'UNSAFE_TRANSACTION'])
    expect(message).toContain(refusals[trick])
    expect(await world.store.journal.byNonce(world.chain.id, world.wallet, nonce)).toEqual([])
    expect(await world.audited('tx.permit')).toEqual([])
  }
  api.setFaults([])
  expect(notesOf(await world.call('migrate_position', { positionId }))).toContain(built)
})

const refusals: Readonly<Record<TradingTrick, string>> = {
  stale: 'would fail',
  'wrong-from': 'it is sent by somebody else',
  'foreign-to': 'it goes to a contract that is not known for this',
  'foreign-recipient': 'it pays somebody other than the wallet',
  'extra-approval': 'it holds "permit", which was not asked for',
  'inflated-value': 'it sends more native currency than was asked for',
  'other-chain': 'it is for another chain',
  truncated: 'that is not known here',
  'proto-shaped': 'that is not known here',
  'lower-least': 'it takes more than was asked for',
}
