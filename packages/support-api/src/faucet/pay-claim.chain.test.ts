import { failing, startFaultProxy, useDevnet, type FaultProxy } from '@svc/devnet/testing'
import { createPublicClient, createWalletClient, http, parseEther, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FaucetConfig } from '../config.ts'
import { fundedConfig, openReplica, usePlaces, type Place, type Replica } from './faucet.fixture.ts'

const devnet = useDevnet()
const places = usePlaces()
const grantWei = parseEther('0.01')

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  let at: Place
  let config: FaucetConfig
  let between: FaultProxy
  let replica: Replica
  beforeEach(async () => {
    at = await places[engine]()
    between = await startFaultProxy({ target: devnet().rpcUrl })
    const chains = [{ chain: devnet().chain, rpcUrls: [between.url] }]
    config = { ...(await fundedConfig(devnet(), '1')), chains }
    replica = await openReplica({ place: at.place, config })
  })
  afterEach(async () => {
    await replica.faucet.stop()
    await replica.store.close()
    await between.stop()
    await at.remove()
  })

  test('a grant whose nonce another program has used is paid once, at the next one', async () => {
    const { faucet, store } = replica
    between.setRules([{ methods: ['eth_sendRawTransaction'], fault: { kind: 'reset', forwarded: false } }])
    const wallet = newAddress()
    const { id } = await claim(wallet)
    faucet.start()
    await expect.poll(() => between.rawTransactions().size).toBe(1)
    const account = privateKeyToAccount(config.privateKey.reveal() as `0x${string}`)
    const foreign = createWalletClient({ account, transport: http(devnet().rpcUrl) })
    const hash = await foreign.sendTransaction({ chain: null, to: newAddress(), value: 1n, nonce: 0 })
    await client().waitForTransactionReceipt({ hash })
    between.setRules([])
    await expect.poll(async () => (await store.claims.find(31337, wallet))?.state).toBe('confirmed')
    expect((await store.journal.byRequest(id)).map(({ state, nonce }) => [state, nonce])).toEqual([
      ['superseded', 0],
      ['final', 1],
    ])
    expect(await balanceOf(wallet)).toBe(grantWei)
    expect(await client().getTransactionCount({ address: faucet.address })).toBe(2)
  })

  test('a grant that the node declined and passed on all the same is never signed at another nonce', async () => {
    const { faucet, store } = replica
    const declined = failing('eth_sendRawTransaction', -32_000, 'exceeds block gas limit')
    between.setRules([{ methods: ['eth_sendRawTransaction'], fault: declined, times: 1 }])
    const [wallet, other] = [newAddress(), newAddress()]
    const { id } = await claim(wallet)
    faucet.start()
    await expect.poll(() => balanceOf(wallet)).toBe(grantWei)
    await claim(other)
    await expect.poll(() => balanceOf(other)).toBe(grantWei)
    await expect.poll(async () => (await store.claims.find(31337, wallet))?.state).toBe('confirmed')
    expect((await store.journal.byRequest(id)).map(({ state, nonce }) => [state, nonce])).toEqual([['final', 0]])
    expect(await balanceOf(wallet)).toBe(grantWei)
    expect(await client().getTransactionCount({ address: faucet.address })).toBe(2)
  })

  async function claim(address: Address) {
    const wanted = { chainId: 31337, address, appId: 'app', network: '127.0.0.0/24', amountWei: grantWei }
    const verdict = await replica.faucet.desk.make(wanted)
    if (verdict.status !== 'made') throw new Error(verdict.status)
    return verdict.claim
  }
})

function newAddress(): Address {
  return privateKeyToAddress(generatePrivateKey())
}

const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const balanceOf = (address: Address) => client().getBalance({ address })
