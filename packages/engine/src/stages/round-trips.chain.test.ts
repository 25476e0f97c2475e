import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import type { Intent } from '@svc/amm'
import { approvalOf, approveIntent, swapIntent } from '../fixtures/intents.fixture.ts'
import { methodsIn } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { settledOf, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

describe('the pipeline of a transaction', () => {
  it('asks the chain twice before the first signature, twice for each transaction, and never after the last', async () => {
    const pipeline = await open()
    await pipeline.run(swapIntent(pipeline, '300'))
    pipeline.network.requests.length = 0
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(tripsOf(pipeline)).toEqual([
      expect.arrayContaining(['eth_getBlockByNumber', 'eth_getBalance', 'eth_getTransactionCount', 'eth_call']),
      expect.arrayContaining(['eth_simulateV1']),
      ['eth_sendRawTransaction'],
      // Whether the block that was simulated on still stands.
      ['eth_getTransactionReceipt', 'eth_getBlockByNumber'],
      ['eth_sendRawTransaction'],
      // What the wallet holds then, and what stands of the allowance.
      ['eth_getTransactionReceipt', 'eth_call'],
    ])
  })

  it('simulates beside the snapshot where the block that planning read is still the newest', async () => {
    const pipeline = await open()
    await pipeline.run(swapIntent(pipeline, '300'))
    await pipeline.rpc.head(pipeline.chain)
    pipeline.network.requests.length = 0
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(tripsOf(pipeline)[0]).toEqual(expect.arrayContaining(['eth_getBlockByNumber', 'eth_simulateV1']))
    expect(tripsOf(pipeline)[1]).toEqual(['eth_sendRawTransaction'])
    expect(simulatedAt(pipeline)).toHaveLength(1)
  })

  it('simulates again where the chain has gone on since, or an allowance stands', async () => {
    const pipeline = await open()
    await pipeline.rpc.head(pipeline.chain)
    await sendElsewhere(pipeline)
    pipeline.network.requests.length = 0
    await pipeline.run(swapIntent(pipeline, '300'))
    const [foreseen = 0n, simulated = 0n] = simulatedAt(pipeline)
    expect(simulated).toBe(foreseen + 1n)
    await pipeline.run(approveIntent(pipeline, pipeline.chain.amm.v3!.swapRouter02, '7'))
    await pipeline.rpc.head(pipeline.chain)
    pipeline.network.requests.length = 0
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(simulatedAt(pipeline)).toHaveLength(2)
  })

  it('sends approvals one after the other and waits for them once, and for what takes them back as well', async () => {
    const pipeline = await open()
    await pipeline.run(twoApprovals(pipeline))
    pipeline.network.requests.length = 0
    const settled = settledOf(await pipeline.run(twoApprovals(pipeline)))
    expect(settled.transactions).toHaveLength(5)
    expect(tripsOf(pipeline).slice(2)).toEqual([
      ['eth_sendRawTransaction'],
      ['eth_sendRawTransaction'],
      ['eth_getTransactionReceipt', 'eth_getTransactionReceipt', 'eth_getBlockByNumber'],
      ['eth_sendRawTransaction'],
      ['eth_getTransactionReceipt', 'eth_call'],
      ['eth_sendRawTransaction'],
      ['eth_sendRawTransaction'],
      ['eth_getTransactionReceipt', 'eth_getTransactionReceipt'],
    ])
    expect(await allowancesLeft(pipeline)).toEqual([0n, 0n])
  })

  it('signs no approval behind another on a simulation that is no longer fresh', async () => {
    const pipeline = await open()
    pipeline.hooks.afterAudit = async (event) => {
      if (event === 'tx.intent') pipeline.clock.offsetMs = 16_000
    }
    await pipeline.run(twoApprovals(pipeline))
    const methods = pipeline.network.requests.flatMap(methodsIn)
    const sends = methods.flatMap((method, index) => (method === 'eth_sendRawTransaction' ? [index] : []))
    const between = methods.slice(sends[0], sends[1])
    expect(between.indexOf('eth_getTransactionReceipt')).toBeGreaterThan(0)
    expect(between.indexOf('eth_simulateV1')).toBeGreaterThan(between.indexOf('eth_getTransactionReceipt'))
  })

  it('ends clearly when somebody else uses the wallet between the survey and the signature', async () => {
    const pipeline = await open()
    let isFirst = true
    pipeline.hooks.afterAudit = async (event) => {
      if (event !== 'tx.intent' || !isFirst) return
      isFirst = false
      await sendElsewhere(pipeline)
    }
    await expect(pipeline.run(swapIntent(pipeline, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_NOT_SENT' })
    expect(await pipeline.balance('USDC')).toBe(parseUnits('20000', 6))
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await used(pipeline)).toBe(0n)
    expect(settledOf(await pipeline.run(swapIntent(pipeline, '300'))).transactions).toHaveLength(2)
  })
})

/** A swap that approves more than it takes, of two tokens. */
function twoApprovals(pipeline: Pipeline): Intent {
  const router = pipeline.chain.amm.v3!.swapRouter02
  const approvals = [
    approvalOf(pipeline.token('USDC'), router, parseUnits('400', 6)),
    approvalOf(pipeline.token('WETH'), router, parseUnits('0.1', 18)),
  ]
  return swapIntent(pipeline, '300', { intent: { approvals } })
}

function allowancesLeft(pipeline: Pipeline): Promise<readonly bigint[]> {
  const router = pipeline.chain.amm.v3!.swapRouter02
  return Promise.all(['USDC', 'WETH'].map((token) => pipeline.allowance(token, router)))
}

/** The blocks on which something was simulated. */
function simulatedAt(pipeline: Pipeline): readonly bigint[] {
  return pipeline.network.requests.flatMap((body) => {
    const asked = ([JSON.parse(body)] as { method: string; params: readonly string[] }[]).flat()
    return asked.filter(({ method }) => method === 'eth_simulateV1').map(({ params }) => BigInt(params[1] ?? 0))
  })
}

/** The methods of each request; a receipt that is asked for again counts once. */
function tripsOf(pipeline: Pipeline): (readonly string[])[] {
  const trips = pipeline.network.requests.map(methodsIn)
  const waits = (methods: readonly string[] | undefined) => methods?.[0]?.endsWith('Receipt') === true
  return trips.filter((methods, index) => !waits(methods) || !waits(trips[index - 1]))
}

async function sendElsewhere(pipeline: Pipeline): Promise<void> {
  const account = privateKeyToAccount(pipeline.privateKey)
  const client = createWalletClient({ account, transport: http(pipeline.devnet.rpcUrl) })
  const hash = await client.sendTransaction({ to: account.address, value: 0n, chain: null })
  await vi.waitFor(() => pipeline.rpc.client(pipeline.chain).getTransactionReceipt({ hash }), {
    timeout: 60_000,
    interval: 20,
  })
}
