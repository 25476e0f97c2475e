import { useDevnet } from '@svc/devnet/testing'
import { StoreError } from '@svc/store'
import { type Address, parseUnits } from 'viem'
import { afterEach, expect, it, vi } from 'vitest'
import type { PriceSource } from '@svc/amm'
import { announces, calls, callsWithFirstArgument, isMined, sellHostile, turnToken } from './hostile-token.fixture.ts'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'
import { limitsOf } from '../spending/budgets.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { mineAgain, mineNothing } from '../fixtures/mining.fixture.ts'
import { afterSending, beforeSending } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { testClient, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { bandOf } from '../value/bands.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)
const restore: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const work of restore.splice(0)) await work()
})

const minedSale = calls('function transferFrom(address,address,uint256)') + isMined

it('a contract that is no token and announces a transfer keeps nothing from going, and what was reserved counts', async () => {
  const pipeline = await open()
  const node = testClient(pipeline)
  restore.push(() => node.setAutomine(true))
  await node.setCode({ address: noToken, bytecode: `0x6001600052${announces(0)}00` })
  restore.push(await turnToken(pipeline, { condition: minedSale, evil: callsWithFirstArgument(noToken), goesOn: true }))
  beforeSending(pipeline, 2, () => mineNothing(pipeline))
  await expect(pipeline.run(await sellHostile(pipeline))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  pipeline.network.fetch = fetch
  const [reserved] = await pipeline.store.ledger.open()
  await mineAgain(pipeline)
  await pipeline.run(swapIntent(pipeline, '1'))
  expect(await pipeline.store.ledger.open()).toEqual([])
  expect(await used(pipeline)).toBe(reserved!.amountUsdMicros + parseUnits('1', 6))
  expect(pipeline.lines.filter(({ event }) => event === 'clear-up.unreadable-token')).toHaveLength(1)
})

it('a token that no longer says what is approved keeps neither a write nor another token from being taken back', async () => {
  const pipeline = await open()
  const spender = pipeline.chain.amm.v3!.swapRouter02
  afterSending(pipeline, 2, async () => {
    restore.push(
      await turnToken(pipeline, { condition: calls('function allowance(address,address)'), evil: '60006000fd' }),
    )
  })
  await pipeline.run(await sellHostile(pipeline))
  pipeline.network.fetch = fetch
  const pendingRevocations = {
    chainId: pipeline.chain.id,
    owner: pipeline.wallet,
    token: pipeline.token('HOSTILE'),
    spender,
  }
  expect(await pendingIn(pipeline)).toMatchObject([pendingRevocations])
  await pipeline.run(swapIntent(pipeline, '1'))
  expect(await pipeline.executor.reconcile()).toMatchObject({ failed: [] })
  expect(await pendingIn(pipeline)).toMatchObject([pendingRevocations])
})

it('a priced token that announces more than there is counts as the most the ledger takes', async () => {
  const pipeline = await open({ engine: { prices: dollarEach }, policy: mayLoseAll })
  const evil = `600160c81b600052${announces(4)}`
  restore.push(await turnToken(pipeline, { condition: minedSale, evil, goesOn: true }))
  await pipeline.run(await sellHostile(pipeline))
  expect(await pipeline.store.ledger.open()).toEqual([])
  expect(await used(pipeline)).toBe(10n ** 18n)
  expect(pipeline.lines.filter(({ event }) => event === 'settle.unrecorded')).toEqual([])
})

it('the same counted after its request is gone', async () => {
  const pipeline = await open({ engine: { prices: dollarEach }, policy: mayLoseAll })
  const node = testClient(pipeline)
  restore.push(() => node.setAutomine(true))
  const evil = `600160c81b600052${announces(4)}`
  restore.push(await turnToken(pipeline, { condition: minedSale, evil, goesOn: true }))
  beforeSending(pipeline, 2, () => mineNothing(pipeline))
  await expect(pipeline.run(await sellHostile(pipeline))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  pipeline.network.fetch = fetch
  await mineAgain(pipeline)
  expect(await pipeline.executor.reconcile()).toMatchObject({ failed: [] })
  expect(await pipeline.store.ledger.open()).toEqual([])
  expect(await used(pipeline)).toBe(10n ** 18n)
})

it('a take-back that is mined and fails waits longer each time, holds nothing up, and is told once', async () => {
  const time = { ms: Date.now() }
  const pipeline = await open({ engine: { now: () => time.ms } })
  await leaveWhatFails(pipeline)
  await pipeline.run(swapIntent(pipeline, '1'))
  const nonce = await pipeline.nonce()
  await pipeline.executor.reconcile()
  await pipeline.executor.reconcile()
  expect(await pipeline.nonce()).toBe(nonce)
  for (const [minutes, tries] of [
    [0.9, 0],
    [1.1, 1],
    [1.5, 0],
    [1.6, 1],
  ] as const) {
    const before = await pipeline.nonce()
    time.ms += minutes * 60_000
    await pipeline.executor.reconcile()
    expect((await pipeline.nonce()) - before).toBe(tries)
  }
  expect(await pendingIn(pipeline)).toMatchObject([{ token: pipeline.token('HOSTILE'), failed: { times: 3 } }])
  expect(pipeline.lines.filter(({ event }) => event === 'allowances.not-taken-back')).toHaveLength(1)
  await pipeline.audit.close()
  const reported = (await pipeline.auditLines()).filter(({ event }) => event === 'tx.not-taken-back')
  expect(reported).toMatchObject([{ transaction: { to: pipeline.token('HOSTILE') }, result: { status: 'reverted' } }])
})

it('a take-back that failed is not tried again once the gas of the day is used up', async () => {
  const pipeline = await open()
  await leaveWhatFails(pipeline)
  const nonce = await pipeline.nonce()
  const { dailyGas } = limitsOf(parsePolicy(devnetPolicy(), { production: false }))
  const limits = { perTransaction: 99n * dailyGas, perSession: 99n * dailyGas, daily: 99n * dailyGas }
  const elsewhere = { id: 'full', requestId: 'full', principal: 'key:other', chainId: 1, sessionIdleMs: 60_000 }
  expect(
    await pipeline.store.ledger.reserve({ ...elsewhere, amountUsdMicros: 0n, gasUsdMicros: dailyGas, limits }),
  ).toMatchObject({
    granted: true,
  })
  pipeline.clock.offsetMs += 61_000
  await pipeline.executor.reconcile()
  expect(await pipeline.nonce()).toBe(nonce)
  expect(pipeline.lines.at(-1)).toMatchObject({
    event: 'allowances.owed',
    facts: { error: { code: 'SPENDING_LIMIT_EXCEEDED' } },
  })
})

it('G13: no take-back burns the gas of a removal, which the call itself has left', async () => {
  const pipeline = await open()
  await leaveWhatFails(pipeline)
  const node = testClient(pipeline)
  const nonce = await pipeline.nonce()
  const { baseFeePerGas } = await pipeline.rpc.client(pipeline.chain).getBlock()
  // At twice the base fee and a tip, the removal's 600,000 and next to nothing beside.
  const keptWei = 600_000n * ((baseFeePerGas ?? 0n) * 2n + 10n ** 9n)
  await node.setBalance({ address: pipeline.wallet, value: keptWei })
  pipeline.clock.offsetMs += 61_000
  await pipeline.executor.reconcile()
  expect(await pipeline.nonce()).toBe(nonce)
  expect(pipeline.lines.at(-1)).toMatchObject({
    event: 'allowances.owed',
    facts: { error: { code: 'INSUFFICIENT_BALANCE', message: expect.stringContaining('the gas of a removal') } },
  })
  await node.setBalance({ address: pipeline.wallet, value: 100n * keptWei })
  pipeline.clock.offsetMs += 61_000
  await pipeline.executor.reconcile()
  expect(await pipeline.nonce()).toBe(nonce + 1)
})

it('a token of which something is allowed whatever was mined costs no gas with every sweep while a request is not settled', async () => {
  const time = { ms: Date.now() }
  const pipeline = await open({ engine: { now: () => time.ms } })
  const reported = { condition: calls('function allowance(address,address)'), evil: '600160005260206000f3' }
  restore.push(await turnToken(pipeline, reported))
  const spender = pipeline.chain.amm.v3!.swapRouter02
  const pendingRevocations = {
    chainId: pipeline.chain.id,
    owner: pipeline.wallet,
    token: pipeline.token('HOSTILE'),
    spender,
  }
  await pipeline.store.pendingRevocations.add([pendingRevocations])
  const limits = { perTransaction: 9n, perSession: 9n, daily: 9n }
  const gone = {
    id: 'gone',
    requestId: 'gone',
    principal: 'key:other',
    chainId: pipeline.chain.id,
    sessionIdleMs: 60_000,
  }
  await pipeline.store.ledger.reserve({ ...gone, amountUsdMicros: 1n, limits })
  const refused = new StoreError('RESERVATION_IN_USE', 'It is in use.')
  const unsettled = vi.spyOn(pipeline.store.ledger, 'release').mockRejectedValue(refused)
  for (const [minutes, revoked] of [
    [0, 1],
    [0.9, 1],
    [0.2, 2],
    [1.9, 2],
    [0.2, 3],
  ] as const) {
    time.ms += minutes * 60_000
    await pipeline.executor.reconcile()
    expect(await pipeline.nonce()).toBe(revoked)
  }
  unsettled.mockRestore()
  time.ms += 5 * 60_000
  await pipeline.executor.reconcile()
  expect([await pipeline.nonce(), await pendingIn(pipeline)]).toEqual([4, []])
})

it('G11: a take-back that failed in a block a reorg undid is no failure: it is mined again, and nothing waits', async () => {
  const pipeline = await open({ chain: { confirmations: 3 } })
  const node = testClient(pipeline)
  const intent = await sellHostile(pipeline)
  restore.push(() => mineAgain(pipeline))
  await mineNothing(pipeline)
  afterSending(pipeline, 1, () => node.mine({ blocks: 1 }))
  await expect(pipeline.run(intent)).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  const putBack = await turnToken(pipeline, { condition: minedRevocation, evil: 'fe' })
  restore.push(putBack)
  await node.mine({ blocks: 1 })
  await pipeline.executor.reconcile()
  const [revokeAllowances] = await pipeline.store.journal.byNonce(pipeline.chain.id, pipeline.wallet, 1)
  const receipt = await pipeline.rpc.client(pipeline.chain).getTransactionReceipt({ hash: revokeAllowances!.hash })
  expect([revokeAllowances?.state, receipt.status]).toEqual(['mined', 'reverted'])
  await node.request({ method: 'anvil_reorg', params: [1, []] } as never)
  await putBack()
  await expect.poll(() => isOver(pipeline)).toBe(true)
  expect(await pipeline.store.journal.byHash(revokeAllowances!.hash)).toMatchObject({ state: 'final' })
  expect(await pipeline.allowance('HOSTILE', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
  expect([await pipeline.nonce(), await pendingIn(pipeline)]).toEqual([2, []])
})

/** One block more, and whether nothing is open after it. */
async function isOver(pipeline: Pipeline): Promise<boolean> {
  await testClient(pipeline).mine({ blocks: 1 })
  await pipeline.executor.reconcile()
  return (await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)).length === 0
}

const minedRevocation = `${calls('function approve(address,uint256)')}6024351516${isMined}`

/** An allowance of which one unit stands, whose revocation succeeds in simulations and fails in a block: once so far. */
async function leaveWhatFails(pipeline: Pipeline): Promise<void> {
  restore.push(await turnToken(pipeline, { condition: minedRevocation, evil: 'fe' }))
  await pipeline.run(await sellHostile(pipeline, 1n))
  expect(await pendingIn(pipeline)).toMatchObject([{ token: pipeline.token('HOSTILE'), failed: { times: 1 } }])
}

const noToken: Address = '0x00000000000000000000000000000000000f00d1'

/** What the sale loses at these prices is no matter here. */
const mayLoseAll = {
  ...devnetPolicy(),
  valueRules: { tools: { execute_swap: { maxLossBps: 10_000, maxPriceImpactBps: 10_000 } } },
}

/** Every token at a dollar, native currency at 3,000. */
const dollarEach: PriceSource = {
  usd: async (_chain, { isNative }) => {
    const usd = isNative ? 3_000 : 1
    const band = bandOf(parseUnits(`${usd}`, 18))
    const read = { doubt: null, readAt: 0, method: 'peg', pools: [], liquidityUsd: 1e7 } as const
    return { usd, band, mostE18: null, ...read, confidence: 'HIGH', blockNumber: 0n }
  },
  ratio: async () => null,
  doubt: async () => 'unnamed' as const,
}

function pendingIn(pipeline: Pipeline): Promise<unknown> {
  return pipeline.store.pendingRevocations.list()
}
