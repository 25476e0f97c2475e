import { concat, createTestClient, encodeFunctionData, http } from 'viem'
import { entryPoint08Abi } from 'viem/account-abstraction'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, describe, expect, test } from 'vitest'
import { identityRegistryAbi as abi } from '../agent/registry/identity-registry.ts'
import { ServiceWallet } from '../service-wallet.ts'
import type { Signer } from '../signer.ts'
import { createLocalSigner } from '../signers/local-signer.ts'
import type { UserOperationProgress } from './open-bundler.ts'
import { registeredIn, uri, useSponsors } from './sponsors.fixture.ts'

const sponsors = useSponsors()
const { devnet, options, walletOf, mined, pending, client, agents } = sponsors

describe('a wallet that holds nothing', () => {
  test('registers at the cost of a paymaster, under its own address', async () => {
    const events: UserOperationProgress[] = []
    const result = await mined(
      options({ paymasterContext: { policy: 'p' }, onProgress: (event) => events.push(event) }),
    )
    expect(registeredIn(result.logs)).toEqual([sponsors.wallet.address])
    expect(await agents()).toBe(1n)
    expect(await client().getBalance({ address: sponsors.wallet.address })).toBe(0n)
    expect(sponsors.paymaster.sponsored()).toEqual([sponsors.wallet.address])
    expect(sponsors.paymaster.contexts()).toEqual([{ policy: 'p' }, { policy: 'p' }])
    expect(events.map(({ step }) => step)).toEqual(['delegate', 'sign', 'send', 'confirm'])
    expect(events[0]?.details).toEqual({ address: sponsors.wallet.address, implementation: devnet().simple7702Account })
  })

  test('delegates its account once', async () => {
    await mined(options())
    const before = await client().getTransactionCount({ address: sponsors.wallet.address })
    await mined(options())
    expect(await agents()).toBe(2n)
    expect(await client().getTransactionCount({ address: sponsors.wallet.address })).toBe(before)
    expect(sponsors.signatures).toEqual(['authorization', 'typed data', 'typed data'])
  })

  test('finds bundler and paymaster by the variables of the chain', async () => {
    const { paymaster: url, bundlerUrl, ...bare } = options()
    await mined({ ...bare, env: { SVC_BUNDLER_URL_31337: bundlerUrl, SVC_PAYMASTER_URL_31337: url } })
    await expect(sponsors.wallet.sendUserOp({ ...bare, env: {} })).rejects.toMatchObject({
      code: 'VALIDATION_CONFIG_INVALID',
      message: expect.stringContaining('SVC_BUNDLER_URL_31337'),
    })
  })
})

