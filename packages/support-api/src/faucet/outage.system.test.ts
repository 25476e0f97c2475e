import { startFaultProxy, useDevnet, usePostgres } from '@svc/devnet/testing'
import { createPublicClient, http, parseEther, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, expect, test } from 'vitest'
import { openTestApi, type Answer, type TestApi } from '../test-api.fixture.ts'
import { writeChainsFile } from './chains-file.fixture.ts'

const devnet = useDevnet()
const postgres = usePostgres({ ownServer: true })
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

test('no claim that was answered for is lost or paid twice when the database is killed under load', async () => {
  const { replicas, faucet } = await open(2)
  const state = { isOver: false }
  const taken = new Set<Address>()
  const asked = new Set<Address>()
  const statuses = new Set<number>()
  const keepClaiming = async (replica: TestApi): Promise<void> => {
    while (!state.isOver) {
      const address = newAddress()
      asked.add(address)
      const { status } = await claim(replica, address)
      statuses.add(status)
      if (status === 200) taken.add(address)
    }
  }
  const load = Promise.all([...replicas, ...replicas, ...replicas].map(keepClaiming))
  for (let round = 0; round < 4; round += 1) {
    const before = taken.size
    await expect.poll(() => taken.size).toBeGreaterThan(before + 5)
    if (round === 3) break
    await postgres().kill()
    await postgres().restart()
  }
  state.isOver = true
  await load
  expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([])
  for (const address of taken) await expect.poll(() => balanceOf(address)).toBe(parseEther('0.01'))
  await expect.poll(() => queueDepth(replicas[0]!)).toBe(0)
  // One whose commit the database did not answer for is paid or is not; none of them twice.
  const balances = await Promise.all([...asked].map(balanceOf))
  const paid = balances.filter((balance) => balance === parseEther('0.01')).length
  expect(balances.filter((balance) => balance !== 0n)).toHaveLength(paid)
  expect(await client().getTransactionCount({ address: faucet })).toBe(paid)
})

test('while one chain is down the other serves, and the replica stays ready', async () => {
  const { replicas } = await open(1, { SVC_FAUCET_CHAINS: '31337,84532', SVC_RPC_URL_84532: 'http://127.0.0.1:9' })
  const [replica] = replicas as [TestApi]
  const address = newAddress()
  expect(await claim(replica, address, 84532)).toMatchObject({
    status: 503,
    headers: { 'retry-after': '10' },
    json: { code: 'UPSTREAM_UNAVAILABLE', retryable: true },
  })
  expect((await claim(replica, address)).status).toBe(200)
  await expect.poll(() => balanceOf(address)).toBe(parseEther('0.01'))
  expect((await replica.ask('/readyz')).status).toBe(200)
  const { status, json } = await replica.ask('/v1/faucet/status')
  expect({ status, json }).toMatchObject({
    status: 200,
    json: {
      status: 'degraded',
      chains: [
        { chainId: 31337, rpc: 'ok', enabled: true },
        { chainId: 84532, rpc: 'down', enabled: false, reason: 'rpc-down', balance: null, queueDepth: 0 },
      ],
    },
  })
})

test('an endpoint that says nothing holds up neither the other chain nor the replica', async () => {
  const silent = await startFaultProxy({ target: devnet().rpcUrl, rules: [{ fault: { kind: 'stall' } }] })
  closers.push(() => silent.stop())
  const { replicas } = await open(1, { SVC_FAUCET_CHAINS: '31337,84532', SVC_RPC_URL_84532: silent.url })
  const [replica] = replicas as [TestApi]
  const startedAt = performance.now()
  const [ready, status, page, served, refused] = await Promise.all([
    replica.ask('/readyz'),
    replica.ask('/v1/faucet/status'),
    replica.ask('/'),
    claim(replica, newAddress()),
    claim(replica, newAddress(), 84532),
  ])
  // A question to such an endpoint takes more than a minute until its client gives up.
  expect(performance.now() - startedAt).toBeLessThan(20_000)
  expect(ready).toMatchObject({ status: 200, json: { parts: { store: 'ok' } } })
  expect([page.status, served.status]).toEqual([200, 200])
  expect(refused).toMatchObject({ status: 503, json: { code: 'UPSTREAM_UNAVAILABLE' } })
  expect(status.json).toMatchObject({
    status: 'degraded',
    chains: [
      { chainId: 31337, rpc: 'ok', enabled: true },
      { chainId: 84532, rpc: 'down', enabled: false, reason: 'rpc-down' },
    ],
  })
})

