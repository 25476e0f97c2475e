import { startFakeBundler, startPaymaster, type FakeBundler, type Paymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import { createPublicClient, encodeFunctionData, http, type PublicClient } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createMemoryRegistrationRecords,
  type RegistrationRecords,
} from '../agent/registration/registration-records.ts'
import { registerAgent } from '../agent/register-agent.ts'
import type { AgentRegistrationConfig, GasOptions, RegistrationProgress } from '../agent/registration/registration.ts'
import { identityRegistryAbi as abi } from '../agent/registry/identity-registry.ts'
import type { Journal } from '../journal.ts'
import { createMemoryJournal } from '../memory-journal.ts'
import { createSender } from '../sender.ts'
import { ServiceWallet } from '../service-wallet.ts'
import { startFreePaymaster } from '../user-operation/free-paymaster.fixture.ts'
import type { SignedUserOperation, UserOperationRecord } from '../user-operation/signed-user-operation.ts'
import { WalletError } from '../wallet-error.ts'
import { createSubmitCall } from '../agent/registration/registration-context.ts'

const devnet = useDevnet()

let bundler: FakeBundler
let paymaster: Paymaster
let wallet: ServiceWallet
let records: RegistrationRecords
let journal: Journal
beforeEach(async () => {
  bundler = await startFakeBundler({ devnet: devnet() })
  paymaster = await startPaymaster({ devnet: devnet() })
  begin()
})
afterEach(async () => {
  await bundler.stop()
  await paymaster.stop()
})

test('on a chain that is sponsored a paymaster pays by default: the wallet holds nothing before and after, and owns its identity', async () => {
  const events: RegistrationProgress[] = []
  const result = await register({ onProgress: (event) => events.push(event) })
  expect(result).toMatchObject({
    status: 'registered',
    gasTier: 'sponsored',
    owner: wallet.address,
    warnings: [expect.stringContaining('delegated to 0xe6Cae83BdE06E4c305530e199D7217f42808555B')],
  })
  expect(result.attempts).toContainEqual({ kind: 'gas', tier: 'sponsored', outcome: 'done' })
  if (result.status !== 'registered') throw new Error(result.status)
  expect(await ownerOf(BigInt(result.tokenId))).toBe(wallet.address)
  expect(await client().getBalance({ address: wallet.address })).toBe(0n)
  const steps = events.map(({ step }) => step)
  expect(steps.indexOf('delegate')).toBeGreaterThan(-1)
  expect(steps.indexOf('delegate')).toBeLessThan(steps.indexOf('send'))
  expect(await records.load((await newest()).token)).toMatchObject({
    state: 'registered',
    userOperationHash: bundler.received()[0],
  })
})

describe('while nothing is signed, the wallet pays instead', () => {
  test.each([
    ['the paymaster refuses', 'PAYMASTER_REFUSED', () => paymaster.setFaults([{ fault: { kind: 'refuse' } }]), {}],
    [
      'the paymaster signs for a time that is over',
      'PAYMASTER_REFUSED',
      () => paymaster.setFaults([{ fault: { kind: 'expired' } }]),
      {},
    ],
    ['the bundler cannot be reached', 'BUNDLER_UNAVAILABLE', () => {}, { bundlerUrl: 'http://127.0.0.1:9' }],
    [
      'the implementation is not there',
      'DELEGATION_NOT_ALLOWED',
      () => {},
      { allowDelegationTo: '0x00000000000000000000000000000000000000AA' },
    ],
  ] as const)('when %s', async (_what, code, arrange, gas) => {
    arrange()
    await devnet().fund(wallet.address, { ETH: '1' })
    const result = await register({ gas: { ...sponsors(), ...gas } })
    expect(result).toMatchObject({ status: 'registered', gasTier: 'wallet' })
    expect(result.attempts).toContainEqual(expect.objectContaining({ tier: 'sponsored', outcome: 'failed', code }))
    expect(bundler.received()).toEqual([])
    expect(await agents()).toBe(1n)
  })

  test('when no paymaster is named', async () => {
    await devnet().fund(wallet.address, { ETH: '1' })
    const result = await register({ gas: {} })
    expect(result).toMatchObject({ gasTier: 'wallet' })
    expect(result.attempts[0]).toMatchObject({ kind: 'gas', tier: 'sponsored', outcome: 'skipped' })
  })

  test('and what is asked of a person is the least of the specification', async () => {
    paymaster.setFaults([{ fault: { kind: 'refuse' } }])
    const result = await register({ gas: { ...sponsors(), manualWaitMs: 0 } })
    expect(result).toMatchObject({ status: 'deferred', fund: { address: wallet.address, amount: '0.005' } })
    expect(result.attempts).toContainEqual(expect.objectContaining({ tier: 'manual', code: 'INSUFFICIENT_FUNDS' }))
  })
})

