import {
  type Address,
  encodePacked,
  type Hex,
  parseEventLogs,
  toEventSelector,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { awaitReceipt } from './chain/chain-client.ts'
import { connect } from './chain/chain-client.ts'
import { identityRegistry } from './contracts.gen.ts'
import { multicall3Address } from './seed/layout.ts'
import { openWallet } from './open-wallet.fixture.ts'
import { useDevnet } from './use-devnet.ts'

const { abi } = identityRegistry
const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)
const wallet = (index: number) => openWallet(devnet(), devnet().accounts[index]!.privateKey)
const registry = () => ({ address: devnet().registry.identity, abi }) as const

const uri = 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

describe('the surface of ERC-8004 2.0.0', () => {
  test.each([
    ['register()', '0x1aa3a008'],
    ['register(string)', '0xf2c298be'],
    ['register(string,(string,bytes)[])', '0x8ea42286'],
    ['setAgentURI(uint256,string)', '0x0af28bd3'],
    ['getMetadata(uint256,string)', '0xcb4799f2'],
    ['setMetadata(uint256,string,bytes)', '0x466648da'],
    ['getAgentWallet(uint256)', '0x00339509'],
    ['unsetAgentWallet(uint256)', '0x3fddcf19'],
    ['setAgentWallet(uint256,address,uint256,bytes)', '0x2d1ef5ae'],
    ['isAuthorizedOrOwner(address,uint256)', '0xd95e72be'],
    ['getVersion()', '0x0d8e6e2c'],
    ['ownerOf(uint256)', '0x6352211e'],
    ['tokenURI(uint256)', '0xc87b56dd'],
    ['balanceOf(address)', '0x70a08231'],
    ['transferFrom(address,address,uint256)', '0x23b872dd'],
    ['eip712Domain()', '0x84b0196e'],
  ])('%s answers to %s', (signature, selector) => {
    const functions = abi.filter((item) => item.type === 'function')
    expect(functions.map((item) => toFunctionSelector(item))).toContain(selector)
    expect(toFunctionSelector(signature)).toBe(selector)
  })

  test.each([
    ['Registered', '0xca52e62c367d81bb2e328eb795f7c7ba24afb478408a26c0e201d155c449bc4a'],
    ['URIUpdated', '0x3a2c7fffc2cba7582c690e3b82c453ea02a308326a98a3ad7576c606336409fb'],
    ['MetadataSet', '0x2c149ed548c6d2993cd73efe187df6eccabe4538091b33adbd25fafdb8a1468b'],
    ['Transfer', '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'],
    ['MetadataUpdate', '0xf8e1a15aba9398e019f0b49df1a4fde98ee17ae345cb5f6b5e2c27f5033e8ce7'],
  ])('%s is %s', (name, topic) => {
    const events = abi.filter((item) => item.type === 'event')
    expect(toEventSelector(events.find((item) => item.name === name)!)).toBe(topic)
  })

  test('says what it is', async () => {
    const read = async (functionName: 'name' | 'symbol' | 'getVersion') =>
      await client().readContract({ ...registry(), functionName })
    expect(await read('name')).toBe('AgentIdentity')
    expect(await read('symbol')).toBe('AGENT')
    expect(await read('getVersion')).toBe('2.0.0')
    for (const id of ['0x01ffc9a7', '0x80ac58cd', '0x5b5e139f', '0x49064906'] as const) {
      const supported = { ...registry(), functionName: 'supportsInterface', args: [id] } as const
      expect(await client().readContract(supported)).toBe(true)
    }
    const [, name, version, chainId, verifyingContract] = await client().readContract({
      ...registry(),
      functionName: 'eip712Domain',
    })
    expect([name, version, chainId]).toEqual(['ERC8004IdentityRegistry', '1', 31_337n])
    expect(verifyingContract).toBe(devnet().registry.identity)
  })
})

