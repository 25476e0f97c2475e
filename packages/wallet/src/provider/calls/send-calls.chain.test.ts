import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createTestClient,
  createWalletClient,
  custom,
  encodeFunctionData,
  http,
  parseEther,
  parseEventLogs,
  type Hex,
} from 'viem'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { identityRegistryAbi as abi } from '../../agent/registry/identity-registry.ts'
import { createFileJournal } from '../../file-journal.ts'
import { startFreePaymaster } from '../../user-operation/free-paymaster.fixture.ts'
import { useSponsors } from '../../user-operation/sponsors.fixture.ts'
import { createEIP1193Provider, type EIP1193Provider, type ProviderOptions } from '../create-eip1193-provider.ts'
import type { CallsStatus } from './calls-status.ts'
import { createFileCallBatches } from './calls-context.ts'

const sponsors = useSponsors()
const { agents, client, devnet } = sponsors
const bob = '0x00000000000000000000000000000000000b0b00'
const other = '0x0000000000000000000000000000000000000001'
const chainId = '0x7a69'
let folder: string
let open: (change?: ProviderOptions) => EIP1193Provider
let closing: (() => Promise<void>)[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-calls-'))
  open = (change = {}) => createEIP1193Provider(sponsors.wallet, { env: {}, ...change })
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  rmSync(folder, { recursive: true, force: true })
})

const sponsor = () => ({ bundlerUrl: sponsors.bundler.url, paymasterUrl: sponsors.paymaster.url })
const register = (uri = 'data:,agent') => ({
  to: devnet().registry.identity,
  data: encodeFunctionData({ abi, functionName: 'register', args: [uri] }),
})
const reverting = () => ({ to: devnet().registry.identity, data: '0x12345678' })
const batchOf = (calls: readonly object[], change: object = {}) => ({
  version: '2.0.0',
  from: sponsors.wallet.address,
  chainId,
  atomicRequired: false,
  calls,
  ...change,
})
const fund = () =>
  createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) }).setBalance({
    address: sponsors.wallet.address,
    value: parseEther('1'),
  })
const send = async (provider: EIP1193Provider, batch: object) =>
  ((await provider.request({ method: 'wallet_sendCalls', params: [batch] })) as { id: string }).id
const statusOf = async (provider: EIP1193Provider, id: string) =>
  (await provider.request({ method: 'wallet_getCallsStatus', params: [id] })) as CallsStatus
const ended = async (provider: EIP1193Provider, id: string) => {
  await expect.poll(async () => (await statusOf(provider, id)).status).not.toBe(100)
  return await statusOf(provider, id)
}
/** With everything in files, as a process that begins anew finds it. */
const restarted = async (change: ProviderOptions = {}) => {
  for (const close of closing.splice(0)) await close()
  const journal = createFileJournal(join(folder, 'journal'))
  closing = [() => journal.close()]
  return open({ journal, batches: createFileCallBatches(join(folder, 'batches.json')), ...change })
}

