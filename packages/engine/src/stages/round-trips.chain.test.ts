import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { methodsIn } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { settledOf, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

describe('the road of a transaction', () => {
  it('asks the chain twice before the first signature, twice for each transaction, and once after the last', async () => {
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
      ['eth_getTransactionReceipt'],
      expect.arrayContaining(['eth_getBalance', 'eth_call']),
    ])
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

/** The methods of each request; a receipt that is asked for again counts once. */
function tripsOf(pipeline: Pipeline): (readonly string[])[] {
  const trips = pipeline.network.requests.map(methodsIn)
  return trips.filter(
    (methods, index) => index === 0 || methods.join() !== trips[index - 1]?.join() || !methods[0]?.endsWith('Receipt'),
  )
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
