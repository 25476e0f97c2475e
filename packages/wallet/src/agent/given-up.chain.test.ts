import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, http } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Journal } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { createMemoryRegistrationRecords, type RegistrationRecords } from './registration/registration-records.ts'
import { createFileRegistrationRecords } from './registration/file-registration-records.ts'
import { registerAgent, updateAgent } from './register-agent.ts'
import { createPinning } from './card/pinning.fixture.ts'
import type { AgentRegistrationConfig, RegistrationProgress, RegistrationResult } from './registration/registration.ts'

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

  test('before it began is ABORTED, and neither chain nor journal was touched', async () => {
    const reason = new Error('enough')
    const steps: string[] = []
    const onProgress = ({ step }: RegistrationProgress) => void steps.push(step)
    const refusal = { name: 'WalletError', code: 'ABORTED', cause: reason }
    await expect(register({ signal: AbortSignal.abort(reason), onProgress })).rejects.toMatchObject(refusal)
    const update = updateAgent(wallet, { ...common(), agentId: '31337:0', signal: AbortSignal.abort(reason) })
    await expect(update).rejects.toMatchObject(refusal)
    expect([steps, await transactions()]).toEqual([[], 0])
  })

  test.each(['memory', 'file'])('while it waits its turn (%s) is ABORTED', async (kept) => {
    const path = join(await mkdtemp(join(tmpdir(), 'given-up-')), 'registrations.json')
    const shared = kept === 'memory' ? records : createFileRegistrationRecords(path)
    const { registry } = devnet()
    const matter = { chainId: 31337, registry: registry.identity, owner: wallet.address }
    const stop = new AbortController()
    await shared.inTurn(matter, async () => {
      const given = register({ records: shared, signal: stop.signal })
      given.catch(() => undefined)
      await new Promise(setImmediate)
      stop.abort()
      await expect(given).rejects.toMatchObject({ name: 'WalletError', code: 'ABORTED', cause: stop.signal.reason })
    })
    await rm(dirname(path), { recursive: true })
  })

  test('while it waits for funds is ABORTED, and the next call begins anew', async () => {
    const poor = new ServiceWallet({
      mode: 'local',
      privateKey: generatePrivateKey(),
      rpcUrls: wallet.rpcUrls,
      chainId: 31337,
    })
    const stop = new AbortController()
    const onProgress = ({ step }: RegistrationProgress) => step === 'wait-for-funds' && stop.abort()
    const given = registerAgent(poor, { ...common(), signal: stop.signal, onProgress })
    await expect(given).rejects.toMatchObject({ name: 'WalletError', code: 'ABORTED' })
    await devnet().fund(poor.address, { ETH: '1' })
    expect(await registerAgent(poor, common())).toMatchObject({ status: 'registered', alreadyRegistered: false })
  })

  test('while the funds of a deferred one are waited for again keeps its token', async () => {
    const poor = new ServiceWallet({
      mode: 'local',
      privateKey: generatePrivateKey(),
      rpcUrls: wallet.rpcUrls,
      chainId: 31337,
    })
    const deferred = await registerAgent(poor, { ...common(), gas: { manualWaitMs: 0 } })
    if (deferred.status !== 'deferred') throw new Error(`It is ${deferred.status}.`)
    expect(deferred.attempts.at(-1)).toMatchObject({ kind: 'registration', outcome: 'deferred' })
    const stop = new AbortController()
    const onProgress = ({ step }: RegistrationProgress) => step === 'wait-for-funds' && stop.abort()
    const resume = deferred.resumeToken
    const given = registerAgent(poor, { ...common(), resume, signal: stop.signal, onProgress })
    await expect(given).rejects.toMatchObject({ name: 'WalletError', code: 'ABORTED' })
    await devnet().fund(poor.address, { ETH: '1' })
    expect(await registerAgent(poor, { ...common(), resume })).toMatchObject({ status: 'registered' })
  })
})

