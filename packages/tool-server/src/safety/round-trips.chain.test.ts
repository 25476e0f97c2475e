import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { swapIntent } from './intents.fixture.ts'
import { methodsIn } from './network.fixture.ts'
import type { Road } from './open-road.fixture.ts'
import { settledOf, used } from './road-facts.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const { open } = useRoads(devnet)

describe('the road of a transaction', () => {
  it('asks the chain twice before the first signature, twice for each transaction, and once after the last', async () => {
    const road = await open()
    await road.run(swapIntent(road, '300'))
    road.network.requests.length = 0
    await road.run(swapIntent(road, '300'))
    expect(tripsOf(road)).toEqual([
      expect.arrayContaining(['eth_getBlockByNumber', 'eth_getBalance', 'eth_getTransactionCount', 'eth_call']),
      expect.arrayContaining(['eth_simulateV1']),
      ['eth_sendRawTransaction'],
      ['eth_getTransactionReceipt'],
      ['eth_sendRawTransaction'],
      ['eth_getTransactionReceipt'],
      expect.arrayContaining(['eth_getBalance', 'eth_call']),
    ])
  })

  it('ends clearly when somebody else uses the wallet between the survey and the signature', async () => {
    const road = await open()
    let isFirst = true
    road.hooks.afterAudit = async (event) => {
      if (event !== 'tx.intent' || !isFirst) return
      isFirst = false
      await sendElsewhere(road)
    }
    await expect(road.run(swapIntent(road, '300'))).rejects.toMatchObject({ code: 'TRANSACTION_NOT_SENT' })
    expect(await road.balance('USDC')).toBe(parseUnits('20000', 6))
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await used(road)).toBe(0n)
    expect(settledOf(await road.run(swapIntent(road, '300'))).transactions).toHaveLength(2)
  })
})

/** The methods of each request; a receipt that is asked for again counts once. */
function tripsOf(road: Road): (readonly string[])[] {
  const trips = road.network.requests.map(methodsIn)
  return trips.filter(
    (methods, index) => index === 0 || methods.join() !== trips[index - 1]?.join() || !methods[0]?.endsWith('Receipt'),
  )
}

async function sendElsewhere(road: Road): Promise<void> {
  const account = privateKeyToAccount(road.privateKey)
  const client = createWalletClient({ account, transport: http(road.devnet.rpcUrl) })
  const hash = await client.sendTransaction({ to: account.address, value: 0n, chain: null })
  await vi.waitFor(() => road.rpc.client(road.chain).getTransactionReceipt({ hash }), { timeout: 60_000, interval: 20 })
}
