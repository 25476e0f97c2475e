import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startIdentityProvider, type IdentityProvider } from '@svc/devnet/identity-provider'
import { useDevnet, usePostgres } from '@svc/devnet/testing'
import { createPublicClient, http, parseEther, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, expect, inject, test } from 'vitest'
import { testCard } from '../packages/support-api/src/test-api.fixture.ts'

// Three replicas of the support API over one PostgreSQL, killed with SIGKILL at what they have just done: taken a claim
// in, signed for it, sent it; counted a pin, kept its content. The built program runs, in few files; as an
// operator starts it, it runs in packages/support-api/src/main.system.test.ts.
const devnet = useDevnet()
const postgres = usePostgres()
const program = inject('bundledSupportApi')
const leastWallets = 60
const leastKills = 26
const atOnce = 5
const crashPoints = ['faucet.claimed', 'pin.kept', 'faucet.signed', 'pin.reserved', 'faucet.sent', 'request.served']

let provider: IdentityProvider
let folder: string
const replicas: Replica[] = []
beforeEach(async () => {
  provider = await startIdentityProvider({ appIds: ['app-one'] })
  folder = await mkdtemp(join(tmpdir(), 'faucet-kills-'))
})
afterEach(async () => {
  await Promise.all(replicas.splice(0).map((replica) => replica.end()))
  await provider.stop()
  await rm(folder, { recursive: true })
})

test(
  'three replicas that are killed 26 times and more pay sixty wallets and more once each, and keep every card they answered for',
  { retry: 0, timeout: 600_000 },
  async () => {
    const key = generatePrivateKey()
    const faucet = privateKeyToAddress(key)
    await devnet().fund(faucet, { ETH: '10' })
    const chains = join(folder, 'chains.json')
    await writeFile(chains, JSON.stringify([devnet().chain]))
    const environment = {
      PATH: process.env['PATH'] ?? '',
      LOG_LEVEL: 'debug',
      SVC_LISTEN: '127.0.0.1:0',
      SVC_DATABASE_URL: await postgres().newSchema(),
      SVC_IDENTITY_PROVIDER_URL: provider.url,
      SVC_GATEWAY_URL: 'https://gateway.example',
      SVC_CHAINS_FILE: chains,
      SVC_FAUCET_PRIVATE_KEY: key,
      SVC_FAUCET_CHAINS: '31337',
      SVC_FAUCET_PER_APP_DAY: '1000',
      SVC_FAUCET_PER_NETWORK_DAY: '1000',
      SVC_FAUCET_PER_CHAIN_DAY: '1000',
      SVC_PIN_PER_APP_HOUR: '1000',
      SVC_PIN_PER_NETWORK_HOUR: '1000',
      SVC_RPC_URL_31337: devnet().rpcUrl,
    }
    replicas.push(...[0, 1, 2].map((index) => keepUp(environment, index)))
    const answers = new Map<Address, readonly Answer[]>()
    const cids = new Map<Address, string>()
    // How often somebody is killed hangs on how busy the machine is. Whoever was paid makes no replica sign again, so that
    // one which waits for that is killed by new wallets alone.
    while (answers.size < leastWallets || killed() < leastKills) {
      // A few at a time and only when whoever was killed is back, so that there is something to kill until the end.
      await expect.poll(() => replicas.every((replica) => replica.url() !== null), { timeout: 120_000 }).toBe(true)
      const asked = Array.from({ length: atOnce }, async (_, index) => {
        const address = privateKeyToAddress(generatePrivateKey())
        const pinned = pin(address, index)
        answers.set(address, await Promise.all([0, 1, 2, 3].map((nth) => claim(address, nth))))
        cids.set(address, await pinned)
      })
      await Promise.all(asked)
      if (killed() >= leastKills) for (const replica of replicas) replica.spare()
    }
    const client = createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
    for (const replica of replicas) replica.spare()
    for (const address of answers.keys()) {
      await expect.poll(() => client.getBalance({ address }), { timeout: 120_000 }).toBe(parseEther('0.01'))
    }
    expect(killed()).toBeGreaterThanOrEqual(leastKills)
    for (const answered of answers.values()) {
      // One whose answer a kill cut off is answered 409 to whoever asks again.
      const [granted = [], reported = []] = [200, 409].map((status) =>
        answered.filter((answer) => answer.status === status),
      )
      expect(granted.length).toBeLessThanOrEqual(1)
      expect(granted.length + reported.length).toBe(4)
      expect(new Set(answered.map(({ json }) => json.claimId)).size).toBe(1)
    }
    expect(await client.getTransactionCount({ address: faucet })).toBe(answers.size)
    // The last kill may have been that of the one that is asked.
    await expect.poll(() => replicas[0]?.url(), { timeout: 120_000 }).toBeTruthy()
    for (const [address, cid] of cids) {
      const kept = await fetch(`${replicas[0]?.url()}/ipfs/${cid}`)
      expect(await kept.json()).toMatchObject({ name: address })
    }
    expect(new Set(cids.values()).size).toBe(answers.size)
  },
)

