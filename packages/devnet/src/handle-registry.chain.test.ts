import { parseAbi, parseEventLogs, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { awaitReceipt } from './chain/chain-client.ts'
import { connect } from './chain/chain-client.ts'
import { openWallet } from './open-wallet.fixture.ts'
import { useDevnet } from './use-devnet.ts'

const devnet = useDevnet()
const client = () => connect(devnet().rpcUrl)
const wallet = (index: number) => openWallet(devnet(), devnet().accounts[index]!.privateKey)
const uri = 'ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'

const handleAbi = parseAbi([
  'function register(string handle, string metadataURI, uint8 interfaceType) returns (uint256)',
  'function ownerOf(uint256 agentId) view returns (address)',
  'function agentIdOf(string handle) view returns (uint256)',
  'function tokenURI(uint256 agentId) view returns (string)',
  'function interfaceTypeOf(uint256 agentId) view returns (uint8)',
  'event AgentRegistered(uint256 indexed agentId, address indexed owner, string handle, string metadataURI, uint8 interfaceType)',
])
const handles = () => ({ address: devnet().registry.handle, abi: handleAbi }) as const
const enter = async (handle: string, interfaceType: number) =>
  await awaitReceipt(
    client(),
    await wallet(1).writeContract({
      ...handles(),
      functionName: 'register',
      args: [handle, uri, interfaceType],
    }),
  )

test('takes the three arguments and answers for them', async () => {
  expect(toFunctionSelector(handleAbi[0])).toBe('0xb3f90e0a')
  const { logs } = await enter('alice', 1)
  const owner = wallet(1).account.address
  expect(parseEventLogs({ abi: handleAbi, logs }).map(({ args }) => args)).toEqual([
    { agentId: 0n, owner, handle: 'alice', metadataURI: uri, interfaceType: 1 },
  ])
  await enter('bob', 2)
  expect(await client().readContract({ ...handles(), functionName: 'agentIdOf', args: ['bob'] })).toBe(1n)
  expect(await client().readContract({ ...handles(), functionName: 'ownerOf', args: [1n] })).toBe(owner)
  expect(await client().readContract({ ...handles(), functionName: 'tokenURI', args: [1n] })).toBe(uri)
  expect(await client().readContract({ ...handles(), functionName: 'interfaceTypeOf', args: [1n] })).toBe(2)
})

test('refuses a handle that is taken or empty, and an interface it does not know', async () => {
  await enter('alice', 1)
  await expect(enter('alice', 1)).rejects.toThrow('handle taken')
  await expect(enter('', 1)).rejects.toThrow('empty handle')
  await expect(enter('carol', 3)).rejects.toThrow('unknown interface type')
  const unknown = { ...handles(), functionName: 'ownerOf', args: [9n] } as const
  await expect(client().readContract(unknown)).rejects.toThrow('unknown agent')
})
