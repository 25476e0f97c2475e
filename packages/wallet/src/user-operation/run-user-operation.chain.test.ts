import { awaitReceipt } from '@svc/devnet'
import {
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  http,
  parseAbi,
  parseEther,
  parseEventLogs,
  type Hex,
} from 'viem'
import {
  entryPoint08Abi,
  formatUserOperation,
  toPackedUserOperation,
  type RpcUserOperation,
} from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { identityRegistryAbi as abi } from '../agent/registry/identity-registry.ts'
import { createLocalSigner } from '../signers/local-signer.ts'
import { startFreePaymaster } from './free-paymaster.fixture.ts'
import type { SignedUserOperation, UserOperationRecord } from './signed-user-operation.ts'
import { keeping, registeredIn, useSponsors } from './sponsors.fixture.ts'

const sponsors = useSponsors()
const { devnet, options, walletOf, mined, pending, client, agents } = sponsors

describe('an operation has one effect', () => {
  test('and is kept before it is offered', async () => {
    const record = keeping()
    const offeredAtSave: number[] = []
    const watching: UserOperationRecord = {
      load: () => record.load(),
      async save(operation) {
        offeredAtSave.push(sponsors.bundler.received().length)
        await record.save(operation)
      },
    }
    const { userOperationHash } = await mined(options({ record: watching }))
    expect(offeredAtSave).toEqual([0])
    expect(await record.load()).toMatchObject({ userOperationHash })
    await expect(mined(options({ record }))).resolves.toMatchObject({ userOperationHash })
    expect(sponsors.bundler.received()).toHaveLength(1)
  })

  test('or none, when it cannot be kept', async () => {
    const record = { load: async () => null, save: () => Promise.reject(new Error('disk full')) }
    await expect(sponsors.wallet.sendUserOp(options({ record }))).rejects.toThrow('disk full')
    expect(sponsors.bundler.received()).toEqual([])
  })

  test.each([
    ['loses it', { kind: 'lose' }],
    ['declines it', { kind: 'reject', message: 'not today' }],
    ['is silent', { kind: 'stall' }],
  ] as const)('when the bundler %s at first', async (_what, fault) => {
    sponsors.bundler.setFaults([{ fault, times: 1 }])
    const record = keeping()
    const waiting = await sponsors.offered(options({ record, ...(fault.kind === 'stall' && { timeoutMs: 300 }) }))
    expect(waiting).toMatchObject({
      status: 'pending',
      code: 'USER_OPERATION_PENDING',
      declined: fault.kind === 'reject' ? 'not today' : null,
    })
    const { userOperationHash } = await mined(options({ record }))
    expect(userOperationHash).toBe(waiting.userOperationHash)
    expect(sponsors.bundler.received()).toEqual([userOperationHash, userOperationHash])
    expect(await agents()).toBe(1n)
    expect(sponsors.signatures).toEqual(['authorization', 'typed data'])
  })

  test('when the bundler loses it, within one call', async () => {
    sponsors.bundler.setFaults([{ fault: { kind: 'lose' }, times: 1 }])
    await mined(options({ resendAfterMs: 200 }))
    expect(new Set(sponsors.bundler.received()).size).toBe(1)
    expect(await agents()).toBe(1n)
  })

  test.each([
    ['never answers', { kind: 'stall', executed: true }, 3_000],
    ['answers late', { kind: 'late', delayMs: 400 }, 10_000],
  ] as const)('when the bundler executes it and %s', async (_what, fault, requestTimeoutMs) => {
    sponsors.bundler.setFaults([{ fault }])
    await mined(options({ requestTimeoutMs }))
    expect(sponsors.bundler.received()).toHaveLength(1)
    expect(await agents()).toBe(1n)
  })

  test('when the bundler forgot it after it was executed', async () => {
    sponsors.bundler.setFaults([{ fault: { kind: 'hold' } }])
    const operation = await pending(options())
    await sponsors.release()
    sponsors.bundler.restart()
    const result = await mined(options({ resume: operation }))
    expect(registeredIn(result.logs)).toEqual([sponsors.wallet.address])
    expect(sponsors.bundler.received()).toHaveLength(1)
  })

  test('when the time is over that its paymaster named, and the paymaster then names another', async () => {
    const paymaster = await startFreePaymaster(devnet())
    try {
      const { timestamp } = await client().getBlock()
      await paymaster.payUntil(Number(timestamp) + 600)
      sponsors.bundler.setFaults([{ fault: { kind: 'lose' }, times: 2 }])
      const record = keeping()
      const operation = await pending(options({ record, paymaster: paymaster.url }))
      await devnet().mineTo(Number(timestamp) + 601)
      await pending(options({ record, paymaster: paymaster.url }))
      expect(await record.load()).toMatchObject({ userOperationHash: operation.userOperationHash })
      await paymaster.payUntil(0)
      const result = await mined(options({ record, paymaster: paymaster.url }))
      expect(result.userOperationHash).toBe(operation.userOperationHash)
      expect(await agents()).toBe(1n)
    } finally {
      await paymaster.stop()
    }
  })

  test('when two calls of one record sign at once', async () => {
    const record = keeping()
    const both = await Promise.all([mined(options({ record })), mined(options({ record }))])
    expect(new Set(both.map(({ userOperationHash }) => userOperationHash)).size).toBe(1)
    expect(await agents()).toBe(1n)
  })

  test('when another operation took its nonce: then a new one is signed', async () => {
    sponsors.bundler.setFaults([{ fault: { kind: 'lose' }, times: 1 }])
    const record = keeping()
    const lost = await pending(options({ record }))
    const other = encodeFunctionData({ abi, functionName: 'register', args: ['data:,other'] })
    await mined(options({ data: other }))
    const result = await mined(options({ record }))
    expect(result.userOperationHash).not.toBe(lost.userOperationHash)
    expect(await agents()).toBe(2n)
    expect(sponsors.bundler.received().filter((hash) => hash === lost.userOperationHash)).toHaveLength(1)
  })
})