const killed = (): number => replicas.reduce((sum, replica) => sum + replica.kills(), 0)

function claim(address: Address, first: number): Promise<Answer> {
  return ask(first, '/v1/faucet/request', { address, chainId: 31337, appId: 'app-one' })
}

async function pin(address: Address, first: number): Promise<string> {
  const { status, json } = await ask(first, '/v1/ipfs/pin', { agentCard: testCard(address) })
  expect(status).toBe(200)
  return json.cid
}

/** Asks one replica after another until one answers for good. */
async function ask(first: number, path: string, body: unknown): Promise<Answer> {
  for (let turn = first; ; turn += 1) {
    const url = replicas[turn % replicas.length]?.url() ?? null
    const answer = url === null ? null : await post(`${url}${path}`, body)
    if (answer !== null && answer.status < 500) return answer
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

type Answer = { readonly status: number; readonly json: { readonly cid: string; readonly claimId: string } }

async function post(url: string, body: unknown): Promise<Answer | null> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer app-one' }
  try {
    const signal = AbortSignal.timeout(30_000)
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal })
    return { status: response.status, json: (await response.json()) as Answer['json'] }
  } catch {
    return null
  }
}

type Replica = {
  /** `null` while it starts. */
  url(): string | null
  kills(): number
  /** Kills it no more. */
  spare(): void
  end(): Promise<void>
}

/** Runs a replica, kills it at its crash points in turn, each at a later sight of it, and starts it again. */
function keepUp(environment: Readonly<Record<string, string>>, index: number): Replica {
  const state = { url: null as string | null, kills: 0, isSpared: false, isOver: false }
  let child: ChildProcess
  let ended: Promise<void>
  const run = () => {
    const point = crashPoints[(state.kills + index) % crashPoints.length] ?? ''
    let seen = 0
    child = spawn(process.execPath, [program], { env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
    // By lines: a part of an address is another address, which would be asked for ever.
    createInterface({ input: child.stderr! }).on('line', (line) => {
      state.url = /listens on (\S+)/.exec(line)?.[1] ?? state.url
      if (state.isSpared || state.isOver || !line.includes(point)) return
      seen += 1
      if (seen > state.kills % 2) child.kill('SIGKILL')
    })
    ended = new Promise((resolve) => {
      child.once('close', (_code, signal) => {
        state.url = null
        if (signal === 'SIGKILL') state.kills += 1
        if (!state.isOver) run()
        resolve()
      })
    })
  }
  run()
  return {
    url: () => state.url,
    kills: () => state.kills,
    spare: () => void (state.isSpared = true),
    async end() {
      state.isOver = true
      child.kill('SIGKILL')
      await ended
    },
  }
}