describe('nothing is signed', () => {
  // oxlint-disable-next-line vitest/no-standalone-expect
  afterEach(async () => expect([...sponsors.signatures, ...sponsors.bundler.received(), await agents()]).toEqual([0n]))

  test('for a caller who has given up', async () => {
    const signal = AbortSignal.abort(new Error('enough'))
    const refusal = { name: 'WalletError', code: 'ABORTED', cause: signal.reason }
    await expect(sponsors.wallet.sendUserOp(options({ signal }))).rejects.toMatchObject(refusal)
  })

  test.each([
    ['refuses', { kind: 'refuse' }, 'pm_getPaymasterStubData'],
    ['refuses in the end', { kind: 'refuse' }, 'pm_getPaymasterData'],
    ['signs for a time that is over', { kind: 'expired' }, 'pm_getPaymasterData'],
    ['signs with a key that its contract does not know', { kind: 'foreign-signature' }, 'pm_getPaymasterData'],
    ['is silent', { kind: 'stall' }, 'pm_getPaymasterData'],
  ] as const)('when the paymaster %s', async (_what, fault, method) => {
    sponsors.paymaster.setFaults([{ fault, methods: [method] }])
    const sending = sponsors.wallet.sendUserOp(options(fault.kind === 'stall' ? { requestTimeoutMs: 3_000 } : {}))
    await expect(sending).rejects.toMatchObject({ code: 'PAYMASTER_REFUSED' })
    if (fault.kind !== 'stall') return
    const suggestion = expect.stringMatching(/^Check gas\.paymasterUrl .* try again/)
    await expect(sending).rejects.toMatchObject({ suggestion, details: { why: 'does not answer' } })
  })

  test('when the paymaster has nothing left at the entry point', async () => {
    const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
    const { entryPoint, paymaster: contract } = devnet()
    const deposit = { address: entryPoint, abi: entryPoint08Abi, functionName: 'balanceOf', args: [contract] } as const
    const { accessList } = await client().createAccessList({
      to: entryPoint,
      data: encodeFunctionData({ abi: entryPoint08Abi, functionName: 'balanceOf', args: [contract] }),
    })
    for (const index of accessList.flatMap(({ storageKeys }) => storageKeys)) {
      await node.setStorageAt({ address: entryPoint, index, value: `0x${'0'.repeat(64)}` })
    }
    expect(await client().readContract(deposit)).toBe(0n)
    await expect(sponsors.wallet.sendUserOp(options())).rejects.toMatchObject({
      code: 'PAYMASTER_REFUSED',
      message: expect.stringContaining('too little left'),
    })
  })

  test('when the call would revert, and the reason is told', async () => {
    const data = encodeFunctionData({ abi, functionName: 'setAgentURI', args: [99n, uri] })
    await expect(sponsors.wallet.sendUserOp(options({ data }))).rejects.toMatchObject({
      code: 'USER_OPERATION_REVERTED',
      details: { reason: 'ERC721NonexistentToken(99)', data: expect.stringMatching(/^0x7e273289/) },
    })
  })

  test('when the endpoint serves another chain', async () => {
    const signer = sponsors.wallet
    const elsewhere = new ServiceWallet({ mode: 'local', signer, chainId: 8453, rpcUrls: { 8453: devnet().rpcUrl } })
    await expect(elsewhere.sendUserOp(options())).rejects.toMatchObject({ code: 'RPC_CHAIN_MISMATCH' })
  })

  test('when the bundler cannot be reached', async () => {
    const bundlerUrl = 'http://127.0.0.1:9'
    await expect(sponsors.wallet.sendUserOp(options({ bundlerUrl }))).rejects.toMatchObject({
      code: 'BUNDLER_UNAVAILABLE',
    })
  })

  test.each([
    ['the account runs other code', '0xef0100cA11bde05977b3631167028862bE2a173976CA11', undefined],
    ['the account is a contract', '0x6000', '0xe6Cae83BdE06E4c305530e199D7217f42808555B'],
    ['the implementation is not there', '0x', '0x00000000000000000000000000000000000000AA'],
  ] as const)('when %s', async (_what, bytecode, allowDelegationTo) => {
    const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
    if (bytecode !== '0x') await node.setCode({ address: sponsors.wallet.address, bytecode })
    const sending = sponsors.wallet.sendUserOp(options(allowDelegationTo === undefined ? {} : { allowDelegationTo }))
    await expect(sending).rejects.toMatchObject({ code: 'DELEGATION_NOT_ALLOWED' })
  })

  test('for another call than the record holds', async () => {
    const other = walletOf(createLocalSigner(generatePrivateKey()))
    sponsors.bundler.setFaults([{ fault: { kind: 'stall' } }])
    const operation = await pending(options({ timeoutMs: 300 }), other)
    const resume = { ...operation, operation: { ...operation.operation, sender: sponsors.wallet.address } }
    const data = encodeFunctionData({ abi, functionName: 'register', args: ['data:,other'] })
    await expect(sponsors.wallet.sendUserOp(options({ data, resume }))).rejects.toMatchObject({
      code: 'REQUEST_CONFLICT',
    })
    await sponsors.restartBundler()
  })
})

test('code that the account ran before is replaced by the one that is allowed', async () => {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.setCode({
    address: sponsors.wallet.address,
    bytecode: concat(['0xef0100', '0xcA11bde05977b3631167028862bE2a173976CA11']),
  })
  await mined(options({ allowDelegationTo: devnet().simple7702Account }))
  expect(await agents()).toBe(1n)
})

test('a backend that signs for another address gets nothing out', async () => {
  const [own, other] = [createLocalSigner(generatePrivateKey()), createLocalSigner(generatePrivateKey())]
  const half: readonly Partial<Signer>[] = [
    { signTypedData: (typedData) => other.signTypedData(typedData) },
    { signAuthorization: (authorization) => other.signAuthorization(authorization) },
  ]
  for (const change of half) {
    sponsors.wallet = walletOf({ ...own, ...change })
    await expect(sponsors.wallet.sendUserOp(options())).rejects.toMatchObject({ code: 'WALLET_ADDRESS_MISMATCH' })
  }
  const everywhere: Signer['signAuthorization'] = (wanted) => own.signAuthorization({ ...wanted, chainId: 0 })
  sponsors.wallet = walletOf({ ...own, signAuthorization: everywhere })
  await expect(sponsors.wallet.sendUserOp(options())).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  expect(sponsors.bundler.received()).toEqual([])
})
