import { createPublicClient, type Hex, http, parseEther, zeroAddress } from 'viem'
import { createBundlerClient, createPaymasterClient, toSimple7702SmartAccount } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { identityRegistry, verifyingPaymaster } from '../contracts.gen.ts'
import { viemChain } from '../open-wallet.fixture.ts'
import { type FakeBundler, startFakeBundler } from './start-fake-bundler.ts'
import { type Paymaster, startPaymaster } from './start-paymaster.ts'
import { useDevnet } from '../use-devnet.ts'

const devnet = useDevnet()
const uri = 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
const patience = { timeout: 20_000, interval: 20 }
let bundler: FakeBundler
let paymaster: Paymaster
beforeEach(async () => {
  bundler = await startFakeBundler({ devnet: devnet() })
  paymaster = await startPaymaster({ devnet: devnet() })
})
afterEach(async () => {
  await bundler.stop()
  await paymaster.stop()
})

describe('a sponsored registration', () => {
  test('makes an account that holds nothing the owner of an agent, and it still holds nothing', async () => {
    const { owner, client, sponsored, send } = await openAccount()
    const balance = async () => await client.getBalance({ address: owner.address })
    expect(await balance()).toBe(0n)
    const hash = await send()
    const receipt = await sponsored.waitForUserOperationReceipt({ hash, timeout: 20_000 })
    expect(receipt).toMatchObject({ success: true, userOpHash: hash, nonce: '0x0' })
    expect(receipt.paymaster?.toLowerCase()).toBe(devnet().paymaster.toLowerCase())
    expect(receipt.actualGasCost).toBeGreaterThan(0n)
    expect(receipt.logs.map(({ address }) => address.toLowerCase())).toContain(devnet().registry.identity.toLowerCase())
    expect(await balance()).toBe(0n)
    expect(await ownerOf(0n)).toBe(owner.address)
    expect(await client.getCode({ address: owner.address })).toBe(
      `0xef0100${devnet().simple7702Account.slice(2).toLowerCase()}`,
    )
    expect(paymaster.contexts()).toEqual([{ policy: 'registration' }, { policy: 'registration' }])
    expect(paymaster.sponsored()).toEqual([owner.address])
    const found = await sponsored.getUserOperation({ hash })
    expect(found.transactionHash).toBe(receipt.receipt.transactionHash)
    expect(found.userOperation.sender).toBe(owner.address)
  })

  test('needs no authorization the second time', async () => {
    const { owner, sponsored, send, call } = await openAccount()
    await sponsored.waitForUserOperationReceipt({ hash: await send(), timeout: 20_000 })
    const again = await sponsored.sendUserOperation({ calls: [call, call], ...(await fees()) })
    expect((await sponsored.waitForUserOperationReceipt({ hash: again, timeout: 20_000 })).success).toBe(true)
    expect(await Promise.all([0n, 1n, 2n].map(ownerOf))).toEqual([owner.address, owner.address, owner.address])
  })

  test('is refused at the estimate when the call itself would fail', async () => {
    const { sponsored, authorization } = await openAccount()
    const setAgentURI = {
      to: devnet().registry.identity,
      abi: identityRegistry.abi,
      functionName: 'setAgentURI',
      args: [5n, uri],
    } as const
    const sent = sponsored.sendUserOperation({
      calls: [setAgentURI],
      authorization: await authorization(),
      ...(await fees()),
    })
    await expect(sent).rejects.toThrow('ERC721NonexistentToken')
    expect(bundler.received()).toEqual([])
  })

  test('is refused when someone else signed the operation', async () => {
    const { sponsored, call, authorization } = await openAccount()
    const signature = await privateKeyToAccount(generatePrivateKey()).signMessage({ message: 'mine' })
    const prepared = await sponsored.prepareUserOperation({
      calls: [call],
      authorization: await authorization(),
      ...(await fees()),
    })
    await expect(sponsored.sendUserOperation({ ...prepared, signature })).rejects.toThrow('Signature provided')
  })
})

