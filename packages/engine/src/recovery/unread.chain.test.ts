import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, type Hash, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { erc20Abi } from '@svc/amm/abis'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { cutOff } from '../fixtures/mining.fixture.ts'
import { afterSending, rewriting } from '../fixtures/network.fixture.ts'
import { callOf, type Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { principalOf, testClient, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { parsePolicy } from '../policy/policy.ts'
import { createCircuitBreaker } from '../switches/circuit-breaker.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

const isOf = (hash: Hash, result: unknown) =>
  typeof result === 'object' && result !== null && 'transactionHash' in result && result.transactionHash === hash

/** An endpoint that answers so where it is asked for the receipt of one transaction. */
function withReceipt(hash: Hash, said: { readonly error?: object; readonly result?: unknown }): typeof fetch {
  return rewriting('eth_getTransactionReceipt', (answer) =>
    isOf(hash, answer.result) ? { jsonrpc: answer.jsonrpc, id: answer.id, ...said } : answer,
  )
}

const tooBig = { error: { code: -32_008, message: 'Response is too big' } }

/** A swap of 300 USD of 500 a day that is out and not confirmed. */
async function openWithSwapOut(breaker: object = {}) {
  const limitsUsd = { perTransaction: '500', perSession: '500', daily: '500' }
  const pipeline = await open({ policy: { limitsUsd, approvalThresholdUsd: null, breaker } })
  afterSending(pipeline, 2, () => cutOff(pipeline))
  const call = callOf()
  const failure = (await pipeline.run(swapIntent(pipeline, '300'), call).catch((error: unknown) => error)) as {
    readonly details: readonly [{ readonly txHash: Hash }]
  }
  return { pipeline, requestId: call.requestId, hash: failure.details[0].txHash }
}

/** As an operator does who has looked at what is not read. */
async function rearm({ dataDir }: Pipeline): Promise<void> {
  const limits = () => parsePolicy({}, { production: false }).breaker
  const breaker = createCircuitBreaker({ dataDir, limits, now: Date.now })
  expect(await breaker.status()).toMatchObject({ openedBy: 'shortfall', stops: 'all-but-ways-home' })
  await breaker.rearm({ by: 'operator:cli', at: new Date().toISOString() })
}

const unreadIn = async ({ executor }: Pipeline) => (await executor.safetyReport(principalOf())).unreadRequests
const settle = (pipeline: Pipeline) => testClient(pipeline).mine({ blocks: 3 })
const usd300 = parseUnits('300', 6)

it.each([
  ['refused', tooBig],
  ['malformed', { result: { status: 'neither' } }],
])(
  'G4: a receipt that is %s keeps no way home waiting once its nonce is settled, nor others once an operator looked; what was reserved counts',
  async (_, said) => {
    const { pipeline, requestId, hash } = await openWithSwapOut()
    const chainId = pipeline.chain.id
    pipeline.network.fetch = withReceipt(hash, said)
    const unread = { chains: [{ chainId, pending: [], settled: [], tookBack: 0 }], failed: [] }
    expect(await pipeline.executor.reconcile()).toEqual(unread)
    expect([await used(pipeline), await unreadIn(pipeline)]).toEqual([usd300, 1])
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    await rearm(pipeline)
    await pipeline.executor.reconcile()
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    await pipeline.run(swapIntent(pipeline, '100'))
    expect((await pipeline.store.ledger.open()).map((one) => one.requestId)).toEqual([requestId])
    // It is read as soon as it can be.
    pipeline.network.fetch = fetch
    await settle(pipeline)
    expect(await pipeline.executor.reconcile()).toMatchObject({ chains: [{ pending: [], settled: [requestId] }] })
    expect([await used(pipeline), await unreadIn(pipeline)]).toEqual([parseUnits('400', 6), 0])
    expect(await pipeline.store.journal.byHash(hash)).toMatchObject({ state: 'final' })
  },
)

it('G4: a receipt that is refused once stops nothing', async () => {
  const { pipeline, requestId, hash } = await openWithSwapOut()
  let refusals = 0
  pipeline.network.fetch = rewriting('eth_getTransactionReceipt', (answer) =>
    isOf(hash, answer.result) && refusals++ === 0 ? { jsonrpc: answer.jsonrpc, id: answer.id, ...tooBig } : answer,
  )
  expect(await pipeline.executor.reconcile()).toMatchObject({ chains: [{ settled: [] }] })
  expect(await unreadIn(pipeline)).toBe(1)
  await settle(pipeline)
  expect(await pipeline.executor.reconcile()).toMatchObject({ chains: [{ settled: [requestId] }] })
  await pipeline.run(swapIntent(pipeline, '100'))
})

it.each([
  ['is not reached', () => Promise.reject(new TypeError('fetch failed'))],
  ['says no to haste', async () => new Response('', { status: 429 })],
  ['is out of order', async () => new Response('', { status: 502 })],
])('an endpoint that %s where it is asked for a receipt stops every write', async (_, fail) => {
  const { pipeline, hash } = await openWithSwapOut()
  await settle(pipeline)
  pipeline.network.fetch = (input, init) => {
    const asked = typeof init?.body === 'string' ? init.body : ''
    return asked.includes(hash) && asked.includes('Receipt') ? fail() : fetch(input, init)
  }
  const nonce = await pipeline.nonce()
  await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({
    code: expect.stringMatching(/^RPC_(UNAVAILABLE|REFUSED)$/),
  })
  expect([await pipeline.nonce(), await unreadIn(pipeline)]).toEqual([nonce, 0])
})

it('G9: a receipt that is refused for good does not end the watch over the balance', async () => {
  const { pipeline, hash } = await openWithSwapOut({ maxBalanceDropPct: 20, windowMinutes: 3 })
  pipeline.network.fetch = withReceipt(hash, tooBig)
  await pipeline.executor.reconcile()
  await rearm(pipeline)
  const openings = async () => (await pipeline.auditLines()).filter(({ event }) => event === 'breaker.open').length
  const before = await openings()
  const look = async () => {
    pipeline.clock.offsetMs += 61_000
    await pipeline.executor.watchBalances()
    return (await openings()) - before
  }
  for (let minute = 0; minute < 4; minute += 1) expect(await look()).toBe(0)
  const account = privateKeyToAccount(pipeline.privateKey)
  const thief = createWalletClient({ account, transport: http(pipeline.devnet.rpcUrl) })
  const args = ['0x000000000000000000000000000000000000dEaD', parseUnits('16000', 6)] as const
  await thief.writeContract({
    chain: null,
    address: pipeline.token('USDC'),
    abi: erc20Abi,
    functionName: 'transfer',
    args,
  })
  await settle(pipeline)
  expect(await look()).toBe(1)
})