describe('register', () => {
  test('counts from 0 and says everything in order', async () => {
    const owner = wallet(0)
    const entries = [{ metadataKey: 'role', metadataValue: '0x6c70' as Hex }]
    const plain = await logsOf(await owner.writeContract({ ...registry(), functionName: 'register' }))
    expect(plain.map(({ eventName }) => eventName)).toEqual(['Transfer', 'Registered', 'MetadataSet'])
    const full = await register(0, uri, entries)
    expect(full.map(({ eventName }) => eventName)).toEqual([
      'Transfer',
      'MetadataUpdate',
      'Registered',
      'MetadataSet',
      'MetadataSet',
    ])
    const { address } = owner.account
    expect(full[0]!.args).toEqual({ from: zeroAddress, to: address, tokenId: 1n })
    expect(full[2]!.args).toEqual({ agentId: 1n, agentURI: uri, owner: address })
    expect(full[3]!.args).toMatchObject({
      agentId: 1n,
      metadataKey: 'agentWallet',
      metadataValue: encodePacked(['address'], [address]),
    })
    expect(full[4]!.args).toMatchObject({ agentId: 1n, metadataKey: 'role', metadataValue: '0x6c70' })
    expect(await client().readContract({ ...registry(), functionName: 'ownerOf', args: [0n] })).toBe(address)
    expect(await client().readContract({ ...registry(), functionName: 'tokenURI', args: [0n] })).toBe('')
    expect(await client().readContract({ ...registry(), functionName: 'tokenURI', args: [1n] })).toBe(uri)
    expect(await client().readContract({ ...registry(), functionName: 'getMetadata', args: [1n, 'role'] })).toBe(
      '0x6c70',
    )
    expect(await agentWallet(1n)).toBe(address)
  })

  test('keeps the wallet’s key for itself', async () => {
    const entry = { metadataKey: 'agentWallet', metadataValue: '0x' as Hex }
    await expect(register(0, uri, [entry])).rejects.toThrow('reserved key')
    await register(0)
    const set = { ...registry(), functionName: 'setMetadata', args: [0n, 'agentWallet', '0x'] } as const
    await expect(wallet(0).writeContract(set)).rejects.toThrow('reserved key')
  })

  test('refuses a contract without the hook of ERC-721', async () => {
    const { wrappedNative } = devnet().chain
    await client().impersonateAccount({ address: wrappedNative.address })
    await client().setBalance({ address: wrappedNative.address, value: 10n ** 21n })
    const from = { ...registry(), functionName: 'register', account: wrappedNative.address } as const
    await expect(client().simulateContract(from)).rejects.toThrow('ERC721InvalidReceiver')
  })

  test('takes a delegated account whose code has the hook, and refuses one whose code lacks it', async () => {
    const owner = wallet(3)
    const delegate = async (contractAddress: Address) => {
      const authorization = await owner.signAuthorization({ contractAddress, executor: 'self' })
      const hash = await owner.sendTransaction({
        to: devnet().accounts[0]!.address,
        authorizationList: [authorization],
      })
      await awaitReceipt(client(), hash)
    }
    await delegate(devnet().simple7702Account)
    expect(await client().getCode({ address: owner.account.address })).toMatch(/^0xef0100/)
    expect(await register(3, uri)).toHaveLength(4)
    await delegate(multicall3Address)
    await expect(register(3, uri)).rejects.toThrow('ERC721InvalidReceiver')
  })
})

describe('who may change an agent', () => {
  test('is its owner, an operator, or who is approved for it', async () => {
    await register(0)
    const [owner, operator, approved, stranger] = [0, 1, 2, 3].map(wallet)
    const set = async (by: typeof owner) =>
      await logsOf(await by!.writeContract({ ...registry(), functionName: 'setAgentURI', args: [0n, uri] }))
    const isAuthorized = async (by: typeof owner) =>
      await client().readContract({
        ...registry(),
        functionName: 'isAuthorizedOrOwner',
        args: [by!.account.address, 0n],
      })
    for (const by of [operator, approved, stranger]) await expect(set(by)).rejects.toThrow('Not authorized')
    await mined(
      await owner!.writeContract({
        ...registry(),
        functionName: 'setApprovalForAll',
        args: [operator!.account.address, true],
      }),
    )
    await mined(
      await owner!.writeContract({ ...registry(), functionName: 'approve', args: [approved!.account.address, 0n] }),
    )
    for (const by of [owner, operator, approved]) {
      expect(await isAuthorized(by)).toBe(true)
      expect((await set(by)).map(({ eventName }) => eventName)).toEqual(['MetadataUpdate', 'URIUpdated'])
    }
    expect(await isAuthorized(stranger)).toBe(false)
    const nobody = { ...registry(), functionName: 'isAuthorizedOrOwner', args: [zeroAddress, 7n] } as const
    await expect(client().readContract(nobody)).rejects.toThrow('ERC721NonexistentToken')
  })
})

