import { createMemoryJournal, createMemoryRegistrationRecords } from '@svc/wallet'
import { createPublicClient, hexToString, http, parseAbi, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { chainId, register, registered, rpcUrl, walletOf, withoutSdk } from './agent.fixture.ts'
import {
  createTestServer,
  registryHandlers,
  type RegistryHandlers,
  type RegistryHandlersOptions,
  type TestServer,
} from './index.ts'

let chain: RegistryHandlers
let server: TestServer
beforeEach(() => begin())
afterEach(() => server.close())

const abi = parseAbi([
  'function tokenURI(uint256 tokenId) view returns (string)',
  'function ownerOf(uint256 tokenId) view returns (address)',
  'function getMetadata(uint256 agentId, string metadataKey) view returns (bytes)',
  'event Registered(uint256 indexed agentId, string agentURI, address indexed owner)',
  'error ERC721NonexistentToken(uint256 tokenId)',
])

describe('registerAgent, with no chain at all,', () => {
  test('quotes a node that declines its transaction in details, where the suggestion leads', async () => {
    const message = 'transaction underpriced: tip needed 5, see https://node.example/key'
    chain.setFaults([{ fault: 'error', code: -32_000, message, methods: ['eth_sendRawTransaction'] }])
    await expect(registered(walletOf('Ada'), withoutSdk)).rejects.toMatchObject({
      code: 'RPC_UNAVAILABLE',
      details: { reason: 'the transaction was declined', refusal: 'transaction underpriced: tip needed 5, see [url]' },
      suggestion: expect.stringMatching(/^Read refusal in details/),
    })
  })

  test('registers by the call of the registry, and what it tells is on the chain', async () => {
    const wallet = walletOf('Ada')
    const result = await registered(wallet, withoutSdk)
    expect(result).toMatchObject({
      registrationMethod: 'direct-contract',
      agentId: `${chainId}:0`,
      gasTier: 'wallet',
      owner: wallet.address,
      txHash: chain.transactions()[0],
      warnings: [
        expect.stringMatching(
          /^The small file of a direct registration leaves out: domains, trust\..* no identity SDK/,
        ),
        expect.stringMatching(/^Nothing was pinned by ipfsMode "proxy"/),
      ],
    })
    const client = createPublicClient({ transport: http(rpcUrl, { batch: true }) })
    const at = { address: chain.registry, abi } as const
    const [uri, owner, role] = await Promise.all([
      client.readContract({ ...at, functionName: 'tokenURI', args: [0n] }),
      client.readContract({ ...at, functionName: 'ownerOf', args: [0n] }),
      client.readContract({ ...at, functionName: 'getMetadata', args: [0n, 'role'] }),
    ])
    expect([uri, owner, hexToString(role)]).toEqual([result.agentURI, wallet.address, 'vault_manager'])
    const logs = await client.getContractEvents({ ...at, eventName: 'Registered', fromBlock: 0n, strict: true })
    expect(logs.map(({ args, transactionHash }) => [args, transactionHash])).toEqual([
      [{ agentId: 0n, agentURI: result.agentURI, owner: wallet.address }, result.txHash],
    ])
    await expect(client.readContract({ ...at, functionName: 'tokenURI', args: [1n] })).rejects.toThrow(
      'ERC721NonexistentToken',
    )
  })

  test('finds out by itself that a registry takes a handle, a URI and a type', async () => {
    server.close()
    begin({ form: 'handle-v0', registry: '0x00000000000000000000000000000000000000aa' })
    const result = await registered(walletOf('Ada'), { registry: { identity: chain.registry } })
    expect(result).toMatchObject({ registrationMethod: 'direct-contract', agentId: `${chainId}:0` })
    const [agent] = chain.agents()
    expect(agent).toMatchObject({ owner: result.owner, agentURI: result.agentURI })
    expect(hexToString(agent!.metadata.get('handle')!)).toBe('Ada')
    expect(agent!.metadata.get('interfaceType')).toBe('0x01')
  })

  test('gives the same results each time, and the next agent the next id', async () => {
    const both = async () => [
      await registered(walletOf('Ada'), withoutSdk),
      await registered(walletOf('Bob'), withoutSdk),
    ]
    const first = await both()
    server.close()
    begin()
    expect(await both()).toEqual(first)
    expect(first.map(({ agentId }) => agentId)).toEqual([`${chainId}:0`, `${chainId}:1`])
  })

  test('finds the identity that is there', async () => {
    await registered(walletOf('Bob'), withoutSdk)
    const { agentId } = await registered(walletOf('Ada'), withoutSdk)
    expect(await registered(walletOf('Ada'), withoutSdk)).toMatchObject({ agentId, alreadyRegistered: true })
    expect(chain.agents()).toHaveLength(2)
  })

  test('is deferred while the wallet holds nothing, and goes on once it is funded', async () => {
    server.close()
    begin({ balanceWei: 0n })
    const wallet = walletOf('Ada')
    const kept = {
      records: createMemoryRegistrationRecords(),
      journal: createMemoryJournal({ now: Date.now }),
      gas: { tiers: ['wallet', 'manual'], manualWaitMs: 0 },
    } as const
    const deferred = await register(wallet, { ...withoutSdk, ...kept })
    if (deferred.status !== 'deferred') throw new Error(deferred.status)
    chain.fund(wallet.address, BigInt(deferred.fund.amountWei))
    const result = await registered(wallet, { ...withoutSdk, ...kept, resume: deferred.resumeToken })
    expect(result).toMatchObject({ agentId: `${chainId}:0`, gasTier: 'wallet' })
    expect(chain.balanceOf(wallet.address)).toBeGreaterThan(0n)
    expect(chain.balanceOf(wallet.address)).toBeLessThan(BigInt(deferred.fund.amountWei))
  })

  test.each([
    ['whose answer to the bytes is lost', { fault: 'drop', after: true } as const],
    ['that breaks off before it takes the bytes', { fault: 'drop' } as const],
  ])('registers once through an endpoint %s', async (_what, fault) => {
    chain.setFaults([{ ...fault, methods: ['eth_sendRawTransaction'], times: 1 }])
    expect(await registered(walletOf('Ada'), withoutSdk)).toMatchObject({ agentId: `${chainId}:0` })
    expect(chain.transactions()).toHaveLength(1)
    expect(chain.methods().filter((method) => method === 'eth_sendRawTransaction').length).toBeGreaterThan(1)
  })

  test('says of a registration that is mined and fails that it reverted', async () => {
    chain.setFaults([{ fault: 'revert', times: 1 }])
    await expect(register(walletOf('Ada'), withoutSdk)).rejects.toMatchObject({ code: 'REGISTRATION_REVERTED' })
    expect(chain.agents()).toEqual([])
    expect(chain.transactions()).toHaveLength(1)
  })
})

test('signed bytes are checked as a node checks them', async () => {
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`)
  const client = createPublicClient({ transport: http(rpcUrl, { retryCount: 0 }) })
  const send = async (change: object) => {
    const fields = { type: 'eip1559', chainId, nonce: 0, to: chain.registry, gas: 500_000n } as const
    const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
    const serializedTransaction = await account.signTransaction({ ...fields, ...fees, ...change })
    expect(parseTransaction(serializedTransaction).to?.toLowerCase()).toBe(chain.registry.toLowerCase())
    return client.sendRawTransaction({ serializedTransaction })
  }
  await expect(send({ chainId: 1 })).rejects.toThrow('invalid chain id')
  await expect(send({ gas: 20_000n })).rejects.toThrow('intrinsic gas too low')
  await expect(send({ maxFeePerGas: 1n })).rejects.toThrow('less than block base fee')
  await expect(send({ value: 2n * 10n ** 18n })).rejects.toThrow('insufficient funds')
  const ahead = await send({ nonce: 1 })
  expect(chain.transactions()).toEqual([])
  expect((await client.getTransaction({ hash: ahead })).blockNumber).toBeNull()
  await expect(send({ nonce: 1, value: 1n })).rejects.toThrow('replacement transaction underpriced')
  const first = await send({})
  expect(chain.transactions()).toEqual([first, ahead])
  await expect(send({})).rejects.toThrow('already known')
  await expect(send({ value: 1n })).rejects.toThrow('nonce too low')
  await expect(client.getFeeHistory({ blockCount: 1, rewardPercentiles: [] })).rejects.toThrow('does not exist')
})

test('a chain without a known registry needs one', () => {
  expect(() => registryHandlers({ rpcUrl, chainId: 31337 })).toThrow('Chain 31337 has no known registry')
})

function begin(change: Partial<RegistryHandlersOptions> = {}): void {
  chain = registryHandlers({ rpcUrl, chainId, ...change })
  server = createTestServer(...chain)
  server.listen()
}