describe('with a bundler and a paymaster', () => {
  test('a batch is one operation, all or none, and its receipt holds the logs of its calls', async () => {
    const provider = open({ sponsor: sponsor() })
    const viem = createWalletClient({ account: sponsors.wallet.address, transport: custom(provider) })
    expect(await viem.getCapabilities({ chainId: 31337 })).toEqual({
      atomic: { status: 'ready' },
      paymasterService: { supported: false },
    })
    const chain = { id: 31337, name: 'local', nativeCurrency: { name: '', symbol: '', decimals: 18 }, rpcUrls: {} }
    const { id } = await viem.sendCalls({
      chain: chain as never,
      calls: [register(), register('b')],
      forceAtomic: true,
    })
    const done = await viem.waitForCallsStatus({ id, pollingInterval: 50, timeout: 60_000 })
    expect(done).toMatchObject({ status: 'success', statusCode: 200, atomic: true, chainId: 31337, version: '2.0.0' })
    expect(done.receipts).toHaveLength(1)
    const { logs } = done.receipts![0]!
    const events = parseEventLogs({ abi, eventName: 'Registered', logs: logs as never })
    expect(events.map(({ args }) => [args.owner, args.agentURI])).toEqual([
      [sponsors.wallet.address, 'data:,agent'],
      [sponsors.wallet.address, 'b'],
    ])
    expect(logs.every(({ address }) => address === devnet().registry.identity.toLowerCase())).toBe(true)
    expect(await agents()).toBe(2n)
    expect(await client().getBalance({ address: sponsors.wallet.address })).toBe(0n)
    expect(await viem.getCapabilities({ chainId: 31337 })).toMatchObject({ atomic: { status: 'supported' } })
  })

  test('value goes along, and a client may bring a paymaster that the operator allows', async () => {
    await fund()
    const clientPaymasterUrls = [sponsors.paymaster.url]
    const provider = open({ sponsor: { bundlerUrl: sponsors.bundler.url, clientPaymasterUrls } })
    expect(await provider.request({ method: 'wallet_getCapabilities' })).toEqual({
      [chainId]: { atomic: { status: 'unsupported' }, paymasterService: { supported: true } },
    })
    const paymasterService = { url: sponsors.paymaster.url, context: { policy: 'p' } }
    const calls = [{ to: bob, value: '0x5' }, register()]
    const id = await send(provider, batchOf(calls, { atomicRequired: true, capabilities: { paymasterService } }))
    expect(await ended(provider, id)).toMatchObject({ status: 200, atomic: true })
    expect([await client().getBalance({ address: bob }), await agents()]).toEqual([5n, 1n])
    expect(sponsors.paymaster.contexts()).toContainEqual({ policy: 'p' })
  })

  test('no client brings a paymaster that the operator did not allow, nor has the account delegated unasked', async () => {
    const env = { SVC_BUNDLER_URL_31337: sponsors.bundler.url, SVC_PAYMASTER_URL_31337: sponsors.paymaster.url }
    const url = sponsors.paymaster.url
    for (const change of [
      { env },
      { sponsor: sponsor() },
      { sponsor: { clientPaymasterUrls: [`${url}/other`] }, env },
    ]) {
      const provider = open(change)
      const batch = batchOf([register()], { capabilities: { paymasterService: { url } } })
      expect(await code(send(provider, batch))).toBe(5700)
    }
    const plain = open({ env })
    expect(await code(send(plain, batchOf([register(), register('b')], { atomicRequired: true })))).toBe(5760)
    expect(await plain.request({ method: 'wallet_getCapabilities' })).toEqual({
      [chainId]: { atomic: { status: 'unsupported' }, paymasterService: { supported: false } },
    })
    expect([...sponsors.signatures, await agents()]).toEqual([0n])
    expect(() => open({ sponsor: { clientPaymasterUrls: ['http://paymaster.example'] } })).toThrow(
      expect.objectContaining({ code: 'VALIDATION_CONFIG_INVALID' }),
    )
  })

  test('calls of which one would revert are not signed', async () => {
    const provider = open({ sponsor: sponsor() })
    expect(await code(send(provider, batchOf([register(), reverting()])))).toBe(3)
    expect([...sponsors.signatures, await agents()]).toEqual([0n])
  })

  test('an id has one effect, also after a restart, while the bundler lost what it was given', async () => {
    sponsors.bundler.setFaults([{ fault: { kind: 'lose' }, times: 1 }])
    const batch = batchOf([register()], { id: 'mine' })
    const provider = await restarted({ sponsor: sponsor() })
    expect(await send(provider, batch)).toBe('mine')
    expect(await code(send(provider, batch))).toBe(5720)
    const later = await restarted({ sponsor: sponsor() })
    expect(await code(send(later, batch))).toBe(5720)
    expect(await ended(later, 'mine')).toMatchObject({ id: 'mine', status: 200 })
    expect(await agents()).toBe(1n)
  })

  test('what nobody executes stays open, whatever time its paymaster named, until another operation took its place', async () => {
    sponsors.bundler.setFaults([{ fault: { kind: 'lose' }, times: 1 }])
    const provider = open({ sponsor: sponsor() })
    const id = await send(provider, batchOf([register()]))
    const { timestamp } = await client().getBlock()
    await devnet().mineTo(Number(timestamp) + 86_400)
    expect(await statusOf(provider, id)).toMatchObject({ status: 100, receipts: [] })
    await sponsors.restartBundler()
    const free = await startFreePaymaster(devnet())
    await sponsors.mined(sponsors.options({ target: bob, data: '0x', paymaster: free.url }))
    await free.stop()
    expect(await statusOf(provider, id)).toMatchObject({ status: 400, receipts: [] })
    expect(await agents()).toBe(0n)
  })
})

