import { useDevnet } from '@svc/devnet/testing'
import { parseEther, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { fundedConfig, openReplica, usePlaces, type Place, type Replica } from './faucet.fixture.ts'
import { reportFaucet } from './report-faucet.ts'
import { requestGrant, type GrantDesk } from './request-grant.ts'

const devnet = useDevnet()
const places = usePlaces()
const grantWei = parseEther('0.01')

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s, where nobody pays', (engine) => {
  let at: Place
  let replica: Replica
  beforeEach(async () => {
    at = await places[engine]()
    replica = await openReplica({ place: at.place, config: await fundedConfig(devnet(), '0.005') })
  })
  afterEach(async () => {
    await replica.store.close()
    await at.remove()
  })

  test('wallets that ask again are looked up together', async () => {
    const { desk, faucet, store } = replica
    const addresses = Array.from({ length: 40 }, newAddress)
    await Promise.all(addresses.map((address) => faucet.desk.make({ ...wanted(address), amountWei: grantWei })))
    const looks: string[] = []
    const asked: GrantDesk = {
      ...desk,
      claims: { ...store.claims, find: (_, address) => Promise.reject(new Error(`${address} was looked up alone`)) },
      faucet: {
        ...faucet,
        desk: { ...faucet.desk, find: (slot) => (looks.push(slot.address), faucet.desk.find(slot)) },
      },
    }
    const answers = await Promise.allSettled(addresses.map((address) => requestGrant(asked, wanted(address))))
    const reported = { status: 'rejected', reason: expect.objectContaining({ code: 'FAUCET_ALREADY_CLAIMED' }) }
    expect(answers).toEqual(addresses.map(() => reported))
    expect(looks).toEqual(addresses)
  })

  test('the answer comes after five seconds, and the claim is kept', async () => {
    const { desk, faucet } = replica
    const waits: number[] = []
    const watch = {
      untilSent: (...[claim, forAtMostMs]: Parameters<typeof faucet.watch.untilSent>) => {
        waits.push(forAtMostMs)
        return faucet.watch.untilSent(claim, 0)
      },
    }
    const address = newAddress()
    const rich = { ...desk, balanceWei: async () => grantWei, faucet: { ...faucet, watch } }
    const grant = await requestGrant(rich, wanted(address))
    expect(grant).toMatchObject({ status: 'queued', txHash: null, address })
    expect(waits).toEqual([5_000])
    expect(await desk.claims.find(31337, address)).toMatchObject({ id: grant.claimId, state: 'queued' })
  })

  test('what waits is taken off the balance before another claim is taken in', async () => {
    const { desk } = replica
    const asks = (balanceWei: bigint, depth: number) =>
      requestGrant(
        { ...desk, faucet: withoutWait(desk), balanceWei: async () => balanceWei, queueDepth: async () => depth },
        wanted(newAddress()),
      )
    expect(await asks(grantWei * 4n, 3)).toMatchObject({ status: 'queued' })
    const dry = { code: 'FAUCET_DRY', retryAfterSeconds: 600 }
    await expect(asks(grantWei * 4n - 1n, 3)).rejects.toMatchObject(dry)
    await expect(asks(grantWei * 4n, 4)).rejects.toMatchObject(dry)
  })

  test('the report says when the balance is not enough for a grant, or for none beyond those that wait', async () => {
    const { desk, faucet } = replica
    const caps = { perAppPerDay: 1, perNetworkPerDay: 2, perChainPerDay: 3 }
    const report = () => reportFaucet({ faucet, claims: desk.claims, config: caps, version: '0.2.0', now: Date.now })
    const dry = { status: 'paused', chains: [{ claimsRemaining: 0, enabled: false, reason: 'dry' }] }
    expect(await report()).toMatchObject(dry)
    await devnet().fund(faucet.address, { ETH: '0.01' })
    expect(await report()).toMatchObject({ status: 'ok', chains: [{ claimsRemaining: 1, enabled: true }] })
    await faucet.desk.make({ ...wanted(newAddress()), amountWei: grantWei })
    expect(await report()).toMatchObject(dry)
  })
})

function withoutWait({ faucet }: GrantDesk): GrantDesk['faucet'] {
  return { ...faucet, watch: { untilSent: (claim) => faucet.watch.untilSent(claim, 0) } }
}

function wanted(address: Address) {
  return { chainId: 31337, address, appId: 'app', network: '127.0.0.0/24' }
}

function newAddress(): Address {
  return privateKeyToAddress(generatePrivateKey())
}