describe('the faults of a bundler', () => {
  test('reject: an error, and nothing happens', async () => {
    const { send } = await openAccount()
    bundler.setFaults([{ fault: { kind: 'reject', code: -32_500, message: 'not today' }, times: 1 }])
    await expect(send()).rejects.toThrow('not today')
    expect(bundler.received()).toHaveLength(1)
    expect(await holder()).toBeNull()
  })

  test('lose: it has a hash and knows nothing of it, until the same operation is sent again', async () => {
    const { owner, sponsored, sign, sendSigned } = await openAccount()
    bundler.setFaults([{ fault: { kind: 'lose' }, times: 1 }])
    const signed = await sign()
    const hash = await sendSigned(signed)
    await expect(sponsored.getUserOperationReceipt({ hash })).rejects.toThrow('could not be found')
    await expect(sponsored.getUserOperation({ hash })).rejects.toThrow('could not be found')
    expect(await sendSigned(signed)).toBe(hash)
    expect((await sponsored.waitForUserOperationReceipt({ hash, timeout: 20_000 })).success).toBe(true)
    expect(bundler.received()).toEqual([hash, hash])
    expect(await ownerOf(0n)).toBe(owner.address)
    await expect(sendSigned(signed)).rejects.toThrow('AA25')
  })

  test('hold: it executes when it is told to, once', async () => {
    const { owner, sponsored, sign, sendSigned } = await openAccount()
    bundler.setFaults([{ fault: { kind: 'hold' }, times: 1 }])
    const signed = await sign()
    const hash = await sendSigned(signed)
    await expect(sponsored.getUserOperationReceipt({ hash })).rejects.toThrow('could not be found')
    await expect(sendSigned(signed)).rejects.toThrow('Already known')
    await bundler.release()
    await bundler.release()
    expect((await sponsored.waitForUserOperationReceipt({ hash, timeout: 20_000 })).success).toBe(true)
    expect(await ownerOf(0n)).toBe(owner.address)
    await expect(ownerOf(1n)).rejects.toThrow('ERC721NonexistentToken')
  })

  test('stall: the answer never comes, and nothing happens', async () => {
    const { sign, sendSigned } = await openAccount()
    bundler.setFaults([{ fault: { kind: 'stall' } }])
    const failure = reasonOf(sendSigned(await sign()))
    await expect.poll(() => bundler.received(), patience).toHaveLength(1)
    await bundler.stop()
    expect(await failure).toContain('HTTP request failed')
    expect(await holder()).toBeNull()
  })

  test('stall, executed: the effect without the answer', async () => {
    const { owner, sign, sendSigned } = await openAccount()
    bundler.setFaults([{ fault: { kind: 'stall', executed: true } }])
    const failure = reasonOf(sendSigned(await sign()))
    await expect.poll(holder, patience).toBe(owner.address)
    await bundler.stop()
    expect(await failure).toContain('HTTP request failed')
  })

  test('late: the effect first, the answer after', async () => {
    const { owner, send } = await openAccount()
    bundler.setFaults([{ fault: { kind: 'late', delayMs: 300 } }])
    const started = performance.now()
    await send()
    expect(performance.now() - started).toBeGreaterThan(295)
    await expect.poll(holder, patience).toBe(owner.address)
  })

  test('restart: it forgets what it knew, the chain does not', async () => {
    const { owner, sponsored, send } = await openAccount()
    const hash = await send()
    bundler.restart()
    await expect(sponsored.getUserOperationReceipt({ hash })).rejects.toThrow('could not be found')
    await expect.poll(holder, patience).toBe(owner.address)
  })
})

describe('the faults of a paymaster', () => {
  test('refuse: its own code and words arrive, and nothing is sent', async () => {
    const { send } = await openAccount()
    paymaster.setFaults([
      { fault: { kind: 'refuse', code: -32_002, message: 'over budget' }, methods: ['pm_getPaymasterData'] },
    ])
    await expect(send()).rejects.toThrow('over budget')
    expect(bundler.received()).toEqual([])
  })

  test('expired, or signed by another key: the entry point refuses', async () => {
    const { send } = await openAccount()
    paymaster.setFaults([
      { fault: { kind: 'expired' }, methods: ['pm_getPaymasterData'], times: 1 },
      { fault: { kind: 'foreign-signature' }, methods: ['pm_getPaymasterData'], times: 1 },
    ])
    await expect(send()).rejects.toThrow(/AA32|expired/i)
    await expect(send()).rejects.toThrow(/AA34|signature/i)
    expect(await holder()).toBeNull()
  })

  test('expired: over even at the newest block of a chain that has mined nothing for an hour', async () => {
    const late = await startPaymaster({ devnet: devnet(), now: () => Date.now() + 3_600_000 })
    late.setFaults([{ fault: { kind: 'expired' }, methods: ['pm_getPaymasterData'] }])
    const { send } = await openAccount({ paymasterUrl: late.url })
    await expect(send()).rejects.toThrow(/AA32|expired/i)
    await late.stop()
  })

  test('stall: no answer', async () => {
    const { send } = await openAccount()
    paymaster.setFaults([{ fault: { kind: 'stall' } }])
    const failure = reasonOf(send())
    await expect.poll(() => paymaster.methods().get('pm_getPaymasterStubData'), patience).toBe(1)
    await paymaster.stop()
    expect(await failure).toContain('HTTP request failed')
    expect(bundler.received()).toEqual([])
  })

  test('late: the answer comes after all', async () => {
    const { owner, send } = await openAccount()
    paymaster.setFaults([{ fault: { kind: 'late', delayMs: 300 }, methods: ['pm_getPaymasterData'] }])
    const started = performance.now()
    await send()
    expect(performance.now() - started).toBeGreaterThan(295)
    await expect.poll(holder, patience).toBe(owner.address)
  })

  test('it signs for one chain and one entry point alone', async () => {
    const ask = async (entryPoint: Hex, chainId: Hex) => {
      const body = JSON.stringify({ id: 1, method: 'pm_getPaymasterData', params: [{}, entryPoint, chainId, {}] })
      return await (await fetch(paymaster.url, { method: 'POST', body })).json()
    }
    expect(await ask(zeroAddress, '0x7a69')).toMatchObject({ error: { code: -32_602 } })
    expect(await ask(devnet().entryPoint, '0x1')).toMatchObject({ error: { code: -32_602 } })
    expect(paymaster.sponsored()).toEqual([])
  })
})