describe('without a bundler', () => {
  beforeEach(fund)

  test('calls go out as transactions, in order, also one that creates a contract', async () => {
    const provider = open()
    expect(await provider.request({ method: 'wallet_getCapabilities', params: [sponsors.wallet.address] })).toEqual({
      [chainId]: { atomic: { status: 'unsupported' }, paymasterService: { supported: false } },
    })
    const paymasterService = { url: sponsors.paymaster.url, optional: true }
    const capabilities = { paymasterService, ofTheFuture: { optional: true } }
    const calls = [register('a'), { data: '0x602a5f5360015ff3' as Hex }, register('b')]
    const id = await send(provider, batchOf(calls, { capabilities }))
    const { receipts, ...status } = await ended(provider, id)
    expect(status).toEqual({ version: '2.0.0', id, chainId, status: 200, atomic: false })
    const sent = await Promise.all(receipts.map(({ transactionHash: hash }) => client().getTransaction({ hash })))
    expect(sent.map(({ to, nonce }) => [to, nonce])).toEqual([
      [devnet().registry.identity.toLowerCase(), 0],
      [null, 1],
      [devnet().registry.identity.toLowerCase(), 2],
    ])
    expect(await agents()).toBe(2n)
  })

  test('one call is all or none by itself', async () => {
    const provider = open()
    const id = await send(provider, batchOf([register()], { atomicRequired: true }))
    expect(await ended(provider, id)).toMatchObject({ status: 200, atomic: false })
  })

  test('the first call that fails is the last', async () => {
    const provider = open()
    const id = await send(provider, batchOf([register(), reverting(), register()]))
    expect(await ended(provider, id)).toMatchObject({ status: 600, receipts: [{ status: '0x1' }] })
    expect(await agents()).toBe(1n)
    expect(await code(send(provider, batchOf([reverting(), register()], { id: 'again' })))).toBe(3)
    expect(await code(statusOf(provider, 'again'))).toBe(5730)
  })

  test('an id has one effect, also after a restart', async () => {
    const batch = batchOf([register()], { id: 'mine' })
    const provider = await restarted()
    expect(await send(provider, batch)).toBe('mine')
    await ended(provider, 'mine')
    const later = await restarted()
    expect(await code(send(later, batch))).toBe(5720)
    expect(await statusOf(later, 'mine')).toMatchObject({ status: 200, receipts: [{ status: '0x1' }] })
    expect(await agents()).toBe(1n)
  })

  test.each<[string, object | null, number]>([
    ['no batch', null, -32602],
    ['another version', { version: '1.0' }, -32602],
    ['another sender', { from: other }, 4100],
    ['another chain', { chainId: '0x1' }, 5710],
    ['no chain', { chainId: undefined }, -32602],
    ['no word on atomicity', { atomicRequired: undefined }, -32602],
    ['no calls', { calls: [] }, -32602],
    ['a call to nobody', { calls: [{ value: '0x1' }] }, -32602],
    ['a call with an unknown field', { calls: [{ to: bob, gas: '0x1' }] }, -32602],
    ['too many calls', { calls: Array.from({ length: 65 }, () => ({ to: bob })) }, 5740],
    ['an id that is too long', { id: 'x'.repeat(4_097) }, -32602],
    ['an id with half a character', { id: '\ud800' }, -32602],
    ['a capability that is not there', { capabilities: { sessionKeys: {} } }, 5700],
    ['one for a call', { calls: [{ to: bob, capabilities: { gasLimit: { value: '0x1' } } }] }, 5700],
    ['a paymaster', { capabilities: { paymasterService: { url: 'http://127.0.0.1:1' } } }, 5700],
    ['a paymaster at no URL', { capabilities: { paymasterService: { url: 'file:///etc' } } }, -32602],
    ['several calls, all or none', { atomicRequired: true, calls: [{ to: bob }, { to: bob }] }, 5760],
  ])('%s is refused, and the id stays free: %j', async (_what, change, expected) => {
    const provider = open()
    const batch = batchOf([{ to: bob }], { id: 'free', ...change })
    const params = change === null ? [] : [batch]
    expect(await code(provider.request({ method: 'wallet_sendCalls', params }))).toBe(expected)
    expect(await code(statusOf(provider, 'free'))).toBe(5730)
    expect(await client().getTransactionCount({ address: sponsors.wallet.address })).toBe(0)
  })

  test.each<[string, unknown[], number]>([
    ['wallet_getCallsStatus', [], -32602],
    ['wallet_getCallsStatus', ['0x1234'], 5730],
    ['wallet_showCallsStatus', ['0x1234'], 4200],
    ['wallet_getCapabilities', [other], 4100],
    ['wallet_getCapabilities', ['me'], -32602],
    ['wallet_getCapabilities', [undefined, 'all'], -32602],
  ])('%s %j is refused: %i', async (method, params, expected) => {
    expect(await code(open().request({ method, params }))).toBe(expected)
  })

  test('says nothing of chains it is not on', async () => {
    const params = [sponsors.wallet.address, ['0x1']]
    expect(await open().request({ method: 'wallet_getCapabilities', params })).toEqual({})
  })
})

async function code(answer: Promise<unknown>): Promise<unknown> {
  return await answer.then(
    () => null,
    (error: unknown) => (error as { readonly code: unknown }).code,
  )
}