describe('once an operation is signed', () => {
  test('nothing else is, however much the wallet holds, until it is executed', async () => {
    await devnet().fund(wallet.address, { ETH: '1' })
    bundler.setFaults([{ fault: { kind: 'lose' }, times: 1 }])
    const waiting = await registerUntilOffered()
    expect(waiting).toMatchObject({ status: 'pending', txHash: null, userOperationHash: bundler.received()[0] })
    const [first] = bundler.received()
    if (waiting.status !== 'pending') throw new Error(waiting.status)
    const result = await register({ resume: waiting.resumeToken })
    expect(result).toMatchObject({ status: 'registered', gasTier: 'sponsored' })
    expect(bundler.received()).toEqual([first, first])
    expect(await agents()).toBe(1n)
    expect(await journal.open(31337, wallet.address)).toEqual([])
  })

  test('and it declined it, nothing else is either', async () => {
    await devnet().fund(wallet.address, { ETH: '1' })
    bundler.setFaults([{ fault: { kind: 'reject' } }])
    expect(await registerUntilOffered()).toMatchObject({ status: 'pending' })
    expect(await agents()).toBe(0n)
  })

  test('the wallet pays itself when another operation took its place, and not when its time is over', async () => {
    bundler.setFaults([{ fault: { kind: 'lose' }, times: 3 }])
    expect(await registerUntilOffered()).toMatchObject({ status: 'pending' })
    await devnet().fund(wallet.address, { ETH: '1' })
    const { timestamp } = await client().getBlock()
    await devnet().mineTo(Math.max(Number(timestamp), Math.floor(Date.now() / 1_000)) + 601)
    expect(await registerUntilOffered()).toMatchObject({ status: 'pending' })
    expect(await register({ gas: {} })).toMatchObject({ status: 'pending' })
    expect(await transactions()).toBe(0)
    await takeNonce()
    const result = await register({ gas: {} })
    expect(result).toMatchObject({ status: 'registered', gasTier: 'wallet' })
    expect(result.attempts[0]).toMatchObject({ tier: 'sponsored', outcome: 'failed', code: 'BUNDLER_UNAVAILABLE' })
    expect(await agents()).toBe(1n)
  })

  test('its end is waited for as long as the options say, not the minute they say else', async () => {
    bundler.setFaults([{ fault: { kind: 'hold' } }])
    const begunAt = performance.now()
    const waiting = await register({ gas: { ...sponsors(), sponsoredWaitMs: 300 } })
    expect(waiting).toMatchObject({ status: 'pending', userOperationHash: bundler.received()[0] })
    expect(performance.now() - begunAt).toBeLessThan(50_000)
  })

  test('its end is read off the chain when bundler and paymaster are named no more', async () => {
    bundler.setFaults([{ fault: { kind: 'hold' } }])
    expect(await registerUntilOffered()).toMatchObject({ status: 'pending' })
    expect(await register({ gas: {} })).toMatchObject({ status: 'pending' })
    const before = await client().getBlockNumber()
    await bundler.release()
    await expect.poll(() => client().getBlockNumber()).toBeGreaterThan(before)
    expect(await register({ gas: {} })).toMatchObject({ status: 'registered', gasTier: 'sponsored' })
    expect(await agents()).toBe(1n)
  })
})

describe.each([
  ['executes the operation', null],
  ['loses the operation', { kind: 'lose' }],
  ['executes the operation and never answers', { kind: 'stall', executed: true }],
] as const)('when the bundler %s', (_what, fault) => {
  test.each([0, 1, 2])('a process that dies at save %i leaves one identity, whoever would have paid', async (save) => {
    for (const moment of ['before', 'after'] as const) {
      begin()
      await devnet().fund(wallet.address, { ETH: '1' })
      bundler.setFaults(fault === null ? [] : [{ fault, times: 1 }])
      const gas = { ...sponsors(), sponsoredWaitMs: 500 }
      const died = await register({ gas, records: dying(records, save, moment) }).catch(() => null)
      let result = died?.status === 'registered' ? died : await register({ gas })
      // What the bundler lost is pending first, and offered again by whoever asks next.
      if (result.status === 'pending') result = await register({})
      expect(result).toMatchObject({ status: 'registered' })
      expect(await agents()).toBe(1n)
    }
  })
})