describe('a registration that waits for gas', () => {
  const waiting = async (change: Partial<AgentRegistrationConfig> = {}) => {
    wallet = new ServiceWallet({
      mode: 'local',
      privateKey: generatePrivateKey(),
      rpcUrls: wallet.rpcUrls,
      chainId: 31337,
    })
    const deferred = await register({ name: 'Adda', gas: { manualWaitMs: 0 }, ...change })
    return deferred.status === 'deferred' ? deferred.resumeToken : expect.fail(deferred.status)
  }

  test.each<[string, Partial<AgentRegistrationConfig>]>([
    ['with the file in the URI', {}],
    [
      'by the call of the registry itself',
      {
        loadIdentitySdk: () =>
          Promise.reject(
            Object.assign(new Error("Cannot find package 'agent0-sdk'"), { code: 'ERR_MODULE_NOT_FOUND' }),
          ),
      },
    ],
  ])('takes another card (%s), and the token of the former is over', async (_how, way) => {
    const resume = await waiting(way)
    await devnet().fund(wallet.address, { ETH: '1' })
    const result = await register({ ...way, name: 'Ada' })
    expect(result).toMatchObject({ status: 'registered', alreadyRegistered: false })
    expect(result.warnings).toContainEqual(expect.stringMatching(/never signed is given up, with its token/))
    expect(nameIn(result)).toBe('Ada')
    await expect(register({ resume })).rejects.toMatchObject({ code: 'RESUME_TOKEN_INVALID' })
    expect(await transactions()).toBe(1)
  })

  test.each<[string, Partial<AgentRegistrationConfig>, boolean]>([
    ['the same', { name: 'Adda' }, true],
    ['the same, with force', { name: 'Adda', force: true }, false],
    ['another entry', { name: 'Adda', metadata: { team: 'blue' } }, false],
    [
      'another place for the file',
      { name: 'Adda', ipfsMode: 'pinata', pinningJwt: 'jwt', fetch: createPinning() },
      false,
    ],
  ])('is gone on with by its token where a call asks for %s: %s %s', async (_what, change, isKept) => {
    const token = await waiting()
    const again = await register({ gas: { manualWaitMs: 0 }, ...change })
    expect(again).toMatchObject({ status: 'deferred' })
    expect(again.status === 'deferred' && again.resumeToken === token).toBe(isKept)
    expect(again.warnings.some((warning) => warning.includes('given up'))).toBe(!isKept)
    expect(again.warnings.some((warning) => warning.includes('gone on with'))).toBe(false)
    await devnet().fund(wallet.address, { ETH: '1' })
    expect(nameIn(await register({ ...change, force: false }))).toBe('Adda')
    expect(await transactions()).toBe(1)
  })

  test('takes no card where its token is named, or where the other could not be registered', async () => {
    const resume = await waiting()
    await devnet().fund(wallet.address, { ETH: '1' })
    await expect(register({ name: ' ' })).rejects.toMatchObject({ code: 'VALIDATION_CARD_INVALID' })
    expect(nameIn(await register({ name: 'Ada', resume }))).toBe('Adda')
  })

  test.each([
    ['another card', {}, true],
    ['another one', { name: 'Adda', force: true }, true],
    ['the same', { name: 'Adda' }, false],
  ])('once it is signed is gone on with where a call asks for %s: %j', async (_what, change, isOther) => {
    const stop = new AbortController()
    const onProgress = ({ step }: RegistrationProgress) => step === 'send' && stop.abort()
    await register({ name: 'Adda', signal: stop.signal, onProgress })
    const result = await register({ name: 'Ada', ...change })
    expect(result.warnings.some((warning) => /gone on with, not the other one/.test(warning))).toBe(isOther)
    expect(nameIn(result)).toBe('Adda')
    expect(await transactions()).toBe(1)
  })
})

test('how an identity was registered that no record knows is not made up', async () => {
  expect(await register({})).toMatchObject({ registrationMethod: 'sdk-inline' })
  expect(await register({})).toMatchObject({ alreadyRegistered: true, registrationMethod: 'sdk-inline' })
  const found = await register({ records: createMemoryRegistrationRecords() })
  expect(found).toMatchObject({ alreadyRegistered: true, registrationMethod: null })
})

function nameIn(result: RegistrationResult): unknown {
  if (result.status !== 'registered') return result.status
  const [, text = ''] = result.agentURI.split('base64,')
  return result.agentURI.startsWith('ipfs:') ? 'Adda' : JSON.parse(Buffer.from(text, 'base64').toString()).name
}

function register(change: Partial<AgentRegistrationConfig>) {
  return registerAgent(wallet, { ...common(), ...change })
}

function common() {
  const { registry, chain } = devnet()
  const own = { name: 'Ada', role: 'vault_manager', ipfsMode: 'inline' } as const
  const place = { registry: { identity: registry.identity }, chains: [chain] }
  return { ...own, ...place, records, journal, env: {} }
}

const transactions = () =>
  createPublicClient({ transport: http(devnet().rpcUrl) }).getTransactionCount({ address: wallet.address })