test('who comes under a cap that is full is refused without a question to the chain', async () => {
  const proxy = await startFaultProxy({ target: devnet().rpcUrl })
  closers.push(() => proxy.stop())
  const { replicas } = await open(1, { SVC_RPC_URL_31337: proxy.url, SVC_FAUCET_PER_NETWORK_DAY: '1' })
  const [replica] = replicas as [TestApi]
  expect((await claim(replica, newAddress())).status).toBe(200)
  expect((await claim(replica, newAddress())).status).toBe(429)
  const asked = proxy.methods().get('eth_getCode')
  const answers = await Promise.all(Array.from({ length: 50 }, () => claim(replica, newAddress())))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]))
  expect(Number(answers[0]?.headers['retry-after'])).toBeGreaterThan(86_000)
  expect(proxy.methods().get('eth_getCode')).toBe(asked)
})

test('what was taken in before its chain went down is paid once the chain is back', async () => {
  const proxy = await startFaultProxy({ target: devnet().rpcUrl })
  closers.push(() => proxy.stop())
  const { replicas, faucet } = await open(1, { SVC_RPC_URL_31337: proxy.url })
  const [replica] = replicas as [TestApi]
  proxy.setRules([{ methods: ['eth_sendRawTransaction'], fault: { kind: 'status', status: 503 } }])
  const addresses = [newAddress(), newAddress(), newAddress()]
  const answers = await Promise.all(addresses.map((address) => claim(replica, address)))
  expect(answers.map(({ status }) => status)).toEqual(addresses.map(() => 200))
  proxy.setRules([{ fault: { kind: 'status', status: 503 } }])
  expect((await claim(replica, newAddress())).status).toBe(503)
  proxy.setRules([])
  for (const address of addresses) await expect.poll(() => balanceOf(address)).toBe(parseEther('0.01'))
  expect(await client().getTransactionCount({ address: faucet })).toBe(addresses.length)
})

/** Replicas over one database, whose faucet has a fresh and funded key on the local chain. */
async function open(count: number, env: Readonly<Record<string, string>> = {}) {
  const privateKey = generatePrivateKey()
  const faucet = privateKeyToAddress(privateKey)
  await devnet().fund(faucet, { ETH: '100' })
  const file = await writeChainsFile(devnet().chain)
  closers.push(() => file.remove())
  const place = { url: await postgres().newSchema() }
  const settings = {
    SVC_FAUCET_PRIVATE_KEY: privateKey,
    SVC_FAUCET_CHAINS: '31337',
    SVC_CHAINS_FILE: file.path,
    SVC_RPC_URL_31337: devnet().rpcUrl,
    SVC_FAUCET_PER_APP_DAY: '100000',
    SVC_FAUCET_PER_NETWORK_DAY: '100000',
    SVC_FAUCET_PER_CHAIN_DAY: '100000',
    ...env,
  }
  const replicas: TestApi[] = []
  for (let index = 0; index < count; index += 1) {
    const replica = await openTestApi({ place, env: settings })
    closers.push(() => replica.close())
    replicas.push(replica)
  }
  return { replicas, faucet }
}

function claim(replica: TestApi, address: Address, chainId = 31337): Promise<Answer> {
  return replica.ask('/v1/faucet/request', {
    method: 'POST',
    body: JSON.stringify({ address, chainId, appId: 'app-one' }),
    headers: { 'content-type': 'application/json' },
  })
}

async function queueDepth(replica: TestApi): Promise<unknown> {
  const { json } = await replica.ask('/v1/faucet/status')
  return (json['chains'] as readonly { readonly queueDepth: number }[] | undefined)?.[0]?.queueDepth
}

function newAddress(): Address {
  return privateKeyToAddress(generatePrivateKey())
}

const client = () => createPublicClient({ transport: http(devnet().rpcUrl, { batch: true }), cacheTime: 0 })
const balanceOf = (address: Address) => client().getBalance({ address })
