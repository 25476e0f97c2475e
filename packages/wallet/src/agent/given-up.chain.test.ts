import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, http } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Journal } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { createMemoryRegistrationRecords, type RegistrationRecords } from './registration/registration-records.ts'
import { registerAgent } from './register-agent.ts'
import type { AgentRegistrationConfig, RegistrationProgress } from './registration/registration.ts'

const devnet = useDevnet()

let wallet: ServiceWallet
let records: RegistrationRecords
let journal: Journal
beforeEach(async () => {
  const rpcUrls = { 31337: devnet().rpcUrl }
  wallet = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls,
    appId: 'app-1',
  })
  records = createMemoryRegistrationRecords()
  journal = createMemoryJournal()
  await devnet().fund(wallet.address, { ETH: '1' })
})

describe('a registration that the caller gives up', () => {
  test.each<[RegistrationProgress['step'], Partial<AgentRegistrationConfig>]>([
    ['sign', { ipfsMode: 'inline' }],
    ['pin', { ipfsMode: 'proxy', apiUrl: 'http://127.0.0.1:9' }],
  ])('at the step %s is ABORTED with nothing out, and the next call registers once', async (at, change) => {
    const stop = new AbortController()
    const reason = new Error('enough')
    const onProgress = ({ step }: RegistrationProgress) => step === at && stop.abort(reason)
    const given = register({ ...change, signal: stop.signal, onProgress })
    await expect(given).rejects.toMatchObject({ name: 'WalletError', code: 'ABORTED', cause: reason })
    expect([await transactions(), await journal.open(31337, wallet.address)]).toEqual([0, []])
    expect(await register({})).toMatchObject({ status: 'registered', alreadyRegistered: false })
    expect(await transactions()).toBe(1)
  })
})

test('how an identity was registered that no record knows is not made up', async () => {
  expect(await register({})).toMatchObject({ registrationMethod: 'sdk-inline' })
  expect(await register({})).toMatchObject({ alreadyRegistered: true, registrationMethod: 'sdk-inline' })
  const found = await register({ records: createMemoryRegistrationRecords() })
  expect(found).toMatchObject({ alreadyRegistered: true, registrationMethod: null })
})

function register(change: Partial<AgentRegistrationConfig>) {
  const { registry, chain } = devnet()
  const own = { name: 'Ada', role: 'vault_manager', ipfsMode: 'inline' } as const
  const place = { registry: { identity: registry.identity }, chains: [chain] }
  return registerAgent(wallet, { ...own, ...place, records, journal, env: {}, ...change })
}

const transactions = () =>
  createPublicClient({ transport: http(devnet().rpcUrl) }).getTransactionCount({ address: wallet.address })