test('a call that reverts in its block is told with what the contract said, and not sent again', async () => {
  const { logs } = await mined(options())
  const [log] = parseEventLogs({ abi, eventName: 'Registered', logs: [...logs] })
  const agentId = log?.args.agentId ?? -1n
  sponsors.bundler.setFaults([{ fault: { kind: 'hold' }, times: 1 }])
  const data = encodeFunctionData({ abi, functionName: 'setAgentURI', args: [agentId, 'data:,new'] })
  const operation = await pending(options({ data }))
  await giveAway(agentId)
  await sponsors.release()
  await expect(sponsors.wallet.sendUserOp(options({ data, resume: operation }))).rejects.toMatchObject({
    code: 'USER_OPERATION_REVERTED',
    message: 'The operation was mined and its call reverted: Not authorized.',
    details: { txHash: expect.stringMatching(/^0x/), userOperationHash: operation.userOperationHash },
  })
  expect(sponsors.bundler.received()).toHaveLength(2)
})

test('the logs are those of the operation alone, whoever stands before and behind it in the bundle', async () => {
  const wallets = [
    sponsors.wallet,
    walletOf(createLocalSigner(generatePrivateKey())),
    walletOf(createLocalSigner(generatePrivateKey())),
  ]
  sponsors.bundler.setFaults([{ fault: { kind: 'lose' } }])
  const operations: SignedUserOperation[] = []
  for (const each of wallets) operations.push(await pending(options(), each))
  const [own, ...others] = operations
  const txHash = await bundle([others[0]!, own!, others[1]!])
  const results = await Promise.all(wallets.map((each, index) => mined(options({ resume: operations[index]! }), each)))
  for (const [index, result] of results.entries()) {
    expect(result.txHash).toBe(txHash)
    expect(registeredIn(result.logs)).toEqual([wallets[index]?.address])
  }
})

/** As a bundler does that puts several operations into one transaction. */
async function bundle(signed: readonly SignedUserOperation[]): Promise<Hex> {
  const { rpcUrl, entryPoint, sponsors } = devnet()
  const account = privateKeyToAccount(sponsors.executor.privateKey)
  const operations = signed.map(({ operation }) => operation as unknown as RpcUserOperation<'0.8'>)
  const sender = createWalletClient({ account, transport: http(rpcUrl) })
  return sender.writeContract({
    address: entryPoint,
    abi: entryPoint08Abi,
    functionName: 'handleOps',
    args: [operations.map((each) => toPackedUserOperation(formatUserOperation(each))), account.address],
    authorizationList: operations.flatMap(({ eip7702Auth: auth }) =>
      auth === undefined
        ? []
        : [
            {
              ...auth,
              chainId: Number(auth.chainId),
              nonce: Number(auth.nonce),
              yParity: Number(auth.yParity),
            },
          ],
    ),
    gas: 3_000_000n,
    chain: null,
  })
}

async function giveAway(agentId: bigint): Promise<void> {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  await node.impersonateAccount({ address: sponsors.wallet.address })
  await node.setBalance({ address: sponsors.wallet.address, value: parseEther('1') })
  const sender = createWalletClient({ account: sponsors.wallet.address, transport: http(devnet().rpcUrl) })
  const hash = await sender.sendTransaction({
    to: devnet().registry.identity,
    data: encodeFunctionData({
      abi: parseAbi(['function transferFrom(address from, address to, uint256 tokenId)']),
      args: [sponsors.wallet.address, '0x000000000000000000000000000000000000dEaD', agentId],
    }),
    chain: null,
  })
  await awaitReceipt(client(), hash)
}