describe('one call', () => {
  const unkept: UserOperationRecord = { load: async () => null, save: async () => {} }

  test('that would revert is not tried at the cost of the wallet', async () => {
    await devnet().fund(wallet.address, { ETH: '1' })
    const data = encodeFunctionData({ abi, functionName: 'setAgentURI', args: [99n, 'data:,'] })
    await expect(submit(unkept, data)).rejects.toMatchObject({
      code: 'USER_OPERATION_REVERTED',
      message: 'The call would revert: ERC721NonexistentToken(99); nothing was sent.',
    })
    expect(await transactions()).toBe(0)
  })

  test('whose operation may be kept is not tried otherwise, whatever failed', async () => {
    await devnet().fund(wallet.address, { ETH: '1' })
    let kept: SignedUserOperation | null = null
    const record: UserOperationRecord = {
      load: async () => kept,
      async save(operation) {
        kept = operation
        throw new WalletError('BUNDLER_UNAVAILABLE', 'It was kept, and the answer was lost.', {
          details: { why: 'lost' },
        })
      },
    }
    await expect(submit(record)).rejects.toThrow('the answer was lost')
    expect(await transactions()).toBe(0)
  })

  test.each(['signed', 'refused'] as const)('that was %s as a transaction before goes on as one', async (state) => {
    await devnet().fund(wallet.address, { ETH: '1' })
    const { chain, registry } = devnet()
    const sender = createSender({ wallet, client: client(), chain, journal })
    const entry = await sender.sign({
      requestId: 'r',
      step: 0,
      to: registry.identity,
      data: registering,
      valueWei: 0n,
      gasLimit: 500_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      reservationId: null,
      allow: async () => {},
    })
    // An endpoint may pass on what it refuses.
    await journal.mark(entry.hash, state)
    expect(await submit(unkept)).toMatchObject({ status: 'mined', gasTier: 'wallet' })
    expect(bundler.received()).toEqual([])
    expect(await agents()).toBe(1n)
  })

  test('waits for no paymaster while the wallet has other transactions out', async () => {
    await devnet().fund(wallet.address, { ETH: '1' })
    const other = { requestId: 'other', step: 0, reservationId: null, chainId: 31337, from: wallet.address } as const
    await journal.recordSigned({ ...other, nonce: 1, attempt: 0, rawTransaction: '0x02', hash: `0x${'0'.repeat(64)}` })
    const result = await submit(unkept)
    expect(result).toMatchObject({ status: 'mined', gasTier: 'wallet' })
    expect(result.attempts[0]).toMatchObject({ tier: 'sponsored', outcome: 'skipped' })
  })
})

const registering = encodeFunctionData({ abi, functionName: 'register', args: ['data:,agent'] })

function submit(operation: UserOperationRecord, data = registering) {
  const submitCall = createSubmitCall({
    chain: devnet().chain,
    client: client(),
    wallet,
    owner: wallet.address,
    journal,
    options: { gas: sponsors(), env: {} },
    progress: () => {},
  })
  return submitCall({ requestId: 'r', target: devnet().registry.identity, data, operation })
}

function begin(): void {
  wallet = new ServiceWallet({
    mode: 'local',
    privateKey: generatePrivateKey(),
    chainId: 31337,
    rpcUrls: { 31337: devnet().rpcUrl },
  })
  records = createMemoryRegistrationRecords()
  journal = createMemoryJournal({ now: Date.now })
}

function sponsors(): GasOptions {
  return { bundlerUrl: bundler.url, paymasterUrl: paymaster.url }
}

function register(change: Partial<AgentRegistrationConfig>) {
  return registerAgent(wallet, {
    name: 'Ada',
    role: 'vault_manager',
    mcpEndpoint: 'https://agent.example/mcp',
    ipfsMode: 'inline',
    registry: { identity: devnet().registry.identity },
    chains: [{ ...devnet().chain, sponsored: true }],
    records,
    journal,
    env: change.gas === undefined ? named() : {},
    ...change,
  })
}

/** Leaves as soon as the bundler has answered to the offer, however long a slow machine takes until then. */
function registerUntilOffered() {
  const leaving = new AbortController()
  const onProgress = ({ step }: RegistrationProgress) => {
    if (step === 'confirm') leaving.abort()
  }
  return register({ signal: leaving.signal, onProgress })
}

function named() {
  return { SVC_BUNDLER_URL_31337: bundler.url, SVC_PAYMASTER_URL_31337: paymaster.url }
}

/** Records of a process that dies at a save: before or after it is durable. */
function dying(kept: RegistrationRecords, at: number, moment: 'before' | 'after'): RegistrationRecords {
  let saves = 0
  let isDead = false
  return {
    load: (token) => (isDead ? Promise.reject(new Error('killed')) : kept.load(token)),
    find: (...words) => kept.find(...words),
    inTurn: (...words) => kept.inTurn(...words),
    async save(record) {
      if (isDead) throw new Error('killed')
      isDead = saves === at
      saves += 1
      if (!isDead || moment === 'after') await kept.save(record)
      if (isDead) throw new Error('killed')
    },
  }
}

async function newest() {
  const record = await records.find(31337, devnet().registry.identity, wallet.address)
  if (record === null) throw new Error('There is no record.')
  return record
}

/** Has another operation of the account executed. */
async function takeNonce(): Promise<void> {
  const other = await startFakeBundler({ devnet: devnet() })
  const free = await startFreePaymaster(devnet())
  const call = { target: '0x00000000000000000000000000000000000000AA', data: '0x', chains: [devnet().chain] } as const
  const sent = await wallet.sendUserOp({ ...call, bundlerUrl: other.url, paymaster: free.url, env: {} })
  await Promise.all([other.stop(), free.stop()])
  if (sent.status !== 'mined') throw new Error(`It is ${sent.status}.`)
}

const client = (): PublicClient => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const registryCall = () => ({ address: devnet().registry.identity, abi }) as const
const agents = () => client().readContract({ ...registryCall(), functionName: 'balanceOf', args: [wallet.address] })
const ownerOf = (id: bigint) => client().readContract({ ...registryCall(), functionName: 'ownerOf', args: [id] })
const transactions = () => client().getTransactionCount({ address: wallet.address })