describe('the agent’s wallet', () => {
  const key = generatePrivateKey()
  const next = privateKeyToAccount(key)

  test('changes with the new wallet’s consent, for five minutes', async () => {
    await register(0)
    const now = Number((await client().getBlock()).timestamp)
    expect(await agentWallet(0n)).toBe(wallet(0).account.address)
    const logs = await setWallet(next.address, now + 250, await consent(now + 250))
    expect(logs.map(({ eventName }) => eventName)).toEqual(['MetadataSet'])
    expect(await agentWallet(0n)).toBe(next.address)
    await expect(setWallet(next.address, now - 5, await consent(now - 5))).rejects.toThrow('expired')
    await expect(setWallet(next.address, now + 9_000, await consent(now + 9_000))).rejects.toThrow('deadline too far')
    await expect(setWallet(zeroAddress, now + 250, await consent(now + 250))).rejects.toThrow('bad wallet')
  })

  test('does not change without it', async () => {
    await register(0)
    const deadline = Number((await client().getBlock()).timestamp) + 250
    const other = devnet().accounts[5]!.address
    await expect(setWallet(other, deadline, await consent(deadline))).rejects.toThrow('invalid wallet sig')
    await expect(setWallet(next.address, deadline, '0x')).rejects.toThrow('invalid wallet sig')
    await expect(setWallet(next.address, deadline + 1, await consent(deadline))).rejects.toThrow('invalid wallet sig')
    await expect(setWallet(multicall3Address, deadline, '0x')).rejects.toThrow('invalid wallet sig')
    expect(await agentWallet(0n)).toBe(wallet(0).account.address)
  })

  test('may be a contract that accepts the signature by ERC-1271', async () => {
    await register(0)
    const address: Address = '0x00000000000000000000000000000000000A11cE'
    // Answers everything with the magic value.
    await client().setCode({ address, bytecode: '0x631626ba7e60e01b5f5260205ff3' })
    await setWallet(address, Number((await client().getBlock()).timestamp) + 250, '0x1234')
    expect(await agentWallet(0n)).toBe(address)
  })

  test('is gone after a transfer, and when it is taken away', async () => {
    await register(0)
    await register(0)
    const [from, to] = [wallet(0).account.address, wallet(1).account.address]
    const transfer = { ...registry(), functionName: 'transferFrom', args: [from, to, 0n] } as const
    const logs = await logsOf(await wallet(0).writeContract(transfer))
    expect(logs.map(({ eventName }) => eventName)).toEqual(['Transfer', 'MetadataSet'])
    expect(logs[1]!.args).toMatchObject({ metadataKey: 'agentWallet', metadataValue: '0x' })
    expect(await agentWallet(0n)).toBe(zeroAddress)
    await logsOf(await wallet(0).writeContract({ ...registry(), functionName: 'unsetAgentWallet', args: [1n] }))
    expect(await agentWallet(1n)).toBe(zeroAddress)
  })

  async function consent(deadline: number): Promise<Hex> {
    return await next.signTypedData({
      domain: {
        name: 'ERC8004IdentityRegistry',
        version: '1',
        chainId: 31_337,
        verifyingContract: devnet().registry.identity,
      },
      types: {
        AgentWalletSet: [
          { name: 'agentId', type: 'uint256' },
          { name: 'newWallet', type: 'address' },
          { name: 'owner', type: 'address' },
          { name: 'deadline', type: 'uint256' },
        ],
      },
      primaryType: 'AgentWalletSet',
      message: {
        agentId: 0n,
        newWallet: next.address,
        owner: devnet().accounts[0]!.address,
        deadline: BigInt(deadline),
      },
    })
  }

  async function setWallet(address: Address, deadline: number, signature: Hex) {
    const args = [0n, address, BigInt(deadline), signature] as const
    return await logsOf(await wallet(0).writeContract({ ...registry(), functionName: 'setAgentWallet', args }))
  }
})

async function register(
  index: number,
  agentURI = uri,
  entries: readonly { metadataKey: string; metadataValue: Hex }[] = [],
) {
  const call = { ...registry(), functionName: 'register' } as const
  const hash = await (entries.length > 0
    ? wallet(index).writeContract({ ...call, args: [agentURI, entries] })
    : wallet(index).writeContract({ ...call, args: [agentURI] }))
  return await logsOf(hash)
}

async function agentWallet(agentId: bigint): Promise<Address> {
  return await client().readContract({ ...registry(), functionName: 'getAgentWallet', args: [agentId] })
}

async function mined(hash: Hex) {
  const receipt = await awaitReceipt(client(), hash)
  expect(receipt.status).toBe('success')
  return receipt
}

async function logsOf(hash: Hex) {
  return parseEventLogs({ abi, logs: (await mined(hash)).logs })
}
