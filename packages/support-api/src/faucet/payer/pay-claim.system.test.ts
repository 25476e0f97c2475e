import { awaitReceipt } from '@svc/devnet'
import { startFaultProxy, useDevnet, type FaultProxy } from '@svc/devnet/testing'
import { createPublicClient, createWalletClient, http, parseEther, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FaucetConfig } from '../../config.ts'
import { fundedConfig, openReplica, usePlaces, type Place, type Replica } from '../faucet.fixture.ts'
import { startRefusingNode, type RefusingNode } from '../refusing-node.fixture.ts'

const devnet = useDevnet()
const places = usePlaces()
const grantWei = parseEther('0.01')

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  let at: Place
  let config: FaucetConfig
  let declining: RefusingNode
  let between: FaultProxy
  let replica: Replica
  beforeEach(async () => {
    at = await places[engine]()
    declining = await startRefusingNode(devnet().rpcUrl)
    between = await startFaultProxy({ target: declining.url })
    const chains = [{ chain: devnet().chain, rpcUrls: [between.url] }]
    config = { ...(await fundedConfig(devnet(), '1')), chains }
    replica = await openReplica({ place: at.place, config })
  })
  afterEach(async () => {
    await replica.faucet.stop()
    await replica.store.close()
    await between.stop()
    await declining.stop()
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
    await awaitReceipt(client(), hash)
    between.setRules([])
    await expect.poll(async () => (await store.claims.find(31337, wallet))?.state).toBe('confirmed')
    expect((await store.journal.byRequest(id)).map(({ state, nonce }) => [state, nonce])).toEqual([
      ['superseded', 0],
      ['final', 1],
    ])
    expect(await balanceOf(wallet)).toBe(grantWei)
    expect(await client().getTransactionCount({ address: faucet.address })).toBe(2)
  })

  test('a grant that was declined and is mined all the same is never signed at another nonce', async () => {
    const { faucet, store } = replica
    const declines = { code: -32_000, message: 'exceeds block gas limit' }
    declining.setRefusal(({ method }) => (method === 'eth_sendRawTransaction' ? declines : null))
    const wallet = newAddress()
    const { id } = await claim(wallet)
    faucet.start()
    const signed = () => store.journal.byRequest(id)
    await expect.poll(async () => (await signed())[0]?.state).toBe('refused')
    const [first] = await signed()
    await client().sendRawTransaction({ serializedTransaction: first!.rawTransaction })
    await expect.poll(() => balanceOf(wallet)).toBe(grantWei)
    declining.setRefusal(() => null)
    const roundsWithIt = () => (between.methods().get('eth_getCode') ?? 0) - before
    const before = between.methods().get('eth_getCode') ?? 0
    // The second begins when the first has judged the claim, whose bytes are in a block.
    await expect.poll(roundsWithIt).toBeGreaterThan(1)
    await faucet.stop()
    await store.close()
    // Whoever leads next looks back at once.
    replica = await openReplica({ place: at.place, config })
    replica.faucet.start()
    await expect.poll(async () => (await replica.store.claims.find(31337, wallet))?.state).toBe('confirmed')
    // It may have been signed again, at its own nonce, before it was mined.
    const attempts = await replica.store.journal.byRequest(id)
    expect(new Set(attempts.map(({ nonce }) => nonce))).toEqual(new Set([0]))
    expect(await balanceOf(wallet)).toBe(grantWei)
    expect(await client().getTransactionCount({ address: faucet.address })).toBe(1)
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