test('the paymaster pays for nothing that was changed after it signed', async () => {
  const { client, sponsored, sign, owner } = await openAccount()
  const signed = await sign()
  const changed = { ...signed, callData: `${signed.callData}00` as Hex }
  const signature = await sponsored.account.signUserOperation(changed)
  await expect(sponsored.sendUserOperation({ ...changed, signature })).rejects.toThrow(/AA34|signature/i)
  expect(await client.getTransactionCount({ address: owner.address })).toBe(0)
  const withdraw = {
    address: devnet().paymaster,
    abi: verifyingPaymaster.abi,
    functionName: 'withdrawTo',
    args: [owner.address, parseEther('1')],
    account: owner.address,
  } as const
  await expect(client.simulateContract(withdraw)).rejects.toThrow('OwnableUnauthorizedAccount')
})

/** An account that holds nothing, with viem's own clients of a bundler and a paymaster. */
async function openAccount({ paymasterUrl = paymaster.url } = {}) {
  const { rpcUrl, simple7702Account, chainId, registry } = devnet()
  const chain = viemChain(devnet())
  const client = createPublicClient({ chain, transport: http(rpcUrl), pollingInterval: 10, cacheTime: 0 })
  const owner = privateKeyToAccount(generatePrivateKey())
  const sponsored = createBundlerClient({
    account: await toSimple7702SmartAccount({ client, owner, implementation: simple7702Account }),
    client,
    chain,
    transport: http(bundler.url, { retryCount: 0, timeout: 60_000 }),
    paymaster: createPaymasterClient({ transport: http(paymasterUrl, { retryCount: 0, timeout: 60_000 }) }),
    paymasterContext: { policy: 'registration' },
    pollingInterval: 20,
  })
  const call = { to: registry.identity, abi: identityRegistry.abi, functionName: 'register', args: [uri] } as const
  const authorization = async () =>
    await owner.signAuthorization({
      address: simple7702Account,
      chainId,
      nonce: await client.getTransactionCount({ address: owner.address }),
    })
  const sign = async () => {
    const prepared = await sponsored.prepareUserOperation({
      calls: [call],
      nonce: 0n,
      authorization: await authorization(),
      ...(await fees()),
    })
    return { ...prepared, signature: await sponsored.account.signUserOperation(prepared) }
  }
  const sendSigned = async (signed: Awaited<ReturnType<typeof sign>>) => await sponsored.sendUserOperation(signed)
  const send = async () => await sendSigned(await sign())
  return { owner, client, sponsored, call, authorization, sign, sendSigned, send }
}

async function fees() {
  const body = JSON.stringify({ id: 1, method: 'pimlico_getUserOperationGasPrice', params: [] })
  const answer = await (await fetch(bundler.url, { method: 'POST', body })).json()
  const { standard } = (answer as { readonly result: { readonly standard: Record<string, Hex> } }).result
  return {
    maxFeePerGas: BigInt(standard['maxFeePerGas']!),
    maxPriorityFeePerGas: BigInt(standard['maxPriorityFeePerGas']!),
  }
}

async function reasonOf(attempt: Promise<unknown>): Promise<string> {
  return await attempt.then(
    () => 'it was answered',
    (error: unknown) => String(error),
  )
}

/** Who owns the first agent, if there is one yet. */
async function holder() {
  return await ownerOf(0n).catch(() => null)
}

async function ownerOf(agentId: bigint) {
  const { rpcUrl, registry } = devnet()
  return await createPublicClient({ transport: http(rpcUrl) }).readContract({
    address: registry.identity,
    abi: identityRegistry.abi,
    functionName: 'ownerOf',
    args: [agentId],
  })
}
