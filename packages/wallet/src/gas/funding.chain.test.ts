import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, createTestClient, http, parseEther } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createMemoryRegistrationRecords,
  type RegistrationRecords,
} from '../agent/registration/registration-records.ts'
import { registerAgent } from '../agent/register-agent.ts'
import type { AgentRegistrationConfig, GasTier, RegistrationProgress } from '../agent/registration/registration.ts'
import { identityRegistryAbi as abi } from '../agent/registry/identity-registry.ts'
import type { Journal } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { startFaucet, type Faucet } from './faucet.fixture.ts'

const devnet = useDevnet()

let faucet: Faucet
let wallet: ServiceWallet
let records: RegistrationRecords
let journal: Journal
let events: RegistrationProgress[]
beforeEach(async () => {
  faucet = await startFaucet(devnet())
  wallet = walletOf('app-1')
  records = createMemoryRegistrationRecords()
  journal = createMemoryJournal({ now: Date.now })
  events = []
})
afterEach(async () => {
  await faucet.stop()
})

describe('on a chain with a faucet it', () => {
  test('is asked by a wallet that holds nothing, and what it sends pays', async () => {
    expect(await register({})).toMatchObject({ status: 'registered', gasTier: 'faucet' })
    expect(faucet.bodies()).toEqual([{ address: wallet.address, chainId: 31337, appId: 'app-1' }])
    expect(await balance()).toBeGreaterThan(0n)
    expect(await balance()).toBeLessThan(parseEther('0.01'))
    expect(await agents()).toBe(1n)
  })

  test('is not asked by a wallet that holds enough', async () => {
    await devnet().fund(wallet.address, { ETH: '1' })
    expect(await register({})).toMatchObject({ status: 'registered', gasTier: 'wallet' })
    expect(faucet.bodies()).toEqual([])
  })

  test('is not asked by a wallet that holds something, though too little', async () => {
    await devnet().fund(wallet.address, { ETH: '0.000001' })
    expect(await register({ gas: { manualWaitMs: 0 } })).toMatchObject({ status: 'deferred' })
    expect(faucet.bodies()).toEqual([])
  })

  test('is waited for while an earlier claim is in its queue', async () => {
    faucet.hold()
    const body = JSON.stringify({ address: wallet.address, chainId: 31337, appId: 'app-1' })
    expect((await fetch(`${faucet.url}/v1/faucet/request`, { method: 'POST', body })).status).toBe(200)
    const sleep = async (): Promise<void> => faucet.release()
    const result = await register({ sleep })
    expect(result).toMatchObject({ status: 'registered', gasTier: 'faucet' })
    expect(faucet.bodies()).toHaveLength(2)
  })

  test('that was used up earlier is not waited for', async () => {
    const body = JSON.stringify({ address: wallet.address, chainId: 31337, appId: 'app-1' })
    const before = await client().getBlockNumber()
    await fetch(`${faucet.url}/v1/faucet/request`, { method: 'POST', body })
    await expect.poll(() => client().getBlockNumber()).toBeGreaterThan(before)
    await empty()
    const { sleep, sleeps } = personWho(async () => {})
    const result = await register({ sleep, now: () => sleeps.reduce((sum, ms) => sum + ms, 0) })
    expect(result.attempts).toContainEqual(
      expect.objectContaining({ tier: 'faucet', outcome: 'failed', code: 'FAUCET_ALREADY_CLAIMED' }),
    )
    expect(sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(60_000)
  })

  test.each([
    [{ status: 429, code: 'RATE_LIMITED' }, 'The faucet answers 429 (RATE_LIMITED).'],
    [{ status: 503, code: 'FAUCET_DRY' }, 'The faucet answers 503 (FAUCET_DRY).'],
    [{ status: 500, code: '<script>' }, 'The faucet answers 500.'],
    [{ status: 409, code: 'SOMETHING_ELSE' }, 'The faucet answers 409 (SOMETHING_ELSE).'],
  ])('that answers %j leaves it to a person', async (fault, reason) => {
    faucet.setFault(fault)
    const { sleep } = personWho(() => devnet().fund(wallet.address, { ETH: '0.005' }))
    const result = await register({ sleep })
    expect(result).toMatchObject({ status: 'registered', gasTier: 'manual' })
    const failed = { tier: 'faucet', outcome: 'failed', code: 'FAUCET_FAILED', reason }
    expect(result.attempts).toContainEqual(expect.objectContaining(failed))
  })

  test.each([
    ['appId', {}, () => walletOf()],
    ['SVC_API_URL', { env: {} }, () => walletOf('app-1')],
  ] as const)('cannot be asked without %s, which is a warning', async (missing, change, make) => {
    wallet = make()
    const result = await register({ ...change, gas: { manualWaitMs: 0 } })
    expect(result).toMatchObject({ status: 'deferred', warnings: [expect.stringContaining(missing)] })
    expect(faucet.bodies()).toEqual([])
  })
})

describe('a person', () => {
  beforeEach(() => faucet.setFault({ status: 503, code: 'FAUCET_PAUSED' }))

  test('is told what to send where, and what comes in time pays', async () => {
    const { sleep, sleeps } = personWho(() => devnet().fund(wallet.address, { ETH: '0.005' }), 3)
    expect(await register({ sleep })).toMatchObject({ status: 'registered', gasTier: 'manual' })
    expect(sleeps).toHaveLength(3)
    expect(events.find(({ step }) => step === 'wait-for-funds')).toMatchObject({
      message: `Send 0.005 ETH to ${wallet.address} on chain 31337 (${devnet().chain.name}).`,
      details: { address: wallet.address, amountWei: `${parseEther('0.005')}`, waitMs: 60_000 },
    })
  })

  test('who sends too little is waited for on, and told what is missing after a minute', async () => {
    const { sleep, sleeps } = personWho(() => devnet().fund(wallet.address, { ETH: '0.000001' }))
    const now = (): number => sleeps.reduce((sum, ms) => sum + ms, 0)
    const result = await register({ sleep, now })
    expect(result).toMatchObject({ status: 'deferred', code: 'REGISTRATION_DEFERRED', fund: { amount: '0.005' } })
    expect(now()).toBe(60_000)
    expect(await client().getTransactionCount({ address: wallet.address })).toBe(0)
  })

  test('is asked for no oftener than time allows, where the pauses of the caller do not last', async () => {
    let pauses = 0
    const sleep = async (): Promise<void> => void (pauses += 1)
    const gas = { tiers: ['wallet', 'manual'], manualWaitMs: 60_000 } as const
    expect(await register({ sleep, now: () => 0, gas })).toMatchObject({ status: 'deferred' })
    expect(pauses).toBe(60_000 / Math.min(2_000, Math.max(100, devnet().chain.blockTimeSeconds * 500)))
  })

  test('is not waited for without the tier, or without a time to wait', async () => {
    const sleep = () => expect.fail('It waited.')
    for (const gas of [{ tiers: ['wallet'] as const }, { manualWaitMs: 0 }]) {
      expect(await register({ sleep, gas })).toMatchObject({ status: 'deferred' })
    }
  })

  test('who sends later finds the registration where it stopped', async () => {
    const waiting = await register({ gas: { manualWaitMs: 0 } })
    if (waiting.status !== 'deferred') throw new Error(waiting.status)
    await devnet().fund(wallet.address, { ETH: '0.005' })
    const result = await register({ resume: waiting.resumeToken })
    expect(result).toMatchObject({ status: 'registered', gasTier: 'wallet' })
    expect(await agents()).toBe(1n)
  })

  test('is asked for more where gas is dear', async () => {
    const dear = Object.assign(client(), { estimateGas: async () => 10n ** 12n })
    const { fundAndPay } = await import('./fund-and-pay.ts')
    const desk = {
      chain: devnet().chain,
      client: dear,
      wallet,
      owner: wallet.address,
      journal,
      options: { gas: { tiers: ['wallet'] as const, maxFeeWei: parseEther('1000000') }, env: {} },
      progress: () => {},
      attempts: [],
      warnings: [],
    }
    const call = { requestId: 'r', target: devnet().registry.identity, data: '0x' } as const
    const { baseFeePerGas } = await client().getBlock()
    const tip = await client().estimateMaxPriorityFeePerGas()
    const worstWei = ((10n ** 12n * 12n) / 10n) * ((baseFeePerGas ?? 0n) * 2n + tip)
    const result = await fundAndPay(desk, call)
    expect(result).toMatchObject({ status: 'deferred', fund: { amountWei: `${(worstWei * 13n) / 10n}` } })
  })
})

describe('what the wallet holds', () => {
  beforeEach(() => devnet().fund(wallet.address, { ETH: '1' }))

  test('is not spent where its tier is not among those that may be tried', async () => {
    const dead = { bundlerUrl: 'http://127.0.0.1:9', paymasterUrl: 'http://127.0.0.1:9' }
    await expect(register({ gas: { tiers: ['sponsored'], ...dead } })).rejects.toMatchObject({
      code: 'GAS_NOT_PAID',
      message: expect.stringMatching(/nothing is out\. sponsored: The \w+ does not answer/),
    })
    expect(await balance()).toBe(parseEther('1'))
    expect(await register({ gas: { tiers: ['sponsored', 'wallet'] } })).toMatchObject({ gasTier: 'wallet' })
    expect(await agents()).toBe(1n)
  })

  test.each([
    [{ tiers: [] }, /^gas\.tiers is not valid; accepted: one at least of sponsored, wallet, faucet, manual\.$/],
    [{ tiers: ['sponsored'] }, /^gas\.bundlerUrl is missing;.* SVC_BUNDLER_URL_31337/],
    [
      { tiers: ['sponsored'], bundlerUrl: 'http://127.0.0.1:9' },
      /^gas\.paymasterUrl is missing;.* SVC_PAYMASTER_URL_31337/,
    ],
  ] as const)('is asked for by name, or else who pays: %j is refused before anybody is asked', async (gas, message) => {
    const refused = { code: 'VALIDATION_CONFIG_INVALID', message: expect.stringMatching(message) }
    await expect(register({ gas })).rejects.toMatchObject(refused)
    expect(await register({})).toMatchObject({ gasTier: 'wallet' })
    await expect(register({ gas })).rejects.toMatchObject(refused)
  })

  test('is named beside those who send to it, and no tier is made up', async () => {
    const refuses = async (tiers: readonly string[], message: RegExp) => {
      const gas = { tiers } as { tiers: readonly GasTier[] }
      await expect(register({ gas })).rejects.toMatchObject({ code: 'VALIDATION_CONFIG_INVALID', message })
    }
    await refuses(['sponsored', 'manual'], /"manual" needs "wallet"/)
    await refuses(['faucet'], /"faucet" needs "wallet"/)
    await refuses(['sponsred'], /gas\.tiers/)
  })
})

function walletOf(appId?: string): ServiceWallet {
  const rpcUrls = { 31337: devnet().rpcUrl }
  const privateKey = generatePrivateKey()
  return new ServiceWallet({ mode: 'local', privateKey, chainId: 31337, rpcUrls, ...(appId && { appId }) })
}

function register(change: Partial<AgentRegistrationConfig>) {
  return registerAgent(wallet, {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode: 'inline',
    registry: { identity: devnet().registry.identity },
    chains: [{ ...devnet().chain, faucet: true }],
    records,
    journal,
    env: { SVC_API_URL: `${faucet.url}/` },
    onProgress: (event) => events.push(event),
    ...change,
  })
}

/** A clock whose pauses take no time, and a person who does something at one of them. */
function personWho(acts: () => Promise<void>, at = 1) {
  const sleeps: number[] = []
  const sleep = async (ms: number): Promise<void> => {
    sleeps.push(ms)
    if (sleeps.length === at) await acts()
  }
  return { sleep, sleeps }
}

async function empty(): Promise<void> {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.setBalance({ address: wallet.address, value: 0n })
}

const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const balance = () => client().getBalance({ address: wallet.address })
const agents = () =>
  client().readContract({
    address: devnet().registry.identity,
    abi,
    functionName: 'balanceOf',
    args: [wallet.address],
  })
